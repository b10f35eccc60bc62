// Variable arguments: call sites carry their own signature, with a sentinel before the extra
// arguments.
using System;

static class Varargs
{
    static string Join(string head, __arglist)
    {
        var args = new ArgIterator(__arglist);
        string text = head + "(" + args.GetRemainingCount() + ")";
        while (args.GetRemainingCount() > 0)
            text += " " + TypedReference.ToObject(args.GetNextArg());
        return text;
    }

    class Base
    {
        public virtual int Count(__arglist) { return new ArgIterator(__arglist).GetRemainingCount(); }
    }

    class Derived : Base
    {
        public Derived() { }
        public Derived(__arglist) { Extra = new ArgIterator(__arglist).GetRemainingCount(); }
        public int Extra;
        public override int Count(__arglist)
        { return 100 + new ArgIterator(__arglist).GetRemainingCount(); }
    }

    // Mono cannot compile newobj of such a constructor: declared, never called.
    static Derived NotCalled() { return new Derived(__arglist("x", 1)); }

    static void Main()
    {
        Console.WriteLine(Join("none", __arglist()));
        Console.WriteLine(Join("one", __arglist(1)));
        Console.WriteLine(Join("mixed", __arglist(1, "two", 3L, 'c', new object() == null, 2.5)));
        Base b = new Derived { Extra = 2 };
        Console.WriteLine(b.Count(__arglist(1, 2, 3)) + " " + ((Derived)b).Extra);
        int local = 5;
        TypedReference typed = __makeref(local);
        __refvalue(typed, int) = 6;
        Console.WriteLine(local + " " + __reftype(typed).Name);
    }
}
