// Which bytes of a file can change without the judge seeing it: each is changed in turn. For small
// files.
using System.Collections.Immutable;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

namespace Judge;

static class Blind
{
    public static int Run(Options options)
    {
        byte[] file = File.ReadAllBytes(options.Files[0]);
        var regions = Regions(file);
        Bytes bytes = new();
        var original = Walk.Hashes(new MemorySource(file), bytes, options);
        List<int> unseen = [];
        for (int i = 0; i < file.Length; i++)
        {
            file[i] ^= 1;
            if (!SelfTest.IsSeen(original, file, bytes, options))
                unseen.Add(i);
            file[i] ^= 1;
        }
        for (int i = 0; i < unseen.Count;)
        {
            int first = unseen[i], length = 1;
            string region = RegionOf(regions, first);
            while (++i < unseen.Count && unseen[i] == first + length &&
                RegionOf(regions, unseen[i]) == region)
                length++;
            bool zero = file.AsSpan(first, length).IndexOfAnyExcept((byte)0) < 0;
            Console.WriteLine($"0x{first:x6} {length,6} bytes  {region}{(zero ? ", zero" : "")}");
        }
        Console.WriteLine($"{unseen.Count} of {file.Length} bytes can change unseen");
        return 0;
    }

    private static string RegionOf(List<(int Start, string Name)> regions, int offset) =>
        regions.Last(region => region.Start <= offset).Name;

    private static List<(int Start, string Name)> Regions(byte[] file)
    {
        using var pe = new PEReader(ImmutableArray.Create(file));
        List<(int, string)> regions = [(0, "headers")];
        foreach (var section in pe.PEHeaders.SectionHeaders)
            regions.Add((section.PointerToRawData, section.Name));
        if (pe.PEHeaders.CorHeader != null)
            regions.Add((pe.PEHeaders.CorHeaderStartOffset, "CLR header"));
        if (pe.HasMetadata)
        {
            int start = pe.PEHeaders.MetadataStartOffset;
            var reader = pe.GetMetadataReader();
            regions.Add((pe.PEHeaders.CorHeaderStartOffset + 72, "behind CLR header"));
            regions.Add((start, "metadata root and tables"));
            regions.Add((start + pe.PEHeaders.MetadataSize, "behind metadata"));
            foreach (HeapIndex heap in Enum.GetValues<HeapIndex>())
            {
                if (reader.GetHeapSize(heap) > 0)
                    regions.Add((start + reader.GetHeapMetadataOffset(heap), $"heap {heap}"));
            }
        }
        return [.. regions.OrderBy(region => region.Item1)];
    }
}
