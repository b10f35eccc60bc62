// judge: what an assembly means, as text that does not depend on row ids, heap offsets or layout;
// and whether two files mean the same. Built on System.Reflection.Metadata, it shares no code with
// clrkit.
namespace Judge;

static class Program
{
    private const int Same = 0, Different = 1, Wrong = 2, Refused = 3;

    private static int Main(string[] arguments)
    {
        if (arguments.Length == 0 || arguments[0] is "--help" or "-h" or "help")
        {
            Usage(arguments.Length == 0 ? Console.Error : Console.Out);
            return arguments.Length == 0 ? Wrong : Same;
        }
        if (Options.Parse(arguments.AsSpan(1), out string message) is not { } options)
            return Fail(message);
        try
        {
            return (arguments[0], options.Files.Count) switch
            {
                ("print", 1) => Print(options),
                ("compare", 2) => Compare(options),
                ("compare-list", 1) => List(options),
                ("selftest", >= 1) => new SelfTest(options).Run(),
                ("blind", 1) => Blind.Run(options),
                _ => Fail($"{arguments[0]} with {options.Files.Count} files: see judge --help"),
            };
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return Fail(e.Message);
        }
    }

    private static void Usage(TextWriter output)
    {
        output.Write(
            """
            judge print FILE                 the file as text
            judge compare BEFORE AFTER       exit 0 the same, 1 different, 3 refused
            judge compare-list LIST          LIST has a line BEFORE<tab>AFTER for each pair
            judge selftest FILE...           edits copies and expects to see every edit
            judge blind FILE                 which bytes can change unseen

            --rows           every row in table order (default)
            --sets           rows as sets: for tools that renumber
            --max N          lines of differences to show for a pair (20)
            --full           compare-list: walk files that are equal byte for byte as well
            --jobs N         compare-list: pairs at a time (2)
            --ignore A,B     leave out facts that a write may change:

            """);
        foreach (var (name, _, says) in Facts.Named)
            output.WriteLine($"    {name,-15}{says}");
    }

    private static int Print(Options options)
    {
        using var output = new BufferedStream(Console.OpenStandardOutput(), 1 << 16);
        PrintReport report = new(options, output);
        try
        {
            Walk.File(new FileSource(options.Files[0]), new(), report);
        }
        catch (RefusedException e)
        {
            Console.Error.WriteLine($"judge: {options.Files[0]}: refused: {e.Message}");
            return Refused;
        }
        report.Flush();
        return Same;
    }

    private static int Compare(Options options)
    {
        if (Path.GetFullPath(options.Files[0]) == Path.GetFullPath(options.Files[1]))
            return Fail("a file compared with itself proves nothing");
        var verdict = new Comparison(options)
            .Compare(new FileSource(options.Files[0]), new FileSource(options.Files[1]));
        if (verdict.Outcome is Outcome.Same or Outcome.Different)
            Console.Write(verdict.Says);
        else
            Console.Error.Write($"judge: {options.Files[0]}: {verdict.Says}");
        return verdict.Outcome switch
        {
            Outcome.Same => Same,
            Outcome.Different => Different,
            Outcome.Refused => Refused,
            _ => Wrong,
        };
    }

    private static int List(Options options)
    {
        List<(string, string)> pairs = [];
        foreach (string line in File.ReadLines(options.Files[0]))
        {
            string[] parts = line.Split('\t');
            if (parts.Length != 2 || parts[0] == parts[1])
                return Fail($"{options.Files[0]}: not BEFORE<tab>AFTER: {line}");
            pairs.Add((parts[0], parts[1]));
        }
        return new CompareList(options, [.. pairs]).Run();
    }

    private static int Fail(string message)
    {
        Console.Error.WriteLine("judge: " + message);
        return Wrong;
    }
}
