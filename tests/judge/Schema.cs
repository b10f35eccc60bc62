// ECMA-335 II.22 and the Portable PDB format as data: every table with its columns.
namespace Judge;

enum ColumnKind { Number, String, Guid, Blob, Row, Coded, List }

/// `Target` is a table for Row and List, an index into Schema.CodedIndexes for Coded.
readonly record struct Column(byte[] Name, ColumnKind Kind, int Size, int Target);

static class Schema
{
    public const int Tables = 0x38;

    // NAME:KIND. A number is a size in bytes, s string, g guid, b blob, Table an index, Table* a
    // list, else a coded index. [Parent]: rows of one parent are kept in order.
    private const string Text = """
        00 Module Generation:2 Name:s Mvid:g EncId:g EncBaseId:g
        01 TypeRef ResolutionScope:ResolutionScope TypeName:s TypeNamespace:s
        02 TypeDef Flags:4 TypeName:s TypeNamespace:s Extends:TypeDefOrRef FieldList:Field* MethodList:MethodDef*
        03 FieldPtr Field:Field
        04 Field Flags:2 Name:s Signature:b
        05 MethodPtr Method:MethodDef
        06 MethodDef RVA:4 ImplFlags:2 Flags:2 Name:s Signature:b ParamList:Param*
        07 ParamPtr Param:Param
        08 Param Flags:2 Sequence:2 Name:s
        09 InterfaceImpl [Class]:TypeDef Interface:TypeDefOrRef
        0a MemberRef Class:MemberRefParent Name:s Signature:b
        0b Constant Type:2 [Parent]:HasConstant Value:b
        0c CustomAttribute [Parent]:HasCustomAttribute Type:CustomAttributeType Value:b
        0d FieldMarshal [Parent]:HasFieldMarshal NativeType:b
        0e DeclSecurity Action:2 [Parent]:HasDeclSecurity PermissionSet:b
        0f ClassLayout PackingSize:2 ClassSize:4 Parent:TypeDef
        10 FieldLayout Offset:4 Field:Field
        11 StandAloneSig Signature:b
        12 EventMap Parent:TypeDef EventList:Event*
        13 EventPtr Event:Event
        14 Event EventFlags:2 Name:s EventType:TypeDefOrRef
        15 PropertyMap Parent:TypeDef PropertyList:Property*
        16 PropertyPtr Property:Property
        17 Property Flags:2 Name:s Type:b
        18 MethodSemantics Semantics:2 Method:MethodDef [Association]:HasSemantics
        19 MethodImpl [Class]:TypeDef MethodBody:MethodDefOrRef MethodDeclaration:MethodDefOrRef
        1a ModuleRef Name:s
        1b TypeSpec Signature:b
        1c ImplMap MappingFlags:2 MemberForwarded:MemberForwarded ImportName:s ImportScope:ModuleRef
        1d FieldRVA RVA:4 Field:Field
        1e EncLog Token:4 FuncCode:4
        1f EncMap Token:4
        20 Assembly HashAlgId:4 MajorVersion:2 MinorVersion:2 BuildNumber:2 RevisionNumber:2 Flags:4 PublicKey:b Name:s Culture:s
        21 AssemblyProcessor Processor:4
        22 AssemblyOS OSPlatformId:4 OSMajorVersion:4 OSMinorVersion:4
        23 AssemblyRef MajorVersion:2 MinorVersion:2 BuildNumber:2 RevisionNumber:2 Flags:4 PublicKeyOrToken:b Name:s Culture:s HashValue:b
        24 AssemblyRefProcessor Processor:4 AssemblyRef:AssemblyRef
        25 AssemblyRefOS OSPlatformId:4 OSMajorVersion:4 OSMinorVersion:4 AssemblyRef:AssemblyRef
        26 File Flags:4 Name:s HashValue:b
        27 ExportedType Flags:4 TypeDefId:4 TypeName:s TypeNamespace:s Implementation:Implementation
        28 ManifestResource Offset:4 Flags:4 Name:s Implementation:Implementation
        29 NestedClass NestedClass:TypeDef EnclosingClass:TypeDef
        2a GenericParam Number:2 Flags:2 Owner:TypeOrMethodDef Name:s
        2b MethodSpec Method:MethodDefOrRef Instantiation:b
        2c GenericParamConstraint [Owner]:GenericParam Constraint:TypeDefOrRef
        30 Document Name:b HashAlgorithm:g Hash:b Language:g
        31 MethodDebugInformation Document:Document SequencePoints:b
        32 LocalScope Method:MethodDef ImportScope:ImportScope VariableList:LocalVariable* ConstantList:LocalConstant* StartOffset:4 Length:4
        33 LocalVariable Attributes:2 Index:2 Name:s
        34 LocalConstant Name:s Signature:b
        35 ImportScope Parent:ImportScope Imports:b
        36 StateMachineMethod MoveNextMethod:MethodDef KickoffMethod:MethodDef
        37 CustomDebugInformation [Parent]:HasCustomDebugInformation Kind:g Value:b
        """;

    // NAME BITS TARGETS, in the order of their tags.
    private const string CodedText = """
        TypeDefOrRef 2 TypeDef TypeRef TypeSpec
        HasConstant 2 Field Param Property
        HasCustomAttribute 5 MethodDef Field TypeRef TypeDef Param InterfaceImpl MemberRef Module DeclSecurity Property Event StandAloneSig ModuleRef TypeSpec Assembly AssemblyRef File ExportedType ManifestResource GenericParam GenericParamConstraint MethodSpec
        HasFieldMarshal 1 Field Param
        HasDeclSecurity 2 TypeDef MethodDef Assembly
        MemberRefParent 3 TypeDef TypeRef ModuleRef MethodDef TypeSpec
        HasSemantics 1 Event Property
        MethodDefOrRef 1 MethodDef MemberRef
        MemberForwarded 1 Field MethodDef
        Implementation 2 File AssemblyRef ExportedType
        CustomAttributeType 3 - - MethodDef MemberRef
        ResolutionScope 2 Module ModuleRef AssemblyRef TypeRef
        TypeOrMethodDef 1 TypeDef MethodDef
        HasCustomDebugInformation 5 MethodDef Field TypeRef TypeDef Param InterfaceImpl MemberRef Module DeclSecurity Property Event StandAloneSig ModuleRef TypeSpec Assembly AssemblyRef File ExportedType ManifestResource GenericParam GenericParamConstraint MethodSpec Document LocalScope LocalVariable LocalConstant ImportScope
        """;

    private static readonly string[] names = new string[Tables];

    /// Of each table; empty when there is no such table.
    public static readonly Column[][] Columns = new Column[Tables][];

    /// The column by whose value rows are kept in order, -1 for none.
    public static readonly int[] ParentColumn = new int[Tables];

    public static readonly (string Name, int Bits, int[] Targets)[] CodedIndexes;

    /// A list goes through this table where it has rows; 0 for none (Module is no such table).
    public static int PointerTable(int target) => target switch
    {
        0x04 => 0x03,
        0x06 => 0x05,
        0x08 => 0x07,
        0x14 => 0x13,
        0x17 => 0x16,
        _ => 0,
    };

    static Schema()
    {
        Array.Fill(Columns, []);
        Array.Fill(names, "");
        Array.Fill(ParentColumn, -1);
        string[][] lines = [.. Text.Split('\n').Select(line => line.Split(' '))];
        foreach (string[] line in lines)
            names[Convert.ToInt32(line[0], 16)] = line[1];
        CodedIndexes = [.. CodedText.Split('\n').Select(line => line.Split(' ')).Select(
            parts => (parts[0], int.Parse(parts[1]), parts[2..].Select(TableNamed).ToArray()))];
        foreach (string[] line in lines)
        {
            int table = Convert.ToInt32(line[0], 16);
            Columns[table] = [.. line[2..].Select(ParseColumn)];
            ParentColumn[table] = Array.FindIndex(line[2..], column => column[0] == '[');
        }
    }

    public static string NameOf(int table) => table < Tables ? names[table] : "";

    public static int TableNamed(string name) => Array.IndexOf(names, name);

    private static Column ParseColumn(string text)
    {
        string[] parts = text.Split(':');
        byte[] name = System.Text.Encoding.ASCII.GetBytes(parts[0].Trim('[', ']'));
        string kind = parts[1];
        if (char.IsDigit(kind[0]))
            return new(name, ColumnKind.Number, kind[0] - '0', 0);
        if (kind == "s")
            return new(name, ColumnKind.String, 0, 0);
        if (kind == "g")
            return new(name, ColumnKind.Guid, 0, 0);
        if (kind == "b")
            return new(name, ColumnKind.Blob, 0, 0);
        if (kind.EndsWith('*'))
            return new(name, ColumnKind.List, 0, TableNamed(kind[..^1]));
        int table = TableNamed(kind);
        return table >= 0
            ? new(name, ColumnKind.Row, 0, table)
            : new(name, ColumnKind.Coded, 0,
                Array.FindIndex(CodedIndexes, index => index.Name == kind));
    }
}
