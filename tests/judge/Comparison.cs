// Comparing two files: hashes of both first, then the text of the items that differ.
namespace Judge;

enum Outcome
{
    Same,
    Different,
    Refused, // the first file is nothing that can be judged
    Failed, // a fault of the judge
}

/// `Identical`: equal byte for byte. `Unreadables`: malformed parts that were compared as bytes.
sealed record Verdict(Outcome Outcome, string Says, bool Identical = false, int Unreadables = 0);

/// One per worker: files are read into the same memory one after the other.
sealed class Comparison(Options options)
{
    private const int LongestLine = 320;

    private readonly Bytes bytes = new();

    /// A fault of the judge is a verdict of its own, so that a list is judged to its end.
    public Verdict Compare(Source before, Source after)
    {
        try
        {
            return Judge(before, after);
        }
        catch (Exception e) when (e is not IOException and not UnauthorizedAccessException)
        {
            return new(Outcome.Failed, $"the judge failed: {e}\n");
        }
    }

    private Verdict Judge(Source before, Source after)
    {
        HashReport first, second;
        try
        {
            first = Walk.Hashes(before, bytes, options);
        }
        catch (RefusedException e)
        {
            return Identical(before, after) ? new(Outcome.Same, "", Identical: true)
                                            : new(Outcome.Refused, $"refused: {e.Message}\n");
        }
        try
        {
            second = Walk.Hashes(after, bytes, options);
        }
        catch (RefusedException e)
        {
            return new(Outcome.Different, $"  the second file is refused: {e.Message}\n");
        }
        var differing = Differing(first, second);
        int unreadables = Math.Max(first.Unreadables, second.Unreadables);
        if (differing.Count == 0)
            return new(Outcome.Same, "", Unreadables: unreadables);
        return new(Outcome.Different, Show(before, after, differing), Unreadables: unreadables);
    }

    public bool Identical(Source before, Source after)
    {
        before.Read(bytes);
        ulong hash = Hash.Of(bytes.Span);
        int length = bytes.Length;
        after.Read(bytes);
        return length == bytes.Length && hash == Hash.Of(bytes.Span) && SamePdb(before, after);
    }

    private bool SamePdb(Source before, Source after)
    {
        if (((Fact.Pdb | Fact.PdbBeside) & options.Ignored) != 0)
            return true;
        Bytes? first = before.ReadPdb(), second = after.ReadPdb();
        if (first == null || second == null)
            return first == second;
        return first.Span.SequenceEqual(second.Span);
    }

    /// Numbers of two items that differ, -1 where there is none, and where their section starts.
    private sealed record Pair(
        string Section, int Before, int SectionBefore, int After, int SectionAfter);

    private List<Pair> Differing(HashReport before, HashReport after)
    {
        List<Pair> found = [];
        var left = Sections(before);
        var right = Sections(after);
        foreach (string name in left.Keys.Union(right.Keys))
        {
            var (first, start) = left.GetValueOrDefault(name, ([], 0));
            var (second, otherStart) = right.GetValueOrDefault(name, ([], 0));
            // A tool that renumbers may fold equal references into one.
            if (options.Sets && Rows.IsReferenceSection(name))
            {
                first = [.. first.DistinctBy(HashOf)];
                second = [.. second.DistinctBy(HashOf)];
            }
            var pairs = options.Sets
                ? Difference.Sets(first, second)
                : Difference.Ordered(first.ConvertAll(HashOf), second.ConvertAll(HashOf));
            found.AddRange(pairs.Select(pair => new Pair(
                name, pair.Before < 0 ? -1 : first[pair.Before].Number, start,
                pair.After < 0 ? -1 : second[pair.After].Number, otherStart)));
        }
        return found;
    }

    private static ulong HashOf(ItemHash item) => item.Hash;

    // A section may come twice, as with a PDB embedded and beside.
    private static Dictionary<string, (List<ItemHash> Items, int Number)> Sections(
        HashReport report)
    {
        Dictionary<string, (List<ItemHash>, int)> sections = [];
        for (int i = 0; i < report.Sections.Count; i++)
        {
            var (name, start, number) = report.Sections[i];
            bool last = i + 1 == report.Sections.Count;
            int end = last ? report.Items.Count : report.Sections[i + 1].Start;
            while (!sections.TryAdd(name, (report.Items[start..end], number)))
                name += "'";
        }
        return sections;
    }

    private string Show(Source before, Source after, List<Pair> differing)
    {
        var shown = differing.Take(options.Most).ToList();
        var left = Pick(before, shown.Select(pair => pair.Before));
        var right = Pick(after, shown.Select(pair => pair.After));
        StringWriter text = new();
        int lines = 0;
        foreach (Pair pair in shown)
        {
            if (lines >= options.Most)
                break;
            text.WriteLine($"  {Where(pair)}");
            lines += ShowPair(text, left.GetValueOrDefault(pair.Before),
                right.GetValueOrDefault(pair.After), options.Most - lines);
        }
        text.WriteLine($"  {differing.Count} items differ");
        return text.ToString();
    }

    private static string Where(Pair pair)
    {
        int before = pair.Before - pair.SectionBefore + 1;
        int after = pair.After - pair.SectionAfter + 1;
        if (pair.Before < 0)
            return $"{pair.Section} {after}, only after";
        if (pair.After < 0)
            return $"{pair.Section} {before}, only before";
        return $"{pair.Section} {before}" + (before == after ? "" : $", now {after}");
    }

    private Dictionary<int, List<PickedLine>> Pick(Source source, IEnumerable<int> items)
    {
        PickReport report = new(options, items.Where(item => item >= 0).ToHashSet());
        Walk.File(source, bytes, report);
        return report.Items;
    }

    private static int ShowPair(StringWriter text, List<PickedLine>? before,
        List<PickedLine>? after, int most)
    {
        before ??= [];
        after ??= [];
        var pairs = Difference.Ordered(before, after);
        // Lines of a body mean little without whose it is.
        if (pairs.Count > 0 && pairs[0].Before > 0)
            text.WriteLine($"      {Window(before[0].Text, 0)}");
        int lines = 0;
        foreach (var (left, right) in pairs)
        {
            if (lines++ >= most)
                break;
            int at = left < 0 || right < 0
                ? 0
                : FirstDifference(before[left].Text, after[right].Text);
            if (left >= 0)
                text.WriteLine($"    - {Offset(before[left])}{Window(before[left].Text, at)}");
            if (right >= 0)
                text.WriteLine($"    + {Offset(after[right])}{Window(after[right].Text, at)}");
        }
        return lines;
    }

    private static string Offset(PickedLine line) => line.At < 0 ? "" : $"IL_{line.At:x4} ";

    private static int FirstDifference(string a, string b)
    {
        int at = 0;
        while (at < a.Length && at < b.Length && a[at] == b[at])
            at++;
        return at;
    }

    private static string Window(string line, int at)
    {
        int start = Math.Max(0, at - LongestLine / 2);
        int end = Math.Min(line.Length, start + LongestLine);
        return (start > 0 ? "..." : "") + line[start..end] + (end < line.Length ? "..." : "");
    }
}
