// Layout: unions, packing, sizes, fixed buffers, and a struct with field offsets out of order.
using System;
using System.Runtime.InteropServices;

[StructLayout(LayoutKind.Explicit)]
struct Union
{
    [FieldOffset(0)] public uint Whole;
    [FieldOffset(0)] public ushort Low;
    [FieldOffset(2)] public ushort High;
    [FieldOffset(3)] public byte Top;
}

[StructLayout(LayoutKind.Explicit, Size = 24, Pack = 1)]
struct Backwards
{
    [FieldOffset(17)] public int Last;
    [FieldOffset(8)] public long Middle;
    [FieldOffset(0)] public short First;
}

[StructLayout(LayoutKind.Sequential, Pack = 1)]
struct Packed { public byte A; public long B; public short C; }

[StructLayout(LayoutKind.Sequential, Pack = 16)]
struct Loose { public byte A; public long B; public short C; }

[StructLayout(LayoutKind.Sequential, Size = 37)]
struct Sized { public byte A; }

[StructLayout(LayoutKind.Sequential, CharSet = CharSet.Unicode)]
class WideText
{
    [MarshalAs(UnmanagedType.ByValTStr, SizeConst = 10)] public string Name;
    [MarshalAs(UnmanagedType.ByValArray, SizeConst = 3)] public int[] Values;
}

[StructLayout(LayoutKind.Auto)]
struct Free { public byte A; public object B; public byte C; }

unsafe struct Buffers
{
    public fixed byte Bytes[5];
    public fixed char Name[24];
    public fixed long Longs[2];
}

static unsafe class Layout
{
    static string Offsets(Type type, params string[] fields)
    {
        string text = type.Name + " " + type.StructLayoutAttribute.Value + " pack " +
            type.StructLayoutAttribute.Pack % 8 + " size " + Marshal.SizeOf(type) + ":";
        foreach (string field in fields)
            text += " " + field + "@" + Marshal.OffsetOf(type, field);
        return text;
    }

    static void Main()
    {
        Union u = new Union { Whole = 0x12345678 };
        Console.WriteLine(u.Low.ToString("x") + " " + u.High.ToString("x") + " " + u.Top.ToString("x"));
        Console.WriteLine(Offsets(typeof(Union), "Whole", "Low", "High", "Top"));
        Console.WriteLine(Offsets(typeof(Backwards), "Last", "Middle", "First"));
        Console.WriteLine(Offsets(typeof(Packed), "A", "B", "C"));
        Console.WriteLine(Offsets(typeof(Loose), "A", "B", "C"));
        Console.WriteLine(Offsets(typeof(Sized), "A"));
        Console.WriteLine(Offsets(typeof(WideText), "Name", "Values"));
        Console.WriteLine(typeof(Free).IsAutoLayout + " " + sizeof(Packed) + " " + sizeof(Sized));

        Buffers b = new Buffers();
        b.Bytes[4] = 44;
        b.Name[23] = 'z';
        b.Longs[1] = -1;
        Console.WriteLine(sizeof(Buffers) + " " + b.Bytes[4] + " " + b.Name[23] + " " + b.Longs[1] +
            " " + (int)((byte*)&b.Longs[0] - (byte*)&b));
    }
}
