// References types through the facade that now forwards them. The signatures here name the facade
// wherever the forwarded types appear: base, field, array, generic argument.
using System;
using System.Collections.Generic;
using Moved;

class Answer : Plain, IFace { int IFace.Answer() { return 9; } }

static class ForwardApp
{
    static List<Generic<Plain.Nested[]>> field = new List<Generic<Plain.Nested[]>>();

    static void Main()
    {
        IFace face = new Answer();
        field.Add(new Generic<Plain.Nested[]> { Item = new[] { new Plain.Nested() } });
        Console.WriteLine(face.Answer() + " " + field[0].Item[0] + " " +
            (int)Generic<int>.Kind.Some + " " + Stayed.Here.Where());
        Console.WriteLine(typeof(Plain).Assembly.GetName().Name + " " +
            typeof(Generic<>).Assembly.GetName().Name);
        Console.WriteLine(Type.GetType("Moved.Plain+Nested, forward-facade") == typeof(Plain.Nested));
    }
}
