// The bytes of a file, pinned: System.Reflection.Metadata reads from pointers.
using System.Runtime.InteropServices;

namespace Judge;

sealed unsafe class Bytes
{
    private byte[] array = [];
    private int start;

    public int Length { get; private set; }
    public byte* Pointer => (byte*)Marshal.UnsafeAddrOfPinnedArrayElement(array, start);
    public ReadOnlyMemory<byte> Memory => array.AsMemory(start, Length);
    public ReadOnlySpan<byte> Span => array.AsSpan(start, Length);

    /// A worker reads one file after the other into the same array.
    public void Read(string path)
    {
        using var file = File.OpenHandle(path, options: FileOptions.SequentialScan);
        var room = Resize(checked((int)RandomAccess.GetLength(file)));
        int done = 0;
        while (done < room.Length)
        {
            int read = RandomAccess.Read(file, room[done..], done);
            if (read == 0)
                throw new IOException($"{path} became shorter");
            done += read;
        }
    }

    /// Room for `size` bytes; what was there is lost.
    public Span<byte> Resize(int size)
    {
        if (array.Length < size)
            array = GC.AllocateUninitializedArray<byte>(size, pinned: true);
        start = 0;
        Length = size;
        return array.AsSpan(0, size);
    }

    /// A view, valid as long as this is not read into again.
    public Bytes Part(int offset, int size) =>
        new() { array = array, start = start + offset, Length = size };
}

/// A file to judge, and the PDB beside it.
abstract class Source
{
    public abstract void Read(Bytes into);

    /// Null when there is none.
    public abstract Bytes? ReadPdb();
}

sealed class FileSource(string path) : Source
{
    private string PdbPath => Path.ChangeExtension(path, ".pdb");

    public override void Read(Bytes into) => into.Read(path);

    public override Bytes? ReadPdb()
    {
        if (PdbPath == path || !File.Exists(PdbPath))
            return null;
        var bytes = new Bytes();
        bytes.Read(PdbPath);
        return bytes;
    }
}

/// A copy that was edited in memory.
sealed class MemorySource(byte[] bytes, byte[]? pdb = null) : Source
{
    public override void Read(Bytes into) => bytes.CopyTo(into.Resize(bytes.Length));

    public override Bytes? ReadPdb()
    {
        if (pdb == null)
            return null;
        var copy = new Bytes();
        pdb.CopyTo(copy.Resize(pdb.Length));
        return copy;
    }
}
