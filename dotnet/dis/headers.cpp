// What the text says of the file: comments with the assembler's options for what has no directive, and
// the directives (ECMA-335 II.6, II.25).
#include <clrkit/core/pe/headers.h>
#include <clrkit/dotnet/dis/parts.h>

#include <array>

namespace clrkit::dis {
namespace {

constexpr std::uint16_t machine_i386 = 0x014C;
constexpr std::uint16_t machine_amd64 = 0x8664;
constexpr std::uint16_t machine_arm = 0x01C4;
constexpr std::uint16_t machine_arm64 = 0xAA64;
constexpr std::uint16_t is_dll = 0x2000;
constexpr std::uint16_t high_entropy = 0x0020;
constexpr std::uint32_t flag_interface = 0x20;

std::string machine_option(IlSource& source, const pe::Headers& headers) {
    switch (const std::uint16_t machine = headers.coff.machine) {
        case machine_i386:
            if (headers.is_pe32_plus()) source.gap(GapKind::machine, {});
            return "";
        case machine_amd64: return " -x64";
        case machine_arm: return " -arm";
        case machine_arm64: return " -arm64";
        default:
            (void)machine;
            source.gap(GapKind::machine, {});
            return headers.is_pe32_plus() ? " -x64" : "";
    }
}

bool name_is(const IlSource& source, Token row, unsigned column, std::string_view name) {
    return source.metadata.strings().equals(source.metadata.cell(row.table(), row.rid(), column),
                                            name);
}

/// Types without a base that the assembler would give one.
bool has_baseless_type(const IlSource& source) {
    const std::uint32_t count = source.metadata.rows(Table::TypeDef);
    for (std::uint32_t rid = 2; rid <= count; ++rid) {
        const TypeDef type = source.module.type(rid);
        if (type.extends().rid() != 0 || (type.flags() & flag_interface) != 0) continue;
        if (!name_is(source, type.token(), col::TypeDef::TypeName, "Object") ||
            !name_is(source, type.token(), col::TypeDef::TypeNamespace, "System")) {
            return true;
        }
    }
    return false;
}

/// mono's assembler has options for little, and writes the rest as it likes.
void print_mono_options(IlSource& source, const pe::Headers& headers) {
    if (headers.coff.machine != machine_i386 || headers.is_pe32_plus()) {
        source.gap(GapKind::machine, {});
    }
    std::string& line = source.text.begin_line();
    line += "// Assemble with: ilasm";
    line += (headers.coff.characteristics & is_dll) != 0 ? " /dll" : " /exe";
    if (has_baseless_type(source)) line += " /noautoinherit";
    source.text.end_line();
}

void print_options(IlSource& source, const pe::Headers& headers) {
    std::string& line = source.text.begin_line();
    line += "// Assemble with: ilasm";
    if ((headers.coff.characteristics & is_dll) != 0) line += " -dll";
    line += machine_option(source, headers);
    if ((headers.middle.dll_characteristics & high_entropy) != 0 && headers.is_pe32_plus()) {
        line += " -highentropyva";
    }
    const std::string_view version = source.metadata.root().version();
    const bool blank = version.find(' ') != std::string_view::npos;
    line += blank ? " \"-mdv=" : " -mdv=";
    for (const char c : version) {
        if (c >= 0x20 && c < 0x7F) line += c;
    }
    if (blank) line += '"';
    const TableStreamHeader& tables = source.metadata.tables().header();
    if (tables.major_version != 2 || tables.minor_version != 0) {
        line += " -msv=";
        append_number(line, unsigned{tables.major_version});
        line += '.';
        append_number(line, unsigned{tables.minor_version});
    }
    line += " -ssver=";
    append_number(line, std::uint16_t{headers.middle.major_subsystem_version});
    line += '.';
    append_number(line, std::uint16_t{headers.middle.minor_subsystem_version});
    if (has_baseless_type(source)) line += " -noautoinherit";
    source.text.end_line();
}

/// The assembly in which the assembler looks for System.Object and its like; 0 where it would add a
/// reference of its own.
std::uint32_t base_assembly(const IlSource& source) {
    for (const std::string_view name :
         {"System.Private.CoreLib", "System.Runtime", "mscorlib", "netstandard"}) {
        for (std::uint32_t rid = 1; rid <= source.metadata.rows(Table::AssemblyRef); ++rid) {
            if (name_is(source, Token(Table::AssemblyRef, rid), col::AssemblyRef::Name, name)) {
                return rid;
            }
        }
    }
    return 0;
}

constexpr std::array<std::string_view, 4> core_types{"Object", "String", "ValueType", "Enum"};

/// Says which assembly is the core library where the assembler would look in another one: it takes
/// all of the core types, whatever their scope, from one place.
void print_core_library(IlSource& source) {
    const Token base(Table::AssemblyRef, base_assembly(source));
    bool elsewhere = false;
    std::array<Token, core_types.size()> found{};
    const auto look = [&](Token type, Token scope, unsigned name, unsigned name_space) {
        if (!name_is(source, type, name_space, "System")) return;
        for (std::size_t i = 0; i < core_types.size(); ++i) {
            if (!name_is(source, type, name, core_types[i])) continue;
            if (found[i] != Token() && found[i] != scope) {
                source.gap(GapKind::core_type_elsewhere, type);
            }
            found[i] = scope;
            elsewhere = elsewhere || scope != base;
        }
    };
    for (std::uint32_t rid = 1; rid <= source.metadata.rows(Table::TypeRef); ++rid) {
        const Token scope =
            source.metadata.token(Table::TypeRef, rid, col::TypeRef::ResolutionScope);
        if (scope.table() == Table::TypeRef) continue;
        look(Token(Table::TypeRef, rid), scope, col::TypeRef::TypeName,
             col::TypeRef::TypeNamespace);
    }
    const std::uint32_t own = source.metadata.rows(Table::TypeDef);
    for (std::uint32_t rid = 1; rid <= own; ++rid) {
        if (source.indexes.encloser(rid) != 0) continue;
        look(Token(Table::TypeDef, rid), Token(Table::Module, 1), col::TypeDef::TypeName,
             col::TypeDef::TypeNamespace);
    }
    if (elsewhere) source.text.line(".mscorlib");
}

}  // namespace

void print_heading(IlSource& source) {
    const pe::Headers headers = pe::Headers::read(source.module.image());
    std::string& name = source.text.begin_line();
    name += "// ";
    append_string(name, source.module.name());
    source.text.end_line();
    if (source.for_mono()) {
        print_mono_options(source, headers);
    } else {
        print_options(source, headers);
    }
    source.text.empty_line();
    // mono's assembler takes the core types from where the text says.
    if (!source.for_mono()) print_core_library(source);
}

void print_pe_values(IlSource& source) {
    const pe::Headers headers = pe::Headers::read(source.module.image());
    const auto& clr = source.module.container().clr;
    const auto print = [&](const char* word, std::uint64_t value, unsigned digits) {
        std::string& line = source.text.begin_line();
        line += word;
        append_hex(line, value, digits);
        source.text.end_line();
    };
    print(".imagebase 0x", headers.image_base, headers.is_pe32_plus() ? 16 : 8);
    print(".file alignment 0x", headers.middle.file_alignment, 8);
    print(".stackreserve 0x", headers.size_of_stack_reserve, 8);
    print(".subsystem 0x", headers.middle.subsystem, 4);
    print(".corflags 0x", clr.flags, 8);
    const bool native_entry = (clr.flags & pe::clr_flags::native_entry_point) != 0;
    if ((clr.flags & pe::clr_flags::il_only) == 0 || native_entry || clr.vtable_fixups.size != 0 ||
        clr.export_address_table_jumps.size != 0 || clr.managed_native_header.size != 0) {
        source.gap(GapKind::native_parts, {});
    }
    constexpr std::uint32_t written = pe::clr_flags::il_only;
    if (source.for_mono()) {
        if ((clr.flags & ~pe::clr_flags::strong_name_signed) != written) {
            source.gap(GapKind::clr_flags, {});
        }
        if (source.metadata.root().version() != "v4.0.30319") {
            source.gap(GapKind::runtime_version, {});
        }
        return;
    }
    if (clr.major_runtime_version != 2 || clr.minor_runtime_version != 5) {
        source.gap(GapKind::runtime_version, {});
    }
    const Token entry{clr.entry_point};
    const bool nameable = entry.table() == Table::MethodDef || entry.table() == Table::File;
    if (!native_entry && entry.value() != 0 &&
        (!nameable || !source.metadata.tables().has(entry))) {
        source.gap(GapKind::entry_point, entry);
    }
}

}  // namespace clrkit::dis
