// A growing line of UTF-8: every fact is written into one before it is printed or hashed.
using System.Buffers;
using System.Buffers.Text;
using System.Text.Unicode;

namespace Judge;

sealed class Text
{
    // Longer raw bytes are shown by their beginning, their length and a hash of them all.
    private const int WholeRaw = 256;
    private const int BeginningOfRaw = 32;

    private static readonly SearchValues<byte> Plain =
        SearchValues.Create([.. Enumerable.Range(0x20, 0x5f).Select(b => (byte)b)
            .Except("\\\""u8.ToArray())]);

    private byte[] buffer = new byte[512];

    public int Length { get; private set; }
    public ReadOnlySpan<byte> Bytes => buffer.AsSpan(0, Length);

    public override string ToString() => System.Text.Encoding.UTF8.GetString(Bytes);

    public void Clear() => Length = 0;

    public void Truncate(int length) => Length = length;

    public Text Add(ReadOnlySpan<byte> utf8)
    {
        utf8.CopyTo(Room(utf8.Length));
        Length += utf8.Length;
        return this;
    }

    public Text Add(char ascii)
    {
        Room(1)[0] = (byte)ascii;
        Length++;
        return this;
    }

    public Text Add(string text)
    {
        Length += System.Text.Encoding.UTF8.GetBytes(text, Room(text.Length * 3));
        return this;
    }

    public Text Dec(long value)
    {
        Utf8Formatter.TryFormat(value, Room(20), out int written);
        Length += written;
        return this;
    }

    public Text Hex(ulong value)
    {
        Add("0x"u8);
        Utf8Formatter.TryFormat(value, Room(16), out int written, new('x'));
        Length += written;
        return this;
    }

    public Text HexBytes(ReadOnlySpan<byte> bytes)
    {
        Span<byte> room = Room(bytes.Length * 2);
        for (int i = 0; i < bytes.Length; i++)
        {
            room[2 * i] = "0123456789abcdef"u8[bytes[i] >> 4];
            room[2 * i + 1] = "0123456789abcdef"u8[bytes[i] & 15];
        }
        Length += bytes.Length * 2;
        return this;
    }

    /// Bytes whole, or their beginning, length and hash.
    public Text Raw(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length <= WholeRaw)
            return HexBytes(bytes);
        return HexBytes(bytes[..BeginningOfRaw]).Add("... "u8).Content(bytes);
    }

    /// Length and hash of bytes.
    public Text Content(ReadOnlySpan<byte> bytes) =>
        Dec(bytes.Length).Add(" bytes #"u8).Hex(Hash.Of(bytes));

    /// A name as it is stored; what would break the line or is no UTF-8 is escaped.
    public Text Name(ReadOnlySpan<byte> name)
    {
        if (name.IndexOfAnyExcept(Plain) < 0)
            return Add(name);
        bool valid = Utf8.IsValid(name);
        foreach (byte b in name)
        {
            if (b is (byte)'\\' or (byte)'"')
                Add('\\').Add((char)b);
            else if (b < 0x20 || b == 0x7f || (b >= 0x80 && !valid))
                Add("\\x"u8).HexBytes([b]);
            else
                Add((char)b);
        }
        return this;
    }

    public Text Quoted(ReadOnlySpan<byte> name) => Add('"').Name(name).Add('"');

    /// UTF-16 code units one by one, so that lone surrogates differ; an odd last byte in brackets.
    public Text Utf16(ReadOnlySpan<byte> bytes)
    {
        Add('"');
        for (int i = 0; i + 1 < bytes.Length; i += 2)
        {
            int unit = bytes[i] | bytes[i + 1] << 8;
            if (unit is >= 0x20 and < 0x7f and not '\\' and not '"')
                Add((char)unit);
            else
                Add("\\u"u8).HexBytes([bytes[i + 1], bytes[i]]);
        }
        Add('"');
        return bytes.Length % 2 == 0 ? this : Add('[').HexBytes(bytes[^1..]).Add(']');
    }

    private Span<byte> Room(int size)
    {
        if (buffer.Length - Length < size)
            Array.Resize(ref buffer, Math.Max(buffer.Length * 2, Length + size));
        return buffer.AsSpan(Length);
    }
}
