// Edits of tables and heaps, of an assembly's metadata or a PDB's.
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

namespace Judge;

static class MetadataPatches
{
    // Blobs are edited in every byte up to here.
    private const int MostOfBlob = 24;

    public static void Add(List<Patch> patches, MetadataReader reader, int start, byte[] file)
    {
        string prefix = reader.DebugMetadataHeader == null ? "" : "pdb: ";
        for (int table = 0; table < Schema.Tables; table++)
        {
            if (Schema.NameOf(table) != "")
                AddRows(patches, reader, start, table, prefix);
        }
        AddSwaps(patches, reader, start, file);
        foreach (var (kind, handle) in Strings(reader))
        {
            if (!handle.IsNil && reader.GetString(handle).Length > 0)
            {
                int at = start + reader.GetHeapMetadataOffset(HeapIndex.String) +
                    reader.GetHeapOffset(handle);
                patches.Add(new($"{prefix}name of {kind}", at, 1));
            }
        }
        foreach (var (kind, handle) in Blobs(reader))
            AddBlob(patches, reader, start, prefix + kind, handle);
        if (prefix == "")
        {
            int index = MetadataTokens.GetHeapOffset(reader.GetModuleDefinition().Mvid) - 1;
            int heap = start + reader.GetHeapMetadataOffset(HeapIndex.Guid);
            patches.Add(new("mvid", heap + 16 * index, 1));
        }
    }

    // Every byte of a few rows: no column is forgotten, whatever the judge's schema says.
    private static void AddRows(List<Patch> patches, MetadataReader reader, int start, int table,
        string prefix)
    {
        var index = (TableIndex)table;
        int size = reader.GetTableRowSize(index);
        foreach (int row in Patches.Some(reader.GetTableRowCount(index)))
        {
            int at = start + reader.GetTableMetadataOffset(index) + row * size;
            for (int i = 0; i < size; i++)
                patches.Add(new($"{prefix}row of {index}", at + i, 1) { IsIndex = true });
        }
    }

    // Two attributes of one parent change places.
    private static void AddSwaps(List<Patch> patches, MetadataReader reader, int start, byte[] file)
    {
        int size = reader.GetTableRowSize(TableIndex.CustomAttribute);
        int count = reader.GetTableRowCount(TableIndex.CustomAttribute);
        int added = 0;
        for (int row = 1; row < count && added < 3; row++)
        {
            int second = start + reader.GetTableMetadataOffset(TableIndex.CustomAttribute) +
                row * size;
            var before = file.AsSpan(second - size, size);
            var after = file.AsSpan(second, size);
            if (Parent(reader, row) != Parent(reader, row + 1) || before.SequenceEqual(after))
                continue;
            byte[] mask = new byte[2 * size];
            for (int i = 0; i < size; i++)
                mask[i] = mask[size + i] = (byte)(before[i] ^ after[i]);
            patches.Add(new("order of attributes", second - size, mask));
            added++;
        }
    }

    private static EntityHandle Parent(MetadataReader reader, int row) =>
        reader.GetCustomAttribute(MetadataTokens.CustomAttributeHandle(row)).Parent;

    private static unsafe void AddBlob(List<Patch> patches, MetadataReader reader, int start,
        string kind, BlobHandle handle)
    {
        if (handle.IsNil)
            return;
        var blob = reader.GetBlobReader(handle);
        int at = start + (int)(blob.StartPointer - reader.MetadataPointer);
        for (int i = 0; i < blob.Length; i++)
        {
            if (i < MostOfBlob || i == blob.Length - 1)
                patches.Add(new(kind, at + i, 1));
        }
    }

    private static IEnumerable<T> Some<T>(IEnumerable<T> handles)
    {
        T[] all = [.. handles];
        return Patches.Some(all.Length).Select(i => all[i]);
    }

    private static IEnumerable<(string, StringHandle)> Strings(MetadataReader reader)
    {
        foreach (var handle in Some(reader.TypeDefinitions))
        {
            yield return ("type", reader.GetTypeDefinition(handle).Name);
            yield return ("namespace", reader.GetTypeDefinition(handle).Namespace);
        }
        foreach (var handle in Some(reader.TypeReferences))
        {
            yield return ("type reference", reader.GetTypeReference(handle).Name);
            yield return ("namespace of reference", reader.GetTypeReference(handle).Namespace);
        }
        foreach (var handle in Some(reader.FieldDefinitions))
            yield return ("field", reader.GetFieldDefinition(handle).Name);
        foreach (var handle in Some(reader.MethodDefinitions))
            yield return ("method", reader.GetMethodDefinition(handle).Name);
        var methods = reader.MethodDefinitions.Select(reader.GetMethodDefinition);
        foreach (var handle in Some(methods.SelectMany(method => method.GetParameters())))
            yield return ("parameter", reader.GetParameter(handle).Name);
        foreach (var handle in Some(reader.MemberReferences))
            yield return ("member reference", reader.GetMemberReference(handle).Name);
        foreach (var handle in Some(reader.PropertyDefinitions))
            yield return ("property", reader.GetPropertyDefinition(handle).Name);
        foreach (var handle in Some(reader.EventDefinitions))
            yield return ("event", reader.GetEventDefinition(handle).Name);
        foreach (var handle in Some(reader.AssemblyReferences))
            yield return ("assembly reference", reader.GetAssemblyReference(handle).Name);
        foreach (var handle in Some(reader.AssemblyFiles))
            yield return ("file", reader.GetAssemblyFile(handle).Name);
        foreach (var handle in Some(reader.ExportedTypes))
            yield return ("exported type", reader.GetExportedType(handle).Name);
        foreach (var handle in Some(reader.ManifestResources))
            yield return ("resource", reader.GetManifestResource(handle).Name);
        foreach (var handle in Some(reader.LocalVariables))
            yield return ("local variable", reader.GetLocalVariable(handle).Name);
        foreach (var handle in Some(reader.LocalConstants))
            yield return ("local constant", reader.GetLocalConstant(handle).Name);
        if (reader.IsAssembly)
            yield return ("assembly", reader.GetAssemblyDefinition().Name);
    }

    private static IEnumerable<(string, BlobHandle)> Blobs(MetadataReader reader)
    {
        foreach (var handle in Some(reader.FieldDefinitions))
            yield return ("signature of field", reader.GetFieldDefinition(handle).Signature);
        foreach (var handle in Some(reader.MethodDefinitions))
            yield return ("signature of method", reader.GetMethodDefinition(handle).Signature);
        foreach (var handle in Some(reader.MemberReferences))
            yield return ("signature of member reference",
                reader.GetMemberReference(handle).Signature);
        foreach (var handle in Some(reader.PropertyDefinitions))
            yield return ("signature of property", reader.GetPropertyDefinition(handle).Signature);
        foreach (int i in Patches.Some(reader.GetTableRowCount(TableIndex.StandAloneSig)))
        {
            var handle = MetadataTokens.StandaloneSignatureHandle(i + 1);
            yield return ("stand-alone signature", reader.GetStandaloneSignature(handle).Signature);
        }
        foreach (int i in Patches.Some(reader.GetTableRowCount(TableIndex.TypeSpec)))
        {
            var handle = MetadataTokens.TypeSpecificationHandle(i + 1);
            yield return ("type specification", reader.GetTypeSpecification(handle).Signature);
        }
        foreach (int i in Patches.Some(reader.GetTableRowCount(TableIndex.MethodSpec)))
        {
            var handle = MetadataTokens.MethodSpecificationHandle(i + 1);
            yield return ("method instantiation", reader.GetMethodSpecification(handle).Signature);
        }
        foreach (var handle in Some(reader.CustomAttributes))
            yield return ("value of attribute", reader.GetCustomAttribute(handle).Value);
        for (int row = 1; row <= reader.GetTableRowCount(TableIndex.Constant); row++)
        {
            var constant = reader.GetConstant(MetadataTokens.ConstantHandle(row));
            if (constant.TypeCode is ConstantTypeCode.Single or ConstantTypeCode.Double)
                yield return ("payload of constant", constant.Value);
            else if (row < 4)
                yield return ("constant", constant.Value);
        }
        foreach (var handle in reader.FieldDefinitions)
            yield return ("marshalling of field",
                reader.GetFieldDefinition(handle).GetMarshallingDescriptor());
        foreach (var handle in Some(reader.DeclarativeSecurityAttributes))
            yield return ("permission set",
                reader.GetDeclarativeSecurityAttribute(handle).PermissionSet);
        foreach (var handle in Some(reader.AssemblyReferences))
            yield return ("key of assembly reference",
                reader.GetAssemblyReference(handle).PublicKeyOrToken);
        foreach (var handle in Some(reader.AssemblyFiles))
            yield return ("hash of file", reader.GetAssemblyFile(handle).HashValue);
        if (reader.IsAssembly)
            yield return ("public key", reader.GetAssemblyDefinition().PublicKey);
        foreach (var handle in Some(reader.Documents))
            yield return ("hash of document", reader.GetDocument(handle).Hash);
        foreach (var handle in Some(reader.MethodDebugInformation))
            yield return ("sequence points",
                reader.GetMethodDebugInformation(handle).SequencePointsBlob);
        foreach (var handle in Some(reader.LocalConstants))
            yield return ("value of local constant", reader.GetLocalConstant(handle).Signature);
        foreach (var handle in Some(reader.ImportScopes))
            yield return ("imports", reader.GetImportScope(handle).ImportsBlob);
        foreach (var handle in reader.CustomDebugInformation)
            yield return ("custom debug information",
                reader.GetCustomDebugInformation(handle).Value);
    }
}
