// A PE file as PEReader accepts it, and the way from an RVA to stored bytes.
using System.Reflection.PortableExecutable;

namespace Judge;

/// The file is nothing that can be judged.
sealed class RefusedException(string message) : Exception(message);

sealed class Image
{
    // jmp [address]; mov rax, [address] with a jump by it behind.
    private static ReadOnlySpan<byte> Jump => [0xff, 0x25];
    private static ReadOnlySpan<byte> JumpByRegister => [0x48, 0xa1];

    private readonly Bytes bytes;

    public unsafe Image(Bytes bytes)
    {
        this.bytes = bytes;
        // Without MZ, PEHeaders would take any text for a COFF object.
        if (bytes.Length < 2 || bytes.Span[0] != 'M' || bytes.Span[1] != 'Z')
            throw new RefusedException("not a PE file");
        try
        {
            Headers = new PEHeaders(new UnmanagedMemoryStream(bytes.Pointer, bytes.Length));
        }
        catch (Exception e) when (e is BadImageFormatException or IOException or OverflowException
                                      or ArgumentException)
        {
            throw new RefusedException(e.Message);
        }
        if (Headers.PEHeader == null)
            throw new RefusedException("no optional header");
        Optional = Headers.PEHeader;
    }

    public PEHeaders Headers { get; }
    public PEHeader Optional { get; }
    public ReadOnlySpan<byte> File => bytes.Span;
    public bool Is64 => Optional.Magic == PEMagic.PE32Plus;

    /// The metadata block; null when it is not within the file.
    public Bytes? Metadata =>
        Headers.MetadataStartOffset >= 0 && Headers.MetadataSize > 0 &&
        Headers.MetadataSize <= bytes.Length - Headers.MetadataStartOffset
            ? bytes.Part(Headers.MetadataStartOffset, Headers.MetadataSize)
            : null;

    /// Bytes of the file, fewer than asked for at its end.
    public ReadOnlySpan<byte> At(long offset, long size) =>
        offset < 0 || offset >= bytes.Length || size <= 0
            ? default
            : bytes.Span.Slice((int)offset, (int)Math.Min(size, bytes.Length - offset));

    /// The section that holds an RVA, -1 when none does.
    public int SectionOf(uint rva)
    {
        for (int i = 0; i < Headers.SectionHeaders.Length; i++)
        {
            var section = Headers.SectionHeaders[i];
            uint start = (uint)section.VirtualAddress;
            uint size = Math.Max((uint)section.VirtualSize, (uint)section.SizeOfRawData);
            if (rva >= start && rva - start < size)
                return i;
        }
        return -1;
    }

    /// What is stored from an RVA to the end of its section; `mapped` also counts the zeros that
    /// the loader adds behind it. False when no section holds it.
    public bool From(uint rva, out ReadOnlySpan<byte> stored, out long mapped)
    {
        int index = SectionOf(rva);
        if (index < 0)
        {
            // The headers are mapped as well.
            bool header = rva != 0 && rva < (uint)Optional.SizeOfHeaders;
            stored = header ? At(rva, (uint)Optional.SizeOfHeaders - rva) : default;
            mapped = stored.Length;
            return header;
        }
        var section = Headers.SectionHeaders[index];
        long delta = rva - (uint)section.VirtualAddress;
        stored = At((uint)section.PointerToRawData + delta, (uint)section.SizeOfRawData - delta);
        mapped = Math.Max(stored.Length, (uint)section.VirtualSize - delta);
        return true;
    }

    /// What is stored of a range; shorter when it runs past its section.
    public ReadOnlySpan<byte> Range(DirectoryEntry directory) =>
        From((uint)directory.RelativeVirtualAddress, out var stored, out _)
            ? stored[..(int)Math.Min((uint)stored.Length, (uint)directory.Size)]
            : default;

    public ReadOnlySpan<byte> From(uint rva) => From(rva, out var stored, out _) ? stored : default;

    /// The jump a stub begins with, without the address that follows; empty when it is none of an
    /// x86 processor.
    public ReadOnlySpan<byte> Stub(uint rva)
    {
        var code = From(rva);
        if (code.StartsWith(Jump) || code.StartsWith(JumpByRegister))
            return code[..2];
        return default;
    }
}
