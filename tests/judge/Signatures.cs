// Signatures as text (ECMA-335 II.23.2), element by element in the order of their bytes, so that
// the place of a modifier, a sentinel or a trailing byte shows. Beside the text, the bytes
// themselves with `*` for each type token, whose target the text names.
namespace Judge;

ref struct SignaturePrinter(Names names, Text text, Text? raw, ReadOnlySpan<byte> blob)
{
    private const int Deepest = 200;

    private Cursor cursor = new(blob);
    private readonly ReadOnlySpan<byte> blob = blob;
    private int shown; // bytes already in `raw`

    /// Any signature that begins with its kind.
    public void Whole()
    {
        int kind = cursor.U8();
        Show();
        bool good = (kind & 0x0f) switch
        {
            0x06 => Field(kind),
            0x07 => List("locals"u8, kind),
            0x0a => List("instantiation"u8, kind),
            _ => Method(kind, 0),
        };
        End(good);
    }

    /// A TypeSpec: a type alone.
    public void Spec() => End(Type(0));

    /// A local constant of a PDB: its type, then its value, which is no signature.
    public int Constant()
    {
        while (!cursor.AtEnd && cursor.Rest[0] is 0x1f or 0x20)
        {
            if (!Modifier())
                break;
        }
        int type = cursor.AtEnd ? 0 : cursor.Rest[0];
        bool good = type is 0x11 or 0x12 or (>= 0x01 and <= 0x0e) or 0x18 or 0x19 or 0x1c
            ? Simple(type)
            : Type(0);
        if (!good)
            text.Add(" ?"u8);
        return cursor.At;
    }

    private bool Simple(int type)
    {
        cursor.U8();
        if (type is 0x11 or 0x12)
        {
            // A null of no named class ends here.
            text.Add(type == 0x11 ? "valuetype "u8 : "class "u8);
            return cursor.AtEnd || Token();
        }
        text.Add(Primitive(type));
        return true;
    }

    private bool Field(int kind)
    {
        if (kind != 0x06)
            text.Add("kind "u8).Hex((uint)kind).Add(' ');
        return Type(0);
    }

    private bool List(ReadOnlySpan<byte> name, int kind)
    {
        if (kind > 0x0f)
            text.Add("kind "u8).Hex((uint)kind).Add(' ');
        text.Add(name).Add('(');
        if (!Number(out uint count) || !Types(count, 0))
            return false;
        text.Add(')');
        return true;
    }

    private bool Method(int kind, int depth)
    {
        text.Add((kind & 0x20) != 0 ? "instance "u8 : ""u8);
        text.Add((kind & 0x40) != 0 ? "explicit "u8 : ""u8);
        text.Add((kind & 0x0f) switch
        {
            0 => ""u8,
            1 => "cdecl "u8,
            2 => "stdcall "u8,
            3 => "thiscall "u8,
            4 => "fastcall "u8,
            5 => "vararg "u8,
            8 => "property "u8,
            9 => "unmanaged "u8,
            0x0b => "nativevararg "u8,
            _ => "kind? "u8,
        });
        if ((kind & 0x80) != 0 || (kind & 0x0f) is 0x0a or > 0x0b or 0x06 or 0x07)
            text.Hex((uint)kind).Add(' ');
        uint generic = 0;
        if ((kind & 0x10) != 0 && !Number(out generic))
            return false;
        if ((kind & 0x10) != 0)
            text.Add('<').Dec(generic).Add("> "u8);
        if (!Number(out uint count) || !Type(depth))
            return false;
        text.Add('(');
        if (!Types(count, depth))
            return false;
        text.Add(')');
        return true;
    }

    private bool Types(uint count, int depth)
    {
        for (uint i = 0; i < count; i++)
        {
            if (i > 0)
                text.Add(", "u8);
            if (!Type(depth))
                return false;
        }
        return true;
    }

    private bool Type(int depth)
    {
        // Prefixes are a loop: only what branches needs the stack.
        while (true)
        {
            if (depth++ > Deepest || cursor.AtEnd)
                return false;
            int type = cursor.Rest[0];
            if (type is 0x1f or 0x20)
            {
                if (!Modifier())
                    return false;
                continue;
            }
            cursor.U8();
            Show();
            var prefix = Prefix(type);
            if (prefix.IsEmpty)
                return Element(type, depth);
            text.Add(prefix);
        }
    }

    private static ReadOnlySpan<byte> Prefix(int type) => type switch
    {
        0x0f => "ptr "u8,
        0x10 => "ref "u8,
        0x1d => "szarray "u8,
        0x41 => "... "u8,
        0x45 => "pinned "u8,
        _ => default,
    };

    private bool Element(int type, int depth)
    {
        var primitive = Primitive(type);
        if (!primitive.IsEmpty)
        {
            text.Add(primitive);
            return true;
        }
        switch (type)
        {
            case 0x11:
            case 0x12:
                text.Add(type == 0x11 ? "valuetype "u8 : "class "u8);
                return Token();
            case 0x13:
            case 0x1e:
                text.Add(type == 0x13 ? "!"u8 : "!!"u8);
                if (!Number(out uint number))
                    return false;
                text.Dec(number);
                return true;
            case 0x14: return Array(depth);
            case 0x15: return Instance(depth);
            case 0x1b:
                if (cursor.AtEnd)
                    return false;
                text.Add("method "u8);
                int kind = cursor.U8();
                Show();
                return Method(kind, depth);
            default:
                text.Add("element? "u8).Hex((uint)type);
                return false;
        }
    }

    private bool Instance(int depth)
    {
        text.Add("generic "u8);
        if (!Type(depth) || !Number(out uint count))
            return false;
        text.Add('<');
        if (!Types(count, depth))
            return false;
        text.Add('>');
        return true;
    }

    private bool Array(int depth)
    {
        text.Add("array "u8);
        if (!Type(depth) || !Number(out uint rank))
            return false;
        text.Add("[rank "u8).Dec(rank).Add(" sizes"u8);
        if (!Numbers())
            return false;
        text.Add(" bounds"u8);
        if (!Numbers())
            return false;
        text.Add(']');
        return true;
    }

    private bool Numbers()
    {
        if (!Number(out uint count))
            return false;
        for (uint i = 0; i < count; i++)
        {
            if (!Number(out uint number))
                return false;
            text.Add(' ').Dec(number);
        }
        return true;
    }

    private bool Modifier()
    {
        text.Add(cursor.U8() == 0x1f ? "modreq("u8 : "modopt("u8);
        Show();
        if (!Token())
            return false;
        text.Add(") "u8);
        return true;
    }

    private bool Number(out uint number)
    {
        number = cursor.Compressed();
        Show();
        return !cursor.Failed;
    }

    private bool Token()
    {
        int start = cursor.At;
        uint coded = cursor.Compressed();
        if (cursor.Failed)
            return false;
        int table = (coded & 3) switch
        {
            0 => Table.TypeDef,
            1 => Table.TypeRef,
            2 => Table.TypeSpec,
            _ => -1,
        };
        int row = (int)(coded >> 2);
        if (!names.Has(table, row))
        {
            text.Add("token? "u8).Hex(coded);
            Show();
            return true;
        }
        names.Append(text, table, row);
        shown = cursor.At;
        raw?.Add('*');
        return true;
    }

    private void Show()
    {
        raw?.HexBytes(blob[shown..cursor.At]);
        shown = cursor.At;
    }

    // What was not understood, and what follows a complete signature, is shown as bytes.
    private void End(bool good)
    {
        if (good && cursor.AtEnd)
            return;
        text.Add(good ? " trailing "u8 : " ? "u8).Raw(blob[shown..]);
        raw?.Add('|').Raw(blob[shown..]);
    }

    private static ReadOnlySpan<byte> Primitive(int type) => type switch
    {
        0x01 => "void"u8,
        0x02 => "bool"u8,
        0x03 => "char"u8,
        0x04 => "i1"u8,
        0x05 => "u1"u8,
        0x06 => "i2"u8,
        0x07 => "u2"u8,
        0x08 => "i4"u8,
        0x09 => "u4"u8,
        0x0a => "i8"u8,
        0x0b => "u8"u8,
        0x0c => "r4"u8,
        0x0d => "r8"u8,
        0x0e => "string"u8,
        0x16 => "typedref"u8,
        0x18 => "i"u8,
        0x19 => "u"u8,
        0x1c => "object"u8,
        _ => default,
    };
}
