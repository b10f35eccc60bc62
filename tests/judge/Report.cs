// Where facts go: sections of items, an item being one table row, one method body, one resource. An
// item has one line or several. Printing, hashing and picking out items are three kinds of report
// over the same walk, so that what is compared is what is printed.
namespace Judge;

/// The file asks for more work than any real one: hostile overlaps multiply it.
sealed class BudgetException() : Exception("gave up: more to say than the budget allows");

abstract class Report(Options options)
{
    private long budget = 4_000_000_000; // bytes of text and of hashed content

    public Options Options { get; } = options;
    public Text Line { get; } = new();
    public int Unreadables { get; private set; }

    /// False when the lines of the current item go nowhere, so that it need not make them.
    public virtual bool Wanted => true;

    /// Whether a block of lines can be replaced by its hash.
    public virtual bool Folds => false;

    public bool Ignores(Fact fact) => (Options.Ignored & fact) != 0;

    public abstract void Section(string name);

    public abstract void Item();

    /// What is in the line so far says which item this is: set mode pairs items by it.
    public virtual void Key()
    {
    }

    public virtual void BlockBegin()
    {
    }

    public virtual ulong BlockEnd() => 0;

    public virtual void Fold(ulong block)
    {
    }

    /// Ends the line. `at` is shown beside it and not compared.
    public void End(Fact fact = Fact.Meaning, int at = -1)
    {
        if (!Ignores(fact))
        {
            Spend(Line.Length + 8);
            Take(at);
        }
        Line.Clear();
    }

    /// Says that something is malformed, and shows its bytes instead.
    public void Unreadable(string what, ReadOnlySpan<byte> bytes = default,
        Fact fact = Fact.Meaning)
    {
        Unreadables++;
        Line.Clear();
        Line.Add("unreadable: "u8).Add(what);
        if (!bytes.IsEmpty)
            Line.Add(": "u8).Raw(bytes);
        End(fact);
    }

    public void Spend(long bytes)
    {
        if ((budget -= bytes) < 0)
            throw new BudgetException();
    }

    protected abstract void Take(int at);
}
