// Compiled with -refonly: the shape of a reference assembly (bodies that throw null, no private
// members, ReferenceAssembly attribute), with internal types that must stay visible in signatures.
using System;
using System.Collections.Generic;

public abstract class Surface
{
    private int secret;
    protected Surface(int s) { secret = s; }
    public int Value { get { return secret; } private set { secret = value; } }
    public event EventHandler Changed;
    protected abstract void Draw<T>(IList<T> items) where T : struct;
    internal void Inside() { Changed?.Invoke(this, EventArgs.Empty); }
    private protected virtual void Both() { }
}

public struct Mixed { private object reference; public int Number; public override string ToString() => reference + "" + Number; }
public enum Level : byte { Low, High = 255 }
internal enum Concealed { A }
public delegate ref readonly T Getter<T>(in T value);
