// How large a value of a field's type is, as far as this module tells.
namespace Judge;

sealed class Layouts
{
    private const int Deepest = 50;

    private readonly Metadata metadata;
    private readonly int pointer;
    private readonly Dictionary<uint, int> classLayouts = [];
    private readonly Dictionary<uint, uint> fieldOffsets = [];
    private readonly Dictionary<int, (long Size, long Alignment)?> types = [];

    public Layouts(Metadata metadata, int pointer)
    {
        this.metadata = metadata;
        this.pointer = pointer;
        for (int row = 1; row <= metadata.Rows[Table.ClassLayout]; row++)
            classLayouts.TryAdd(metadata.Cell(Table.ClassLayout, row, 2), row);
        for (int row = 1; row <= metadata.Rows[Table.FieldLayout]; row++)
            fieldOffsets.TryAdd(metadata.Cell(Table.FieldLayout, row, 1),
                metadata.Cell(Table.FieldLayout, row, 0));
    }

    /// Null when the type is defined elsewhere or malformed.
    public long? SizeOfField(int field)
    {
        if (!metadata.Has(Table.Field, field))
            return null;
        return SizeAndAlignment(field, 0)?.Size;
    }

    private (long Size, long Alignment)? SizeAndAlignment(int field, int depth)
    {
        if (!metadata.TryBlob(metadata.Cell(Table.Field, field, 2), out var blob))
            return null;
        var cursor = new Cursor(blob);
        cursor.U8();
        int type = cursor.U8();
        while (type is 0x1f or 0x20)
        {
            cursor.Compressed();
            type = cursor.U8();
        }
        long? primitive = type switch
        {
            0x02 or 0x04 or 0x05 => 1,
            0x03 or 0x06 or 0x07 => 2,
            0x08 or 0x09 or 0x0c => 4,
            0x0a or 0x0b or 0x0d => 8,
            0x0f or 0x18 or 0x19 or 0x1b => pointer,
            _ => null,
        };
        if (primitive is { } size)
            return (size, size);
        uint coded = cursor.Compressed();
        if (type != 0x11 || cursor.Failed || (coded & 3) != 0 ||
            !metadata.Has(Table.TypeDef, (int)(coded >> 2)))
            return null;
        return SizeOfType((int)(coded >> 2), depth + 1);
    }

    private (long Size, long Alignment)? SizeOfType(int type, int depth)
    {
        if (depth > Deepest)
            return null;
        if (types.TryGetValue(type, out var known))
            return known;
        types[type] = null; // a type that contains itself
        long declared = 0, packing = 0;
        if (classLayouts.TryGetValue((uint)type, out int layout))
        {
            packing = metadata.Cell(Table.ClassLayout, layout, 0);
            declared = metadata.Cell(Table.ClassLayout, layout, 1);
        }
        var laidOut = LayOut(type, packing, depth);
        if (declared > 0)
            laidOut = (Math.Max(declared, laidOut?.Size ?? 0), laidOut?.Alignment ?? 1);
        return types[type] = laidOut;
    }

    private (long Size, long Alignment)? LayOut(int type, long packing, int depth)
    {
        long end = 0, alignment = 1;
        long first = metadata.Cell(Table.TypeDef, type, 4);
        long after = type < metadata.Rows[Table.TypeDef] ? metadata.Cell(Table.TypeDef, type + 1, 4)
                                                         : metadata.Rows[Table.Field] + 1;
        if (after - first > 10_000)
            return null;
        for (long field = first; field < after; field++)
        {
            if (!metadata.Has(Table.Field, (int)field))
                return null;
            if ((metadata.Cell(Table.Field, (int)field, 0) & 0x10) != 0)
                continue; // static
            if (SizeAndAlignment((int)field, depth) is not { } part)
                return null;
            long step = Math.Max(1, part.Alignment);
            if (packing > 0)
                step = Math.Min(packing, step);
            alignment = Math.Max(alignment, step);
            if (!fieldOffsets.TryGetValue((uint)field, out uint at))
                at = (uint)((end + step - 1) / step * step);
            end = Math.Max(end, at + part.Size);
        }
        return end == 0 ? (1, 1) : ((end + alignment - 1) / alignment * alignment, alignment);
    }
}
