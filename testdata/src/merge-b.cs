// See merge-a.cs.
extern alias a;
using System;

namespace Same { public class Name { public string From() { return "b over " + new a::Same.Name().From(); } } internal class Hidden { public static int X = 2; } }
namespace Only { public class InB { public string Text() { return "only b, hidden " + Same.Hidden.X; } } }

public class Outer
{
    public class Inner { public override string ToString() { return "b.Inner"; } }
    public class Inner<T> { public T Value; public override string ToString() { return "b.Inner<" + typeof(T).Name + ">"; } }
}
