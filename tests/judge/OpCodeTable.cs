// Names and operands of all opcodes, from the runtime's own list.
using System.Reflection;
using System.Reflection.Emit;

namespace Judge;

static class OpCodeTable
{
    private static readonly (byte[] Name, OperandType Operand)?[] one =
        new (byte[], OperandType)?[256];
    private static readonly (byte[] Name, OperandType Operand)?[] two =
        new (byte[], OperandType)?[256];

    static OpCodeTable()
    {
        const BindingFlags Declared = BindingFlags.Public | BindingFlags.Static;
        foreach (FieldInfo field in typeof(OpCodes).GetFields(Declared))
        {
            var code = (OpCode)field.GetValue(null)!;
            // prefix1 to prefix7 and prefixref are reserved, no instructions.
            if (code.OpCodeType == OpCodeType.Nternal)
                continue;
            var table = code.Size == 1 ? one : two;
            table[code.Value & 0xff] =
                (System.Text.Encoding.ASCII.GetBytes(code.Name!), code.OperandType);
        }
    }

    /// Null for an undefined opcode; `size` counts its bytes.
    public static (byte[] Name, OperandType Operand)? Find(ReadOnlySpan<byte> code, out int size)
    {
        size = 1;
        if (code[0] != 0xfe || code.Length < 2)
            return one[code[0]];
        size = 2;
        return two[code[1]];
    }
}
