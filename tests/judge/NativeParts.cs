// Parts for the operating system's loader, and native code. Images with more than an import of
// mscoree are not laid out anew by anyone, so what is not decoded here is compared as bytes.
using System.Reflection.PortableExecutable;

namespace Judge;

sealed class NativeParts(Image image, Report report)
{
    private const int Most = 65_536;

    private readonly Text line = report.Line;

    public void Print()
    {
        report.Section("native parts");
        Imports();
        Relocations();
        Exports();
        Directory("tls", image.Optional.ThreadLocalStorageTableDirectory);
        Directory("load config", image.Optional.LoadConfigTableDirectory);
        Directory("exceptions", image.Optional.ExceptionTableDirectory);
        Directory("delay import", image.Optional.DelayImportTableDirectory);
        if (image.Headers.CorHeader is not { } cor)
            return;
        Directory("code manager", cor.CodeManagerTableDirectory);
        Directory("export address jumps", cor.ExportAddressTableJumpsDirectory);
        ReadyToRun(cor.ManagedNativeHeaderDirectory);
        if (cor.ManagedNativeHeaderDirectory.Size != 0 || (cor.Flags & CorFlags.ILOnly) == 0)
            Code(cor);
    }

    private void Imports()
    {
        if (image.Optional.ImportTableDirectory.RelativeVirtualAddress == 0)
            return;
        int rva = image.Optional.ImportTableDirectory.RelativeVirtualAddress;
        var cursor = new Cursor(image.From((uint)rva));
        for (int i = 0; i < Most; i++)
        {
            uint lookup = cursor.U32(), stamp = cursor.U32(), forward = cursor.U32();
            uint name = cursor.U32(), addresses = cursor.U32();
            if (cursor.Failed || name == 0)
                return;
            report.Item();
            line.Add("import "u8).Quoted(Zero(name)).Add(' ').Hex(stamp).Add(' ').Hex(forward);
            Functions(lookup != 0 ? lookup : addresses);
            report.End(Fact.Imports);
        }
    }

    private void Functions(uint rva)
    {
        var cursor = new Cursor(image.From(rva));
        for (int i = 0; i < Most; i++)
        {
            ulong entry = image.Is64 ? cursor.U64() : cursor.U32();
            if (cursor.Failed || entry == 0)
                return;
            line.Add(' ');
            if ((entry >> (image.Is64 ? 63 : 31)) != 0)
                line.Add('#').Dec((ushort)entry);
            else
                line.Quoted(Zero((uint)entry + 2));
        }
    }

    private void Relocations()
    {
        var cursor = new Cursor(image.Range(image.Optional.BaseRelocationTableDirectory));
        int[] kinds = new int[16];
        while (cursor.Rest.Length >= 8)
        {
            cursor.U32();
            uint size = cursor.U32();
            if (size < 8 || size - 8 > cursor.Rest.Length)
                break;
            for (uint i = 8; i + 2 <= size; i += 2)
                kinds[cursor.U16() >> 12]++;
            cursor.Take((int)(size & 1));
        }
        report.Item();
        line.Add("relocations"u8);
        for (int kind = 1; kind < 16; kind++) // 0 is padding
        {
            if (kinds[kind] != 0)
                line.Add(' ').Dec(kinds[kind]).Add(" of kind "u8).Dec(kind);
        }
        report.End(Fact.Imports);
    }

    private void Exports()
    {
        var directory = image.Optional.ExportTableDirectory;
        var cursor = new Cursor(image.Range(directory));
        if (cursor.Rest.Length < 40)
            return;
        report.Item();
        line.Add("exports "u8).Hex(cursor.U32());
        uint stamp = cursor.U32();
        line.Add(' ').Dec(cursor.U16()).Add('.').Dec(cursor.U16()).Add(' ')
            .Quoted(Zero(cursor.U32()));
        uint first = cursor.U32(), functions = cursor.U32(), named = cursor.U32();
        line.Add(" base "u8).Dec(first).Add(" functions "u8).Dec(functions).Add(" names "u8)
            .Dec(named);
        report.End(Fact.Exports);
        line.Add("timestamp "u8).Hex(stamp);
        report.End(Fact.Timestamp | Fact.Exports);
        var addresses = new Cursor(image.From(cursor.U32()));
        var names = new Cursor(image.From(cursor.U32()));
        var ordinals = new Cursor(image.From(cursor.U32()));
        for (int i = 0; i < Math.Min(functions, Most) && !addresses.Failed; i++)
        {
            uint rva = addresses.U32();
            uint delta = rva - (uint)directory.RelativeVirtualAddress;
            line.Add("function "u8).Dec(first + i).Add(' ');
            if (rva == 0)
                line.Add("none"u8);
            else if (delta < (uint)directory.Size)
                line.Add("forwarded to "u8).Quoted(Zero(rva));
            else
                line.Add("code "u8).HexBytes(image.Stub(rva));
            report.End(Fact.Exports);
        }
        for (int i = 0; i < Math.Min(named, Most) && !names.Failed; i++)
        {
            line.Add("name "u8).Quoted(Zero(names.U32())).Add(' ').Dec(ordinals.U16());
            report.End(Fact.Exports);
        }
    }

    private void Directory(string name, DirectoryEntry directory)
    {
        if (directory.Size == 0)
            return;
        report.Item();
        line.Add(name).Add(' ').Raw(image.Range(directory));
        report.End(Fact.Native);
    }

    // docs/design/coreclr/botr/readytorun-format.md of the runtime.
    private void ReadyToRun(DirectoryEntry directory)
    {
        if (directory.Size == 0)
            return;
        report.Item();
        var cursor = new Cursor(image.Range(directory));
        line.Add("native header "u8).Hex(cursor.U32());
        line.Add(" version "u8).Dec(cursor.U16()).Add('.').Dec(cursor.U16());
        line.Add(" flags "u8).Hex(cursor.U32());
        uint count = cursor.U32();
        report.End(Fact.Native);
        for (uint i = 0; i < count && cursor.Rest.Length >= 12; i++)
        {
            line.Add("part "u8).Dec(cursor.U32()).Add(' ');
            line.Content(image.Range(new((int)cursor.U32(), (int)cursor.U32())));
            report.End(Fact.Native);
        }
    }

    // Sections of native code, but for the one that also holds what .NET reads.
    private void Code(CorHeader cor)
    {
        int own = image.SectionOf((uint)cor.MetadataDirectory.RelativeVirtualAddress);
        for (int i = 0; i < image.Headers.SectionHeaders.Length; i++)
        {
            var section = image.Headers.SectionHeaders[i];
            if (i == own ||
                (section.SectionCharacteristics & SectionCharacteristics.MemExecute) == 0)
                continue;
            report.Item();
            line.Add("code in "u8).Quoted(System.Text.Encoding.UTF8.GetBytes(section.Name))
                .Add(' ');
            line.Content(image.At((uint)section.PointerToRawData, (uint)section.SizeOfRawData));
            report.End(Fact.Native);
        }
    }

    private ReadOnlySpan<byte> Zero(uint rva)
    {
        var text = image.From(rva);
        int end = text[..Math.Min(text.Length, 4096)].IndexOf((byte)0);
        return end < 0 ? "?"u8 : text[..end];
    }
}
