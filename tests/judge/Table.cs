// Table numbers that code speaks of by name.
namespace Judge;

static class Table
{
    public const int Module = 0x00, TypeRef = 0x01, TypeDef = 0x02, Field = 0x04, MethodDef = 0x06,
                     Param = 0x08, MemberRef = 0x0a, ClassLayout = 0x0f, FieldLayout = 0x10,
                     StandAloneSig = 0x11, EventMap = 0x12, Event = 0x14, PropertyMap = 0x15,
                     Property = 0x17, ModuleRef = 0x1a, TypeSpec = 0x1b, FieldRva = 0x1d,
                     EncLog = 0x1e, EncMap = 0x1f, Assembly = 0x20, AssemblyRef = 0x23, File = 0x26,
                     ExportedType = 0x27, ManifestResource = 0x28, NestedClass = 0x29,
                     GenericParam = 0x2a, MethodSpec = 0x2b, Document = 0x30,
                     MethodDebugInformation = 0x31, LocalScope = 0x32, LocalConstant = 0x34,
                     ImportScope = 0x35, CustomDebugInformation = 0x37;
}
