// The CLR header (ECMA-335 II.25.3.3), the strong name, vtable fixups.
using System.Reflection.PortableExecutable;

namespace Judge;

sealed class ClrHeader(Image image, CorHeader cor, Names? names, Report report)
{
    // They change when native code goes.
    private const CorFlags NativeFlags = CorFlags.ILOnly | CorFlags.ILLibrary;

    private readonly Text line = report.Line;

    public void Print()
    {
        report.Section("clr header");
        report.Item();
        line.Add("size "u8)
            .Hex(BitConverter.ToUInt32(image.At(image.Headers.CorHeaderStartOffset, 4)));
        Directory("resources"u8, cor.ResourcesDirectory);
        Directory("strong name"u8, cor.StrongNameSignatureDirectory);
        Directory("code manager"u8, cor.CodeManagerTableDirectory);
        Directory("vtable fixups"u8, cor.VtableFixupsDirectory);
        Directory("export jumps"u8, cor.ExportAddressTableJumpsDirectory);
        Directory("native header"u8, cor.ManagedNativeHeaderDirectory);
        report.End(Fact.Headers);
        report.Item();
        line.Add("runtime "u8).Dec(cor.MajorRuntimeVersion).Add('.').Dec(cor.MinorRuntimeVersion);
        report.End(Fact.ClrVersion);
        report.Item();
        line.Add("flags "u8).Hex((uint)(cor.Flags & ~(NativeFlags | CorFlags.StrongNameSigned)));
        report.End();
        report.Item();
        line.Add("native flags "u8).Hex((uint)(cor.Flags & NativeFlags));
        report.End(Fact.Native);
        report.Item();
        line.Add("entry point "u8);
        uint entry = (uint)cor.EntryPointTokenOrRelativeVirtualAddress;
        if ((cor.Flags & CorFlags.NativeEntryPoint) != 0)
            line.Add("native "u8).Hex(entry);
        else if (entry == 0)
            line.Add("none"u8);
        else if (names == null)
            line.Hex(entry);
        else
            names.Token(line, entry);
        report.End();
        StrongName();
        Fixups();
    }

    private void Directory(ReadOnlySpan<byte> name, DirectoryEntry directory)
    {
        if (directory.RelativeVirtualAddress == 0 && directory.Size == 0)
            return;
        line.Add(", "u8).Add(name)
            .Add(directory.RelativeVirtualAddress == 0 ? " without rva"u8 : ""u8);
        line.Add(directory.Size == 0 ? " without size"u8 : ""u8);
    }

    private void StrongName()
    {
        report.Item();
        line.Add((cor.Flags & CorFlags.StrongNameSigned) != 0 ? "signed"u8 : "not signed"u8);
        report.End(Fact.Signature);
        int size = cor.StrongNameSignatureDirectory.Size;
        report.Item();
        line.Add("signature size "u8).Dec(size);
        report.End(Fact.SignatureSize);
        if (size == 0)
            return;
        report.Item();
        line.Add("signature "u8).Content(image.Range(cor.StrongNameSignatureDirectory));
        report.End(Fact.Signature);
    }

    // II.25.3.3.3. The slots hold tokens until the loader fills them.
    private void Fixups()
    {
        var cursor = new Cursor(image.Range(cor.VtableFixupsDirectory));
        while (cursor.Rest.Length >= 8)
        {
            uint rva = cursor.U32();
            int count = cursor.U16(), kind = cursor.U16();
            report.Item();
            line.Add("vtable fixup "u8).Hex((uint)kind);
            var slots = new Cursor(image.From(rva));
            for (int i = 0; i < count && !slots.Failed; i++)
            {
                line.Add(", "u8);
                uint token = (kind & 2) != 0 ? (uint)slots.U64() : slots.U32();
                if (names == null)
                    line.Hex(token);
                else
                    names.Token(line, token);
            }
            report.End(Fact.Native);
        }
    }
}
