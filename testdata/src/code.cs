// Shapes of code that tripped other tools: branches near the limits of the short form, big and
// sparse switches, unbox of a field's owner, value-type forwarding with five arguments, volatile,
// checked arithmetic, nested loops with goto, NaN and infinity literals.
using System;
using System.Collections.Generic;
using System.Text;

struct Five
{
    public int Sum;
    public Five(bool a, bool b, bool c, bool d, int e) { Sum = (a ? 1 : 0) + (b ? 2 : 0) + (c ? 4 : 0) + (d ? 8 : 0) + e; }
    public static Five Forward(bool a, bool b, bool c, bool d, int e) { return new Five(a, b, c, d, e); }
    public int Apply(Five x, bool a, bool b, bool c, bool d) { return new Five(a, b, c, d, x.Sum).Sum + Sum; }
}

static class Code
{
    static volatile int fence;

    static string Dense(int n)
    {
        switch (n)
        {
            case 0: return "zero"; case 1: return "one"; case 2: return "two"; case 3: return "three";
            case 4: return "four"; case 6: return "six"; case 7: return "seven"; case 9: return "nine";
            default: return "many";
        }
    }

    static int Sparse(long n)
    {
        switch (n)
        {
            case long.MinValue: return 1; case -1: return 2; case 1L << 33: return 3;
            case 1000000: goto case -1; case long.MaxValue: return 4; default: return 0;
        }
    }

    static string Texts(string s)
    {
        switch (s)
        {
            case "a": return "1"; case "b": return "2"; case "c": return "3"; case "d": return "4";
            case "e": return "5"; case "f": return "6"; case "g": return "7"; case "": return "empty";
            case null: return "null"; default: return "?";
        }
    }

    // The jump over the body is about as long as a one-byte displacement can express.
    static int Long(bool skip, int x)
    {
        if (!skip)
        {
            x += 1001; x ^= 1002; x += 1003; x ^= 1004; x += 1005; x ^= 1006; x += 1007; x ^= 1008;
            x += 1009; x ^= 1010; x += 1011; x ^= 1012; x += 1013;
        }
        return x;
    }

    static int Search(int[,] grid, int wanted)
    {
        for (int i = 0; i < grid.GetLength(0); i++)
            for (int j = 0; j < grid.GetLength(1); j++)
                if (grid[i, j] == wanted) goto found;
        return -1;
    found:
        return wanted * 100;
    }

    static void Main()
    {
        Console.WriteLine(Five.Forward(true, false, true, true, 100).Sum + " " +
            new Five(false, true, false, false, 0).Apply(new Five(true, true, true, true, 1), false, false, false, true));
        object boxed = Five.Forward(false, false, false, true, 1);
        Console.WriteLine(((Five)boxed).Sum + " " + ((KeyValuePair<int, string>)(object)new KeyValuePair<int, string>(3, "v")).Value);
        Console.WriteLine(Dense(0) + " " + Dense(5) + " " + Dense(9) + " " + Dense(-1));
        Console.WriteLine(Sparse(1000000) + " " + Sparse(1L << 33) + " " + Sparse(5));
        Console.WriteLine(Texts("g") + " " + Texts("") + " " + Texts(null) + " " + Texts("zz"));
        Console.WriteLine(Long(true, 1) + " " + Long(false, 1));
        Console.WriteLine(Search(new[,] { { 1, 2 }, { 3, 4 } }, 3) + " " + Search(new int[2, 2], 9));
        fence = 4;
        fence += 3;
        int big = int.MaxValue;
        try { Console.WriteLine(checked(big + fence)); }
        catch (OverflowException) { Console.WriteLine("overflow " + unchecked(big + fence)); }
        double[] odd = { double.NaN, double.PositiveInfinity, -0.0, float.NegativeInfinity, double.Epsilon };
        foreach (double d in odd) Console.Write(BitConverter.DoubleToInt64Bits(d).ToString("x16") + " ");
        Console.WriteLine();
        var text = new StringBuilder();
        int n = 10;
        do { text.Append(n % 3 == 0 ? 'f' : n % 2 == 0 ? 'e' : 'o'); } while (--n > 0);
        lock (text) text.Insert(0, (uint)0xffffffff >> 28).Append(unchecked((byte)(n + 300)) == 44).Append(unchecked((sbyte)(n - 129)) & 0xff);
        Console.WriteLine(text);
    }
}
