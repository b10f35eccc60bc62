// Marshalling descriptors on fields, parameters and return values, read back by reflection.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;

class Custom : ICustomMarshaler
{
    public static ICustomMarshaler GetInstance(string cookie) { return new Custom(); }
    public object MarshalNativeToManaged(IntPtr p) { return null; }
    public IntPtr MarshalManagedToNative(object o) { return IntPtr.Zero; }
    public void CleanUpNativeData(IntPtr p) { }
    public void CleanUpManagedData(object o) { }
    public int GetNativeDataSize() { return -1; }
}

[StructLayout(LayoutKind.Sequential)]
struct Fields
{
    [MarshalAs(UnmanagedType.Bool)] public bool Bool4;
    [MarshalAs(UnmanagedType.VariantBool)] public bool Bool2;
    [MarshalAs(UnmanagedType.I1)] public bool Bool1;
    [MarshalAs(UnmanagedType.BStr)] public string BStr;
    [MarshalAs(UnmanagedType.LPStr)] public string LPStr;
    [MarshalAs(UnmanagedType.LPWStr)] public string LPWStr;
    [MarshalAs(UnmanagedType.LPTStr)] public string LPTStr;
    [MarshalAs(UnmanagedType.ByValTStr, SizeConst = 260)] public string Fixed;
    [MarshalAs(UnmanagedType.ByValArray, SizeConst = 4)] public int[] Values;
    [MarshalAs(UnmanagedType.ByValArray, SizeConst = 2, ArraySubType = UnmanagedType.LPWStr)]
    public string[] Texts;
    [MarshalAs(UnmanagedType.SafeArray, SafeArraySubType = VarEnum.VT_BSTR)] public string[] Safe;
    [MarshalAs(UnmanagedType.IUnknown)] public object Unknown;
    [MarshalAs(UnmanagedType.IDispatch)] public object Dispatch;
    [MarshalAs(UnmanagedType.Struct)] public object Variant;
    [MarshalAs(UnmanagedType.Interface)] public object Interface;
    [MarshalAs(UnmanagedType.FunctionPtr)] public Action Callback;
    [MarshalAs(UnmanagedType.U8)] public ulong Eight;
    [MarshalAs(UnmanagedType.Error)] public int HResult;
    [MarshalAs(UnmanagedType.Currency)] public decimal Money;
}

static class MarshalProgram
{
    [DllImport("none")]
    [return: MarshalAs(UnmanagedType.LPWStr)]
    static extern string Call(
        [MarshalAs(UnmanagedType.LPArray)] int[] plain,
        [MarshalAs(UnmanagedType.LPArray, SizeParamIndex = 3)] int[] counted,
        [MarshalAs(UnmanagedType.LPArray, SizeConst = 5, SizeParamIndex = 3,
            ArraySubType = UnmanagedType.I2)] short[] both,
        int count,
        [MarshalAs(UnmanagedType.CustomMarshaler, MarshalTypeRef = typeof(Custom),
            MarshalCookie = "cookie \u00e9")] object custom,
        [In, Out, MarshalAs(UnmanagedType.SafeArray, SafeArraySubType = VarEnum.VT_DISPATCH)]
        ref object[] safe,
        [MarshalAs(UnmanagedType.AsAny)] object any,
        [Optional, Out, MarshalAs(UnmanagedType.LPStruct)] Guid guid);

    static string Show(MarshalAsAttribute m)
    {
        string type = m.MarshalTypeRef == null ? m.MarshalType : m.MarshalTypeRef.Name;
        return m.Value + " sub " + (int)m.ArraySubType + " safe " + m.SafeArraySubType + " size " +
            m.SizeConst + " index " + m.SizeParamIndex +
            (type == null ? "" : " type " + type) +
            (m.MarshalCookie == null ? "" : " cookie " + m.MarshalCookie.Length);
    }

    static string Show(ICustomAttributeProvider p)
    {
        return string.Join("; ", p.GetCustomAttributes(typeof(MarshalAsAttribute), false)
            .Cast<MarshalAsAttribute>().Select(Show));
    }

    static void Main()
    {
        foreach (FieldInfo f in typeof(Fields).GetFields().OrderBy(f => f.Name, StringComparer.Ordinal))
            Console.WriteLine(f.Name + ": " + Show(f));
        MethodInfo call = typeof(MarshalProgram).GetMethod("Call",
            BindingFlags.Static | BindingFlags.NonPublic);
        Console.WriteLine("return: " + Show(call.ReturnParameter));
        foreach (ParameterInfo p in call.GetParameters())
            Console.WriteLine(p.Name + ": " + Show(p) + " " + p.Attributes);
    }
}
