// Uses both libraries of merge-a.cs through extern aliases.
extern alias a;
extern alias b;
using System;

static class MergeApp
{
    static void Main()
    {
        Console.WriteLine(new a::Same.Name().From() + " | " + new b::Same.Name().From());
        Console.WriteLine(new Only.InA().Text() + " | " + new Only.InB().Text());
        Console.WriteLine(new a::Outer.Inner() + " " + new a::Outer.Inner<int>() + " " +
            new b::Outer.Inner() + " " + new b::Outer.Inner<string>());
    }
}
