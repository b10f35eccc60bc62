// Root, streams, heaps and table cells of one metadata block. System.Reflection.Metadata hides the
// raw value of many columns and decodes names that are no UTF-8, so cells are read here; where it
// accepts the block, the place and row size of every table must be what it says.
using System.Buffers.Binary;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

namespace Judge;

sealed class UnreadableException(string message) : Exception(message);

sealed class Metadata
{
    private readonly int[] tableAt = new int[Schema.Tables];
    private readonly int[][] columnAt = new int[Schema.Tables][];
    private readonly int[][] columnSize = new int[Schema.Tables][];
    private readonly Bytes block;
    private ReadOnlyMemory<byte> tables;

    public int[] Rows { get; } = new int[Schema.Tables];
    public int[] RowSize { get; } = new int[Schema.Tables];
    public List<(byte[] Name, ReadOnlyMemory<byte> Content)> Streams { get; } = [];
    /// The version string to its full length, and the fields around it: major and minor version
    /// with the reserved word behind them, then flags.
    public ReadOnlyMemory<byte> Version { get; private set; }
    public ReadOnlyMemory<byte> RootFields { get; private set; }
    public ReadOnlyMemory<byte> RootFlags { get; private set; }
    public ReadOnlyMemory<byte> Strings { get; private set; }
    public ReadOnlyMemory<byte> Blobs { get; private set; }
    public ReadOnlyMemory<byte> Guids { get; private set; }
    public ReadOnlyMemory<byte> Literals { get; private set; }
    public ReadOnlyMemory<byte> Pdb { get; private set; }

    /// Null when System.Reflection.Metadata refuses the block; then why.
    public MetadataReader? Reader { get; }
    public string Refusal { get; } = "";

    public unsafe Metadata(Bytes block)
    {
        this.block = block;
        try
        {
            Reader = new MetadataReader(block.Pointer, block.Length, MetadataReaderOptions.None);
        }
        catch (Exception e)
            when (e is BadImageFormatException or ArgumentException or OverflowException)
        {
            Refusal = e.Message;
        }
        ReadRoot();
        ReadTables();
        if (Reader != null)
            AgreeWithReader(Reader);
    }

    /// Of the table stream: reserved, versions, heap sizes, reserved, mask of tables, mask of
    /// sorted ones.
    public ReadOnlySpan<byte> TableHeader => tables.Span[..24];
    public bool IsUncompressed { get; private set; }

    public uint Cell(int table, int row, int column)
    {
        int at = tableAt[table] + (row - 1) * RowSize[table] + columnAt[table][column];
        var bytes = tables.Span[at..];
        return columnSize[table][column] == 4 ? BinaryPrimitives.ReadUInt32LittleEndian(bytes)
                                              : BinaryPrimitives.ReadUInt16LittleEndian(bytes);
    }

    /// Table and row of a Row, Coded or List cell; the table is -1 for a tag without meaning.
    public (int Table, int Row) Target(in Column column, uint value)
    {
        if (column.Kind != ColumnKind.Coded)
            return (column.Target, (int)value);
        var (_, bits, targets) = Schema.CodedIndexes[column.Target];
        int tag = (int)(value & ((1u << bits) - 1));
        return (tag < targets.Length ? targets[tag] : -1, (int)(value >> bits));
    }

    public bool Has(int table, int row) =>
        table is >= 0 and < Schema.Tables && row >= 1 && row <= Rows[table];

    public bool TryString(uint offset, out ReadOnlySpan<byte> text)
    {
        text = default;
        if (offset >= Strings.Length)
            return offset == 0;
        text = Strings.Span[(int)offset..];
        int end = text.IndexOf((byte)0);
        if (end >= 0)
            text = text[..end];
        return end >= 0;
    }

    public bool TryBlob(uint offset, out ReadOnlySpan<byte> blob) =>
        TryBlob(Blobs.Span, offset, out blob);

    public bool TryLiteral(uint offset, out ReadOnlySpan<byte> blob) =>
        TryBlob(Literals.Span, offset, out blob);

    public bool TryGuid(uint index, out ReadOnlySpan<byte> guid)
    {
        guid = default;
        if (index == 0)
            return true;
        if (index > Guids.Length / 16)
            return false;
        guid = Guids.Span.Slice((int)(index - 1) * 16, 16);
        return true;
    }

    private static bool TryBlob(ReadOnlySpan<byte> heap, uint offset, out ReadOnlySpan<byte> blob)
    {
        blob = default;
        if (offset >= heap.Length)
            return offset == 0;
        var cursor = new Cursor(heap[(int)offset..]);
        uint size = cursor.Compressed();
        blob = cursor.Take((int)size);
        return !cursor.Failed;
    }

    // ECMA-335 II.24.2.1 and II.24.2.2.
    private void ReadRoot()
    {
        var root = new Cursor(block.Span);
        if (root.U32() != 0x424A5342)
            throw new UnreadableException("metadata without its signature");
        RootFields = Slice(ref root, 8);
        Version = Slice(ref root, (int)root.U32());
        RootFlags = Slice(ref root, 2);
        int count = root.U16();
        for (int i = 0; i < count && !root.Failed; i++)
        {
            uint offset = root.U32(), size = root.U32();
            int length = Math.Min(root.Rest.Length, 32);
            int end = root.Rest[..length].IndexOf((byte)0);
            byte[] name = root.Rest[..Math.Max(end, 0)].ToArray();
            root.Take((name.Length + 4) / 4 * 4);
            if (end < 0 || root.Failed || offset > block.Length || size > block.Length - offset)
                throw new UnreadableException("a stream header that leaves the metadata");
            AddStream(name, block.Memory.Slice((int)offset, (int)size));
        }
        if (root.Failed || tables.IsEmpty)
            throw new UnreadableException("metadata without a table stream");
    }

    private ReadOnlyMemory<byte> Slice(ref Cursor cursor, int size) =>
        block.Memory.Slice(cursor.At, cursor.Take(size).Length);

    private void AddStream(byte[] name, ReadOnlyMemory<byte> content)
    {
        Streams.Add((name, content));
        switch (System.Text.Encoding.Latin1.GetString(name))
        {
            case "#~":
            case "#-":
                tables = content;
                IsUncompressed = name[1] == '-';
                break;
            case "#Strings": Strings = content; break;
            case "#Blob": Blobs = content; break;
            case "#GUID": Guids = content; break;
            case "#US": Literals = content; break;
            case "#Pdb": Pdb = content; break;
        }
    }

    // ECMA-335 II.24.2.6.
    private void ReadTables()
    {
        var header = new Cursor(tables.Span);
        header.Take(6);
        int heapSizes = header.U8();
        header.Take(1);
        ulong present = header.U64();
        header.Take(8);
        for (int table = 0; table < 64; table++)
        {
            if ((present >> table & 1) == 0)
                continue;
            uint rows = header.U32();
            if (Schema.NameOf(table) == "" || rows > 0xffffff)
                throw new UnreadableException($"table 0x{table:x} with {rows} rows");
            Rows[table] = (int)rows;
        }
        if ((heapSizes & 0x40) != 0)
            header.Take(4);
        int[] widthRows = (int[])Rows.Clone();
        ReadReferenced(widthRows);
        // A minimal delta has wide row numbers everywhere.
        bool wide = Streams.Any(stream => stream.Name.AsSpan().SequenceEqual("#JTD"u8));
        long at = header.At;
        for (int table = 0; table < Schema.Tables; table++)
        {
            LayOut(table, heapSizes, widthRows, wide);
            tableAt[table] = (int)Math.Min(at, int.MaxValue);
            at += (long)Rows[table] * RowSize[table];
        }
        if (header.Failed || at > tables.Length)
            throw new UnreadableException("tables that leave their stream");
    }

    /// A PDB says how many rows the tables have that it refers to.
    private void ReadReferenced(int[] rows)
    {
        if (Pdb.Length < 32)
            return;
        var pdb = new Cursor(Pdb.Span);
        pdb.Take(24);
        ulong referenced = pdb.U64();
        for (int table = 0; table < 64; table++)
        {
            if ((referenced >> table & 1) != 0 && pdb.U32() is var count && table < Schema.Tables)
                rows[table] = (int)Math.Min(count, 0xffffff);
        }
    }

    private void LayOut(int table, int heapSizes, int[] rows, bool wide)
    {
        var columns = Schema.Columns[table];
        columnAt[table] = new int[columns.Length];
        columnSize[table] = new int[columns.Length];
        int at = 0;
        for (int i = 0; i < columns.Length; i++)
        {
            bool large = columns[i].Kind switch
            {
                ColumnKind.Number => columns[i].Size == 4,
                ColumnKind.String => (heapSizes & 1) != 0,
                ColumnKind.Guid => (heapSizes & 2) != 0,
                ColumnKind.Blob => (heapSizes & 4) != 0,
                ColumnKind.Coded => wide || IsLarge(Schema.CodedIndexes[columns[i].Target], rows),
                ColumnKind.List => wide || ListRows(columns[i].Target, rows) > 0xffff,
                _ => wide || rows[columns[i].Target] > 0xffff,
            };
            columnAt[table][i] = at;
            columnSize[table][i] = large ? 4 : 2;
            at += columnSize[table][i];
        }
        RowSize[table] = at;
    }

    private static bool IsLarge((string Name, int Bits, int[] Targets) index, int[] rows) =>
        index.Targets.Any(target => target >= 0 && rows[target] >= 1 << (16 - index.Bits));

    private static int ListRows(int target, int[] rows)
    {
        int pointer = Schema.PointerTable(target);
        return pointer == 0 ? rows[target] : Math.Max(rows[pointer], rows[target]);
    }

    private unsafe void AgreeWithReader(MetadataReader reader)
    {
        fixed (byte* first = tables.Span)
        {
            long tablesAt = first - block.Pointer;
            for (int table = 0; table < Schema.Tables; table++)
            {
                if (Rows[table] == 0)
                    continue;
                var index = (TableIndex)table;
                if (reader.GetTableRowCount(index) != Rows[table] ||
                    reader.GetTableRowSize(index) != RowSize[table] ||
                    reader.GetTableMetadataOffset(index) != tablesAt + tableAt[table])
                {
                    throw new UnreadableException(
                        $"System.Reflection.Metadata sees {Schema.NameOf(table)} elsewhere");
                }
            }
        }
    }
}
