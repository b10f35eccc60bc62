// Kinds of facts that a write may change on purpose, so that --ignore can leave them out.
namespace Judge;

[Flags]
enum Fact : uint
{
    Meaning = 0, // never left out
    Mvid = 1 << 0,
    Timestamp = 1 << 1,
    Checksum = 1 << 2,
    Signature = 1 << 3,
    SignatureSize = 1 << 4,
    Certificate = 1 << 5,
    Overlay = 1 << 6,
    Dos = 1 << 7,
    Linker = 1 << 8,
    Headers = 1 << 9,
    Sections = 1 << 10,
    Imports = 1 << 11,
    Exports = 1 << 12,
    Native = 1 << 13,
    Win32 = 1 << 14,
    Debug = 1 << 15,
    PdbId = 1 << 16,
    Pdb = 1 << 17,
    PdbBeside = 1 << 18,
    Form = 1 << 19,
    Streams = 1 << 20,
    MaxStack = 1 << 21,
    BodyForm = 1 << 22,
    Hint = 1 << 23,
    Rva64 = 1 << 24,
    Alignment = 1 << 25,
    References = 1 << 26,
    LiteralFlag = 1 << 27,
    Order = 1 << 28,
    ClrVersion = 1 << 29,
    AssemblyReferences = 1 << 30,
}

static class Facts
{
    private const Fact AllOfPe =
        Fact.Timestamp | Fact.Checksum | Fact.Certificate | Fact.Overlay | Fact.Dos | Fact.Linker |
        Fact.Headers | Fact.Sections | Fact.Imports | Fact.Exports | Fact.Win32 | Fact.Debug;

    public static readonly (string Name, Fact Facts, string Says)[] Named =
    [
        ("mvid", Fact.Mvid, "module version id"),
        ("timestamp", Fact.Timestamp,
            "stamps of the COFF header, debug directory, Win32 resources, exports"),
        ("checksum", Fact.Checksum, "of the optional header"),
        ("signature", Fact.Signature,
            "bytes of the strong-name signature, and the flag that it is there"),
        ("signature-size", Fact.SignatureSize, "room for a strong-name signature"),
        ("certificate", Fact.Certificate, "Authenticode"),
        ("overlay", Fact.Overlay, "bytes behind the last section"),
        ("dos", Fact.Dos, "DOS header, stub, Rich header"),
        ("linker", Fact.Linker, "linker version"),
        ("headers", Fact.Headers,
            "other values of the COFF and optional headers, which directories there are"),
        ("sections", Fact.Sections, "names and rights of sections"),
        ("imports", Fact.Imports,
            "native imports, relocations by kind, native entry point"),
        ("exports", Fact.Exports, "native exports"),
        ("native", Fact.Native,
            "native code, ReadyToRun, vtable fixups, TLS, load config, whether all is IL"),
        ("win32", Fact.Win32, "Win32 resources"),
        ("debug", Fact.Debug, "debug directory"),
        ("pdb-id", Fact.PdbId, "id of the PDB, its stamp and checksum in the debug directory"),
        ("pdb", Fact.Pdb, "content of the Portable PDB, beside the file or embedded"),
        ("pdb-beside", Fact.PdbBeside, "do not look for a PDB beside the file"),
        ("form", Fact.Form,
            "#~ or #-, sorted mask, versions and reserved fields of the table stream"),
        ("streams", Fact.Streams, "names of streams in order, content of unknown ones"),
        ("max-stack", Fact.MaxStack, "of method bodies"),
        ("body-form", Fact.BodyForm, "tiny or fat, small or fat clauses, size of the whole body"),
        ("literal-flag", Fact.LiteralFlag,
            "last byte of a literal: whether it holds more than plain characters"),
        ("hint", Fact.Hint, "TypeDefId of exported types"),
        ("rva64", Fact.Rva64, "RVA of field data modulo 64 (modulo 8 remains)"),
        ("alignment", Fact.Alignment, "of field data and managed resources"),
        ("references", Fact.References,
            "rows of references and signatures but AssemblyRef: whoever uses one says what it is"),
        ("assembly-references", Fact.AssemblyReferences,
            "rows of AssemblyRef, with versions and keys: users say only the name"),
        ("clr-version", Fact.ClrVersion, "runtime version of the CLR header"),
        ("order", Fact.Order,
            "with --sets: order of attributes, accessors, overrides, permission sets of one owner"),
        ("pe", AllOfPe, "all of the PE file but what .NET keeps in it"),
    ];

    /// Null when a name is unknown.
    public static Fact? Parse(string list)
    {
        Fact facts = 0;
        foreach (string name in list.Split(',', StringSplitOptions.RemoveEmptyEntries))
        {
            int found = Array.FindIndex(Named, entry => entry.Name == name);
            if (found < 0)
                return null;
            facts |= Named[found].Facts;
        }
        return facts;
    }
}
