// A Portable PDB, beside the file or embedded in it: every row, sequence points and imports
// decoded.
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Security.Cryptography;

namespace Judge;

sealed class Symbols
{
    // Compiler-known kinds of custom debug information hold no token but this one.
    private static readonly Guid asyncStepping = new("54FD2AC5-E925-401A-9C2A-F94F171072F8");

    // What follows each kind of import: A an assembly, T a type, b text.
    private static readonly string[] importParts =
        ["", "b", "Ab", "T", "bb", "b", "bA", "bb", "bAb", "bT"];

    // By the tag of a coded index.
    private static readonly uint[] typeTables =
        [Table.TypeDef, Table.TypeRef, Table.TypeSpec, 0xff];

    private readonly Bytes bytes;
    private readonly Metadata pdb;
    private readonly Names names;
    private readonly Report report;
    private readonly Text line;

    /// `module`: names of what it describes; null for a PDB that is judged alone.
    public Symbols(Bytes bytes, Report report, Names? module)
    {
        this.bytes = bytes;
        this.report = report;
        line = report.Line;
        pdb = new(bytes);
        names = new(pdb, report, module);
    }

    public static bool IsPortable(Bytes bytes) =>
        bytes.Length > 4 && bytes.Span.StartsWith("BSJB"u8);

    /// `wanted` and `checksum`: what the debug directory says of the PDB.
    public void Print(string where, byte[] wanted, byte[] checksum)
    {
        report.Section("pdb");
        report.Item();
        line.Add(where);
        report.End();
        Root.Print("pdb metadata", pdb, report);
        Header(wanted, checksum);
        var rows = new Rows(pdb, names, report);
        for (int table = 0; table < Schema.Tables; table++)
        {
            rows.Print(table, table switch
            {
                Table.MethodDebugInformation => Method,
                Table.ImportScope => Imports,
                Table.LocalConstant => Constant,
                Table.CustomDebugInformation => Custom,
                _ => null,
            });
        }
    }

    private void Header(byte[] wanted, byte[] checksum)
    {
        if (pdb.Pdb.Length < 24)
            return;
        var id = pdb.Pdb.Span[..20];
        report.Item();
        line.Add("id "u8).HexBytes(id);
        report.End(Fact.PdbId);
        report.Item();
        Expectation("id"u8, wanted.Length > 0, id.SequenceEqual(wanted));
        Expectation("checksum"u8, checksum.Length > 0, checksum.Length > 0 && Matches(checksum));
        report.Item();
        uint entry = BitConverter.ToUInt32(pdb.Pdb.Span[20..]);
        line.Add("entry point "u8);
        if (entry == 0)
            line.Add("none"u8);
        else
            names.Token(line, entry);
        report.End();
    }

    private void Expectation(ReadOnlySpan<byte> name, bool exists, bool holds)
    {
        report.Item();
        line.Add(name).Add(!exists ? " not asked for"u8 : holds ? " right"u8 : " wrong"u8);
        report.End();
    }

    private bool Matches(byte[] checksum)
    {
        int zero = Array.IndexOf(checksum, (byte)0);
        string name = System.Text.Encoding.ASCII.GetString(checksum, 0, Math.Max(zero, 0));
        byte[] copy = bytes.Span.ToArray();
        int id = copy.AsSpan().IndexOf(pdb.Pdb.Span[..20]);
        copy.AsSpan(id, 20).Clear();
        byte[] hash = name switch
        {
            "SHA256" => SHA256.HashData(copy),
            "SHA384" => SHA384.HashData(copy),
            "SHA512" => SHA512.HashData(copy),
            "SHA1" => SHA1.HashData(copy),
            _ => [],
        };
        return hash.AsSpan().SequenceEqual(checksum.AsSpan(zero + 1));
    }

    private void Method(int row)
    {
        names.Append(line, Table.MethodDef, row);
        report.End();
        try
        {
            if (pdb.Reader != null)
                SequencePoints(pdb.Reader.GetMethodDebugInformation(
                    MetadataTokens.MethodDebugInformationHandle(row)));
            else
                Bytes("sequence points", Table.MethodDebugInformation, row, 1);
        }
        catch (BadImageFormatException e)
        {
            Bytes("sequence points, " + e.Message, Table.MethodDebugInformation, row, 1);
        }
    }

    private void SequencePoints(MethodDebugInformation method)
    {
        if (method.SequencePointsBlob.IsNil)
            return;
        line.Add("locals "u8);
        if (method.LocalSignature.IsNil)
            line.Add("none"u8);
        else
            names.Token(line, (uint)MetadataTokens.GetToken(method.LocalSignature));
        report.End();
        foreach (var point in method.GetSequencePoints())
        {
            line.Add("at "u8).Dec(point.Offset).Add(' ').Dec(point.StartLine).Add(':')
                .Dec(point.StartColumn);
            line.Add(" to "u8).Dec(point.EndLine).Add(':').Dec(point.EndColumn)
                .Add(point.IsHidden ? " hidden "u8 : " "u8);
            names.Append(line, Table.Document, MetadataTokens.GetRowNumber(point.Document));
            report.End();
        }
    }

    private void Imports(int row)
    {
        if (!pdb.TryBlob(pdb.Cell(Table.ImportScope, row, 1), out var blob))
        {
            Bytes("imports", Table.ImportScope, row, 1);
            return;
        }
        var cursor = new Cursor(blob);
        while (!cursor.AtEnd && !cursor.Failed)
        {
            uint kind = cursor.Compressed();
            line.Add("import "u8).Dec(kind);
            if (kind >= importParts.Length)
            {
                line.Add("? "u8).Raw(cursor.Rest);
                cursor.Take(cursor.Rest.Length);
            }
            else
            {
                foreach (char part in importParts[kind])
                    ImportPart(part, cursor.Compressed());
            }
            report.End();
        }
    }

    private void ImportPart(char part, uint value)
    {
        line.Add(' ');
        if (part == 'A')
            names.Token(line, (uint)Table.AssemblyRef << 24 | value);
        else if (part == 'T')
            names.Token(line, typeTables[value & 3] << 24 | value >> 2);
        else if (pdb.TryBlob(value, out var name))
            line.Quoted(name);
        else
            line.Add("blob? "u8).Hex(value);
    }

    private void Constant(int row)
    {
        if (!pdb.TryBlob(pdb.Cell(Table.LocalConstant, row, 1), out var blob))
        {
            Bytes("constant", Table.LocalConstant, row, 1);
            return;
        }
        line.Add("constant "u8);
        int value = new SignaturePrinter(names, line, null, blob).Constant();
        line.Add(' ').Raw(blob[value..]);
        report.End();
    }

    private void Custom(int row)
    {
        pdb.TryGuid(pdb.Cell(Table.CustomDebugInformation, row, 1), out var kind);
        if (kind.Length != 16 || new Guid(kind) != asyncStepping ||
            !pdb.TryBlob(pdb.Cell(Table.CustomDebugInformation, row, 2), out var blob))
        {
            Bytes("value", Table.CustomDebugInformation, row, 2);
            return;
        }
        var cursor = new Cursor(blob);
        line.Add("catch handler "u8).Dec(cursor.U32());
        while (!cursor.AtEnd && !cursor.Failed)
        {
            line.Add(", yield "u8).Dec(cursor.U32()).Add(" resume "u8).Dec(cursor.U32()).Add(' ');
            names.Token(line, 0x06000000 | cursor.Compressed());
        }
        report.End();
    }

    private void Bytes(string what, int table, int row, int column)
    {
        uint offset = pdb.Cell(table, row, column);
        line.Add(what).Add(' ');
        if (pdb.TryBlob(offset, out var blob))
            line.Raw(blob);
        else
            line.Add("blob? "u8).Hex(offset);
        report.Spend(blob.Length / 8);
        report.End();
    }
}
