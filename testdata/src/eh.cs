// Exception handling as C# compilers write it: filters, nesting, rethrow, finally on every way
// out, and a method with more clauses than the small section form can hold.
using System;
using System.Collections.Generic;

static class Eh
{
    sealed class Guard : IDisposable
    {
        public static int Open, Closed;
        public Guard() { Open++; }
        public void Dispose() { Closed++; }
    }

    static bool Log(string text) { Console.WriteLine("  filter " + text); return true; }

    static string Which(Action action)
    {
        try
        {
            try { action(); return "none"; }
            catch (ArgumentNullException e) when (e.ParamName == "first" && Log("first"))
            { return "filter first"; }
            catch (ArgumentNullException e) when (e.ParamName == "second" && Log("second"))
            { return "filter second"; }
            catch (ArgumentException) { return "argument"; }
            catch (InvalidOperationException) { throw; }
            finally { Console.WriteLine("  finally inner"); }
        }
        catch (InvalidOperationException e) { return "outer " + e.Message; }
        catch { return "anything"; }
        finally { Console.WriteLine("  finally outer"); }
    }

    static IEnumerable<int> Numbers()
    {
        try
        {
            yield return 1;
            try { yield return 2; }
            finally { Console.WriteLine("  iterator inner"); }
        }
        finally { Console.WriteLine("  iterator outer"); }
    }

    static int Leaves(int n)
    {
        for (int i = 0; ; i++)
        {
            try
            {
                if (i == n) return i * 10;
                if (i == 2) continue;
                if (i == 5) break;
            }
            finally { n--; }
        }
        return -1;
    }

    static void Fat()
    {
        using (new Guard()) using (new Guard()) using (new Guard()) using (new Guard())
        using (new Guard()) using (new Guard()) using (new Guard()) using (new Guard())
        using (new Guard()) using (new Guard()) using (new Guard()) using (new Guard())
        using (new Guard()) using (new Guard()) using (new Guard()) using (new Guard())
        using (new Guard()) using (new Guard()) using (new Guard()) using (new Guard())
        using (new Guard()) using (new Guard()) using (new Guard()) using (new Guard())
            throw new InvalidOperationException("fat");
    }

    static void Main()
    {
        Console.WriteLine(Which(() => { }));
        Console.WriteLine(Which(() => { throw new ArgumentNullException("first"); }));
        Console.WriteLine(Which(() => { throw new ArgumentNullException("second"); }));
        Console.WriteLine(Which(() => { throw new ArgumentNullException("third"); }));
        Console.WriteLine(Which(() => { throw new InvalidOperationException("again"); }));
        Console.WriteLine(Which(() => { throw new FormatException(); }));
        foreach (int n in Numbers())
            if (n == 2) break;
        Console.WriteLine(Leaves(1) + " " + Leaves(8));
        try { Fat(); }
        catch (InvalidOperationException e)
        { Console.WriteLine(e.Message + " " + Guard.Open + " " + Guard.Closed); }
        try { int zero = Guard.Open - Guard.Closed; Console.WriteLine(1 / zero); }
        catch (DivideByZeroException) { Console.WriteLine("division"); }
        try { object o = "s"; Console.WriteLine((int)o); }
        catch (InvalidCastException) { Console.WriteLine("cast"); }
    }
}
