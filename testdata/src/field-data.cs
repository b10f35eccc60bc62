// Data that compilers put behind fields with an RVA: array initialisers of every element size.
// Built for .NET it also holds spans over constant data, which must stay aligned.
using System;

static class FieldData
{
    static readonly byte[] Bytes = { 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233 };
    static readonly char[] Chars = { 'c', '\u00e9', '\ud800', '\uffff', '\0', 'z' };
    static readonly short[] Shorts = { -1, short.MinValue, short.MaxValue, 77 };
    static readonly int[] Ints = { 1, -2, int.MinValue, int.MaxValue, 0x12345678 };
    static readonly long[] Longs = { 1, long.MinValue, 0x0123456789abcdef, -9 };
    static readonly float[] Floats = { 1.5f, -0.0f, float.NaN, float.PositiveInfinity };
    static readonly double[] Doubles = { Math.PI, -0.0, double.Epsilon, double.MaxValue };
    static readonly bool[] Bools = { true, false, true, true, false, true };
    static readonly int[,] Grid = { { 1, 2, 3 }, { 4, 5, 6 } };
    static readonly DayOfWeek[] Days = { DayOfWeek.Friday, DayOfWeek.Monday, DayOfWeek.Sunday };

    static uint Sum(Array array)
    {
        uint sum = 2166136261;
        byte[] raw = new byte[Buffer.ByteLength(array)];
        Buffer.BlockCopy(array, 0, raw, 0, raw.Length);
        foreach (byte b in raw) sum = unchecked((sum ^ b) * 16777619);
        return sum;
    }

    static void Main()
    {
        foreach (Array array in new Array[]
                 { Bytes, Chars, Shorts, Ints, Longs, Floats, Doubles, Bools, Grid })
            Console.WriteLine(array.GetType().GetElementType().Name + " " + array.Length + " " +
                Sum(array).ToString("x8"));
        Console.WriteLine(string.Join(",", Days));
        Console.WriteLine(Ints[4].ToString("x") + " " + Longs[2].ToString("x") + " " + Grid[1, 2]);
#if NET
        ReadOnlySpan<int> ints = [2, 3, 5, 7, 11, 13, 17, 19];
        ReadOnlySpan<long> longs = [1L << 40, -1, 1];
        ReadOnlySpan<ushort> shorts = [65535, 1, 2];
        ReadOnlySpan<double> doubles = [0.5, -0.0];
        ReadOnlySpan<byte> text = "caf\u00e9"u8;
        ReadOnlySpan<byte> flat = [9, 8, 7];
        ReadOnlySpan<char> chars = ['x', '\u1234'];
        Console.WriteLine(ints[7] + " " + longs[0] + " " + shorts[0] + " " +
            BitConverter.DoubleToInt64Bits(doubles[1]).ToString("x") + " " + text.Length + " " +
            text[4] + " " + flat[2] + " " + (int)chars[1]);
        Span<int> stack = stackalloc int[] { 100, 200, 300, 400 };
        Console.WriteLine(stack[3]);
        int sum = 0;
        foreach (int i in ints) sum += i;
        Console.WriteLine(sum);
#endif
    }
}
