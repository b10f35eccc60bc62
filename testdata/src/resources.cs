// Managed resources: two of different length, an empty one, a private one, a .resources set, and
// one more behind it so that the set is not last.
using System;
using System.IO;
using System.Reflection;
using System.Resources;

static class Resources
{
    static void Show(string name)
    {
        Assembly self = typeof(Resources).Assembly;
        using (Stream stream = self.GetManifestResourceStream(name))
        {
            uint sum = 2166136261;
            for (int b; (b = stream.ReadByte()) >= 0;) sum = unchecked((sum ^ (uint)b) * 16777619);
            Console.WriteLine(name + " " + stream.Length + " " + sum.ToString("x8") + " " +
                self.GetManifestResourceInfo(name).ResourceLocation);
        }
    }

    static void Main()
    {
        foreach (string name in typeof(Resources).Assembly.GetManifestResourceNames())
            if (name.EndsWith(".resources")) Console.WriteLine(name);
            else Show(name);
        var manager = new ResourceManager("strings", typeof(Resources).Assembly);
        Console.WriteLine(manager.GetString("greeting") + " | " + manager.GetString("long").Length +
            " | " + manager.GetString("unicode").Length);
    }
}
