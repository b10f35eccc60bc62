// Which row a member belongs to, by the list columns (ECMA-335 II.22.37 and others).
namespace Judge;

sealed class Owners
{
    private static readonly (int Owner, int Column)[] lists =
    [
        (Table.TypeDef, 4), (Table.TypeDef, 5), (Table.MethodDef, 5), (Table.EventMap, 1),
        (Table.PropertyMap, 1), (Table.LocalScope, 2), (Table.LocalScope, 3),
    ];

    private readonly Metadata metadata;
    private readonly int[][] owners = new int[Schema.Tables][];
    private readonly int[][] places = new int[Schema.Tables][];

    public Owners(Metadata metadata)
    {
        this.metadata = metadata;
        foreach (var (owner, column) in lists)
            Read(owner, column);
    }

    /// Row of the owner, 0 for none.
    public int Of(int table, int row) => owners[table][row];

    /// 1 for the first member of its owner.
    public int PlaceOf(int table, int row) => owners[table] == null ? 0 : places[table][row];

    /// First row and count of a list; rows of the pointer table where there is one.
    public (int First, int Count) List(int owner, int row, int column)
    {
        int rows = RowsOf(owner, column);
        long first = metadata.Cell(owner, row, column);
        long end = row < metadata.Rows[owner] ? metadata.Cell(owner, row + 1, column) : rows + 1;
        if (end == 0)
            end = rows + 1; // 0xFFFF rows wrap to zero
        first = Math.Clamp(first, 1, rows + 1);
        end = Math.Clamp(end, first, rows + 1);
        return ((int)first, (int)(end - first));
    }

    private int RowsOf(int owner, int column)
    {
        int target = Schema.Columns[owner][column].Target;
        int pointer = Schema.PointerTable(target);
        bool indirect = pointer != 0 && metadata.Rows[pointer] > 0;
        return metadata.Rows[indirect ? pointer : target];
    }

    /// Whether a list begins at a row or just behind the last one, and not behind where the next
    /// begins.
    public bool IsOrderly(int owner, int row, int column)
    {
        uint first = metadata.Cell(owner, row, column);
        return first != 0 && first <= RowsOf(owner, column) + 1 &&
               (row == metadata.Rows[owner] || first <= metadata.Cell(owner, row + 1, column));
    }

    private void Read(int owner, int column)
    {
        int target = Schema.Columns[owner][column].Target;
        int pointer = Schema.PointerTable(target);
        bool indirect = pointer != 0 && metadata.Rows[pointer] > 0;
        owners[target] = new int[metadata.Rows[target] + 1];
        places[target] = new int[metadata.Rows[target] + 1];
        // Hostile lists overlap, each claiming every member.
        long steps = 4L * metadata.Rows[target] + 1_000_000;
        for (int row = 1; row <= metadata.Rows[owner]; row++)
        {
            var (first, count) = List(owner, row, column);
            for (int i = 0; i < count && --steps > 0; i++)
            {
                int member = indirect ? (int)metadata.Cell(pointer, first + i, 0) : first + i;
                if (!metadata.Has(target, member) || owners[target][member] != 0)
                    continue;
                owners[target][member] = row;
                places[target][member] = i + 1;
            }
        }
    }
}
