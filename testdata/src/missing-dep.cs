// The assembly that missing-ref.dll was compiled against; it is not kept.
using System;
public enum Colour : short { Red = 1, Blue = 300 }
public class PaintAttribute : Attribute { public PaintAttribute(Colour c) { } public Colour Second { get; set; } public object Boxed; }
public class Missing { public class Deep { } public virtual Colour Mix(Colour a = Colour.Blue) { return a; } }
public struct Amount { public long Value; }
