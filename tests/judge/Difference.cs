// Aligning two sequences. Exact minimality does not matter; a row that was added or removed must
// not make all the rows behind it look different.
namespace Judge;

static class Difference
{
    private const int Window = 500;

    /// Pairs of positions that differ; -1 where one side has nothing.
    public static List<(int Before, int After)> Ordered<T>(
        IReadOnlyList<T> before, IReadOnlyList<T> after)
        where T : IEquatable<T>
    {
        List<(int, int)> found = [];
        int i = 0, j = 0;
        while (i < before.Count && j < after.Count)
        {
            if (before[i].Equals(after[j]))
            {
                i++;
                j++;
                continue;
            }
            var (skipBefore, skipAfter) = Resume(before, after, i, j);
            for (int k = 0; k < Math.Max(skipBefore, skipAfter); k++)
                found.Add((k < skipBefore ? i + k : -1, k < skipAfter ? j + k : -1));
            i += skipBefore;
            j += skipAfter;
        }
        for (; i < before.Count; i++)
            found.Add((i, -1));
        for (; j < after.Count; j++)
            found.Add((-1, j));
        return found;
    }

    /// What is on one side only, as often as it is there more often; equal keys are paired.
    public static List<(int Before, int After)> Sets(
        IReadOnlyList<ItemHash> before, IReadOnlyList<ItemHash> after)
    {
        Dictionary<ulong, List<int>> left = [];
        for (int i = 0; i < before.Count; i++)
            Add(left, before[i].Hash, i);
        List<int> added = [];
        for (int j = 0; j < after.Count; j++)
        {
            if (Take(left, after[j].Hash) < 0)
                added.Add(j);
        }
        Dictionary<ulong, List<int>> removed = [];
        foreach (int i in left.Values.SelectMany(list => list).Order())
            Add(removed, before[i].Key, i);
        List<(int, int)> found = [];
        foreach (int j in added)
            found.Add((Take(removed, after[j].Key), j));
        found.AddRange(removed.Values.SelectMany(list => list).Order().Select(i => (i, -1)));
        return found;
    }

    private static (int, int) Resume<T>(
        IReadOnlyList<T> before, IReadOnlyList<T> after, int i, int j)
        where T : IEquatable<T>
    {
        int left = before.Count - i, right = after.Count - j;
        for (int d = 1; d < Window && (d < left || d < right); d++)
        {
            if (d < left && d < right && before[i + d].Equals(after[j + d]))
                return (d, d);
            if (d < left && before[i + d].Equals(after[j]))
                return (d, 0);
            if (d < right && before[i].Equals(after[j + d]))
                return (0, d);
        }
        return (1, 1);
    }

    private static void Add(Dictionary<ulong, List<int>> map, ulong key, int position)
    {
        if (!map.TryGetValue(key, out var list))
            map[key] = list = [];
        list.Add(position);
    }

    private static int Take(Dictionary<ulong, List<int>> map, ulong key)
    {
        if (!map.TryGetValue(key, out var list) || list.Count == 0)
            return -1;
        int position = list[0];
        list.RemoveAt(0);
        return position;
    }
}
