// Where the types of forward-facade.dll live now.
namespace Moved
{
    public class Plain { public class Nested { public override string ToString() { return "nested 9"; } } }
    public class Generic<T> { public T Item; public enum Kind { Some = 5 } }
    public interface IFace { int Answer(); }
}
