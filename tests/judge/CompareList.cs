// Many pairs in one process: the start-up of the runtime is paid once.
using System.Diagnostics;

namespace Judge;

sealed class CompareList(Options options, (string Before, string After)[] pairs)
{
    private const int StackSize = 16 << 20; // signatures nest

    private readonly Verdict?[] verdicts = new Verdict?[pairs.Length];
    private readonly Lock printing = new();
    private int next = -1;
    private int printed;

    public int Run()
    {
        var clock = Stopwatch.StartNew();
        var workers = Enumerable.Range(0, Math.Min(options.Jobs, Math.Max(pairs.Length, 1)))
                          .Select(_ => new Thread(Work, StackSize)).ToArray();
        foreach (Thread worker in workers)
            worker.Start();
        foreach (Thread worker in workers)
            worker.Join();
        return Summary(clock.Elapsed);
    }

    private void Work()
    {
        Comparison comparison = new(options);
        for (int i; (i = Interlocked.Increment(ref next)) < pairs.Length;)
        {
            var verdict = Judge(comparison, pairs[i].Before, pairs[i].After);
            lock (printing)
            {
                verdicts[i] = verdict;
                Print();
            }
        }
    }

    private Verdict Judge(Comparison comparison, string before, string after)
    {
        try
        {
            FileSource first = new(before), second = new(after);
            if (!options.Full && comparison.Identical(first, second))
                return new(Outcome.Same, "", Identical: true);
            return comparison.Compare(first, second);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return new(Outcome.Different, $"  {e.Message}\n");
        }
    }

    // In the order of the list, as far as it is done.
    private void Print()
    {
        for (; printed < pairs.Length && verdicts[printed] is { } verdict; printed++)
        {
            if (verdict.Outcome == Outcome.Same)
                continue;
            var (before, after) = pairs[printed];
            string outcome = verdict.Outcome.ToString().ToLowerInvariant();
            Console.Write($"{outcome}: {before}\t{after}\n{verdict.Says}");
        }
    }

    private int Summary(TimeSpan time)
    {
        int Count(Func<Verdict, bool> which) => verdicts.Count(verdict => which(verdict!));
        int same = Count(verdict => verdict.Outcome == Outcome.Same);
        int identical = Count(verdict => verdict.Identical);
        int different = Count(verdict => verdict.Outcome == Outcome.Different);
        int failed = Count(verdict => verdict.Outcome == Outcome.Failed);
        int refused = Count(verdict => verdict.Outcome == Outcome.Refused);
        int unreadable = Count(verdict => verdict.Unreadables > 0);
        Console.WriteLine(
            $"{pairs.Length} pairs in {time.TotalSeconds:F1} s: {same} same " +
            $"({identical} byte for byte), {different} different, {refused} refused, " +
            $"{failed} failed; {unreadable} with unreadable parts");
        return failed > 0 ? 2 : different > 0 ? 1 : refused > 0 ? 3 : 0;
    }
}
