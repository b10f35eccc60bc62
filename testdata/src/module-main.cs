// An assembly of two modules: File row with a hash, exported types of the other module, ModuleRef
// as the scope of a TypeRef, a linked file as a resource.
using System;
using System.IO;
using System.Linq;

class Mine : IPart { public int Count { get { return Part.Data.Length; } } }

static class ModuleMain
{
    static void Main()
    {
        Console.WriteLine(Part.Text() + " " + Part.Data[5] + " " + new Part.Inner() + " " + new Mine().Count);
        var self = typeof(ModuleMain).Assembly;
        Console.WriteLine(string.Join(" ", self.GetModules().Select(m => m.Name).Distinct()));
        Console.WriteLine(string.Join(" ", self.GetTypes().Where(t => t.IsPublic).Select(t => t.Name)));
        var info = self.GetManifestResourceInfo("linked");
        Console.WriteLine(info.FileName + " " + info.ResourceLocation);
        using (Stream stream = self.GetManifestResourceStream("linked"))
            Console.WriteLine(stream.Length);
    }
}
