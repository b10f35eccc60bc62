// Initial values of fields (ECMA-335 II.16.3.2, II.22.18): as many bytes as the field's type has.
namespace Judge;

sealed class FieldData(Image image, Metadata metadata, Names names, Report report)
{
    // Shown of data whose type is defined elsewhere.
    private const int OfUnknownSize = 8;

    private readonly Layouts layouts = new(metadata, image.Is64 ? 8 : 4);

    public void Print()
    {
        if (metadata.Rows[Table.FieldRva] == 0)
            return;
        report.Section("field data");
        var overlaps = Overlaps();
        for (int row = 1; row <= metadata.Rows[Table.FieldRva]; row++)
        {
            report.Item();
            if (!report.Wanted)
                continue;
            int field = (int)metadata.Cell(Table.FieldRva, row, 1);
            names.Append(report.Line, Table.Field, field);
            report.End();
            Data(metadata.Cell(Table.FieldRva, row, 0), field);
            if (overlaps.TryGetValue(row, out var under))
            {
                report.Line.Add("at +"u8).Dec(under.Delta).Add(" of "u8);
                names.Append(report.Line, Table.Field,
                    (int)metadata.Cell(Table.FieldRva, under.Row, 1));
                report.End();
            }
        }
    }

    private void Data(uint rva, int field)
    {
        if (!image.From(rva, out var stored, out long mapped))
        {
            report.Line.Add("outside of any section"u8);
            report.End();
            return;
        }
        long size = layouts.SizeOfField(field) ?? -1;
        report.Line.Add("size "u8);
        if (size < 0)
            report.Line.Add("unknown"u8);
        else
            report.Line.Dec(size);
        if (size > mapped)
            report.Line.Add(", leaves its section"u8);
        long shown = Math.Min(size < 0 ? OfUnknownSize : size, stored.Length);
        // A tail of zeros may be stored or left to the loader.
        var content = stored[..(int)shown].TrimEnd((byte)0);
        report.Spend(content.Length / 8);
        report.Line.Add(", up to its zeros "u8).Raw(content);
        report.End();
        int section = image.SectionOf(rva);
        report.Line.Add("in "u8);
        if (section < 0)
            report.Line.Add("headers"u8);
        else
            report.Line.Hex((uint)image.Headers.SectionHeaders[section].SectionCharacteristics);
        report.End(Fact.Sections);
        report.Line.Add("rva modulo 8 "u8).Dec(rva % 8);
        report.End(Fact.Alignment);
        report.Line.Add("rva modulo 64 "u8).Dec(rva % 64);
        report.End(Fact.Rva64 | Fact.Alignment);
    }

    /// Rows whose data begins inside that of another field, with that row and the distance.
    private Dictionary<int, (int Row, long Delta)> Overlaps()
    {
        var rows = Enumerable.Range(1, metadata.Rows[Table.FieldRva])
                       .OrderBy(row => metadata.Cell(Table.FieldRva, row, 0)); // stable
        Dictionary<int, (int, long)> found = [];
        int reaching = 0;
        long end = 0;
        foreach (int row in rows)
        {
            long rva = metadata.Cell(Table.FieldRva, row, 0);
            if (reaching != 0 && rva < end)
                found[row] = (reaching, rva - metadata.Cell(Table.FieldRva, reaching, 0));
            long size = layouts.SizeOfField((int)metadata.Cell(Table.FieldRva, row, 1)) ?? 0;
            if (rva + size > end)
                (reaching, end) = (row, rva + size);
        }
        return found;
    }
}
