// The three kinds of report.
namespace Judge;

/// Text on a stream.
sealed class PrintReport(Options options, Stream output) : Report(options)
{
    private readonly List<byte[]> items = [];
    private readonly Text item = new();
    private bool first;

    public override void Section(string name)
    {
        Flush();
        output.Write(System.Text.Encoding.UTF8.GetBytes($"== {name}\n"));
    }

    public override void Item()
    {
        EndItem();
        first = true;
    }

    public void Flush()
    {
        EndItem();
        items.Sort((a, b) => a.AsSpan().SequenceCompareTo(b));
        foreach (byte[] bytes in items)
            output.Write(bytes);
        items.Clear();
    }

    protected override void Take(int at)
    {
        if (!first)
            item.Add("    "u8);
        first = false;
        item.Add(Line.Bytes).Add('\n');
    }

    private void EndItem()
    {
        if (Options.Sets)
            items.Add(item.Bytes.ToArray());
        else
            output.Write(item.Bytes);
        item.Clear();
    }
}

/// `Number` counts all items of the file, those without a line too.
readonly record struct ItemHash(ulong Hash, ulong Key, int Number);

/// `Start` is a position in the list of items, `Number` counts as above.
readonly record struct SectionStart(string Name, int Start, int Number);

/// A hash per item: what two files are compared by. Memory is 24 bytes an item. An item of which
/// every line is ignored is none.
sealed class HashReport(Options options) : Report(options)
{
    private ulong current;
    private ulong key;
    private ulong outer;
    private int number = -1;
    private int lines;

    public List<SectionStart> Sections { get; } = [];
    public List<ItemHash> Items { get; } = [];

    public override bool Folds => true;

    public override void Section(string name)
    {
        EndItem();
        Sections.Add(new(name, Items.Count, number + 1));
    }

    public override void Item()
    {
        EndItem();
        number++;
    }

    public override void Key() => key = Hash.Of(Line.Bytes);

    public override void BlockBegin()
    {
        outer = current;
        current = 0;
    }

    public override ulong BlockEnd()
    {
        ulong block = current;
        current = Hash.Fold(outer, block);
        return block;
    }

    public override void Fold(ulong block)
    {
        lines++;
        current = Hash.Fold(current, block);
    }

    /// In rows mode: equal items in the same order, in the same sections.
    public bool Equals(HashReport other) =>
        Sections.Select(section => (section.Name, section.Start)).SequenceEqual(
            other.Sections.Select(section => (section.Name, section.Start))) &&
        Items.Select(item => item.Hash).SequenceEqual(other.Items.Select(item => item.Hash));

    public void EndItem()
    {
        if (lines > 0)
            Items.Add(new(current, key, number));
        lines = 0;
        current = 0;
        key = 0;
    }

    protected override void Take(int at)
    {
        lines++;
        ulong hash = Hash.Of(Line.Bytes);
        if (key == 0)
            key = hash;
        current = Hash.Fold(current, hash);
    }
}

/// A line and where it is in its item, which is shown and not compared.
readonly record struct PickedLine(string Text, int At)
{
    public bool Equals(PickedLine other) => Text == other.Text;

    public override int GetHashCode() => Text.GetHashCode();
}

/// The text of chosen items.
sealed class PickReport(Options options, IReadOnlySet<int> chosen) : Report(options)
{
    // A body of a hundred thousand lines is shown only where it differs, but has to be held for
    // that.
    private const int MostLines = 400_000;

    private int item = -1;
    private List<PickedLine>? lines;

    public Dictionary<int, List<PickedLine>> Items { get; } = [];

    public override bool Wanted => lines != null;

    public override void Section(string name) => lines = null;

    public override void Item()
    {
        lines = null;
        if (chosen.Contains(++item))
            Items[item] = lines = [];
    }

    protected override void Take(int at)
    {
        if (lines != null && lines.Count < MostLines)
            lines.Add(new(Line.ToString(), at));
    }
}
