// Constants of every element type, on fields and on parameters, read back raw.
using System;
using System.Linq;
using System.Reflection;

enum Tiny : sbyte { Low = -128, None = 0, High = 127 }
enum Huge : ulong { All = ulong.MaxValue }

static class Values
{
    public const bool True = true, False = false;
    public const char Letter = 'x', Surrogate = '\ud800', Zero = '\0';
    public const sbyte SByte = -128;
    public const byte Byte = 255;
    public const short Short = short.MinValue;
    public const ushort UShort = ushort.MaxValue;
    public const int Int = int.MinValue;
    public const uint UInt = uint.MaxValue;
    public const long Long = long.MinValue;
    public const ulong ULong = ulong.MaxValue;
    public const float Float = 1.1f, FloatNegativeZero = -0.0f, FloatNaN = float.NaN,
        FloatInfinity = float.NegativeInfinity, FloatTiny = float.Epsilon;
    public const double Double = 0.1, DoubleNegativeZero = -0.0, DoubleNaN = double.NaN,
        DoubleInfinity = double.PositiveInfinity, DoubleTiny = double.Epsilon;
    public const string Text = "text", Empty = "", Null = null, Lone = "a\udc00b", Nul = "\0\0",
        Wide = "\u00e9\u4e2d\U0001f600";
    public const object NullObject = null;
    public const Tiny TinyEnum = Tiny.Low;
    public const Huge HugeEnum = Huge.All;
    public const decimal Money = -79228162514264337593543950335m, Cents = 0.01m;
}

static class Constants
{
    static void Defaults(int a = -1, long b = 1L << 40, string c = "d", string n = null,
        float f = -0.0f, Tiny t = Tiny.High, char ch = '\uffff', DateTime when = default(DateTime),
        int? maybe = 7, int? never = null, decimal m = 2.50m, object o = null) { }

    static string Show(object value)
    {
        if (value == null) return "null";
        if (value is float)
            return "Single " + BitConverter.ToInt32(BitConverter.GetBytes((float)value), 0).ToString("x8");
        if (value is double)
            return "Double " + BitConverter.DoubleToInt64Bits((double)value).ToString("x16");
        if (value is string)
            return "String " + string.Join(" ", ((string)value).Select(c => ((int)c).ToString("x")));
        if (value is char) return "Char " + ((int)(char)value).ToString("x");
        return value.GetType().Name + " " + value;
    }

    static void Main()
    {
        foreach (FieldInfo f in typeof(Values).GetFields().OrderBy(f => f.Name, StringComparer.Ordinal))
            Console.WriteLine(f.Name + " = " +
                Show(f.IsLiteral ? f.GetRawConstantValue() : f.GetValue(null)) +
                (f.IsLiteral ? "" : " (computed)"));
        foreach (ParameterInfo p in typeof(Constants).GetMethod("Defaults",
                     BindingFlags.Static | BindingFlags.NonPublic).GetParameters())
            Console.WriteLine(p.Name + " = " + (p.Name == "when" ? "-" : Show(p.RawDefaultValue)));
    }
}
