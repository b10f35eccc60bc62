// Properties and events: accessors with other access than their owner, indexers, explicit
// implementations (also of an internal generic interface), events with and without a field.
using System;
using System.Linq;
using System.Reflection;

public interface IShape
{
    string Name { get; set; }
    int this[int i] { get; }
    event Action Changed;
    void Draw(int depth);
}

internal interface ISlot<T> { T Slot { get; set; } event Action<T> Filled; }

public abstract class Frame
{
    protected abstract int Depth { get; }
    protected internal virtual string Title { get { return "frame " + Depth; } protected set { } }
    protected abstract void OnDraw();
    public void Draw() { OnDraw(); Console.WriteLine(Title); }
}

public class Shape : Frame, IShape, ISlot<byte[]>
{
    byte[] slot;
    Action custom;

    string IShape.Name { get; set; }
    int IShape.this[int i] { get { return i * 2; } }
    event Action IShape.Changed { add { custom += value; } remove { custom -= value; } }
    void IShape.Draw(int depth) { Console.WriteLine("explicit " + depth); }

    byte[] ISlot<byte[]>.Slot { get { return slot; } set { slot = value; Fill(value); } }
    event Action<byte[]> ISlot<byte[]>.Filled { add { Fill += value; } remove { Fill -= value; } }
    Action<byte[]> Fill = delegate { };

    public event EventHandler Auto;
    public static event Func<int, string> Shared;
    internal event Action Custom { add { custom += value; } remove { custom -= value; } }

    public int Wide { get; private set; }
    public string this[string key, int n] { get { return key + n; } internal set { Wide = n; } }
    public static long Counter { get; protected set; }
    protected override int Depth { get { return 3; } }
    protected internal override string Title { get { return base.Title + "!"; } }
    protected override void OnDraw() { Console.WriteLine("draw"); }

    public static Shape operator +(Shape left, int right) { left.Wide += right; return left; }
    public static implicit operator int(Shape shape) { return shape.Wide; }
    public static explicit operator string(Shape shape) { return "shape " + shape.Wide; }

    public void Raise()
    {
        if (Auto != null) Auto(this, EventArgs.Empty);
        if (custom != null) custom();
        if (Shared != null) Console.WriteLine(Shared(Wide));
        Counter++;
    }

    public static int Optional(int a, bool b = true, string c = null, decimal d = 1.5m,
        DayOfWeek e = DayOfWeek.Friday, double? f = null, params object[] rest)
    { return a + (b ? 1 : 0) + (c == null ? 10 : 0) + (int)(d * 100) + (int)e + rest.Length; }
}

static class Members
{
    const BindingFlags All = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Static |
        BindingFlags.Instance | BindingFlags.DeclaredOnly;

    static string Access(MethodInfo m)
    {
        return m == null ? "-" : ((int)(m.Attributes & MethodAttributes.MemberAccessMask)).ToString();
    }

    static void Main()
    {
        var shape = new Shape();
        IShape face = shape;
        ISlot<byte[]> slot = shape;
        face.Name = "box";
        face.Changed += () => Console.WriteLine("changed " + face.Name);
        slot.Filled += b => Console.WriteLine("filled " + b.Length);
        slot.Slot = new byte[3];
        shape.Auto += (s, e) => Console.WriteLine("auto");
        shape.Custom += () => Console.WriteLine("custom");
        Shape.Shared += n => "shared " + n;
        shape["key", 5] = "ignored";
        shape += 2;
        shape.Raise();
        face.Draw(4);
        shape.Draw();
        Console.WriteLine(face[21] + " " + shape["k", 1] + " " + (int)shape + " " + (string)shape +
            " " + Shape.Counter);
        Console.WriteLine(Shape.Optional(1000) + " " + Shape.Optional(1, false, "c", 0, rest: "r"));

        foreach (PropertyInfo p in typeof(Shape).GetProperties(All)
                     .OrderBy(p => p.Name, StringComparer.Ordinal))
            Console.WriteLine("property " + p.Name + " " + Access(p.GetGetMethod(true)) + " " +
                Access(p.GetSetMethod(true)) + " " + p.GetIndexParameters().Length);
        foreach (EventInfo e in typeof(Shape).GetEvents(All)
                     .OrderBy(e => e.Name, StringComparer.Ordinal))
            Console.WriteLine("event " + e.Name + " " + Access(e.GetAddMethod(true)) + " " +
                Access(e.GetRemoveMethod(true)));
        InterfaceMapping map = typeof(Shape).GetInterfaceMap(typeof(IShape));
        Console.WriteLine(string.Join(" ", map.TargetMethods.Select(m => m.Name)
            .OrderBy(n => n, StringComparer.Ordinal)));
    }
}
