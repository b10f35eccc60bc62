// Generic types and methods: constraints of every kind, variance, nested generics that share a
// name with a plain type, overrides that only meet after substitution.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

interface IProducer<out T> { T Make(); }
interface IConsumer<in T> { string Take(T item); }
delegate R Map<in T, out R>(T value);

class Animal { public override string ToString() { return GetType().Name; } }
class Cat : Animal { }

class CatMaker : IProducer<Cat> { public Cat Make() { return new Cat(); } }
class AnimalEater : IConsumer<Animal> { public string Take(Animal a) { return "ate " + a; } }

// Constraints: the rows of GenericParamConstraint must follow their owners, so owners with and
// without constraints alternate.
class Many<TFree, TClass, TPlain, TStruct, TNew, TOther, TBase, TBoth>
    where TClass : class
    where TStruct : struct
    where TNew : new()
    where TOther : TClass
    where TBase : Animal
    where TBoth : Animal, IComparable<TBoth>, IEnumerable<TPlain>, new()
{
    public static string Free<TLeft, TRight>(TLeft l, TRight r)
        where TRight : TLeft, IConvertible
    {
        return l + "<" + r;
    }
}

class Outer
{
    public class Inner { public override string ToString() { return "Outer.Inner"; } }
    public class Inner<T>
    {
        public T Item;
        public class Leaf<U, V> { public Dictionary<T, U[]> Map; public V Last; }
        public enum Colour : byte { Red = 1, Green = 200 }
        public override string ToString() { return "Outer.Inner<" + typeof(T).Name + ">"; }
    }
}

class Outer<T>
{
    public static int Count;
    public class Inner { public static T Last; }
    public class Both<U> { public static string Names = typeof(T).Name + "," + typeof(U).Name; }
}

// One slot, three names: C<X> implements I<string, X>, D re-implements it for one X.
interface I<A, B> { string Get(A a, B b); }
class C<X> : I<string, X> { public virtual string Get(string a, X b) { return "C " + a + b; } }
class D : C<DayOfWeek>, I<int, int>
{
    public override string Get(string a, DayOfWeek b) { return "D " + a + (int)b; }
    string I<int, int>.Get(int a, int b) { return "explicit " + (a + b); }
}

class Node<T> : IComparable<Node<T>> where T : IComparable<T>
{
    public T Value;
    public int CompareTo(Node<T> other) { return Value.CompareTo(other.Value); }
    public virtual string Show<U>(U extra) { return Value + "/" + extra + "/" + typeof(U).Name; }
}

class LoudNode<T> : Node<T> where T : IComparable<T>
{
    public override string Show<U>(U extra) { return base.Show(extra).ToUpperInvariant(); }
}

struct Pair<A, B>
{
    public A Left;
    public B Right;
    public Pair<B, A> Swap() { return new Pair<B, A> { Left = Right, Right = Left }; }
    public override string ToString() { return "(" + Left + ";" + Right + ")"; }
}

static class Generics
{
    static T Max<T>(params T[] items) where T : IComparable<T>
    {
        T best = items[0];
        foreach (T item in items)
            if (item.CompareTo(best) > 0) best = item;
        return best;
    }

    static string Text<T>(ref T value) { return value.ToString(); }   // constrained. callvirt

    static string Constraints(Type type)
    {
        return string.Join(" ", type.GetGenericArguments().Select(p =>
            p.Name + ":" + p.GenericParameterAttributes.ToString().Replace(", ", "+") + "[" +
            string.Join(",", p.GetGenericParameterConstraints().Select(c => c.Name).OrderBy(
                n => n, StringComparer.Ordinal)) + "]"));
    }

    static void Main()
    {
        IProducer<Animal> producer = new CatMaker();
        IConsumer<Cat> consumer = new AnimalEater();
        Map<Animal, string> wide = a => "map " + a;
        Map<Cat, object> narrow = wide;
        Console.WriteLine(producer.Make() + " " + consumer.Take(new Cat()) + " " +
            narrow(new Cat()));

        Console.WriteLine(Constraints(typeof(Many<,,,,,,,>)));
        Console.WriteLine(Constraints(typeof(IProducer<>)) + " " + Constraints(typeof(Map<,>)));
        Console.WriteLine(Many<int, object, int, int, int, string, Cat, Fit>.Free<object, int>(1, 2));

        Console.WriteLine(new Outer.Inner() + " " + new Outer.Inner<long>() + " " +
            Outer<int>.Both<string>.Names);
        var leaf = new Outer.Inner<string>.Leaf<int, Outer.Inner<string>.Colour>
        {
            Map = new Dictionary<string, int[]> { { "k", new[] { 4, 5 } } },
            Last = Outer.Inner<string>.Colour.Green,
        };
        Console.WriteLine(leaf.Map["k"][1] + " " + (byte)leaf.Last + " " + leaf.GetType().Name);

        Outer<int>.Count = 3;
        Outer<string>.Count++;
        Outer<byte>.Inner.Last = 9;
        Console.WriteLine(Outer<int>.Count + " " + Outer<string>.Count + " " +
            Outer<object>.Count + " " + Outer<byte>.Inner.Last);

        var d = new D();
        Console.WriteLine(((I<string, DayOfWeek>)d).Get("x", DayOfWeek.Friday) + " " +
            ((I<int, int>)d).Get(2, 3) + " " + new C<int>().Get("y", 1));

        Console.WriteLine(Max(3, 9, 4) + " " + Max("b", "a") + " " +
            Max(new Node<int> { Value = 1 }, new Node<int> { Value = 8 }).Value);
        Node<int> node = new LoudNode<int> { Value = 5 };
        Console.WriteLine(node.Show("e") + " " + node.Show(new Pair<int, string>().Left));

        var pair = new Pair<int, string> { Left = 1, Right = "one" };
        int number = 42;
        Console.WriteLine(pair.Swap() + " " + Text(ref number) + " " + Text(ref pair));

        int? none = null, some = 7;
        Console.WriteLine((none == null) + " " + (some + none ?? -1) + " " + default(Pair<int, int>));

        MethodInfo open = typeof(Generics).GetMethod("Max",
            BindingFlags.Static | BindingFlags.NonPublic);
        Console.WriteLine(open.MakeGenericMethod(typeof(double)).Invoke(null,
            new object[] { new[] { 1.5, 2.5 } }).Equals(2.5));
    }

    class Fit : Animal, IComparable<Fit>, IEnumerable<int>
    {
        public int CompareTo(Fit other) { return 0; }
        IEnumerator<int> IEnumerable<int>.GetEnumerator() { yield break; }
        System.Collections.IEnumerator System.Collections.IEnumerable.GetEnumerator()
        { return ((IEnumerable<int>)this).GetEnumerator(); }
    }
}
