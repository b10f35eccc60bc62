// Edits for the self-test: single bits at places that System.Reflection.Metadata gives, not the
// judge's own readers. Every one changes something that a program could notice.
using System.Collections.Immutable;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

namespace Judge;

/// Bytes are XORed with `Mask` from `Offset` on; past the end of the file they are added.
sealed record Patch(string Kind, int Offset, params byte[] Mask)
{
    /// In an index, a change may lead to an equal name or literal; then another change has to show.
    public bool IsIndex { get; init; }

    public byte[] Apply(byte[] original)
    {
        byte[] copy = new byte[Math.Max(original.Length, Offset + Mask.Length)];
        original.CopyTo(copy, 0);
        for (int i = 0; i < Mask.Length; i++)
            copy[Offset + i] ^= Mask[i];
        return copy;
    }
}

static class Patches
{
    /// First, middle and last of a count.
    public static IEnumerable<int> Some(int count) =>
        new[] { 0, count / 2, count - 1 }.Where(i => i >= 0 && i < count).Distinct();

    public static List<Patch> Of(byte[] file)
    {
        List<Patch> patches = [new("overlay: a byte is added", file.Length, 1)];
        using var pe = new PEReader(ImmutableArray.Create(file));
        PePatches.Add(patches, pe, file);
        if (!pe.HasMetadata)
            return patches;
        var reader = pe.GetMetadataReader(MetadataReaderOptions.None);
        MetadataPatches.Add(patches, reader, pe.PEHeaders.MetadataStartOffset, file);
        BodyPatches.Add(patches, pe, reader, file);
        return patches;
    }

    public static unsafe List<Patch> OfPdb(byte[] file)
    {
        List<Patch> patches = [];
        fixed (byte* first = file)
        {
            MetadataReader reader = new(first, file.Length);
            MetadataPatches.Add(patches, reader, 0, file);
            patches.Add(new("pdb: id",
                file.AsSpan().IndexOf(reader.DebugMetadataHeader!.Id.AsSpan()), 1));
        }
        return patches;
    }

    public static int OffsetOf(PEReader pe, int rva) =>
        pe.PEHeaders.TryGetDirectoryOffset(new(rva, 1), out int offset) ? offset : -1;
}
