// What a row is called wherever it is referred to: independent of its number. Rows that would be
// called alike are counted, so that a reference to the second is not taken for one to the first.
namespace Judge;

sealed class Names
{
    // Chains and blobs can be made to multiply; no compiler comes near either bound.
    private const int Deepest = 60;
    private const int Longest = 2048;
    private const int BeginningOfLong = 200;

    private static readonly byte[] building = "<loop>"u8.ToArray();

    // Each may refer to those before it. Tables not in the list have no duplicates that matter.
    private static readonly int[] countedFirst =
    [
        Table.AssemblyRef, Table.ModuleRef, Table.TypeRef, Table.TypeDef, Table.TypeSpec,
        Table.Field, Table.MethodDef, Table.MemberRef, Table.Event, Table.Property,
    ];

    private readonly Metadata metadata;
    private readonly Report report;
    private readonly Names? module;
    private readonly byte[]?[][] cache = new byte[Schema.Tables][][];
    private readonly Dictionary<uint, int> enclosers = [];
    private readonly HashSet<ulong> sharedAssemblyNames = [];
    private readonly Stack<Text> spare = [];
    private readonly Text raw = new();
    private int depth;

    /// `module`: what a PDB refers to.
    public Names(Metadata metadata, Report report, Names? module = null)
    {
        this.metadata = metadata;
        this.report = report;
        this.module = module;
        Owners = new(metadata);
        for (int table = 0; table < Schema.Tables; table++)
            cache[table] = new byte[metadata.Rows[table] + 1][];
        for (int row = metadata.Rows[Table.NestedClass]; row > 0; row--)
            enclosers[metadata.Cell(Table.NestedClass, row, 0)] =
                (int)metadata.Cell(Table.NestedClass, row, 1);
        FindSharedAssemblyNames();
        foreach (int table in countedFirst)
            Count(table);
    }

    public Owners Owners { get; }

    public bool Has(int table, int row) =>
        metadata.Has(table, row) || (module != null && module.Has(table, row));

    public ReadOnlySpan<byte> Of(int table, int row)
    {
        if (!metadata.Has(table, row))
            return module != null ? module.Of(table, row) : "?"u8;
        if (cache[table][row] is { } known)
            return known;
        if (depth >= Deepest)
            return "<deep>"u8;
        depth++;
        cache[table][row] = building;
        var text = spare.Count > 0 ? spare.Pop() : new Text();
        Build(text, table, row);
        Shorten(text);
        byte[] name = text.Bytes.ToArray();
        text.Clear();
        spare.Push(text);
        depth--;
        return cache[table][row] = name;
    }

    public void Append(Text text, int table, int row) => text.Add(Of(table, row));

    /// With the kind of row, where its name alone would not tell.
    public void Reference(Text text, int table, int row)
    {
        if (table is not (Table.TypeRef or Table.TypeDef or Table.TypeSpec or Table.Field or
                          Table.MethodDef or Table.MemberRef))
        {
            text.Add(Schema.NameOf(table)).Add(' ');
        }
        Append(text, table, row);
    }

    public void Token(Text text, uint token)
    {
        int table = (int)(token >> 24), row = (int)(token & 0xffffff);
        if (Has(table, row))
            Reference(text, table, row);
        else
            text.Add("token? "u8).Hex(token);
    }

    /// Every column of a row with what it refers to. What other sections tell is left out: bodies,
    /// field data, resources, sequence points, imports. `withRaw`: bytes of signatures as well.
    public void Columns(Text text, int table, int row, bool withRaw)
    {
        var columns = Schema.Columns[table];
        for (int i = 0; i < columns.Length; i++)
        {
            uint value = metadata.Cell(table, row, i);
            if (IsToldElsewhere(table, row, i, value))
                continue;
            text.Add(' ').Add(columns[i].Name).Add('=');
            switch (columns[i].Kind)
            {
                case ColumnKind.Number: Number(text, table, i, value); break;
                case ColumnKind.String: String(text, value, quoted: true); break;
                case ColumnKind.Guid: Guid(text, value); break;
                case ColumnKind.Blob: Blob(text, table, i, value, withRaw); break;
                case ColumnKind.List: List(text, table, row, i); break;
                default: Target(text, columns[i], value); break;
            }
        }
    }

    public void Guid(Text text, uint index)
    {
        if (!metadata.TryGuid(index, out var guid))
            text.Add("guid? "u8).Hex(index);
        else
            text.HexBytes(guid);
    }

    public void Signature(Text text, ReadOnlySpan<byte> blob, bool isSpec, Text? bytes = null)
    {
        var printer = new SignaturePrinter(this, text, bytes, blob);
        report.Spend(blob.Length);
        if (isSpec)
            printer.Spec();
        else
            printer.Whole();
    }

    private static bool IsToldElsewhere(int table, int row, int column, uint value) =>
        (table, column) switch
    {
        (Table.Module, 2) => true,
        (Table.FieldRva, 0) => value != 0,
        (Table.ManifestResource, 0) => true,
        (Table.ExportedType, 1) => true,
        (Table.MethodDebugInformation, 1) => true,
        (Table.ImportScope, 1) => true,
        (Table.LocalConstant, 1) => true,
        (Table.CustomDebugInformation, 2) => true,
        _ => false,
    };

    private void Number(Text text, int table, int column, uint value)
    {
        if (table == Table.MethodDef && column == 0)
            text.Add(value == 0 ? "none"u8 : "body"u8);
        else if (table is Table.EncLog or Table.EncMap && column == 0)
            Token(text, value);
        else
            text.Hex(value);
    }

    private void List(Text text, int table, int row, int column)
    {
        text.Dec(Owners.List(table, row, column).Count).Add(" rows"u8);
        if (!Owners.IsOrderly(table, row, column))
            text.Add(" from? "u8).Hex(metadata.Cell(table, row, column));
    }

    private void String(Text text, uint offset, bool quoted = false)
    {
        if (!metadata.TryString(offset, out var name))
            text.Add("string? "u8).Hex(offset);
        else if (quoted)
            text.Quoted(name);
        else
            text.Name(name);
    }

    private void Blob(Text text, int table, int column, uint offset, bool withRaw)
    {
        if (!metadata.TryBlob(offset, out var blob))
        {
            text.Add("blob? "u8).Hex(offset);
            return;
        }
        if (!HoldsSignatures(table))
        {
            report.Spend(blob.Length / 8);
            if (table == Table.Document && column == 0)
                DocumentName(text, offset);
            else
                text.Raw(blob);
            return;
        }
        raw.Clear();
        Signature(text, blob, table == Table.TypeSpec, withRaw ? raw : null);
        if (withRaw)
            text.Add(" raw "u8).Add(raw.Bytes);
    }

    private static bool HoldsSignatures(int table) =>
        table is Table.Field or Table.MethodDef or Table.MemberRef or Table.StandAloneSig
            or Table.Property or Table.TypeSpec or Table.MethodSpec;

    private void Target(Text text, in Column column, uint value)
    {
        var (table, row) = metadata.Target(column, value);
        if (value == 0)
            text.Add("none"u8);
        else if (!Has(table, row))
            text.Add("row? "u8).Hex(value);
        else if (column.Kind == ColumnKind.Row)
            Append(text, table, row);
        else
            Reference(text, table, row);
    }

    private void Build(Text text, int table, int row)
    {
        switch (table)
        {
            case Table.Module: String(text, metadata.Cell(table, row, 1)); break;
            case Table.TypeRef: TypeRef(text, row); break;
            case Table.TypeDef: TypeDef(text, row); break;
            case Table.Field: Member(text, table, row, Table.TypeDef, 1, 2); break;
            case Table.MethodDef: Member(text, table, row, Table.TypeDef, 3, 4); break;
            case Table.Param: Param(text, row); break;
            case Table.MemberRef: MemberRef(text, row); break;
            case Table.Event: Member(text, table, row, Table.EventMap, 1, -1); break;
            case Table.Property: Member(text, table, row, Table.PropertyMap, 1, 2); break;
            case Table.ModuleRef: String(text, metadata.Cell(table, row, 0)); break;
            case Table.TypeSpec:
            case Table.StandAloneSig:
                Blob(text, table, 0, metadata.Cell(table, row, 0), false);
                break;
            case Table.Assembly: String(text, metadata.Cell(table, row, 7)); break;
            case Table.AssemblyRef: AssemblyRef(text, row); break;
            case Table.File: String(text, metadata.Cell(table, row, 1)); break;
            case Table.ExportedType: ExportedType(text, row); break;
            case Table.ManifestResource: String(text, metadata.Cell(table, row, 2)); break;
            case Table.GenericParam: GenericParam(text, row); break;
            case Table.MethodSpec: MethodSpec(text, row); break;
            case Table.Document: DocumentName(text, metadata.Cell(table, row, 0)); break;
            default: Columns(text, table, row, false); break;
        }
    }

    private void TypeName(Text text, int table, int row, int name)
    {
        uint space = metadata.Cell(table, row, name + 1);
        if (space != 0)
        {
            int start = text.Length;
            String(text, space);
            if (text.Length > start)
                text.Add('.');
        }
        String(text, metadata.Cell(table, row, name));
    }

    private void TypeRef(Text text, int row)
    {
        uint value = metadata.Cell(Table.TypeRef, row, 0);
        var (table, scope) = metadata.Target(Schema.Columns[Table.TypeRef][0], value);
        if (!Has(table, scope))
            text.Add("[scope? "u8).Hex(value).Add(']');
        else if (table == Table.TypeRef)
            text.Add(Of(table, scope)).Add('/');
        else if (table == Table.Module)
            text.Add("[this]"u8);
        else
            text.Add(table == Table.ModuleRef ? "[module "u8 : "["u8)
                .Add(Of(table, scope)).Add(']');
        TypeName(text, Table.TypeRef, row, 1);
    }

    private void TypeDef(Text text, int row)
    {
        if (enclosers.TryGetValue((uint)row, out int encloser))
            text.Add(Has(Table.TypeDef, encloser) ? Of(Table.TypeDef, encloser) : "?"u8).Add('/');
        TypeName(text, Table.TypeDef, row, 1);
    }

    private void Member(Text text, int table, int row, int ownerTable, int name, int signature)
    {
        int owner = Owners.Of(table, row);
        if (owner != 0 && ownerTable != Table.TypeDef)
            owner = (int)metadata.Cell(ownerTable, owner, 0);
        text.Add(Has(Table.TypeDef, owner) ? Of(Table.TypeDef, owner) : "<none>"u8).Add("::"u8);
        String(text, metadata.Cell(table, row, name));
        text.Add(' ');
        if (signature >= 0)
            Blob(text, table, signature, metadata.Cell(table, row, signature), false);
    }

    private void MemberRef(Text text, int row)
    {
        // A member of this module by MemberRef and by its own token would read alike.
        if (!report.Options.Sets)
            text.Add("ref "u8);
        uint value = metadata.Cell(Table.MemberRef, row, 0);
        var (table, parent) = metadata.Target(Schema.Columns[Table.MemberRef][0], value);
        if (!Has(table, parent))
            text.Add("parent? "u8).Hex(value);
        else
            Reference(text, table, parent);
        text.Add("::"u8);
        String(text, metadata.Cell(Table.MemberRef, row, 1));
        text.Add(' ');
        Blob(text, Table.MemberRef, 2, metadata.Cell(Table.MemberRef, row, 2), false);
    }

    private void Param(Text text, int row)
    {
        int owner = Owners.Of(Table.Param, row);
        text.Add(owner != 0 ? Of(Table.MethodDef, owner) : "<none>"u8).Add(" #"u8);
        text.Dec(metadata.Cell(Table.Param, row, 1)).Add(' ');
        String(text, metadata.Cell(Table.Param, row, 2));
    }

    private void GenericParam(Text text, int row)
    {
        Target(text, Schema.Columns[Table.GenericParam][2],
            metadata.Cell(Table.GenericParam, row, 2));
        text.Add(" !"u8).Dec(metadata.Cell(Table.GenericParam, row, 0)).Add(' ');
        String(text, metadata.Cell(Table.GenericParam, row, 3));
    }

    private void MethodSpec(Text text, int row)
    {
        Target(text, Schema.Columns[Table.MethodSpec][0], metadata.Cell(Table.MethodSpec, row, 0));
        text.Add(' ');
        Blob(text, Table.MethodSpec, 1, metadata.Cell(Table.MethodSpec, row, 1), false);
    }

    private void ExportedType(Text text, int row)
    {
        text.Add('[');
        Target(text, Schema.Columns[Table.ExportedType][4],
            metadata.Cell(Table.ExportedType, row, 4));
        text.Add(']');
        TypeName(text, Table.ExportedType, row, 2);
    }

    private void AssemblyRef(Text text, int row)
    {
        uint name = metadata.Cell(Table.AssemblyRef, row, 6);
        String(text, name);
        if (metadata.TryString(name, out var simple) &&
            !sharedAssemblyNames.Contains(Hash.Of(simple)))
            return;
        for (int i = 0; i < 4; i++)
            text.Add(i == 0 ? " "u8 : "."u8).Dec(metadata.Cell(Table.AssemblyRef, row, i));
        text.Add(' ');
        String(text, metadata.Cell(Table.AssemblyRef, row, 7));
        text.Add(' ');
        Blob(text, Table.AssemblyRef, 5, metadata.Cell(Table.AssemblyRef, row, 5), false);
    }

    // The format is in the Portable PDB specification: a separator, then the parts as blobs.
    private void DocumentName(Text text, uint offset)
    {
        if (!metadata.TryBlob(offset, out var blob) || blob.IsEmpty)
        {
            text.Raw(blob);
            return;
        }
        var cursor = new Cursor(blob[1..]);
        for (bool first = true; !cursor.AtEnd && !cursor.Failed; first = false)
        {
            if (!first && blob[0] != 0)
                text.Add((char)blob[0]);
            if (metadata.TryBlob(cursor.Compressed(), out var part))
                text.Name(part);
            else
                text.Add("part?"u8);
        }
    }

    private void FindSharedAssemblyNames()
    {
        HashSet<ulong> seen = [];
        for (int row = 1; row <= metadata.Rows[Table.AssemblyRef]; row++)
        {
            metadata.TryString(metadata.Cell(Table.AssemblyRef, row, 6), out var name);
            if (!seen.Add(Hash.Of(name)))
                sharedAssemblyNames.Add(Hash.Of(name));
        }
    }

    private void Count(int table)
    {
        int rows = metadata.Rows[table];
        for (int row = 1; row <= rows; row++)
            Of(table, row);
        // A tool that renumbers may fold equal references into one; definitions never.
        if (report.Options.Sets && table is not (Table.TypeDef or Table.Field or Table.MethodDef or
                                                 Table.Event or Table.Property))
        {
            return;
        }
        Dictionary<ulong, int> seen = new(rows);
        for (int row = 1; row <= rows; row++)
        {
            ulong hash = Hash.Of(Of(table, row));
            seen.TryGetValue(hash, out int before);
            seen[hash] = before + 1;
            if (before > 0)
                cache[table][row] =
                    [.. Of(table, row), .. new Text().Add(" #"u8).Dec(before + 1).Bytes];
        }
    }

    private void Shorten(Text text)
    {
        report.Spend(text.Length);
        if (text.Length <= Longest)
            return;
        ulong hash = Hash.Of(text.Bytes);
        int length = text.Length;
        text.Truncate(BeginningOfLong);
        text.Add("... "u8).Dec(length).Add(" bytes #"u8).Hex(hash);
    }
}
