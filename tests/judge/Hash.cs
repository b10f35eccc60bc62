// A 64-bit hash by wide multiplication: lines and contents are compared by it. Not cryptographic;
// files are not made to deceive their own test.
using System.Buffers.Binary;

namespace Judge;

static class Hash
{
    private const ulong A = 0x9E3779B97F4A7C15, B = 0xD6E8FEB86659FD93, C = 0xA0761D6478BD642F;

    public static ulong Of(ReadOnlySpan<byte> bytes)
    {
        ulong hash = Mix((ulong)bytes.Length ^ A, B);
        while (bytes.Length >= 16)
        {
            ulong first = BinaryPrimitives.ReadUInt64LittleEndian(bytes);
            ulong second = BinaryPrimitives.ReadUInt64LittleEndian(bytes[8..]);
            hash = Mix(first ^ B, second ^ hash);
            bytes = bytes[16..];
        }
        Span<byte> tail = stackalloc byte[16];
        tail.Clear();
        bytes.CopyTo(tail);
        hash = Mix(BinaryPrimitives.ReadUInt64LittleEndian(tail) ^ B,
                   BinaryPrimitives.ReadUInt64LittleEndian(tail[8..]) ^ hash);
        return Mix(hash ^ C, A);
    }

    /// Adds one more hash to a sequence of them.
    public static ulong Fold(ulong sequence, ulong next) => Mix(sequence ^ A, next ^ C) + next;

    private static ulong Mix(ulong a, ulong b)
    {
        ulong high = Math.BigMul(a, b, out ulong low);
        return high ^ low;
    }
}
