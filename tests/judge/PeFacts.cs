// What the headers of the PE file say, layout left out.
using System.Buffers.Binary;

namespace Judge;

sealed class PeFacts(Image image, Report report)
{
    private static readonly string[] directories =
    [
        "export", "import", "resource", "exception", "certificate", "relocation", "debug",
        "architecture", "global pointer", "tls", "load config", "bound import", "iat",
        "delay import", "clr", "reserved",
    ];

    private readonly Text line = report.Line;

    public void Print()
    {
        report.Section("pe");
        Dos();
        Coff();
        Optional();
        Directories();
        Sections();
        Tail();
    }

    private void Dos()
    {
        report.Item();
        // Bytes 0x3c to 0x3f say where the PE header is.
        var header = image.At(0, Math.Max(image.Headers.CoffHeaderStartOffset - 4, 0));
        line.Add("dos "u8).Raw(header[..Math.Min(header.Length, 0x3c)]);
        line.Add(' ').Raw(header[Math.Min(header.Length, 0x40)..]);
        report.End(Fact.Dos);
    }

    private void Coff()
    {
        var coff = image.Headers.CoffHeader;
        report.Item();
        line.Add("machine "u8).Hex((ushort)coff.Machine).Add(" characteristics "u8)
            .Hex((ushort)coff.Characteristics);
        line.Add(" size of optional header "u8).Dec(coff.SizeOfOptionalHeader);
        line.Add(" symbols "u8).Dec(coff.NumberOfSymbols);
        report.End(Fact.Headers);
        report.Item();
        line.Add("timestamp "u8).Hex((uint)coff.TimeDateStamp);
        report.End(Fact.Timestamp);
    }

    private void Optional()
    {
        var header = image.Optional;
        var raw = image.File[image.Headers.PEHeaderStartOffset..];
        report.Item();
        line.Add("linker "u8).Dec(header.MajorLinkerVersion).Add('.')
            .Dec(header.MinorLinkerVersion);
        report.End(Fact.Linker);
        report.Item();
        line.Add("checksum "u8).Hex(header.CheckSum);
        report.End(Fact.Checksum);
        report.Item();
        line.Add("native entry point "u8);
        line.Add(header.AddressOfEntryPoint == 0 ? "none "u8 : "present "u8);
        line.HexBytes(image.Stub((uint)header.AddressOfEntryPoint));
        report.End(Fact.Imports);
        Value("magic"u8, (ushort)header.Magic);
        Value("image base"u8, header.ImageBase);
        Value("section alignment"u8, (uint)header.SectionAlignment);
        Value("file alignment"u8, (uint)header.FileAlignment);
        Version("operating system"u8, header.MajorOperatingSystemVersion,
            header.MinorOperatingSystemVersion);
        Version("image version"u8, header.MajorImageVersion, header.MinorImageVersion);
        Version("subsystem version"u8, header.MajorSubsystemVersion, header.MinorSubsystemVersion);
        Value("win32 version"u8, BinaryPrimitives.ReadUInt32LittleEndian(raw[52..]));
        Value("subsystem"u8, (ushort)header.Subsystem);
        Value("dll characteristics"u8, (ushort)header.DllCharacteristics);
        Value("stack reserve"u8, header.SizeOfStackReserve);
        Value("stack commit"u8, header.SizeOfStackCommit);
        Value("heap reserve"u8, header.SizeOfHeapReserve);
        Value("heap commit"u8, header.SizeOfHeapCommit);
        Value("loader flags"u8,
            BinaryPrimitives.ReadUInt32LittleEndian(raw[(image.Is64 ? 104 : 88)..]));
        Value("number of directories"u8, (uint)header.NumberOfRvaAndSizes);
    }

    private void Value(ReadOnlySpan<byte> name, ulong value)
    {
        report.Item();
        line.Add(name);
        report.Key();
        line.Add(' ').Hex(value);
        report.End(Fact.Headers);
    }

    private void Version(ReadOnlySpan<byte> name, ushort major, ushort minor)
    {
        report.Item();
        line.Add(name).Add(' ').Dec(major).Add('.').Dec(minor);
        report.End(Fact.Headers);
    }

    private void Directories()
    {
        for (int i = 0; i < Math.Min(image.Optional.NumberOfRvaAndSizes, directories.Length); i++)
        {
            var raw = DirectoryBytes(i);
            uint rva = BinaryPrimitives.ReadUInt32LittleEndian(raw);
            uint size = BinaryPrimitives.ReadUInt32LittleEndian(raw[4..]);
            if (rva == 0 && size == 0)
                continue;
            report.Item();
            // CoreCLR refuses some of these halves.
            line.Add("directory "u8).Add(directories[i]);
            line.Add(rva == 0 ? " without rva"u8 : ""u8).Add(size == 0 ? " without size"u8 : ""u8);
            report.End(FactOf(i));
        }
    }

    private static Fact FactOf(int directory) => directory switch
    {
        0 => Fact.Exports,
        1 or 5 or 12 => Fact.Imports,
        2 => Fact.Win32,
        4 => Fact.Certificate,
        6 => Fact.Debug,
        _ => Fact.Headers,
    };

    private ReadOnlySpan<byte> DirectoryBytes(int index) =>
        image.At(image.Headers.PEHeaderStartOffset + (image.Is64 ? 112 : 96) + index * 8, 8);

    private void Sections()
    {
        foreach (var section in image.Headers.SectionHeaders)
        {
            report.Item();
            line.Add("section "u8).Quoted(System.Text.Encoding.UTF8.GetBytes(section.Name));
            line.Add(' ').Hex((uint)section.SectionCharacteristics);
            report.End(Fact.Sections);
        }
        // Mostly zeros; some tools leave marks there.
        var coff = image.Headers.CoffHeader;
        int end = image.Headers.PEHeaderStartOffset + coff.SizeOfOptionalHeader +
            40 * coff.NumberOfSections;
        var rest = image.At(end, image.Optional.SizeOfHeaders - end).TrimEnd((byte)0);
        if (rest.IsEmpty)
            return;
        report.Item();
        line.Add("behind section headers "u8).Raw(rest);
        report.End(Fact.Headers);
    }

    // The certificate directory holds a file offset, not an RVA.
    private void Tail()
    {
        long end = image.Optional.SizeOfHeaders;
        foreach (var section in image.Headers.SectionHeaders)
            end = Math.Max(end, (uint)section.PointerToRawData + (long)(uint)section.SizeOfRawData);
        var directory = image.Optional.CertificateTableDirectory;
        long at = (uint)directory.RelativeVirtualAddress, size = (uint)directory.Size;
        if (at != 0 && size != 0)
        {
            report.Item();
            line.Add("certificate "u8).Content(image.At(at, size));
            report.End(Fact.Certificate);
        }
        if (at < end)
            at = image.File.Length;
        Overlay(end, at);
        Overlay(Math.Max(at + size, end), image.File.Length);
    }

    private void Overlay(long from, long to)
    {
        var bytes = image.At(from, to - from);
        if (bytes.IsEmpty)
            return;
        report.Item();
        line.Add("overlay "u8).Content(bytes);
        report.End(Fact.Overlay);
    }
}
