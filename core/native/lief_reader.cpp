// The one file that includes LIEF, and the seams between its releases. 0.9 throws, and returns
// references to objects that may be empty; later ones return null pointers or results, renamed a few
// members and turned one debug entry into a list. Seams ask for the member, not for a version.
#include <clrkit/core/native/lief_reader.h>

#include <LIEF/version.h>
#include <LIEF/PE.hpp>
#include <LIEF/logging.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>

namespace clrkit::native {
namespace {

using LIEF::PE::Binary;

// More is counted, not listed: the answer would have no room for it.
constexpr std::size_t most_listed = 65536;
constexpr std::size_t longest_name = 1024;

/// The number behind LIEF's enumerations, whose types changed with every other release.
template <class Number, class Value>
Number number(Value value) {
    return static_cast<Number>(value);
}

/// An object that older releases return as a reference and later ones as a pointer.
template <class T>
const T* present(const T& object) {
    return &object;
}
template <class T>
const T* present(const T* object) {
    return object;
}

template <class Text>
std::string cut(const Text& name) {
    return std::string(name).substr(0, longest_name);
}

void silence() {
    // The logger was a class with static members once.
#if __has_include(<LIEF/logging++.hpp>)
    LIEF::Logger::disable();
#else
    LIEF::logging::disable();
#endif
}

std::string reader_name() {
    std::string version = LIEF_VERSION;  // "0.9.0-", "0.16.0-0123abcd"
    version.resize(std::min(version.find('-'), version.size()));
    return "LIEF " + version;
}

// ------------------------------------------------------------------------- what LIEF may not see

std::uint32_t le32_at(const std::vector<std::uint8_t>& file, std::size_t offset) {
    return file[offset] | static_cast<std::uint32_t>(file[offset + 1]) << 8U |
           static_cast<std::uint32_t>(file[offset + 2]) << 16U |
           static_cast<std::uint32_t>(file[offset + 3]) << 24U;
}

void zero(std::vector<std::uint8_t>& file, std::size_t offset, std::size_t size) {
    if (offset > file.size() || size > file.size() - offset) return;
    std::fill_n(file.begin() + static_cast<std::ptrdiff_t>(offset), size, std::uint8_t{0});
}

/// Takes out the ways to what LIEF 0.9 reads badly: a directory of Win32 resources nested deep
/// enough ends its stack, leaves and COFF names that many entries share end the memory. Only bytes
/// that are these fields: where the optional header is too short for the directory, section headers
/// stand in its place.
void hide_hazards(std::vector<std::uint8_t>& file) {
    constexpr std::size_t coff_size = 24;  // with the signature
    constexpr std::size_t symbols = 12;    // PointerToSymbolTable, NumberOfSymbols
    constexpr std::size_t optional_size = 20;
    constexpr std::size_t resources = 16;  // directory 2
    if (file.size() < 64) return;
    const std::size_t pe = le32_at(file, 60);
    if (pe > file.size() || file.size() - pe < coff_size + 2) return;
    zero(file, pe + symbols, 8);
    const std::uint32_t optional = le32_at(file, pe + optional_size) & 0xFFFFU;
    const bool plus = file[pe + coff_size] == 0x0B && file[pe + coff_size + 1] == 0x02;
    const std::size_t directory = (plus ? 112 : 96) + resources;
    if (optional >= directory + 8) zero(file, pe + coff_size + directory, 8);
}

// ---------------------------------------------------------------------------------------- headers

void read_headers(const Binary& binary, Facts& facts) {
    const auto& header = binary.header();
    facts.machine = number<std::uint32_t>(header.machine());
    facts.characteristics = number<std::uint32_t>(header.characteristics());
    facts.time_stamp = number<std::uint32_t>(header.time_date_stamp());
    const auto& optional = binary.optional_header();
    facts.pe32_plus = number<std::uint32_t>(optional.magic()) == 0x20B;
    facts.entry_point = number<std::uint32_t>(optional.addressof_entrypoint());
    facts.image_base = number<std::uint64_t>(optional.imagebase());
    facts.section_alignment = number<std::uint32_t>(optional.section_alignment());
    facts.file_alignment = number<std::uint32_t>(optional.file_alignment());
    facts.size_of_image = number<std::uint32_t>(optional.sizeof_image());
    facts.size_of_headers = number<std::uint32_t>(optional.sizeof_headers());
    facts.checksum = number<std::uint32_t>(optional.checksum());
    facts.subsystem = number<std::uint32_t>(optional.subsystem());
    facts.dll_characteristics = number<std::uint32_t>(optional.dll_characteristics());
}

/// As many as the optional header has room for: LIEF 0.9 always reads 16.
void read_directories(const Binary& binary, Facts& facts) {
    const std::size_t fixed = facts.pe32_plus ? 112 : 96;
    const auto size = number<std::size_t>(binary.header().sizeof_optional_header());
    const std::size_t room = size > fixed ? std::min<std::size_t>((size - fixed) / 8, 16) : 0;
    for (const auto& directory : binary.data_directories()) {
        if (facts.directories.size() == room) break;
        facts.directories.push_back(
            {number<std::uint32_t>(directory.RVA()), number<std::uint32_t>(directory.size())});
    }
    constexpr std::size_t certificates = 4;
    facts.certificate = facts.directories.size() > certificates &&
                        facts.directories[certificates].rva != 0 &&
                        facts.directories[certificates].size != 0;
}

template <class Image>
bool has_signature(const Image& binary) {
    if constexpr (requires { binary.has_signatures(); }) {
        return binary.has_signatures();
    } else {
        return binary.has_signature();
    }
}

void read_sections(const Binary& binary, Facts& facts) {
    for (const auto& section : binary.sections()) {
        ++facts.sections.count;
        if (facts.sections.items.size() == most_listed) continue;
        facts.sections.items.push_back({
            .name = cut(section.name()),
            .rva = number<std::uint64_t>(section.virtual_address()),
            .virtual_size = number<std::uint32_t>(section.virtual_size()),
            .offset = number<std::uint32_t>(section.pointerto_raw_data()),
            .size = number<std::uint32_t>(section.sizeof_raw_data()),
            .characteristics = number<std::uint32_t>(section.characteristics()),
        });
    }
}

template <class Image>
void read_rich(const Image& binary, Facts& facts) {
    if (!binary.has_rich_header()) return;
    const auto* rich = present(binary.rich_header());
    if (rich == nullptr) return;
    RichHeader& out = facts.rich.emplace();
    out.key = number<std::uint32_t>(rich->key());
    for (const auto& entry : rich->entries()) {
        // 0.9 takes the empty words in front of the tools for one more.
        if (entry.id() == 0 && entry.build_id() == 0 && entry.count() == 0) continue;
        ++out.tools.count;
        if (out.tools.items.size() == most_listed) continue;
        out.tools.items.push_back({number<std::uint16_t>(entry.id()),
                                   number<std::uint16_t>(entry.build_id()),
                                   number<std::uint32_t>(entry.count())});
    }
}

// ------------------------------------------------------------------------------ imports, exports

void read_imports(const Binary& binary, Facts& facts) {
    std::size_t listed = 0;
    for (const auto& dll : binary.imports()) {
        ++facts.imports.count;
        const bool list = facts.imports.items.size() < most_listed;
        ImportedDll out{list ? cut(dll.name()) : std::string{}, {}};
        for (const auto& function : dll.entries()) {
            ++out.functions.count;
            if (!list || listed == most_listed) continue;
            ++listed;
            if (function.is_ordinal()) {
                out.functions.items.push_back({{}, number<std::uint16_t>(function.ordinal())});
            } else {
                out.functions.items.push_back(
                    {cut(function.name()), number<std::uint16_t>(function.hint())});
            }
        }
        facts.imported_functions += out.functions.count;
        if (list) facts.imports.items.push_back(std::move(out));
    }
}

template <class Image>
void read_exports(const Image& binary, Facts& facts) {
    if (!binary.has_exports()) return;
    const auto* exports = present(binary.get_export());
    if (exports == nullptr) return;
    Exports& out = facts.exports.emplace();
    out.name = cut(exports->name());
    for (const auto& function : exports->entries()) {
        ++out.functions.count;
        if (out.functions.items.size() == most_listed) continue;
        out.functions.items.push_back(
            {cut(function.name()), number<std::uint32_t>(function.ordinal()),
             number<std::uint32_t>(function.address()), function.is_extern()});
    }
}

// ------------------------------------------------------------------------------- the other parts

template <class Image>
void read_tls(const Image& binary, Facts& facts) {
    if (!binary.has_tls()) return;
    const auto* tls = present(binary.tls());
    if (tls == nullptr) return;
    Tls& out = facts.tls.emplace();
    out.data_begin = tls->addressof_raw_data().first;
    out.data_end = tls->addressof_raw_data().second;
    out.index = tls->addressof_index();
    out.callback_table = tls->addressof_callbacks();
    const auto& callbacks = tls->callbacks();
    out.callbacks.count = callbacks.size();
    const std::size_t listed = std::min(callbacks.size(), most_listed);
    out.callbacks.items.assign(callbacks.begin(),
                               callbacks.begin() + static_cast<std::ptrdiff_t>(listed));
}

template <class Image>
void read_load_configuration(const Image& binary, Facts& facts) {
    if (!binary.has_configuration()) return;
    const auto* configuration = present(binary.load_configuration());
    if (configuration == nullptr) return;
    LoadConfiguration& out = facts.load_configuration.emplace();
    if constexpr (requires { configuration->size(); }) {
        out.size = number<std::uint32_t>(configuration->size());
    } else {
        out.size = number<std::uint32_t>(configuration->characteristics());
    }
    const auto cookie = configuration->security_cookie();
    if (sizeof cookie == 8 || !facts.pe32_plus) out.security_cookie = number<std::uint64_t>(cookie);
}

template <class Entry>
void read_debug_entry(const Entry& entry, Facts& facts) {
    ++facts.debug.count;
    if (facts.debug.items.size() == most_listed) return;
    facts.debug.items.push_back({number<std::uint32_t>(entry.type()),
                                 number<std::uint32_t>(entry.timestamp()),
                                 number<std::uint32_t>(entry.sizeof_data()),
                                 number<std::uint32_t>(entry.addressof_rawdata()),
                                 number<std::uint32_t>(entry.pointerto_rawdata())});
}

template <class Image>
void read_debug(const Image& binary, Facts& facts) {
    if (!binary.has_debug()) return;
    auto&& debug = binary.debug();
    if constexpr (requires { debug.begin(); }) {
        for (const auto& entry : debug) read_debug_entry(entry, facts);
    } else {
        read_debug_entry(debug, facts);
    }
}

void read_relocations(const Binary& binary, Facts& facts) {
    if (!binary.has_relocations()) return;
    for (const auto& block : binary.relocations()) {
        ++facts.relocation_blocks;
        facts.relocations += static_cast<std::uint64_t>(block.entries().size());
    }
}

}  // namespace

std::expected<Facts, Refused> read_with_lief(std::vector<std::uint8_t> file) {
    silence();
    hide_hazards(file);
    try {
        // Later releases take the file by value. NOLINTNEXTLINE(performance-move-const-arg)
        const std::unique_ptr<const Binary> binary = LIEF::PE::Parser::parse(std::move(file));
        if (binary == nullptr) return std::unexpected(Refused{"not a PE file"});
        Facts facts;
        facts.reader = reader_name();
        read_headers(*binary, facts);
        // 0.9 returns an empty binary where it cannot read the headers.
        if (binary->data_directories().size() == 0)
            return std::unexpected(Refused{"the headers are cut short"});
        read_directories(*binary, facts);
        facts.signature_parsed = has_signature(*binary);
        read_sections(*binary, facts);
        read_rich(*binary, facts);
        read_imports(*binary, facts);
        read_exports(*binary, facts);
        read_tls(*binary, facts);
        read_load_configuration(*binary, facts);
        read_debug(*binary, facts);
        read_relocations(*binary, facts);
        return facts;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        return std::unexpected(Refused{error.what()});
    }
}

}  // namespace clrkit::native
