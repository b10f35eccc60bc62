// What the metadata root and the header of the table stream say.
namespace Judge;

static class Root
{
    private static readonly byte[][] known =
    [
        "#~"u8.ToArray(), "#-"u8.ToArray(), "#Strings"u8.ToArray(), "#Blob"u8.ToArray(),
        "#GUID"u8.ToArray(), "#US"u8.ToArray(), "#Pdb"u8.ToArray(),
    ];

    public static void Print(string section, Metadata metadata, Report report)
    {
        report.Section(section);
        report.Item();
        var line = report.Line;
        int end = metadata.Version.Span.IndexOf((byte)0);
        end = end < 0 ? metadata.Version.Length : end;
        line.Add("version "u8).Quoted(metadata.Version.Span[..end]);
        report.End();
        line.Add("padding "u8).HexBytes(metadata.Version.Span[end..]).Add(" fields "u8)
            .HexBytes(metadata.RootFields.Span);
        line.Add(" flags "u8).HexBytes(metadata.RootFlags.Span);
        report.End(Fact.Form);
        if (metadata.Refusal != "")
            report.Unreadable("System.Reflection.Metadata refuses the metadata: " +
                metadata.Refusal);
        report.Item();
        // Heap sizes (byte 6) and the mask of tables (bytes 8 to 15) follow from the content.
        var header = metadata.TableHeader;
        line.Add(metadata.IsUncompressed ? "#-"u8 : "#~"u8).Add(" reserved "u8)
            .HexBytes(header[..4]);
        line.Add(" version "u8).HexBytes(header[4..6]).Add(" flags "u8).Hex((uint)header[6] & ~7u);
        line.Add(" reserved "u8).HexBytes(header[7..8]).Add(" sorted "u8).HexBytes(header[16..24]);
        report.End(Fact.Form);
        report.Item();
        line.Add("streams"u8);
        foreach (var (name, _) in metadata.Streams)
            line.Add(' ').Quoted(name);
        report.End(Fact.Streams);
        foreach (var (name, content) in metadata.Streams)
        {
            if (known.Any(one => one.AsSpan().SequenceEqual(name)))
                continue;
            report.Item();
            line.Add("stream "u8).Quoted(name).Add(' ').Raw(content.Span);
            report.End(Fact.Streams);
        }
    }
}
