// One table of words for each table of flags.
#include <clrkit/dotnet/dis/flag_words.h>
#include <clrkit/dotnet/dis/il_text.h>

#include <algorithm>
#include <array>

namespace clrkit::dis {

std::uint32_t append_words(std::string& to, std::uint32_t flags, std::span<const FlagWord> words,
                           Dialect dialect) {
    std::uint32_t left = flags;
    for (const FlagWord& word : words) {
        if ((flags & word.mask) != word.value) continue;
        if (word.runtime_only && dialect == Dialect::mono) continue;
        left &= ~word.mask;
        if (word.word[0] == '\0') continue;
        to += word.word;
        to += ' ';
    }
    return left;
}

std::uint32_t append_flags(std::string& to, std::uint32_t flags, std::span<const FlagWord> words,
                           std::uint32_t computed, Dialect dialect) {
    const std::size_t start = to.size();
    const std::uint32_t left = append_words(to, flags, words, dialect) & ~computed;
    if (left == 0 || dialect == Dialect::mono) return left;
    // It sets all bits, so it says all there is.
    to.resize(start);
    to += "flags(0x";
    append_hex(to, flags & ~computed, 8);
    to += ") ";
    return 0;
}

namespace words {
namespace {

template <std::size_t... sizes>
consteval auto joined(const FlagWord (&... parts)[sizes]) {
    std::array<FlagWord, (sizes + ...)> all{};
    std::size_t at = 0;
    (std::ranges::for_each(parts, [&](const FlagWord& word) { all[at++] = word; }), ...);
    return all;
}

constexpr FlagWord nested_visibility[] = {
    {7, 2, "nested public"},   {7, 3, "nested private"},     {7, 4, "nested family"},
    {7, 5, "nested assembly"}, {7, 6, "nested famandassem"}, {7, 7, "nested famorassem"},
};

constexpr FlagWord member_access[] = {
    {7, 0, "privatescope"}, {7, 1, "private"},    {7, 2, "famandassem"}, {7, 3, "assembly"},
    {7, 4, "family"},       {7, 5, "famorassem"}, {7, 6, "public"},
};

constexpr FlagWord type_itself[] = {
    {0xA0, 0xA0, "interface abstract"},
    {0xA0, 0x80, "abstract"},
    {0xA0, 0x00, ""},
    {0x07, 0x00, "private"},
    {0x07, 0x01, "public"},
};
constexpr FlagWord type_layout[] = {
    {0x18, 0x00, "auto"},
    {0x18, 0x08, "sequential"},
    {0x18, 0x10, "explicit"},
    {0x30000, 0x00000, "ansi"},
    {0x30000, 0x10000, "unicode"},
    {0x30000, 0x20000, "autochar"},
    {0x100, 0x100, "sealed"},
    {0x400, 0x400, "specialname"},
    {0x800, 0x800, "rtspecialname"},
    {0x1000, 0x1000, "import"},
    {0x2000, 0x2000, "serializable"},
    {0x4000, 0x4000, "windowsruntime", true},
    {0x100000, 0x100000, "beforefieldinit"},
};

constexpr FlagWord field_itself[] = {
    {0x10, 0x10, "static"},        {0x20, 0x20, "initonly"},      {0x40, 0x40, "literal"},
    {0x80, 0x80, "notserialized"}, {0x200, 0x200, "specialname"}, {0x400, 0x400, "rtspecialname"},
};

constexpr FlagWord method_itself[] = {
    {0x80, 0x80, "hidebysig"},         {0x100, 0x100, "newslot"},     {0x800, 0x800, "specialname"},
    {0x1000, 0x1000, "rtspecialname"}, {0x10, 0x10, "static"},        {0x200, 0x200, "strict"},
    {0x400, 0x400, "abstract"},        {0x40, 0x40, "virtual"},       {0x20, 0x20, "final"},
    {0x8, 0x8, "unmanagedexp", true},  {0x8000, 0x8000, "reqsecobj"},
};

constexpr FlagWord of_implementation[] = {
    {3, 0, "cil"},
    {3, 1, "native"},
    {3, 2, "optil"},
    {3, 3, "runtime"},
    {4, 0, "managed"},
    {4, 4, "unmanaged"},
    {0x10, 0x10, "forwardref"},
    {0x80, 0x80, "preservesig"},
    {0x1000, 0x1000, "internalcall"},
    {0x20, 0x20, "synchronized"},
    {0x8, 0x8, "noinlining"},
    {0x100, 0x100, "aggressiveinlining"},
    {0x40, 0x40, "nooptimization"},
    {0x200, 0x200, "aggressiveoptimization", true},
};

constexpr FlagWord of_pinvoke[] = {
    {1, 1, "nomangle"},
    {6, 2, "ansi"},
    {6, 4, "unicode"},
    {6, 6, "autochar"},
    {0x40, 0x40, "lasterr"},
    {0x700, 0x100, "winapi"},
    {0x700, 0x200, "cdecl"},
    {0x700, 0x300, "stdcall"},
    {0x700, 0x400, "thiscall"},
    {0x700, 0x500, "fastcall"},
    {0x30, 0x10, "bestfit:on"},
    {0x30, 0x20, "bestfit:off"},
    {0x3000, 0x1000, "charmaperror:on"},
    {0x3000, 0x2000, "charmaperror:off"},
};

constexpr FlagWord of_generic_parameter[] = {
    {3, 1, "+"},         {3, 2, "-"},           {4, 4, "class"},
    {8, 8, "valuetype"}, {0x10, 0x10, ".ctor"}, {0x20, 0x20, "byreflike", true},
};

constexpr FlagWord exported_public[] = {{7, 1, "public"}};
constexpr FlagWord exported_forwarder[] = {{0x200000, 0x200000, "forwarder"}};

constexpr FlagWord of_assembly[] = {
    {0x100, 0x100, "retargetable"}, {0xE00, 0x200, "windowsruntime", true},
    {0x70, 0x10, "cil", true},      {0x70, 0x20, "x86", true},
    {0x70, 0x40, "amd64", true},    {0x70, 0x50, "arm", true},
    {0x70, 0x60, "arm64", true},    {0x70, 0x70, "noplatform", true},
};

constexpr auto of_type = joined(type_itself, nested_visibility, type_layout);
constexpr auto of_field = joined(member_access, field_itself);
constexpr auto of_method = joined(member_access, method_itself);
constexpr auto of_exported_type = joined(exported_public, nested_visibility, exported_forwarder);

}  // namespace

const std::span<const FlagWord> type = of_type;
const std::span<const FlagWord> field = of_field;
const std::span<const FlagWord> method = of_method;
const std::span<const FlagWord> implementation = of_implementation;
const std::span<const FlagWord> pinvoke = of_pinvoke;
const std::span<const FlagWord> generic_parameter = of_generic_parameter;
const std::span<const FlagWord> exported_type = of_exported_type;
const std::span<const FlagWord> assembly = of_assembly;

}  // namespace words
}  // namespace clrkit::dis
