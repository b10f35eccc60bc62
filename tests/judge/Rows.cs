// Every row of every table, in table order: unreferenced ones too.
namespace Judge;

sealed class Rows(Metadata metadata, Names names, Report report)
{
    // What a row is called tells more than its columns: where it belongs.
    private static bool IsNamed(int table) =>
        table is Table.Field or Table.MethodDef or Table.Param or Table.Event or Table.Property
            or Table.TypeDef;

    // Rows that exist only to be referred to.
    private static bool IsReference(int table) =>
        table is Table.TypeRef or Table.MemberRef or Table.StandAloneSig or Table.ModuleRef
            or Table.TypeSpec or Table.AssemblyRef or Table.MethodSpec;

    public static bool IsReferenceSection(string name) => IsReference(Schema.TableNamed(name));

    /// `more`: what another part of the judge says about a row, as further lines of its item.
    public void Print(int table, Action<int>? more = null)
    {
        if (metadata.Rows[table] == 0)
            return;
        report.Section(Schema.NameOf(table));
        int parent = Schema.ParentColumn[table];
        Dictionary<uint, int> places = [];
        // Tables that assemblers sort by owner and by nothing else.
        bool unordered = (report.Options.Ignored & Fact.Order) != 0 &&
                         table is (0x0c or 0x0e or 0x18 or 0x19);
        for (int row = 1; row <= metadata.Rows[table]; row++)
        {
            report.Item();
            // In set mode the order of rows is lost but for their place within their parent.
            int place = !report.Options.Sets || unordered ? 0
                : parent < 0 ? names.Owners.PlaceOf(table, row)
                : places[metadata.Cell(table, row, parent)] =
                      places.GetValueOrDefault(metadata.Cell(table, row, parent)) + 1;
            if (!report.Wanted)
                continue;
            Line(table, row, place);
            ExtraLines(table, row);
            more?.Invoke(row);
        }
    }

    /// Whether rows are in the order of the column that look-ups search by.
    public void PrintOrder()
    {
        (int Table, int Column)[] sorted =
        [
            (0x0b, 1), (0x0c, 0), (0x0d, 0), (0x0e, 1), (0x0f, 2), (0x10, 1), (0x18, 2), (0x19, 0),
            (0x1c, 1), (0x1d, 1), (0x29, 0), (0x2a, 2), (0x2c, 0), (0x09, 0), (0x32, 0), (0x36, 0),
            (0x37, 0),
        ];
        report.Section("order");
        foreach (var (table, column) in sorted)
        {
            int row = 2;
            while (row <= metadata.Rows[table] &&
                   metadata.Cell(table, row - 1, column) <= metadata.Cell(table, row, column))
            {
                row++;
            }
            if (row > metadata.Rows[table])
                continue;
            report.Item();
            report.Line.Add(Schema.NameOf(table)).Add(" is not sorted"u8);
            report.End();
        }
    }

    private void Line(int table, int row, int place)
    {
        var line = report.Line;
        if (IsNamed(table))
            names.Append(line, table, row);
        else
            line.Add(Schema.NameOf(table));
        report.Key();
        if (place > 0)
            line.Add(" ["u8).Dec(place).Add(']');
        names.Columns(line, table, row, withRaw: true);
        // Of an AssemblyRef, users say only the name.
        report.End(table == Table.AssemblyRef ? Fact.AssemblyReferences
            : IsReference(table) ? Fact.References
            : Fact.Meaning);
    }

    private void ExtraLines(int table, int row)
    {
        if (table == Table.Module)
        {
            report.Line.Add("mvid "u8);
            names.Guid(report.Line, metadata.Cell(table, row, 2));
            report.End(Fact.Mvid);
        }
        if (table == Table.ExportedType)
        {
            report.Line.Add("hint "u8).Hex(metadata.Cell(table, row, 1));
            report.End(Fact.Hint);
        }
    }
}
