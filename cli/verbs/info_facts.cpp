// Gathering what `info` says. Nothing here reads more of a file than headers and a few rows.
#include "verbs/info_facts.h"

#include "frame/text.h"

#include <clrkit/core/pe/certificates.h>
#include <clrkit/dotnet/attributes/assembly_attribute.h>
#include <clrkit/dotnet/module/ready_to_run.h>
#include <clrkit/dotnet/module/signature.h>
#include <clrkit/dotnet/strong_name/openssl_crypto.h>
#include <clrkit/dotnet/strong_name/public_key.h>

#include <fmt/format.h>

#include <array>
#include <ctime>

namespace clrkit::cli {
namespace {

std::string_view machine_name(std::uint16_t machine) {
    switch (machine) {
        case 0x14C: return "x86";
        case 0x1C0:
        case 0x1C4: return "ARM";
        case 0x200: return "Itanium";
        case 0x8664: return "x64";
        case 0xAA64: return "ARM64";
        case 0x6264: return "LoongArch64";
        case 0x5064: return "RISC-V 64";
        default: return {};
    }
}

/// The operating system that native code was made for, by the number that marks the machine;
/// nothing for Windows, which leaves no mark.
std::string_view system_name(std::uint16_t mark) {
    switch (mark) {
        case 0x7B79: return "linux";
        case 0x4644: return "apple";
        case 0xADC4: return "freebsd";
        case 0x1993: return "netbsd";
        case 0x1992: return "sunos";
        default: return {};
    }
}

/// Which processors the image is for. I386 with PE32 stands for any of them, unless a flag or native
/// code says otherwise.
void gather_platform(const Module& module, Facts& facts) {
    namespace flags = pe::clr_flags;
    const pe::CoffHeader& coff = module.image().coff();
    facts.machine = coff.machine;
    facts.large_addresses = (coff.characteristics & pe::characteristics::large_address_aware) != 0;
    const std::uint16_t processor = processor_of(facts.machine);
    facts.system = system_name(facts.machine ^ processor);
    const std::uint32_t clr = module.container().clr_flags();
    const bool required = (clr & flags::required_32bit) != 0;
    const bool preferred = (clr & flags::preferred_32bit) != 0;
    const bool any = processor == 0x14C && facts.system.empty() && !module.image().is_pe32_plus() &&
                     (clr & flags::il_only) != 0;
    if (any && required && preferred) {
        facts.platform = "AnyCPU, 32-bit preferred";
    } else if (any && !required && !module.container().has_native_code()) {
        facts.platform = "AnyCPU";
    } else if (const std::string_view name = machine_name(processor); !name.empty()) {
        facts.platform = name;
    } else {
        facts.platform = fmt::format("machine 0x{:04X}", facts.machine);
    }
}

void gather_flags(const Module& module, Facts& facts) {
    struct Flag {
        std::uint32_t bit;
        std::string_view name;
    };
    // The names of corhdr.h, without their prefix.
    constexpr std::array names{
        Flag{pe::clr_flags::il_only, "ILONLY"},
        Flag{pe::clr_flags::required_32bit, "32BITREQUIRED"},
        Flag{pe::clr_flags::il_library, "IL_LIBRARY"},
        Flag{pe::clr_flags::strong_name_signed, "STRONGNAMESIGNED"},
        Flag{pe::clr_flags::native_entry_point, "NATIVE_ENTRYPOINT"},
        Flag{pe::clr_flags::track_debug_data, "TRACKDEBUGDATA"},
        Flag{pe::clr_flags::preferred_32bit, "32BITPREFERRED"},
    };
    for (const Flag& flag : names) {
        if ((module.container().clr_flags() & flag.bit) != 0) facts.flags.push_back(flag.name);
    }
}

void gather_native_code(const Module& module, Facts& facts) {
    if (const auto header = ready_to_run_header(module.container())) {
        facts.ready_to_run = true;
        facts.native_code =
            fmt::format("ReadyToRun {}.{}", header->major_version, header->minor_version);
    } else if (module.container().has_native_code()) {
        facts.native_code = "a native header that is not ReadyToRun";
    } else if ((module.container().clr_flags() & pe::clr_flags::il_only) == 0) {
        facts.mixed_mode = true;
        facts.native_code = "mixed mode";
    }
}

std::string method_name(const Module& module, std::uint32_t rid) {
    const std::string_view name = module.method(rid).name();
    for (const TypeDef type : module.types()) {
        const RowRange methods =
            module.metadata().list(Table::TypeDef, type.rid, col::TypeDef::MethodList);
        if (rid < methods.first || rid >= methods.end) continue;
        std::string out;
        if (!type.name_space().empty()) out = std::string(type.name_space()) + '.';
        return out + std::string(type.name()) + "::" + std::string(name);
    }
    return std::string(name);
}

void gather_entry_point(const Module& module, Facts& facts) {
    facts.entry_point = module.container().clr.entry_point;
    facts.entry_point_is_rva =
        (module.container().clr_flags() & pe::clr_flags::native_entry_point) != 0;
    const Token token(facts.entry_point);
    if (facts.entry_point_is_rva || !module.metadata().tables().has(token)) return;
    if (token.table() == Table::MethodDef)
        facts.entry_point_name = method_name(module, token.rid());
    if (token.table() == Table::File) {
        facts.entry_point_name =
            module.metadata().string(Table::File, token.rid(), col::File::Name);
    }
}

std::string_view form_of(const Module& module) {
    constexpr std::uint16_t subsystem_windows = 2;
    if ((module.image().coff().characteristics & pe::characteristics::dll) != 0) return "library";
    return module.image().optional_middle().subsystem == subsystem_windows ? "window program"
                                                                           : "console program";
}

/// The state, without a look at whether a signature holds: that takes a hash of the file.
std::string strong_name_of(const Module& module) {
    const auto signature = check_signature(module.container(), module.metadata(), nullptr);
    if (!signature) return "unreadable: " + render(signature.error());
    if (signature->state == strong_name::SignatureState::unchecked) return "signed";
    return strong_name::name_of(signature->state);
}

std::string token_of_key(ByteSpan key) {
    if (key.empty()) return {};
    const auto token = strong_name::public_key_token(key, openssl_crypto());
    return token ? hex(*token) : std::string{};
}

}  // namespace

Facts gather(const Module& module) {
    Facts facts;
    const Metadata& metadata = module.metadata();
    if (module.has_assembly()) {
        facts.assembly =
            Identity{module.assembly_name(), module.assembly_version(),
                     metadata.string(Table::Assembly, 1, col::Assembly::Culture),
                     token_of_key(metadata.blob(Table::Assembly, 1, col::Assembly::PublicKey)),
                     metadata.cell(Table::Assembly, 1, col::Assembly::Flags)};
    }
    facts.form = form_of(module);
    facts.reference_assembly = !assembly_attribute(metadata, "System.Runtime.CompilerServices",
                                                   "ReferenceAssemblyAttribute")
                                    .empty();
    facts.target_framework = module.target_framework();
    gather_platform(module, facts);
    gather_flags(module, facts);
    gather_native_code(module, facts);
    gather_entry_point(module, facts);
    facts.strong_name = strong_name_of(module);
    facts.debug = pe::DebugDirectory::read(module.image());
    facts.reproducible = facts.debug.find(pe::DebugType::reproducible) != nullptr;
    const pe::Certificates certificates = pe::Certificates::read(module.image());
    facts.certificates = certificates.entries.size();
    facts.certificate_bytes = certificates.table.size;
    return facts;
}

Identity reference_identity(const Module& module, std::uint32_t rid) {
    constexpr std::uint32_t has_full_key = 1;
    const Metadata& metadata = module.metadata();
    const auto part = [&](unsigned column) {
        return static_cast<std::uint16_t>(metadata.cell(Table::AssemblyRef, rid, column));
    };
    Identity identity;
    identity.name = metadata.string(Table::AssemblyRef, rid, col::AssemblyRef::Name);
    identity.version = {part(col::AssemblyRef::MajorVersion), part(col::AssemblyRef::MinorVersion),
                        part(col::AssemblyRef::BuildNumber),
                        part(col::AssemblyRef::RevisionNumber)};
    identity.culture = metadata.string(Table::AssemblyRef, rid, col::AssemblyRef::Culture);
    identity.flags = metadata.cell(Table::AssemblyRef, rid, col::AssemblyRef::Flags);
    const ByteSpan key = metadata.blob(Table::AssemblyRef, rid, col::AssemblyRef::PublicKeyOrToken);
    identity.public_key_token = (identity.flags & has_full_key) != 0 ? token_of_key(key) : hex(key);
    return identity;
}

std::string text_of(const Version& version) {
    return fmt::format("{}.{}.{}.{}", version.major, version.minor, version.build,
                       version.revision);
}

std::string text_of(const Identity& identity) {
    return fmt::format("{}, Version={}, Culture={}, PublicKeyToken={}", shown(identity.name),
                       text_of(identity.version),
                       identity.culture.empty() ? "neutral" : shown(identity.culture),
                       identity.public_key_token.empty() ? "null" : identity.public_key_token);
}

std::string time_text(std::uint32_t seconds) {
    const std::time_t time = seconds;
    std::tm parts{};
    gmtime_r(&time, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

}  // namespace clrkit::cli
