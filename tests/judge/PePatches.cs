// Edits of the PE file around the metadata.
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

namespace Judge;

static class PePatches
{
    // Name, offset in the optional header of PE32 and of PE32+.
    private static readonly (string Name, int At32, int At64)[] optional =
    [
        ("linker version", 2, 2), ("image base", 31, 30), ("section alignment", 33, 33),
        ("file alignment", 37, 37), ("system version", 40, 40), ("image version", 44, 44),
        ("subsystem version", 48, 48), ("win32 version", 52, 52), ("checksum", 64, 64),
        ("subsystem", 68, 68), ("dll characteristics", 70, 70), ("stack reserve", 74, 74),
        ("stack commit", 77, 81), ("heap reserve", 82, 90), ("heap commit", 85, 97),
        ("loader flags", 88, 104),
    ];

    public static void Add(List<Patch> patches, PEReader pe, byte[] file)
    {
        var headers = pe.PEHeaders;
        patches.Add(new("dos: header", 8, 1));
        patches.Add(new("dos: stub", 0x50, 1));
        patches.Add(new("coff: timestamp", headers.CoffHeaderStartOffset + 4, 1));
        patches.Add(new("coff: characteristics", headers.CoffHeaderStartOffset + 18, 0x20));
        bool is64 = headers.PEHeader!.Magic == PEMagic.PE32Plus;
        foreach (var (name, at32, at64) in optional)
        {
            int at = headers.PEHeaderStartOffset + (is64 ? at64 : at32);
            patches.Add(new("optional header: " + name, at, 1));
        }
        for (int i = 0; i < headers.SectionHeaders.Length; i++)
        {
            int at = headers.PEHeaderStartOffset + headers.CoffHeader.SizeOfOptionalHeader + 40 * i;
            patches.Add(new("section: name", at + 1, 1));
            patches.Add(new("section: rights", at + 39, 0x80));
        }
        AddNative(patches, pe, file);
        AddClr(patches, headers);
        AddDebug(patches, pe);
        AddWin32(patches, pe, file);
    }

    private static void AddNative(List<Patch> patches, PEReader pe, byte[] file)
    {
        var headers = pe.PEHeaders;
        if (headers.TryGetDirectoryOffset(headers.PEHeader!.ImportTableDirectory, out int import))
            patches.Add(new("import: library",
                Patches.OffsetOf(pe, BitConverter.ToInt32(file, import + 12)), 1));
        if (headers.TryGetDirectoryOffset(headers.PEHeader.ExportTableDirectory, out int export))
        {
            patches.Add(new("export: library",
                Patches.OffsetOf(pe, BitConverter.ToInt32(file, export + 12)), 1));
            patches.Add(new("export: ordinal base", export + 16, 1));
        }
        if (headers.TryGetDirectoryOffset(headers.PEHeader.BaseRelocationTableDirectory,
            out int relocations))
            patches.Add(new("relocation: kind", relocations + 9, 0x10));
        if (headers.CorHeader != null &&
            headers.TryGetDirectoryOffset(headers.CorHeader.VtableFixupsDirectory, out int fixups))
        {
            patches.Add(new("vtable fixup: kind", fixups + 6, 0x10));
            patches.Add(new("vtable fixup: token",
                Patches.OffsetOf(pe, BitConverter.ToInt32(file, fixups)), 1));
        }
    }

    private static void AddClr(List<Patch> patches, PEHeaders headers)
    {
        if (headers.CorHeader == null)
            return;
        patches.Add(new("clr header: runtime version", headers.CorHeaderStartOffset + 6, 1));
        patches.Add(new("clr header: flags", headers.CorHeaderStartOffset + 18, 1));
        patches.Add(new("clr header: signed flag", headers.CorHeaderStartOffset + 16, 8));
        patches.Add(new("clr header: entry point", headers.CorHeaderStartOffset + 20, 1));
        var signature = headers.CorHeader.StrongNameSignatureDirectory;
        if (signature.Size > 0 && headers.TryGetDirectoryOffset(signature, out int at))
            patches.Add(new("strong name: signature", at + signature.Size - 1, 1));
    }

    private static void AddDebug(List<Patch> patches, PEReader pe)
    {
        if (!pe.PEHeaders.TryGetDirectoryOffset(pe.PEHeaders.PEHeader!.DebugTableDirectory,
            out int at))
            return;
        foreach (DebugDirectoryEntry entry in pe.ReadDebugDirectory())
        {
            patches.Add(new("debug: stamp", at + 4, 1));
            patches.Add(new("debug: version", at + 8, 1));
            patches.Add(new("debug: type", at + 12, 1));
            if (entry.DataSize > 4)
            {
                int middle = entry.DataPointer + entry.DataSize / 2;
                patches.Add(new("debug: data of " + entry.Type, middle, 1));
            }
            at += 28;
        }
    }

    // Down the first entry of each level: type, name, language, data entry.
    private static void AddWin32(List<Patch> patches, PEReader pe, byte[] file)
    {
        int rva = pe.PEHeaders.PEHeader!.ResourceTableDirectory.RelativeVirtualAddress;
        int root = rva == 0 ? -1 : Patches.OffsetOf(pe, rva);
        if (root < 0)
            return;
        int at = root;
        foreach (string level in new[] { "type", "name", "language" })
        {
            patches.Add(new("win32: " + level, at + 16, 1));
            at = root + (BitConverter.ToInt32(file, at + 20) & 0x7fffffff);
        }
        patches.Add(new("win32: code page", at + 8, 1));
        patches.Add(new("win32: size", at + 4, 1));
        patches.Add(new("win32: data", Patches.OffsetOf(pe, BitConverter.ToInt32(file, at)), 1));
    }
}
