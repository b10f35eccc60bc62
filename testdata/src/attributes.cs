// Custom attribute arguments: every element type, boxed values, enums (nested in generics too),
// types by name, null and empty arrays, named fields and properties, order of several on one
// parent.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

[assembly: Tag("assembly", 1)]
[module: Tag("module", 2)]

public enum Small : byte { One = 1, Max = 255 }
public enum Wide : long { Far = 1L << 40 }
public class Holder<T> { public enum Inside { A, B = 70000 } public class Plain { } }

[AttributeUsage(AttributeTargets.All, AllowMultiple = true)]
public class TagAttribute : Attribute
{
    public readonly string Text;
    public readonly object Value;
    public string Named;
    public object Boxed { get; set; }
    public Type[] Types { get; set; }
    public int[] Numbers;
    public Small Kind { get; set; }

    public TagAttribute() { }
    public TagAttribute(string text, object value) { Text = text; Value = value; }
    public TagAttribute(bool a, char b, sbyte c, byte d, short e, ushort f, int g, uint h, long i,
        ulong j, float k, double l) { }
    public TagAttribute(Type type, Small small, Wide wide, Holder<int>.Inside inside) { }
    public TagAttribute(params object[] items) { }
    public TagAttribute(string[] texts, Small[] smalls, Type[] types) { }
}

[Tag("type", typeof(Dictionary<string, List<int[]>>))]
class Everything<[Tag("generic", "param")] T>
{
    [Tag("field", null)] public int Field;
    [Tag("property", 'c')] public int Property { [Tag("getter", 1.5f)] get; [param: Tag("value", -1L)] set; }
    [Tag("event", true)] public event Action Event { add { } remove { } }
    [Tag("method", 7u)] [return: Tag("return", Small.Max)]
    public int Method<[Tag("generic", "method")] U>([Tag("param", Wide.Far)] int p) { return p; }
    [Tag("ctor", (byte)3)] public Everything() { }
}

[Tag("first", 1), Tag("second", 2), Tag("third", 3)]
[Serializable, Obsolete("kept as a flag and a row")]
class Ordered { }

[Tag(true, '\ud800', -128, 255, -32768, 65535, int.MinValue, uint.MaxValue, long.MinValue,
    ulong.MaxValue, -0.0f, double.NaN)]
class Primitives { }

[Tag(typeof(Holder<>), Small.Max, Wide.Far, Holder<int>.Inside.B)]
class Enums { }

[Tag(1, "two", typeof(Holder<string>.Plain[,]), Small.One, null, new object[] { 'x', new int[] { 1 } },
    new string[] { "a", null }, Holder<Wide>.Inside.A)]
class Boxes { }

[Tag(new string[] { "", null, "\u00e9" }, new Small[] { Small.Max }, new Type[] { typeof(int*), null })]
class Arrays { }

[Tag(null, null, (Type[])null)]
class Nulls { }

[Tag(Named = "n", Boxed = Wide.Far, Types = new[] { typeof(void), typeof(List<>) },
    Numbers = new int[0], Kind = Small.One)]
class NamedArguments { }

[Tag(Named = null, Boxed = null, Types = null, Numbers = null)]
class NamedNulls { }

static class Attributes
{
    static string Show(CustomAttributeTypedArgument a)
    {
        if (a.Value == null) return "null";
        var list = a.Value as IList<CustomAttributeTypedArgument>;
        if (list != null) return "{" + string.Join(",", list.Select(Show)) + "}";
        string text = a.Value is double ? BitConverter.DoubleToInt64Bits((double)a.Value).ToString("x")
            : a.Value is float ? (1 / (float)a.Value < 0 ? "negative" : "positive")
            : a.Value is char ? ((int)(char)a.Value).ToString("x")
            : a.Value is Type ? ((Type)a.Value).Name : a.Value.ToString();
        return (a.Value is Type ? "Type" : a.ArgumentType.Name) + " " + text;
    }

    static void Print(string what, IEnumerable<CustomAttributeData> data)
    {
        foreach (CustomAttributeData d in data.Where(d => d.Constructor.DeclaringType == typeof(TagAttribute)))
            Console.WriteLine(what + ": " + string.Join(" | ", d.ConstructorArguments.Select(Show)) +
                string.Join("", d.NamedArguments.Select(n => " " + n.MemberInfo.Name + "=" + Show(n.TypedValue))));
    }

    static void Main()
    {
        Console.OutputEncoding = new System.Text.UTF8Encoding(false);
        Assembly self = typeof(Attributes).Assembly;
        Print("assembly", CustomAttributeData.GetCustomAttributes(self));
        Print("module", CustomAttributeData.GetCustomAttributes(typeof(Attributes).Module));
        Type e = typeof(Everything<>);
        Print("type", CustomAttributeData.GetCustomAttributes(e));
        Print("parameter of type", CustomAttributeData.GetCustomAttributes(e.GetGenericArguments()[0]));
        foreach (MemberInfo m in e.GetMembers().OrderBy(m => m.Name, StringComparer.Ordinal))
            Print(m.Name, CustomAttributeData.GetCustomAttributes(m));
        MethodInfo method = e.GetMethod("Method");
        Print("return", CustomAttributeData.GetCustomAttributes(method.ReturnParameter));
        Print("parameter", CustomAttributeData.GetCustomAttributes(method.GetParameters()[0]));
        Print("parameter of method", CustomAttributeData.GetCustomAttributes(method.GetGenericArguments()[0]));
        Print("value", CustomAttributeData.GetCustomAttributes(e.GetMethod("set_Property").GetParameters()[0]));
        foreach (Type t in new[] { typeof(Primitives), typeof(Enums), typeof(Boxes), typeof(Arrays),
                 typeof(Nulls), typeof(NamedArguments), typeof(NamedNulls) })
            Print(t.Name, CustomAttributeData.GetCustomAttributes(t));
        object[] ordered = self.GetType("Ordered").GetCustomAttributes(typeof(TagAttribute), false);
        Console.WriteLine(ordered.Length + " " + string.Join(" ", ordered.Cast<TagAttribute>()
            .Select(t => t.Text)));
        Console.WriteLine(self.GetType("Ordered").IsSerializable);
    }
}
