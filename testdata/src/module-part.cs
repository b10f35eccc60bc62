// Compiled to module-part.netmodule: one module of the assembly module-main.exe.
using System;

public class Part
{
    public static readonly int[] Data = { 4, 8, 15, 16, 23, 42 };
    public class Inner { public override string ToString() { return "inner of " + typeof(Part).Module.Name; } }
    public static string Text() { return "text of the part"; }
}

internal interface IPart { int Count { get; } }
