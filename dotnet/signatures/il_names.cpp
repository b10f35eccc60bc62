// The assembler's words: ECMA-335 II.5.4, and what later assemblers added.
#include <clrkit/core/bytes/utf8.h>
#include <clrkit/dotnet/signatures/il_names.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace clrkit {
namespace {

// Of an instruction with dots the first part is enough: quotes that are not needed do no harm.
// clang-format off: as many as fit on a line; sorted
constexpr auto keywords = std::to_array<std::string_view>({
    "abstract", "add", "aggressiveinlining", "aggressiveoptimization", "algorithm", "alignment", "amd64",
    "and", "ansi", "any", "arglist", "arm", "arm64", "array", "as", "assembly", "assert", "async", "at",
    "auto", "autochar", "beforefieldinit", "beq", "bestfit", "bge", "bgt", "ble", "blob", "blob_object",
    "blt", "bne", "bool", "box", "br", "break", "brfalse", "brinst", "brnull", "brtrue", "brzero",
    "bstr", "byreflike", "bytearray", "byvalstr", "call", "callconv", "calli", "callmostderived",
    "callvirt", "carray", "castclass", "catch", "cdecl", "ceq", "cf", "cgt", "char", "charmaperror",
    "cil", "ckfinite", "class", "clsid", "clt", "codelabel", "compilercontrolled", "const", "constrained", "constraint",
    "conv", "cpblk", "cpobj", "currency", "custom", "date", "decimal", "default", "demand", "deny", "disablejitoptimizer",
    "div", "dup", "endfault", "endfilter", "endfinally", "endmac", "enablejittracking", "enum", "error", "explicit",
    "extends", "extern", "false", "famandassem", "family", "famorassem", "fastcall", "fault", "field",
    "filetime", "filter", "final", "finally", "fixed", "flags", "float", "float32", "float64",
    "forwarder", "forwardref", "fromunmanaged", "fullorigin", "handler", "hidebysig", "hresult", "idispatch",
    "iidparam", "il", "illegal", "implements", "implicitcom", "implicitres", "import", "in",
    "inheritcheck", "init", "initblk", "initobj", "initonly", "instance", "int", "int16", "int32",
    "int64", "int8", "interface", "internalcall", "is", "isinst", "iunknown", "jmp", "lasterr", "lateinit", "lcid",
    "ldarg", "ldarga", "ldc", "ldelem", "ldelema", "ldfld", "ldflda", "ldftn", "ldind", "ldlen", "ldloc",
    "ldloca", "ldnull", "ldobj", "ldsfld", "ldsflda", "ldstr", "ldtoken", "ldvirtftn", "leave", "legacy",
    "library", "linkcheck", "literal", "localloc", "lpstr", "lpstruct", "lptstr", "lpvoid", "lpwstr",
    "managed", "marshal", "mdtoken", "method", "mkrefany", "modopt", "modreq", "mul", "native", "neg",
    "nested", "newarr", "newobj", "newslot", "no", "noappdomain", "noinlining", "nomachine", "nomangle",
    "nometadata", "noncasdemand", "nooptimization", "noncasinheritance", "noncaslinkdemand", "nop", "noplatform",
    "noprocess", "not", "not_in_gc_heap", "notremotable", "notserialized", "null", "nullref", "object",
    "objectref", "off", "ole", "on", "opt", "optil", "or", "out", "permitonly", "pinned", "pinvokeimpl", "pop",
    "prefix1", "prefix2", "prefix3", "prefix4", "prefix5", "prefix6", "prefix7", "prefixref",
    "prejitdeny", "prejitgrant", "preservesig", "private", "privatescope", "property", "protected",
    "public", "readonly", "record", "refany", "refanytype", "refanyval", "rem", "reqmin", "reqopt",
    "reqrefuse", "reqsecobj", "request", "ret", "retainappdomain", "retargetable", "rethrow",
    "rtspecialname", "runtime", "safearray", "sealed", "sequential", "serializable", "shl", "shr",
    "sizeof", "special", "specialname", "starg", "static", "stdcall", "stelem", "stfld", "stind",
    "stloc", "stobj", "storage", "stored_object", "stream", "streamed_object", "strict", "string",
    "struct", "stsfld", "sub", "switch", "synchronized", "syschar", "sysstring", "tail", "tbstr",
    "thiscall", "throw", "tls", "to", "true", "type", "typedref", "uint", "uint16", "uint32", "uint64",
    "uint8", "unaligned", "unbox", "unicode", "unmanaged", "unmanagedexp", "unsigned", "unused",
    "userdefined", "value", "valuetype", "vararg", "variant", "vbbyrefstr", "vector", "virtual", "void", "volatile",
    "wchar", "winapi", "windowsruntime", "with", "x86", "xor",
});
// clang-format on

constexpr auto sorted_keywords = [] {
    auto sorted = keywords;
    std::ranges::sort(sorted);
    return sorted;
}();

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool begins_identifier(char c) { return is_letter(c) || c == '_' || c == '$' || c == '@'; }
bool continues_identifier(char c) {
    return begins_identifier(c) || c == '`' || c == '?' || (c >= '0' && c <= '9');
}

bool is_identifier(std::string_view word) {
    return !word.empty() && begins_identifier(word.front()) &&
           std::ranges::all_of(word, continues_identifier) && !is_il_keyword(word);
}

bool is_plain(std::string_view name) {
    for (;;) {
        const std::size_t dot = name.find('.');
        if (!is_identifier(name.substr(0, dot))) return false;
        if (dot == std::string_view::npos) return true;
        name.remove_prefix(dot + 1);
    }
}

/// Bytes of the printable character at the start of `text`; 0 when what is there has to be escaped.
std::size_t printable(std::string_view text) {
    std::uint32_t code = 0;
    const std::size_t size = utf8_character(text, code);
    if (size == 1) return code >= 0x20 && code != 0x7F ? 1 : 0;
    // C1 controls, and what ends or turns around a line.
    const bool acts = code < 0xA0 || (code >= 0x200E && code <= 0x200F) ||
                      (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    return acts ? 0 : size;
}

void append_escaped(std::string& to, char c) {
    const auto byte = static_cast<std::uint8_t>(c);
    switch (c) {
        case '\n': to += "\\n"; return;
        case '\r': to += "\\r"; return;
        case '\t': to += "\\t"; return;
        default: break;
    }
    to += '\\';
    to += static_cast<char>('0' + (byte >> 6U));
    to += static_cast<char>('0' + (byte >> 3U & 7U));
    to += static_cast<char>('0' + (byte & 7U));
}

void append_quoted(std::string& to, std::string_view name) {
    to += '\'';
    while (!name.empty()) {
        if (name.front() == '\'' || name.front() == '\\') to += '\\';
        const std::size_t size = printable(name);
        if (size == 0) {
            append_escaped(to, name.front());
        } else {
            to += name.substr(0, size);
        }
        name.remove_prefix(std::max<std::size_t>(size, 1));
    }
    to += '\'';
}

}  // namespace

bool is_il_keyword(std::string_view word) {
    return std::ranges::binary_search(sorted_keywords, word);
}

void append_il_name(std::string& to, std::string_view name) {
    if (is_plain(name)) {
        to += name;
    } else {
        append_quoted(to, name);
    }
}

void append_il_identifier(std::string& to, std::string_view name) {
    if (is_identifier(name)) {
        to += name;
    } else {
        append_quoted(to, name);
    }
}

void append_il_method_name(std::string& to, std::string_view name) {
    if (name == ".ctor" || name == ".cctor") {
        to += name;
    } else {
        append_il_name(to, name);
    }
}

}  // namespace clrkit
