// With merge-b.dll: two libraries that hold equal names. Same.Name differs, Only.* does not clash,
// Outer/Inner and Outer/Inner`1 exist in both.
using System;

namespace Same { public class Name { public string From() { return "a"; } } internal class Hidden { public static int X = 1; } }
namespace Only { public class InA { public string Text() { return "only a, hidden " + Same.Hidden.X; } } }

public class Outer
{
    public class Inner { public override string ToString() { return "a.Inner"; } }
    public class Inner<T> { public T Value; public override string ToString() { return "a.Inner<" + typeof(T).Name + ">"; } }
}
