// What C# 9 to 14 add to metadata: generic attributes, function pointers (managed, unmanaged with
// modopts), static abstract members, ref fields, init and required (modreq), covariant returns
// (MethodImpl), inline arrays, the unmanaged and `allows ref struct` constraints, default
// interface methods, records, file-local types, module initialisers, extension members.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Numerics;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

[AttributeUsage(AttributeTargets.All, AllowMultiple = true)]
class Of<T> : Attribute
{
    public Of() { }
    public Of(T value) { Value = value; }
    public T Value;
}

[Of<int>(7), Of<string>("s"), Of<DayOfWeek>(DayOfWeek.Friday), Of<List<int[]>>, Of<(int, string)>]
class Tagged { }

interface IShape<TSelf> where TSelf : IShape<TSelf>
{
    static abstract TSelf Unit { get; }
    static abstract TSelf operator +(TSelf left, TSelf right);
    static virtual string Kind => "shape";
    string Name => "default " + TSelf.Kind;
}

readonly record struct Square(int Side) : IShape<Square>
{
    public static Square Unit => new(1);
    public static Square operator +(Square l, Square r) => new(l.Side + r.Side);
}

record Person(string First, string Last) { public required int Age { get; init; } }
record Worker(string First, string Last, string Job) : Person(First, Last);

abstract class Animal { public abstract Animal Child(); }
class Cat : Animal { public override Cat Child() => new(); }

ref struct Window<T>(ref T first, int count) : IDisposable
{
    ref T first = ref first;
    ref readonly T last = ref Unsafe.Add(ref first, count - 1);
    public ref T First => ref first;
    public readonly T Last => last;
    public void Dispose() { }
}

[InlineArray(6)] struct Six { int element; }
[StructLayout(LayoutKind.Sequential)] struct Node<T> where T : unmanaged { public T Value; public int Next; }
[CollectionBuilder(typeof(Bag), "Of")] class Bag : List<int>
{
    public static Bag Of(ReadOnlySpan<int> items) { var b = new Bag(); foreach (int i in items) b.Add(i); return b; }
}

file class Hidden { public override string ToString() => "file local"; }

static class Extensions
{
    extension(string text)
    {
        public int Vowels => text.Count(c => "aeiou".Contains(c));
        public static string Twice(string s) => s + s;
    }
}

unsafe struct Pointers
{
    public delegate*<int, int> Managed;
    public delegate* unmanaged<int, int> Platform;
    public delegate* unmanaged[Cdecl]<int, void*, int> Cdecl;
    public delegate* unmanaged[Stdcall, SuppressGCTransition]<in int, ref long, out byte, void> Many;
    public delegate* unmanaged[MemberFunction, Thiscall]<nint, delegate*<void>, nuint> Nested;
    public volatile int Fence;
}

static unsafe class Modern
{
    static int started;
    [ModuleInitializer] internal static void Start() => started++;

    static int Twice(int x) => x * 2;
    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])] static int Native(int x) => x + 100;

    static T Sum<T>(params ReadOnlySpan<T> items) where T : INumber<T>
    { T sum = T.Zero; foreach (T item in items) sum += item; return sum; }
    static T Add<T>(T a, T b) where T : IShape<T> => a + b + T.Unit;
    static string Name<T>(T shape) where T : IShape<T> => shape.Name;
    static int Size<T>() where T : unmanaged => sizeof(T);
    static string Free<T>(scoped T value) where T : IDisposable, allows ref struct { value.Dispose(); return typeof(T).Name; }
    static ref readonly int Pick(in int a, ref readonly int b, bool first) => ref first ? ref a : ref b;

    static string Modifiers(ParameterInfo p) => string.Join(",",
        p.GetRequiredCustomModifiers().Concat(p.GetOptionalCustomModifiers()).Select(t => t.Name));

    static void Main()
    {
        foreach (CustomAttributeData a in typeof(Tagged).GetCustomAttributesData())
            if (a.AttributeType.IsGenericType)
                Console.WriteLine(a.AttributeType.GenericTypeArguments[0].Name + " " + a.ConstructorArguments.FirstOrDefault().Value);
        Console.WriteLine(Add(new Square(3), new Square(4)) + " " + Name(new Square(1)));
        var person = new Worker("Ada", "L", "math") { Age = 36 };
        Console.WriteLine(person with { Age = 37 });
        Console.WriteLine(person == new Worker("Ada", "L", "math") { Age = 36 });
        Console.WriteLine(Modifiers(typeof(Person).GetProperty("Age").SetMethod.ReturnParameter));
        Animal cat = new Cat();
        Console.WriteLine(cat.Child().GetType().Name + " " + typeof(Cat).GetMethods().Count(m => m.Name == "Child"));

        int[] numbers = [10, 20, 30];
        var window = new Window<int>(ref numbers[0], 3);
        window.First = 11;
        Console.WriteLine(numbers[0] + " " + window.Last + " " + Free(window));
        Six six = default;
        for (int i = 0; i < 6; i++) six[i] = i * i;
        Console.WriteLine(six[5] + " " + sizeof(Six) + " " + Size<Node<long>>());
        Bag bag = [1, 2, .. numbers];
        Console.WriteLine(bag.Count + " " + new Hidden() + " " + "queue".Vowels + " " + string.Twice("ab") + " " + started);

        delegate*<int, int> managed = &Twice;
        delegate* unmanaged[Cdecl]<int, int> native = &Native;
        Console.WriteLine(managed(21) + " " + native(5));
        foreach (FieldInfo f in typeof(Pointers).GetFields().OrderBy(f => f.Name, StringComparer.Ordinal))
        {
            Type t = f.GetModifiedFieldType();
            Console.WriteLine(f.Name + " " + (f.FieldType.IsFunctionPointer
                ? f.FieldType.IsUnmanagedFunctionPointer + " " + f.FieldType.GetFunctionPointerParameterTypes().Length + " " +
                  string.Join(",", t.GetFunctionPointerCallingConventions().Select(c => c.Name).OrderBy(n => n, StringComparer.Ordinal))
                : string.Join(",", f.GetRequiredCustomModifiers().Select(m => m.Name))));
        }

        int left = 1, right = 2;
        Console.WriteLine(Pick(in left, in right, false) + " " + Sum(1.5, 2.5) + " " + Sum<int>());
        MethodInfo pick = typeof(Modern).GetMethod("Pick", BindingFlags.Static | BindingFlags.NonPublic);
        Console.WriteLine(Modifiers(pick.ReturnParameter) + " " + string.Join(" ", pick.GetParameters().Select(p => p.Name + ":" + Modifiers(p))));
        Type size = typeof(Modern).GetMethod("Size", BindingFlags.Static | BindingFlags.NonPublic).GetGenericArguments()[0];
        Type free = typeof(Modern).GetMethod("Free", BindingFlags.Static | BindingFlags.NonPublic).GetGenericArguments()[0];
        Console.WriteLine(size.GenericParameterAttributes + " | " + (int)free.GenericParameterAttributes);

        (string name, int count) tuple = ("t", 2);
        Console.WriteLine(tuple.name + tuple.count + " " + (tuple is ("t", > 1) ? "matched" : "missed") + " " + numbers[^1] + " " + numbers[1..].Length);
        static int Local(int n) => n < 2 ? n : Local(n - 1) + Local(n - 2);
        Func<int, int> square = static x => x * x;
        Console.WriteLine(Local(10) + " " + square(12) + " " + nameof(Dictionary<,>));
        Console.WriteLine($"{person.First,5}|{3.14159:F2}|{tuple}" + """ raw "text" """);
    }
}
