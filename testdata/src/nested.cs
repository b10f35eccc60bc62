// Nested types: every visibility, every kind of type, depth, and an encloser that comes late.
using System;
using System.Linq;
using System.Reflection;

namespace Shapes.Deep
{
    public class Box
    {
        public class A { public class B { public class C { public const string Depth = "A.B.C"; } } }
        internal struct Assembly { public int X; }
        protected interface IFamily { void Run(); }
        protected internal delegate int FamilyOrAssembly(int x);
        private enum Hidden : short { Zero, Minus = -2 }
        private sealed class User : IFamily
        {
            void IFamily.Run() { Console.WriteLine("run " + Hidden.Minus); }
        }
        public static void Go() { IFamily f = new User(); f.Run(); }
    }

    public static class Late { public class Box { public override string ToString() { return "Late.Box"; } } }
}

static class Nested
{
    static void Walk(Type type, string indent)
    {
        int visibility = (int)(type.Attributes & TypeAttributes.VisibilityMask);
        Console.WriteLine(indent + type.Name + " " + visibility + " " +
            (type.IsEnum ? "enum" : type.IsValueType ? "struct" : type.IsInterface ? "interface" :
             type.BaseType.Name) + " in " + (type.DeclaringType == null ? "-" : type.DeclaringType.Name));
        foreach (Type inner in type.GetNestedTypes(BindingFlags.Public | BindingFlags.NonPublic)
                     .OrderBy(t => t.Name, StringComparer.Ordinal))
            Walk(inner, indent + "  ");
    }

    static void Main()
    {
        Walk(typeof(Shapes.Deep.Box), "");
        Shapes.Deep.Box.Go();
        Console.WriteLine(Shapes.Deep.Box.A.B.C.Depth + " " + new Shapes.Deep.Late.Box());
        Console.WriteLine(typeof(Shapes.Deep.Box.A.B.C).FullName);
        Console.WriteLine(Type.GetType("Shapes.Deep.Box+A+B") == typeof(Shapes.Deep.Box.A.B));
    }
}
