// The Win32 resource tree: a line per directory and per leaf, in stored order.
using System.Buffers.Binary;

namespace Judge;

sealed class Win32Resources(Image image, Report report)
{
    private const int Deepest = 8;
    private int most = 100_000; // nodes; hostile trees share theirs

    public void Print()
    {
        uint rva = (uint)image.Optional.ResourceTableDirectory.RelativeVirtualAddress;
        if (rva == 0 || report.Ignores(Fact.Win32))
            return;
        report.Section("win32 resources");
        var root = image.From(rva);
        if (root.IsEmpty)
        {
            report.Item();
            report.Unreadable("a resource tree outside of any section", fact: Fact.Win32);
            return;
        }
        Directory(root, 0, "", 0);
    }

    private void Directory(ReadOnlySpan<byte> root, uint at, string path, int depth)
    {
        report.Item();
        if (depth > Deepest || --most < 0 || at + 16 > root.Length)
        {
            report.Unreadable($"resource directory {path}", fact: Fact.Win32);
            return;
        }
        var header = new Cursor(root[(int)at..]);
        report.Line.Add("directory "u8).Add(path).Add(" characteristics "u8).Hex(header.U32());
        uint stamp = header.U32();
        report.Line.Add(" version "u8).Dec(header.U16()).Add('.').Dec(header.U16());
        int named = header.U16(), count = named + header.U16();
        report.Line.Add(" named "u8).Dec(named).Add(" of "u8).Dec(count);
        report.End(Fact.Win32);
        report.Line.Add("timestamp "u8).Hex(stamp);
        report.End(Fact.Timestamp | Fact.Win32);
        for (int i = 0; i < count && !header.Failed; i++)
            Entry(root, header.U32(), header.U32(), path, depth);
    }

    private void Entry(ReadOnlySpan<byte> root, uint id, uint target, string path, int depth)
    {
        path += "/" + Name(root, id);
        if ((target & 0x80000000) != 0)
        {
            Directory(root, target & 0x7fffffff, path, depth + 1);
            return;
        }
        report.Item();
        if (--most < 0 || target + 16 > root.Length)
        {
            report.Unreadable($"resource {path}", fact: Fact.Win32);
            return;
        }
        var leaf = new Cursor(root[(int)target..]);
        uint rva = leaf.U32(), size = leaf.U32();
        report.Line.Add(path).Add(" code page "u8).Dec(leaf.U32()).Add(" reserved "u8)
            .Dec(leaf.U32());
        var data = image.From(rva);
        data = data[..(int)Math.Min(size, (uint)data.Length)];
        report.Spend(data.Length / 8);
        report.Line.Add(' ').Content(data);
        if (data.Length < size)
            report.Line.Add(" of "u8).Dec(size);
        report.End(Fact.Win32);
    }

    private static string Name(ReadOnlySpan<byte> root, uint id)
    {
        if ((id & 0x80000000) == 0)
            return id.ToString();
        uint at = id & 0x7fffffff;
        if (at + 2 > root.Length)
            return "name?";
        int size = 2 * BinaryPrimitives.ReadUInt16LittleEndian(root[(int)at..]);
        var text = root[(int)(at + 2)..];
        return new Text().Utf16(text[..Math.Min(size, text.Length)]).ToString();
    }
}
