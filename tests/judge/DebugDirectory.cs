// Debug directory entries and their data, without where that lies.
using System.Buffers.Binary;
using System.IO.Compression;

namespace Judge;

sealed class DebugDirectory(Image image, Report report)
{
    private const int CodeView = 2, Reproducible = 16, EmbeddedPdb = 17, PdbChecksum = 19;

    // Minor version of an entry whose stamp is part of the PDB's id.
    private const uint PortableStamp = 0x504d;
    private const int MostPdb = 1 << 29;

    private readonly Text line = report.Line;

    /// The id that the CodeView entry asks for, 20 bytes; empty when there is none.
    public byte[] PdbId { get; private set; } = [];

    public void Print()
    {
        if (image.Optional.DebugTableDirectory.Size == 0)
            return;
        report.Section("debug directory");
        var cursor = new Cursor(image.Range(image.Optional.DebugTableDirectory));
        while (cursor.Rest.Length >= 28)
        {
            report.Item();
            uint characteristics = cursor.U32(), stamp = cursor.U32();
            uint major = cursor.U16(), minor = cursor.U16(), type = cursor.U32();
            uint size = cursor.U32();
            cursor.U32();
            var data = image.At(cursor.U32(), size);
            line.Add("type "u8).Dec(type).Add(" version "u8).Hex(major).Add('.').Hex(minor);
            line.Add(' ').Hex(characteristics);
            report.End(Fact.Debug);
            line.Add("stamp "u8).Hex(stamp);
            // Deterministic compilers write parts of a hash here.
            report.End(Fact.Debug | Fact.Timestamp | (minor == PortableStamp ? Fact.PdbId : 0));
            Data(type, stamp, minor, size, data);
        }
        if (!cursor.AtEnd)
        {
            report.Item();
            report.Unreadable("rest of the debug directory", cursor.Rest, Fact.Debug);
        }
    }

    private void Data(uint type, uint stamp, uint minor, uint size, ReadOnlySpan<byte> data)
    {
        if (data.Length < size)
        {
            report.Unreadable("debug data that leaves the file", fact: Fact.Debug);
            return;
        }
        switch (type)
        {
            case CodeView when data.Length >= 24:
                if (minor == PortableStamp && PdbId.Length == 0)
                    PdbId = [.. data[4..20], .. BitConverter.GetBytes(stamp)];
                line.Add("codeview "u8).HexBytes(data[..4]).Add(" age "u8).HexBytes(data[20..24])
                    .Add(' ').Quoted(data[24..]);
                report.End(Fact.Debug);
                line.Add("codeview id "u8).HexBytes(data[4..20]);
                report.End(Fact.Debug | Fact.PdbId);
                break;
            case PdbChecksum:
            case Reproducible:
                if (type == PdbChecksum)
                    Checksum = data.ToArray();
                line.Add("data "u8).Raw(data);
                report.End(Fact.Debug | Fact.PdbId);
                break;
            case EmbeddedPdb: // what it unpacks to is told with the PDB
                line.Add("embedded "u8).Raw(data[..Math.Min(data.Length, 4)]);
                report.End(Fact.Debug);
                break;
            default:
                line.Add("data "u8).Raw(data);
                report.End(Fact.Debug);
                break;
        }
    }

    /// Name of the hash and the hash of the PDB with its id zeroed; empty when there is none.
    public byte[] Checksum { get; private set; } = [];

    /// The embedded PDB, null when there is none.
    public Bytes? Unpack()
    {
        var cursor = new Cursor(image.Range(image.Optional.DebugTableDirectory));
        while (cursor.Rest.Length >= 28)
        {
            cursor.Take(12);
            uint type = cursor.U32(), size = cursor.U32();
            cursor.U32();
            var data = image.At(cursor.U32(), size);
            if (type != EmbeddedPdb || data.Length < 8 || !data[..4].SequenceEqual("MPDB"u8))
                continue;
            return Unpack(data);
        }
        return null;
    }

    private static Bytes Unpack(ReadOnlySpan<byte> data)
    {
        uint size = BinaryPrimitives.ReadUInt32LittleEndian(data[4..]);
        if (size > MostPdb)
            throw new UnreadableException("an embedded PDB of a size that no PDB has");
        try
        {
            using MemoryStream packed = new(data[8..].ToArray());
            using DeflateStream deflate = new(packed, CompressionMode.Decompress);
            var pdb = new Bytes();
            deflate.ReadExactly(pdb.Resize((int)size));
            return pdb;
        }
        catch (Exception e) when (e is InvalidDataException or EndOfStreamException)
        {
            throw new UnreadableException("an embedded PDB: " + e.Message);
        }
    }
}
