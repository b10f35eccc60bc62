// Edits of method bodies, literals, field data and managed resources.
using System.Reflection.Emit;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

namespace Judge;

static class BodyPatches
{
    private const int MostOfCode = 120;

    public static void Add(List<Patch> patches, PEReader pe, MetadataReader reader, byte[] file)
    {
        var bodies = reader.MethodDefinitions.Select(reader.GetMethodDefinition)
                         .Where(method => ((int)method.ImplAttributes & 3) == 0)
                         .Where(method => method.RelativeVirtualAddress != 0)
                         .Select(method => method.RelativeVirtualAddress).Distinct().ToArray();
        foreach (int i in Patches.Some(bodies.Length))
            AddBody(patches, pe, bodies[i], file);
        var withClauses = bodies.Where(rva => pe.GetMethodBody(rva).ExceptionRegions.Length > 0)
            .ToArray();
        foreach (int i in Patches.Some(withClauses.Length))
            AddClauses(patches, pe, withClauses[i], file);
        AddLiterals(patches, pe, reader, bodies);
        AddFieldData(patches, pe, reader);
        AddResources(patches, pe, reader);
    }

    private static void AddBody(List<Patch> patches, PEReader pe, int rva, byte[] file)
    {
        int at = Patches.OffsetOf(pe, rva);
        bool fat = (file[at] & 3) == 3;
        if (fat)
        {
            patches.Add(new("body: init locals", at, 0x10));
            patches.Add(new("body: max stack", at + 2, 1));
            patches.Add(new("body: code size", at + 4, 1));
            patches.Add(new("body: locals", at + 8, 1));
        }
        int code = at + (fat ? 12 : 1);
        int size = pe.GetMethodBody(rva).GetILBytes()!.Length;
        for (int i = 0; i < Math.Min(size, MostOfCode); i++)
            patches.Add(new("body: code", code + i, 1) { IsIndex = true });
    }

    private static void AddClauses(List<Patch> patches, PEReader pe, int rva, byte[] file)
    {
        int at = Patches.OffsetOf(pe, rva);
        var body = pe.GetMethodBody(rva);
        int section = at + (12 + body.GetILBytes()!.Length + 3) / 4 * 4;
        bool fat = (file[section] & 0x40) != 0;
        patches.Add(new("clause: section size", section + 1, 1));
        for (int i = 0; i < (fat ? 24 : 12); i++)
            patches.Add(new("clause", section + 4 + i, 1));
    }

    private static void AddLiterals(List<Patch> patches, PEReader pe, MetadataReader reader,
        int[] bodies)
    {
        int heap = pe.PEHeaders.MetadataStartOffset +
            reader.GetHeapMetadataOffset(HeapIndex.UserString);
        var used = bodies.SelectMany(rva => Literals(pe.GetMethodBody(rva).GetILBytes()!))
            .Distinct().ToArray();
        foreach (int i in Patches.Some(used.Length))
        {
            var literal = MetadataTokens.UserStringHandle(used[i]);
            int size = reader.GetUserString(literal).Length;
            int prefix = 2 * size + 1 < 0x80 ? 1 : 2 * size + 1 < 0x4000 ? 2 : 4;
            if (size > 0)
                patches.Add(new("literal", heap + used[i] + prefix + 2 * size - 1, 1));
            patches.Add(new("literal: last byte", heap + used[i] + prefix + 2 * size, 1));
        }
    }

    private static IEnumerable<int> Literals(byte[] code)
    {
        for (int at = 0; at < code.Length;)
        {
            var found = OpCodeTable.Find(code.AsSpan(at), out int size);
            at += size;
            if (found is not { } opcode)
                yield break;
            if (opcode.Operand == OperandType.InlineString)
                yield return BitConverter.ToInt32(code, at) & 0xffffff;
            at += opcode.Operand switch
            {
                OperandType.InlineNone => 0,
                OperandType.ShortInlineBrTarget => 1,
                OperandType.ShortInlineI or OperandType.ShortInlineVar => 1,
                OperandType.InlineVar => 2,
                OperandType.InlineI8 or OperandType.InlineR => 8,
                OperandType.InlineSwitch => 4 + 4 * BitConverter.ToInt32(code, at),
                _ => 4,
            };
        }
    }

    private static void AddFieldData(List<Patch> patches, PEReader pe, MetadataReader reader)
    {
        var rvas = reader.FieldDefinitions.Select(reader.GetFieldDefinition)
                       .Select(field => field.GetRelativeVirtualAddress())
                       .Where(rva => rva != 0).ToArray();
        foreach (int i in Patches.Some(rvas.Length))
            patches.Add(new("field data", Patches.OffsetOf(pe, rvas[i]), 1));
    }

    private static void AddResources(List<Patch> patches, PEReader pe, MetadataReader reader)
    {
        int rva = pe.PEHeaders.CorHeader!.ResourcesDirectory.RelativeVirtualAddress;
        foreach (var handle in reader.ManifestResources)
        {
            var resource = reader.GetManifestResource(handle);
            if (!resource.Implementation.IsNil)
                continue;
            int at = Patches.OffsetOf(pe, rva) + (int)resource.Offset;
            patches.Add(new("resource: size", at, 1));
            if (pe.GetEntireImage().GetContent(at, 4).Any(b => b != 0))
                patches.Add(new("resource: content", at + 4, 1));
        }
    }
}
