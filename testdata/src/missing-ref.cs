// Refers to an assembly that is not here: as base, in signatures, in attribute arguments (an enum
// whose size only the missing assembly knows), as default parameter and as constant.
using System;
using System.Collections.Generic;

[Paint(Colour.Blue, Second = Colour.Red, Boxed = Colour.Blue)]
public class Uses : Missing
{
    public const Colour Constant = Colour.Blue;
    public Amount Field;
    public Dictionary<Missing.Deep, Amount[]> Map;
    public override Colour Mix(Colour a = Colour.Red) { Field.Value++; return base.Mix(a); }
    [Paint((Colour)77)] public void Defaults(Colour c = Colour.Blue, Amount amount = default(Amount)) { }
}
