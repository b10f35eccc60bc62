// One file from front to back. What is malformed is said and skipped; only a file that is no PE
// file is refused.
namespace Judge;

static class Walk
{
    /// `bytes`: reused from file to file.
    public static void File(Source source, Bytes bytes, Report report)
    {
        source.Read(bytes);
        try
        {
            if (Symbols.IsPortable(bytes))
                Pdb(bytes, report, null, "alone", [], []);
            else
                Image(source, bytes, report);
        }
        catch (BudgetException e)
        {
            // The line must not spend again.
            throw new RefusedException(e.Message);
        }
    }

    public static HashReport Hashes(Source source, Bytes bytes, Options options)
    {
        HashReport report = new(options);
        File(source, bytes, report);
        report.EndItem();
        return report;
    }

    private static void Image(Source source, Bytes bytes, Report report)
    {
        var image = new Image(bytes);
        new PeFacts(image, report).Print();
        new NativeParts(image, report).Print();
        new Win32Resources(image, report).Print();
        var debug = new DebugDirectory(image, report);
        debug.Print();
        var names = image.Headers.CorHeader == null ? null : Metadata(image, report);
        if (image.Headers.CorHeader is { } cor)
            new ClrHeader(image, cor, names, report).Print();
        if (!report.Ignores(Fact.Pdb))
            AnyPdb(source, debug, names, report);
    }

    /// Null when the metadata cannot be read at all.
    private static Names? Metadata(Image image, Report report)
    {
        Metadata metadata;
        try
        {
            var block = image.Metadata;
            metadata = new(block ?? throw new UnreadableException("metadata outside of the file"));
        }
        catch (UnreadableException e)
        {
            report.Section("metadata");
            report.Item();
            report.Unreadable(e.Message,
                image.At(image.Headers.MetadataStartOffset, image.Headers.MetadataSize));
            return null;
        }
        Root.Print("metadata", metadata, report);
        var names = new Names(metadata, report);
        var rows = new Rows(metadata, names, report);
        for (int table = 0; table < Schema.Tables; table++)
            rows.Print(table);
        rows.PrintOrder();
        new ManifestResources(image, metadata, names, report).Print();
        new FieldData(image, metadata, names, report).Print();
        new Bodies(image, metadata, names, report).Print();
        return names;
    }

    private static void AnyPdb(Source source, DebugDirectory debug, Names? names, Report report)
    {
        try
        {
            if (debug.Unpack() is { } embedded)
                Pdb(embedded, report, names, "embedded", debug.PdbId, debug.Checksum);
        }
        catch (UnreadableException e)
        {
            Unreadable(e, report);
        }
        if (report.Ignores(Fact.PdbBeside) || source.ReadPdb() is not { } beside)
            return;
        if (Symbols.IsPortable(beside))
        {
            Pdb(beside, report, names, "beside", debug.PdbId, debug.Checksum);
            return;
        }
        report.Section("pdb");
        report.Item();
        report.Line.Add("beside, not portable "u8).Content(beside.Span);
        report.End();
    }

    private static void Pdb(
        Bytes bytes, Report report, Names? names, string where, byte[] wanted, byte[] checksum)
    {
        try
        {
            new Symbols(bytes, report, names).Print(where, wanted, checksum);
        }
        catch (UnreadableException e)
        {
            Unreadable(e, report);
        }
    }

    private static void Unreadable(UnreadableException e, Report report)
    {
        report.Section("pdb");
        report.Item();
        report.Unreadable(e.Message);
    }
}
