// Method bodies: header, instructions with operands resolved, exception clauses (ECMA-335 II.25.4).
using System.Buffers.Binary;
using System.Reflection.Emit;
using System.Reflection.Metadata;

namespace Judge;

sealed class Bodies(Image image, Metadata metadata, Names names, Report report)
{
    private readonly Dictionary<uint, ulong> blocks = [];

    public void Print()
    {
        report.Section("bodies");
        for (int row = 1; row <= metadata.Rows[Table.MethodDef]; row++)
        {
            uint rva = metadata.Cell(Table.MethodDef, row, 0);
            if (rva == 0)
                continue;
            report.Item();
            if (!report.Wanted)
                continue;
            names.Append(report.Line, Table.MethodDef, row);
            report.End();
            bool native = (metadata.Cell(Table.MethodDef, row, 1) & 3) != 0;
            if (native)
                Native(rva);
            else
                Managed(rva);
        }
    }

    private void Native(uint rva)
    {
        report.Line.Add("native code at "u8).Hex(rva);
        report.End(Fact.Native);
    }

    // Methods may share a body, hostile ones thousands of times.
    private void Managed(uint rva)
    {
        if (report.Folds && blocks.TryGetValue(rva, out ulong known))
        {
            report.Fold(known);
            return;
        }
        report.BlockBegin();
        Body(rva);
        blocks[rva] = report.BlockEnd();
    }

    private void Body(uint rva)
    {
        var bytes = image.From(rva);
        if (bytes.IsEmpty)
        {
            report.Unreadable("a body outside of any section");
            return;
        }
        int format = bytes[0] & 3;
        if (format == 2)
        {
            Header(tiny: true, flags: 2, maxStack: 8, locals: 0, codeSize: bytes[0] >> 2);
            Finish(bytes, headerSize: 1, codeSize: bytes[0] >> 2, sections: false);
        }
        else if (format == 3 && bytes.Length >= 12)
        {
            int flags = bytes[0] | bytes[1] << 8;
            int headerSize = (flags >> 12) * 4;
            uint codeSize = BinaryPrimitives.ReadUInt32LittleEndian(bytes[4..]);
            Header(tiny: false, flags & 0xfff, BinaryPrimitives.ReadUInt16LittleEndian(bytes[2..]),
                   BinaryPrimitives.ReadUInt32LittleEndian(bytes[8..]), codeSize);
            Finish(bytes, headerSize, codeSize, (flags & 8) != 0);
        }
        else
        {
            report.Unreadable("a body without a header", bytes[..Math.Min(bytes.Length, 12)]);
        }
    }

    private void Header(bool tiny, int flags, int maxStack, uint locals, long codeSize)
    {
        // Bits 0 to 2 are the format; bit 3 shows as clauses.
        report.Line.Add("code "u8).Dec(codeSize).Add(" flags "u8).Hex((uint)(flags & ~0xf))
            .Add(" locals "u8);
        if (locals == 0)
            report.Line.Add("none"u8);
        else
            names.Token(report.Line, locals);
        report.End();
        report.Line.Add("maxstack "u8).Dec(maxStack);
        report.End(Fact.MaxStack);
        report.Line.Add(tiny ? "tiny"u8 : "fat"u8);
        report.End(Fact.BodyForm);
    }

    private void Finish(ReadOnlySpan<byte> bytes, int headerSize, long codeSize, bool sections)
    {
        if (headerSize < 1 || headerSize + codeSize > bytes.Length)
        {
            report.Unreadable("a body that leaves its section",
                bytes[..Math.Min(bytes.Length, 12)]);
            return;
        }
        var code = bytes.Slice(headerSize, (int)codeSize);
        Code(code);
        int end = headerSize + code.Length;
        if (sections)
            Sections(bytes, ref end);
        report.Line.Add("extent "u8).Dec(end);
        report.End(Fact.BodyForm);
        AskReader(bytes);
    }

    private void Code(ReadOnlySpan<byte> code)
    {
        int at = 0;
        while (at < code.Length)
        {
            int start = at;
            var found = OpCodeTable.Find(code[at..], out int size);
            at += size;
            if (found is not { } opcode)
            {
                report.Line.Add("opcode? "u8).HexBytes(code[start..at]);
                report.End(at: start);
                continue;
            }
            report.Line.Add(opcode.Name);
            if (!Operand(code, ref at, opcode.Operand))
            {
                report.Line.Add(" cut: "u8).HexBytes(code[at..]);
                at = code.Length;
            }
            report.End(at: start);
        }
    }

    private bool Operand(ReadOnlySpan<byte> code, ref int at, OperandType operand)
    {
        var cursor = new Cursor(code[at..]);
        var line = report.Line;
        switch (operand)
        {
            case OperandType.InlineNone: break;
            case OperandType.ShortInlineBrTarget: line.Add(' ').Dec((sbyte)cursor.U8()); break;
            case OperandType.InlineBrTarget:
            case OperandType.InlineI: line.Add(' ').Dec((int)cursor.U32()); break;
            case OperandType.ShortInlineI:
            case OperandType.ShortInlineVar: line.Add(' ').Dec(cursor.U8()); break;
            case OperandType.InlineVar: line.Add(' ').Dec(cursor.U16()); break;
            // Numbers as bits: a NaN has a payload.
            case OperandType.ShortInlineR: line.Add(' ').Hex(cursor.U32()); break;
            case OperandType.InlineI8:
            case OperandType.InlineR: line.Add(' ').Hex(cursor.U64()); break;
            case OperandType.InlineString: Literal(cursor.U32()); break;
            case OperandType.InlineSwitch:
                uint count = cursor.U32();
                if (count > cursor.Rest.Length / 4)
                    return false;
                for (uint i = 0; i < count; i++)
                    line.Add(' ').Dec((int)cursor.U32());
                break;
            default: // a token
                uint token = cursor.U32();
                line.Add(' ');
                if (!cursor.Failed)
                    names.Token(line, token);
                break;
        }
        at += cursor.At;
        return !cursor.Failed;
    }

    private void Literal(uint token)
    {
        var line = report.Line.Add(' ');
        if (token >> 24 != 0x70 || !metadata.TryLiteral(token & 0xffffff, out var blob))
        {
            line.Add("literal? "u8).Hex(token);
            return;
        }
        // An odd length is text and a byte that says whether it needs care; an even one is
        // malformed.
        if (blob.Length % 2 == 0)
        {
            line.Add("even "u8).Raw(blob);
            return;
        }
        line.Utf16(blob[..^1]);
        if (!report.Ignores(Fact.LiteralFlag))
            line.Add(' ').Dec(blob[^1]);
    }

    private void Sections(ReadOnlySpan<byte> bytes, ref int end)
    {
        bool more = true;
        while (more)
        {
            int start = (end + 3) & ~3;
            if (bytes.Length - start < 4)
            {
                report.Unreadable("a section of a body outside of its PE section");
                return;
            }
            int kind = bytes[start];
            bool fat = (kind & 0x40) != 0;
            int size = bytes[start + 1];
            if (fat)
                size |= bytes[start + 2] << 8 | bytes[start + 3] << 16;
            more = (kind & 0x80) != 0;
            int each = fat ? 24 : 12;
            // Compilers write sizes with or without the four bytes of the header.
            int clauses = size / each;
            if ((kind & 0x3f) != 1 || size < 4 || bytes.Length - start < 4 + clauses * each)
            {
                report.Unreadable("a section of a body",
                    bytes.Slice(start, Math.Min(bytes.Length - start, Math.Max(size, 4))));
                return;
            }
            report.Line.Add(fat ? "fat clauses, size "u8 : "small clauses, size "u8).Dec(size);
            report.End(Fact.BodyForm);
            for (int i = 0; i < clauses; i++)
                Clause(bytes.Slice(start + 4 + i * each, each), fat);
            end = start + 4 + clauses * each;
        }
    }

    private void Clause(ReadOnlySpan<byte> bytes, bool fat)
    {
        var cursor = new Cursor(bytes);
        uint flags = fat ? cursor.U32() : cursor.U16();
        uint tryAt = fat ? cursor.U32() : cursor.U16();
        uint trySize = fat ? cursor.U32() : cursor.U8();
        uint handlerAt = fat ? cursor.U32() : cursor.U16();
        uint handlerSize = fat ? cursor.U32() : cursor.U8();
        uint last = cursor.U32();
        report.Line.Add("clause "u8).Hex(flags).Add(" try "u8).Dec(tryAt).Add('+').Dec(trySize);
        report.Line.Add(" handler "u8).Dec(handlerAt).Add('+').Dec(handlerSize).Add(' ');
        if (flags == 0)
            names.Token(report.Line, last);
        else
            report.Line.Dec(last);
        report.End();
    }

    // A second opinion on the structure.
    private unsafe void AskReader(ReadOnlySpan<byte> bytes)
    {
        try
        {
            fixed (byte* first = bytes)
                MethodBodyBlock.Create(new BlobReader(first, bytes.Length));
        }
        catch (BadImageFormatException e)
        {
            report.Unreadable("System.Reflection.Metadata refuses this body: " + e.Message);
        }
    }
}
