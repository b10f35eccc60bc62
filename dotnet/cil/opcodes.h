// The CIL instruction set, once (ECMA-335 III.1.2.1 and III.3 to III.4): reading, walking,
// assembling and printing use this table.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace clrkit::cil {

/// What follows the opcode.
// clang-format off
enum class OperandKind : std::uint8_t {
    undefined,  // there is no such opcode
    none, i1, u1, i4, i8, r4, r8,
    short_argument, argument, short_local, local,  // numbers of one or two bytes
    short_branch, branch,                          // displacements of one or four bytes
    switch_,                                       // a count, then that many displacements
    method, field, type, token, signature, string,  // metadata tokens; `string` is one of #US
};
enum class Flow : std::uint8_t { next, break_, call, branch, conditional, return_, throw_, prefix };
// clang-format on

/// Bytes of an operand; for a switch those of its count.
constexpr std::uint32_t operand_size(OperandKind kind) {
    switch (kind) {
        case OperandKind::undefined:
        case OperandKind::none: return 0;
        case OperandKind::i1:
        case OperandKind::u1:
        case OperandKind::short_argument:
        case OperandKind::short_local:
        case OperandKind::short_branch: return 1;
        case OperandKind::argument:
        case OperandKind::local: return 2;
        case OperandKind::i8:
        case OperandKind::r8: return 8;
        default: return 4;
    }
}

constexpr bool is_token(OperandKind kind) { return kind >= OperandKind::method; }
constexpr bool is_branch(OperandKind kind) {
    return kind == OperandKind::short_branch || kind == OperandKind::branch;
}

struct Opcode {
    std::uint16_t value;  // one byte, or 0xFE and the second one
    std::string_view name;
    OperandKind operand;
    std::int8_t pops;    // values taken from the stack, or `varies`, or `all`
    std::int8_t pushes;  // values left on it, or `varies`
    Flow flow;

    std::uint32_t size() const { return value > 0xFF ? 2 : 1; }
    /// True where what stands behind the instruction is reached by branches alone.
    constexpr bool ends_flow() const {
        constexpr std::uint16_t jmp = 0x27;
        return flow == Flow::branch || flow == Flow::return_ || flow == Flow::throw_ ||
               value == jmp;
    }
};

namespace opcode_table {

inline constexpr std::int8_t varies = -1;  // as the signature of what is called says
inline constexpr std::int8_t all = -2;     // the instruction empties the stack
using O = OperandKind;
using F = Flow;

// clang-format off
inline constexpr Opcode rows[] = {
    {0x0000, "nop", O::none, 0, 0, F::next},
    {0x0001, "break", O::none, 0, 0, F::break_},
    {0x0002, "ldarg.0", O::none, 0, 1, F::next},
    {0x0003, "ldarg.1", O::none, 0, 1, F::next},
    {0x0004, "ldarg.2", O::none, 0, 1, F::next},
    {0x0005, "ldarg.3", O::none, 0, 1, F::next},
    {0x0006, "ldloc.0", O::none, 0, 1, F::next},
    {0x0007, "ldloc.1", O::none, 0, 1, F::next},
    {0x0008, "ldloc.2", O::none, 0, 1, F::next},
    {0x0009, "ldloc.3", O::none, 0, 1, F::next},
    {0x000A, "stloc.0", O::none, 1, 0, F::next},
    {0x000B, "stloc.1", O::none, 1, 0, F::next},
    {0x000C, "stloc.2", O::none, 1, 0, F::next},
    {0x000D, "stloc.3", O::none, 1, 0, F::next},
    {0x000E, "ldarg.s", O::short_argument, 0, 1, F::next},
    {0x000F, "ldarga.s", O::short_argument, 0, 1, F::next},
    {0x0010, "starg.s", O::short_argument, 1, 0, F::next},
    {0x0011, "ldloc.s", O::short_local, 0, 1, F::next},
    {0x0012, "ldloca.s", O::short_local, 0, 1, F::next},
    {0x0013, "stloc.s", O::short_local, 1, 0, F::next},
    {0x0014, "ldnull", O::none, 0, 1, F::next},
    {0x0015, "ldc.i4.m1", O::none, 0, 1, F::next},
    {0x0016, "ldc.i4.0", O::none, 0, 1, F::next},
    {0x0017, "ldc.i4.1", O::none, 0, 1, F::next},
    {0x0018, "ldc.i4.2", O::none, 0, 1, F::next},
    {0x0019, "ldc.i4.3", O::none, 0, 1, F::next},
    {0x001A, "ldc.i4.4", O::none, 0, 1, F::next},
    {0x001B, "ldc.i4.5", O::none, 0, 1, F::next},
    {0x001C, "ldc.i4.6", O::none, 0, 1, F::next},
    {0x001D, "ldc.i4.7", O::none, 0, 1, F::next},
    {0x001E, "ldc.i4.8", O::none, 0, 1, F::next},
    {0x001F, "ldc.i4.s", O::i1, 0, 1, F::next},
    {0x0020, "ldc.i4", O::i4, 0, 1, F::next},
    {0x0021, "ldc.i8", O::i8, 0, 1, F::next},
    {0x0022, "ldc.r4", O::r4, 0, 1, F::next},
    {0x0023, "ldc.r8", O::r8, 0, 1, F::next},
    {0x0025, "dup", O::none, 1, 2, F::next},
    {0x0026, "pop", O::none, 1, 0, F::next},
    {0x0027, "jmp", O::method, 0, 0, F::call},
    {0x0028, "call", O::method, varies, varies, F::call},
    {0x0029, "calli", O::signature, varies, varies, F::call},
    {0x002A, "ret", O::none, varies, 0, F::return_},
    {0x002B, "br.s", O::short_branch, 0, 0, F::branch},
    {0x002C, "brfalse.s", O::short_branch, 1, 0, F::conditional},
    {0x002D, "brtrue.s", O::short_branch, 1, 0, F::conditional},
    {0x002E, "beq.s", O::short_branch, 2, 0, F::conditional},
    {0x002F, "bge.s", O::short_branch, 2, 0, F::conditional},
    {0x0030, "bgt.s", O::short_branch, 2, 0, F::conditional},
    {0x0031, "ble.s", O::short_branch, 2, 0, F::conditional},
    {0x0032, "blt.s", O::short_branch, 2, 0, F::conditional},
    {0x0033, "bne.un.s", O::short_branch, 2, 0, F::conditional},
    {0x0034, "bge.un.s", O::short_branch, 2, 0, F::conditional},
    {0x0035, "bgt.un.s", O::short_branch, 2, 0, F::conditional},
    {0x0036, "ble.un.s", O::short_branch, 2, 0, F::conditional},
    {0x0037, "blt.un.s", O::short_branch, 2, 0, F::conditional},
    {0x0038, "br", O::branch, 0, 0, F::branch},
    {0x0039, "brfalse", O::branch, 1, 0, F::conditional},
    {0x003A, "brtrue", O::branch, 1, 0, F::conditional},
    {0x003B, "beq", O::branch, 2, 0, F::conditional},
    {0x003C, "bge", O::branch, 2, 0, F::conditional},
    {0x003D, "bgt", O::branch, 2, 0, F::conditional},
    {0x003E, "ble", O::branch, 2, 0, F::conditional},
    {0x003F, "blt", O::branch, 2, 0, F::conditional},
    {0x0040, "bne.un", O::branch, 2, 0, F::conditional},
    {0x0041, "bge.un", O::branch, 2, 0, F::conditional},
    {0x0042, "bgt.un", O::branch, 2, 0, F::conditional},
    {0x0043, "ble.un", O::branch, 2, 0, F::conditional},
    {0x0044, "blt.un", O::branch, 2, 0, F::conditional},
    {0x0045, "switch", O::switch_, 1, 0, F::conditional},
    {0x0046, "ldind.i1", O::none, 1, 1, F::next},
    {0x0047, "ldind.u1", O::none, 1, 1, F::next},
    {0x0048, "ldind.i2", O::none, 1, 1, F::next},
    {0x0049, "ldind.u2", O::none, 1, 1, F::next},
    {0x004A, "ldind.i4", O::none, 1, 1, F::next},
    {0x004B, "ldind.u4", O::none, 1, 1, F::next},
    {0x004C, "ldind.i8", O::none, 1, 1, F::next},
    {0x004D, "ldind.i", O::none, 1, 1, F::next},
    {0x004E, "ldind.r4", O::none, 1, 1, F::next},
    {0x004F, "ldind.r8", O::none, 1, 1, F::next},
    {0x0050, "ldind.ref", O::none, 1, 1, F::next},
    {0x0051, "stind.ref", O::none, 2, 0, F::next},
    {0x0052, "stind.i1", O::none, 2, 0, F::next},
    {0x0053, "stind.i2", O::none, 2, 0, F::next},
    {0x0054, "stind.i4", O::none, 2, 0, F::next},
    {0x0055, "stind.i8", O::none, 2, 0, F::next},
    {0x0056, "stind.r4", O::none, 2, 0, F::next},
    {0x0057, "stind.r8", O::none, 2, 0, F::next},
    {0x0058, "add", O::none, 2, 1, F::next},
    {0x0059, "sub", O::none, 2, 1, F::next},
    {0x005A, "mul", O::none, 2, 1, F::next},
    {0x005B, "div", O::none, 2, 1, F::next},
    {0x005C, "div.un", O::none, 2, 1, F::next},
    {0x005D, "rem", O::none, 2, 1, F::next},
    {0x005E, "rem.un", O::none, 2, 1, F::next},
    {0x005F, "and", O::none, 2, 1, F::next},
    {0x0060, "or", O::none, 2, 1, F::next},
    {0x0061, "xor", O::none, 2, 1, F::next},
    {0x0062, "shl", O::none, 2, 1, F::next},
    {0x0063, "shr", O::none, 2, 1, F::next},
    {0x0064, "shr.un", O::none, 2, 1, F::next},
    {0x0065, "neg", O::none, 1, 1, F::next},
    {0x0066, "not", O::none, 1, 1, F::next},
    {0x0067, "conv.i1", O::none, 1, 1, F::next},
    {0x0068, "conv.i2", O::none, 1, 1, F::next},
    {0x0069, "conv.i4", O::none, 1, 1, F::next},
    {0x006A, "conv.i8", O::none, 1, 1, F::next},
    {0x006B, "conv.r4", O::none, 1, 1, F::next},
    {0x006C, "conv.r8", O::none, 1, 1, F::next},
    {0x006D, "conv.u4", O::none, 1, 1, F::next},
    {0x006E, "conv.u8", O::none, 1, 1, F::next},
    {0x006F, "callvirt", O::method, varies, varies, F::call},
    {0x0070, "cpobj", O::type, 2, 0, F::next},
    {0x0071, "ldobj", O::type, 1, 1, F::next},
    {0x0072, "ldstr", O::string, 0, 1, F::next},
    {0x0073, "newobj", O::method, varies, 1, F::call},
    {0x0074, "castclass", O::type, 1, 1, F::next},
    {0x0075, "isinst", O::type, 1, 1, F::next},
    {0x0076, "conv.r.un", O::none, 1, 1, F::next},
    {0x0079, "unbox", O::type, 1, 1, F::next},
    {0x007A, "throw", O::none, 1, 0, F::throw_},
    {0x007B, "ldfld", O::field, 1, 1, F::next},
    {0x007C, "ldflda", O::field, 1, 1, F::next},
    {0x007D, "stfld", O::field, 2, 0, F::next},
    {0x007E, "ldsfld", O::field, 0, 1, F::next},
    {0x007F, "ldsflda", O::field, 0, 1, F::next},
    {0x0080, "stsfld", O::field, 1, 0, F::next},
    {0x0081, "stobj", O::type, 2, 0, F::next},
    {0x0082, "conv.ovf.i1.un", O::none, 1, 1, F::next},
    {0x0083, "conv.ovf.i2.un", O::none, 1, 1, F::next},
    {0x0084, "conv.ovf.i4.un", O::none, 1, 1, F::next},
    {0x0085, "conv.ovf.i8.un", O::none, 1, 1, F::next},
    {0x0086, "conv.ovf.u1.un", O::none, 1, 1, F::next},
    {0x0087, "conv.ovf.u2.un", O::none, 1, 1, F::next},
    {0x0088, "conv.ovf.u4.un", O::none, 1, 1, F::next},
    {0x0089, "conv.ovf.u8.un", O::none, 1, 1, F::next},
    {0x008A, "conv.ovf.i.un", O::none, 1, 1, F::next},
    {0x008B, "conv.ovf.u.un", O::none, 1, 1, F::next},
    {0x008C, "box", O::type, 1, 1, F::next},
    {0x008D, "newarr", O::type, 1, 1, F::next},
    {0x008E, "ldlen", O::none, 1, 1, F::next},
    {0x008F, "ldelema", O::type, 2, 1, F::next},
    {0x0090, "ldelem.i1", O::none, 2, 1, F::next},
    {0x0091, "ldelem.u1", O::none, 2, 1, F::next},
    {0x0092, "ldelem.i2", O::none, 2, 1, F::next},
    {0x0093, "ldelem.u2", O::none, 2, 1, F::next},
    {0x0094, "ldelem.i4", O::none, 2, 1, F::next},
    {0x0095, "ldelem.u4", O::none, 2, 1, F::next},
    {0x0096, "ldelem.i8", O::none, 2, 1, F::next},
    {0x0097, "ldelem.i", O::none, 2, 1, F::next},
    {0x0098, "ldelem.r4", O::none, 2, 1, F::next},
    {0x0099, "ldelem.r8", O::none, 2, 1, F::next},
    {0x009A, "ldelem.ref", O::none, 2, 1, F::next},
    {0x009B, "stelem.i", O::none, 3, 0, F::next},
    {0x009C, "stelem.i1", O::none, 3, 0, F::next},
    {0x009D, "stelem.i2", O::none, 3, 0, F::next},
    {0x009E, "stelem.i4", O::none, 3, 0, F::next},
    {0x009F, "stelem.i8", O::none, 3, 0, F::next},
    {0x00A0, "stelem.r4", O::none, 3, 0, F::next},
    {0x00A1, "stelem.r8", O::none, 3, 0, F::next},
    {0x00A2, "stelem.ref", O::none, 3, 0, F::next},
    {0x00A3, "ldelem", O::type, 2, 1, F::next},
    {0x00A4, "stelem", O::type, 3, 0, F::next},
    {0x00A5, "unbox.any", O::type, 1, 1, F::next},
    {0x00B3, "conv.ovf.i1", O::none, 1, 1, F::next},
    {0x00B4, "conv.ovf.u1", O::none, 1, 1, F::next},
    {0x00B5, "conv.ovf.i2", O::none, 1, 1, F::next},
    {0x00B6, "conv.ovf.u2", O::none, 1, 1, F::next},
    {0x00B7, "conv.ovf.i4", O::none, 1, 1, F::next},
    {0x00B8, "conv.ovf.u4", O::none, 1, 1, F::next},
    {0x00B9, "conv.ovf.i8", O::none, 1, 1, F::next},
    {0x00BA, "conv.ovf.u8", O::none, 1, 1, F::next},
    {0x00C2, "refanyval", O::type, 1, 1, F::next},
    {0x00C3, "ckfinite", O::none, 1, 1, F::next},
    {0x00C6, "mkrefany", O::type, 1, 1, F::next},
    {0x00D0, "ldtoken", O::token, 0, 1, F::next},
    {0x00D1, "conv.u2", O::none, 1, 1, F::next},
    {0x00D2, "conv.u1", O::none, 1, 1, F::next},
    {0x00D3, "conv.i", O::none, 1, 1, F::next},
    {0x00D4, "conv.ovf.i", O::none, 1, 1, F::next},
    {0x00D5, "conv.ovf.u", O::none, 1, 1, F::next},
    {0x00D6, "add.ovf", O::none, 2, 1, F::next},
    {0x00D7, "add.ovf.un", O::none, 2, 1, F::next},
    {0x00D8, "mul.ovf", O::none, 2, 1, F::next},
    {0x00D9, "mul.ovf.un", O::none, 2, 1, F::next},
    {0x00DA, "sub.ovf", O::none, 2, 1, F::next},
    {0x00DB, "sub.ovf.un", O::none, 2, 1, F::next},
    {0x00DC, "endfinally", O::none, all, 0, F::return_},
    {0x00DD, "leave", O::branch, all, 0, F::branch},
    {0x00DE, "leave.s", O::short_branch, all, 0, F::branch},
    {0x00DF, "stind.i", O::none, 2, 0, F::next},
    {0x00E0, "conv.u", O::none, 1, 1, F::next},
    {0xFE00, "arglist", O::none, 0, 1, F::next},
    {0xFE01, "ceq", O::none, 2, 1, F::next},
    {0xFE02, "cgt", O::none, 2, 1, F::next},
    {0xFE03, "cgt.un", O::none, 2, 1, F::next},
    {0xFE04, "clt", O::none, 2, 1, F::next},
    {0xFE05, "clt.un", O::none, 2, 1, F::next},
    {0xFE06, "ldftn", O::method, 0, 1, F::next},
    {0xFE07, "ldvirtftn", O::method, 1, 1, F::next},
    {0xFE09, "ldarg", O::argument, 0, 1, F::next},
    {0xFE0A, "ldarga", O::argument, 0, 1, F::next},
    {0xFE0B, "starg", O::argument, 1, 0, F::next},
    {0xFE0C, "ldloc", O::local, 0, 1, F::next},
    {0xFE0D, "ldloca", O::local, 0, 1, F::next},
    {0xFE0E, "stloc", O::local, 1, 0, F::next},
    {0xFE0F, "localloc", O::none, 1, 1, F::next},
    {0xFE11, "endfilter", O::none, 1, 0, F::return_},
    {0xFE12, "unaligned.", O::u1, 0, 0, F::prefix},
    {0xFE13, "volatile.", O::none, 0, 0, F::prefix},
    {0xFE14, "tail.", O::none, 0, 0, F::prefix},
    {0xFE15, "initobj", O::type, 1, 0, F::next},
    {0xFE16, "constrained.", O::type, 0, 0, F::prefix},
    {0xFE17, "cpblk", O::none, 3, 0, F::next},
    {0xFE18, "initblk", O::none, 3, 0, F::next},
    {0xFE19, "no.", O::u1, 0, 0, F::prefix},
    {0xFE1A, "rethrow", O::none, 0, 0, F::throw_},
    {0xFE1C, "sizeof", O::type, 0, 1, F::next},
    {0xFE1D, "refanytype", O::none, 1, 1, F::next},
    {0xFE1E, "readonly.", O::none, 0, 0, F::prefix},
};
// clang-format on

/// Row number plus one by opcode: 256 one-byte opcodes, then 256 behind 0xFE. 0: undefined.
inline constexpr std::array<std::uint8_t, 512> index = [] {
    std::array<std::uint8_t, 512> result{};
    std::uint8_t number = 0;
    for (const Opcode& row : rows) {
        result[row.value > 0xFF ? 256 + (row.value & 0xFFU) : row.value] = ++number;
    }
    return result;
}();

/// Operand kinds by the same numbers: what a walk over code needs, dense.
inline constexpr std::array<OperandKind, 512> operands = [] {
    std::array<OperandKind, 512> result{};
    for (const Opcode& row : rows) {
        result[row.value > 0xFF ? 256 + (row.value & 0xFFU) : row.value] = row.operand;
    }
    return result;
}();

}  // namespace opcode_table

/// The opcode, or null when it is undefined. Two-byte ones are 0xFE00 and up.
constexpr const Opcode* find_opcode(std::uint16_t value) {
    if (value > 0xFF && value >> 8U != 0xFE) return nullptr;
    const std::uint8_t row =
        opcode_table::index[value > 0xFF ? 256 + (value & 0xFFU) : std::size_t{value}];
    return row == 0 ? nullptr : &opcode_table::rows[row - 1];
}

}  // namespace clrkit::cil
