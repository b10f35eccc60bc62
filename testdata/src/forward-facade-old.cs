// The facade before its types moved: only forward-app.exe is compiled against it.
namespace Moved
{
    public class Plain { public class Nested { } }
    public class Generic<T> { public T Item; public enum Kind { Some = 5 } }
    public interface IFace { int Answer(); }
}
namespace Stayed { public static class Here { public static string Where() { return "old"; } } }
