// Type forwarders to forward-impl.dll: a type with a nested one, a generic, an interface.
using System.Runtime.CompilerServices;

[assembly: TypeForwardedTo(typeof(Moved.Plain))]
[assembly: TypeForwardedTo(typeof(Moved.Generic<>))]
[assembly: TypeForwardedTo(typeof(Moved.IFace))]

namespace Stayed { public static class Here { public static string Where() { return "facade"; } } }
