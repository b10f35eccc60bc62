// An executable with all Win32 resources a compiler writes: version, manifest, icon. The program
// reads its version attributes; the type library id and an assembly as resource must not be taken
// for the module's own id.
using System;
using System.Reflection;
using System.Runtime.InteropServices;

[assembly: AssemblyTitle("Version test")]
[assembly: AssemblyDescription("Win32 version with non-ASCII: \u00e9\u4e2d")]
[assembly: AssemblyCompany("clrkit")]
[assembly: AssemblyProduct("clrkit test data")]
[assembly: AssemblyCopyright("Public domain")]
[assembly: AssemblyTrademark("none")]
[assembly: AssemblyVersion("1.2.3.4")]
[assembly: AssemblyFileVersion("5.6.7.8")]
[assembly: AssemblyInformationalVersion("9.10-beta+build")]
[assembly: Guid("01234567-89ab-cdef-0123-456789abcdef")]
[assembly: ComVisible(true)]

[ComImport, Guid("00000000-0000-0000-c000-000000000046"), InterfaceType(ComInterfaceType.InterfaceIsIUnknown)]
interface IUnknownLike
{
    [PreserveSig] int First();
    [DispId(7)] void Second([MarshalAs(UnmanagedType.IUnknown)] object o);
}

static class VersionProgram
{
    static void Main()
    {
        Console.OutputEncoding = new System.Text.UTF8Encoding(false);
        Assembly self = typeof(VersionProgram).Assembly;
        Console.WriteLine(self.GetName().Version);
        foreach (Type t in new[] { typeof(AssemblyFileVersionAttribute), typeof(AssemblyInformationalVersionAttribute),
                 typeof(AssemblyTitleAttribute), typeof(AssemblyDescriptionAttribute),
                 typeof(GuidAttribute) })
        {
            object a = self.GetCustomAttributes(t, false)[0];
            foreach (PropertyInfo p in t.GetProperties())
                if (p.DeclaringType == t) Console.WriteLine(p.Name + " " + p.GetValue(a, null));
        }
        Console.WriteLine(Assembly.Load(Read(self)).GetName().Name);
    }

    static byte[] Read(Assembly self)
    {
        using (var stream = self.GetManifestResourceStream("inner.exe"))
        {
            var bytes = new byte[stream.Length];
            stream.Read(bytes, 0, bytes.Length);
            return bytes;
        }
    }
}
