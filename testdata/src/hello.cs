// The smallest console program.
using System;

static class Hello
{
    static void Main()
    {
        Console.WriteLine("Hello, world");
    }
}
