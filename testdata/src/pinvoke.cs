// Platform invoke: calls into the C library that really run, and declarations (never called) that
// together set every flag of the ImplMap table.
using System;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;

static class PInvoke
{
    [DllImport("libc")] static extern int abs(int x);
    [DllImport("libc", EntryPoint = "strlen", CharSet = CharSet.Ansi)]
    static extern UIntPtr Length(string text);
    [DllImport("libc", SetLastError = true, ExactSpelling = true)]
    static extern int close(int descriptor);
    [DllImport("libc", CallingConvention = CallingConvention.Cdecl)]
    static extern void qsort([In, Out] int[] items, UIntPtr count, UIntPtr size, Compare compare);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    delegate int Compare(ref int left, ref int right);

    static class Flags
    {
        [DllImport("none.dll")] public static extern void Plain();
        [DllImport("none.dll", EntryPoint = "#12")] public static extern void Ordinal();
        [DllImport("none.dll", ExactSpelling = true)] public static extern void NoMangle();
        [DllImport("none.dll", CharSet = CharSet.None)] public static extern void CharNone();
        [DllImport("none.dll", CharSet = CharSet.Ansi)] public static extern void CharAnsi();
        [DllImport("none.dll", CharSet = CharSet.Unicode)] public static extern void CharWide();
        [DllImport("none.dll", CharSet = CharSet.Auto)] public static extern void CharAuto();
        [DllImport("none.dll", BestFitMapping = true)] public static extern void FitOn();
        [DllImport("none.dll", BestFitMapping = false)] public static extern void FitOff();
        [DllImport("none.dll", ThrowOnUnmappableChar = true)] public static extern void ThrowOn();
        [DllImport("none.dll", ThrowOnUnmappableChar = false)] public static extern void ThrowOff();
        [DllImport("none.dll", SetLastError = true)] public static extern void LastError();
        [DllImport("none.dll", PreserveSig = false)] public static extern int NoPreserve();
        [DllImport("none.dll", CallingConvention = CallingConvention.Winapi)]
        public static extern void Winapi();
        [DllImport("none.dll", CallingConvention = CallingConvention.Cdecl)]
        public static extern void Cdecl();
        [DllImport("none.dll", CallingConvention = CallingConvention.StdCall)]
        public static extern void StdCall();
        [DllImport("none.dll", CallingConvention = CallingConvention.ThisCall)]
        public static extern void ThisCall();
        [DllImport("none.dll", CallingConvention = CallingConvention.FastCall)]
        public static extern void FastCall();
        [DllImport("other dll", EntryPoint = "odd name", SetLastError = true, ExactSpelling = true,
            CharSet = CharSet.Unicode, BestFitMapping = false, ThrowOnUnmappableChar = true,
            CallingConvention = CallingConvention.StdCall)]
        public static extern void All();
    }

    static void Main()
    {
        Console.WriteLine(abs(-17) + " " + Length("seven!!") + " " + close(-1) + " " +
            (Marshal.GetLastWin32Error() != 0));
        int[] items = { 5, 3, 9, 1, 7 };
        qsort(items, (UIntPtr)5, (UIntPtr)4, (ref int l, ref int r) => l.CompareTo(r));
        Console.WriteLine(string.Join(" ", items));

        foreach (MethodInfo m in typeof(Flags).GetMethods(BindingFlags.Static | BindingFlags.Public)
                     .OrderBy(m => m.Name, StringComparer.Ordinal))
        {
            var d = (DllImportAttribute)m.GetCustomAttributes(typeof(DllImportAttribute), false)[0];
            Console.WriteLine(m.Name + ": " + d.Value + " " + d.EntryPoint + " " + d.CharSet + " " +
                d.CallingConvention + (d.ExactSpelling ? " exact" : "") +
                (d.SetLastError ? " lasterror" : "") + (d.PreserveSig ? "" : " hresult") +
                (d.BestFitMapping ? "" : " nobestfit") + (d.ThrowOnUnmappableChar ? " throw" : ""));
        }
    }
}
