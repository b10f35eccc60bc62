// Reading bytes front to back. A read past the end fails for good and gives zeros.
using System.Buffers.Binary;

namespace Judge;

ref struct Cursor(ReadOnlySpan<byte> bytes)
{
    private readonly ReadOnlySpan<byte> bytes = bytes;

    public int At { get; private set; }
    public bool Failed { get; private set; }
    public readonly ReadOnlySpan<byte> Rest => bytes[At..];
    public readonly bool AtEnd => At == bytes.Length;

    public ReadOnlySpan<byte> Take(int size)
    {
        if (size < 0 || size > bytes.Length - At)
        {
            Failed = true;
            return default;
        }
        At += size;
        return bytes.Slice(At - size, size);
    }

    public byte U8()
    {
        var taken = Take(1);
        return Failed ? (byte)0 : taken[0];
    }

    public ushort U16()
    {
        var taken = Take(2);
        return Failed ? (ushort)0 : BinaryPrimitives.ReadUInt16LittleEndian(taken);
    }

    public uint U32()
    {
        var taken = Take(4);
        return Failed ? 0 : BinaryPrimitives.ReadUInt32LittleEndian(taken);
    }

    public ulong U64()
    {
        var taken = Take(8);
        return Failed ? 0 : BinaryPrimitives.ReadUInt64LittleEndian(taken);
    }

    /// ECMA-335 II.23.2.
    public uint Compressed()
    {
        byte first = U8();
        if ((first & 0x80) == 0)
            return first;
        if ((first & 0x40) == 0)
            return (uint)(first & 0x3f) << 8 | U8();
        if ((first & 0x20) != 0)
            Failed = true;
        return (uint)(first & 0x1f) << 24 | (uint)U8() << 16 | (uint)U8() << 8 | U8();
    }
}
