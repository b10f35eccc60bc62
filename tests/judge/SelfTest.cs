// Does the judge see? Copies of real files are edited, each in one place, and every edit has to
// show.
namespace Judge;

sealed class SelfTest(Options options)
{
    private static readonly string[] endings = [".dll", ".exe", ".winmd", ".netmodule"];

    private readonly SortedDictionary<string, (int Seen, int All)> kinds =
        new(StringComparer.Ordinal);
    private readonly Bytes bytes = new();
    private int files;
    private int unseen;
    private int idle;

    /// 0 when every edit was seen.
    public int Run()
    {
        foreach (string path in options.Files.SelectMany(Assemblies))
        {
            byte[] file = File.ReadAllBytes(path);
            try
            {
                Try(path, file, Patches.Of(file));
                files++;
            }
            catch (Exception e) when (e is RefusedException or BadImageFormatException)
            {
                Console.WriteLine($"{path}: left out: {e.Message}");
            }
            // Alone: with its assembly, its checksum would betray any edit.
            string pdb = Path.ChangeExtension(path, ".pdb");
            byte[] symbols = File.Exists(pdb) ? File.ReadAllBytes(pdb) : [];
            if (symbols.AsSpan().StartsWith("BSJB"u8))
                Try(pdb, symbols, Patches.OfPdb(symbols));
        }
        foreach (var (kind, (seen, all)) in kinds)
            Console.WriteLine($"{seen,7} of {all,-7}{kind}");
        int edits = kinds.Values.Sum(count => count.All);
        Console.WriteLine(
            $"{edits} edits in {files} files, {unseen} not seen, {idle} of no consequence");
        return unseen == 0 && files > 0 ? 0 : 1;
    }

    public static bool IsSeen(HashReport original, byte[] edited, Bytes bytes, Options options)
    {
        try
        {
            return !original.Equals(Walk.Hashes(new MemorySource(edited), bytes, options));
        }
        catch (RefusedException)
        {
            return true;
        }
    }

    private static IEnumerable<string> Assemblies(string path) =>
        !Directory.Exists(path)
            ? [path]
            : Directory.EnumerateFiles(path, "*", SearchOption.AllDirectories)
                  .Where(file => endings.Contains(Path.GetExtension(file).ToLowerInvariant()))
                  .Order(StringComparer.Ordinal);

    private void Try(string path, byte[] file, List<Patch> patches)
    {
        var original = Walk.Hashes(new MemorySource(file), bytes, options);
        if (IsSeen(original, [.. file], bytes, options))
        {
            Console.WriteLine($"{path}: differs from itself");
            unseen++;
        }
        foreach (Patch patch in patches)
        {
            bool seen = IsSeen(original, patch.Apply(file), bytes, options);
            for (int other = 2; !seen && patch.IsIndex && other < 0x100; other++)
            {
                Patch another = patch with { Mask = [(byte)other] };
                seen = IsSeen(original, another.Apply(file), bytes, options);
            }
            var (before, all) = kinds.GetValueOrDefault(patch.Kind);
            kinds[patch.Kind] = (before + (seen ? 1 : 0), all + 1);
            if (!seen)
                NotSeen(path, file, patch);
        }
    }

    private void NotSeen(string path, byte[] file, Patch patch)
    {
        // The high byte of an index that is zero, in a heap so regular that each of the 255 other
        // values leads to an empty name or blob.
        if (patch.IsIndex && file[patch.Offset] == 0)
        {
            idle++;
            return;
        }
        unseen++;
        Console.WriteLine($"{path}: not seen: {patch.Kind}, at offset 0x{patch.Offset:x}");
    }
}
