// What the command line asked for.
namespace Judge;

sealed class Options
{
    public Fact Ignored { get; private set; }

    /// Rows as sets: for tools that renumber. Else every row in table order.
    public bool Sets { get; private set; }

    /// Lines of differences to show for a pair.
    public int Most { get; private set; } = 20;

    /// Walk files that are equal byte for byte as well.
    public bool Full { get; private set; }

    public int Jobs { get; private set; } = 2;
    public List<string> Files { get; } = [];

    /// Null, with a message, when the arguments are wrong.
    public static Options? Parse(ReadOnlySpan<string> arguments, out string message)
    {
        var options = new Options();
        message = "";
        for (int i = 0; i < arguments.Length; i++)
        {
            string argument = arguments[i];
            switch (argument)
            {
                case "--rows": options.Sets = false; break;
                case "--sets": options.Sets = true; break;
                case "--full": options.Full = true; break;
                case "--ignore" or "--max" or "--jobs" when i + 1 == arguments.Length:
                    message = $"{argument} needs a value";
                    return null;
                case "--ignore":
                    if (Facts.Parse(arguments[++i]) is not { } ignored)
                    {
                        message = $"--ignore {arguments[i]}: unknown; one of " +
                                  string.Join(", ", Facts.Named.Select(entry => entry.Name));
                        return null;
                    }
                    options.Ignored |= ignored;
                    break;
                case "--max" or "--jobs":
                    if (!int.TryParse(arguments[++i], out int number) || number < 1)
                    {
                        message = $"{argument} {arguments[i]}: not a number";
                        return null;
                    }
                    if (argument == "--max")
                        options.Most = number;
                    else
                        options.Jobs = number;
                    break;
                default:
                    if (argument.StartsWith('-'))
                    {
                        message = $"no option {argument}";
                        return null;
                    }
                    options.Files.Add(argument);
                    break;
            }
        }
        return options;
    }
}
