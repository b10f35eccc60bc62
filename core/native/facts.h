// What a native reader says of a PE file: the answer of clrkit-native, and its form on the wire.
// One line of JSON:
//
//     {"schema":1,"reader":"LIEF 0.9.0","machine":332,...,"sections":{"count":2,"items":[...]},...}
//     {"schema":1,"error":"not a PE file"}
//
// Text from the file is a string of bytes: the character U+00NN stands for the byte NN, so that
// nothing is lost and nothing is misread, whatever the encoding was.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clrkit::native {

/// Lists hold what fits the answer; the counts beside them count everything that the reader saw.
template <class Item>
struct Listed {
    std::uint64_t count = 0;
    std::vector<Item> items;
};

struct Directory {
    std::uint32_t rva = 0;
    std::uint32_t size = 0;
};

struct Section {
    std::string name;
    std::uint64_t rva = 0;
    std::uint32_t virtual_size = 0;
    std::uint32_t offset = 0;  // of the raw data, in the file
    std::uint32_t size = 0;    // of the raw data
    std::uint32_t characteristics = 0;
};

struct RichTool {
    std::uint16_t product = 0;
    std::uint16_t build = 0;
    std::uint32_t count = 0;  // of objects it made
};

struct RichHeader {
    std::uint32_t key = 0;
    Listed<RichTool> tools;
};

struct ImportedFunction {
    std::string name;  // empty: by ordinal
    std::uint16_t ordinal_or_hint = 0;
};

struct ImportedDll {
    std::string name;
    Listed<ImportedFunction> functions;
};

struct ExportedFunction {
    std::string name;
    std::uint32_t ordinal = 0;
    std::uint32_t rva = 0;   // 0 for a forwarded one
    bool forwarded = false;  // `name` may then be what it is forwarded to
};

struct Exports {
    std::string name;  // of the DLL, as it calls itself
    Listed<ExportedFunction> functions;
};

struct Tls {
    std::uint64_t data_begin = 0;  // virtual addresses, likewise the next three
    std::uint64_t data_end = 0;
    std::uint64_t index = 0;
    std::uint64_t callback_table = 0;
    Listed<std::uint64_t> callbacks;
};

struct LoadConfiguration {
    std::uint32_t size = 0;  // as it says of itself
    /// Its address; nothing for PE32+ where the reader keeps 32 bits of it (LIEF 0.9).
    std::optional<std::uint64_t> security_cookie;
};

struct DebugEntry {
    std::uint32_t type = 0;
    std::uint32_t time_stamp = 0;
    std::uint32_t size = 0;
    std::uint32_t rva = 0;
    std::uint32_t offset = 0;
};

struct Facts {
    std::string reader;  // "LIEF 0.9.0"
    std::uint32_t machine = 0;
    bool pe32_plus = false;
    std::uint32_t characteristics = 0;
    std::uint32_t time_stamp = 0;
    std::uint32_t entry_point = 0;  // RVA
    std::uint64_t image_base = 0;
    std::uint32_t section_alignment = 0;
    std::uint32_t file_alignment = 0;
    std::uint32_t size_of_image = 0;
    std::uint32_t size_of_headers = 0;
    std::uint32_t checksum = 0;
    std::uint32_t subsystem = 0;
    std::uint32_t dll_characteristics = 0;
    std::vector<Directory> directories;  // at most 16
    Listed<Section> sections;
    std::optional<RichHeader> rich;
    Listed<ImportedDll> imports;
    std::uint64_t imported_functions = 0;
    std::optional<Exports> exports;
    std::optional<Tls> tls;
    std::optional<LoadConfiguration> load_configuration;
    std::uint64_t relocation_blocks = 0;
    std::uint64_t relocations = 0;
    /// The certificate directory names a table; and the reader understood a signature in it.
    bool certificate = false;
    bool signature_parsed = false;
    /// LIEF 0.9 reads the first entry only.
    Listed<DebugEntry> debug;
};

/// The reader looked at the file and will not have it: why, in a few words.
struct Refused {
    std::string why;
};

/// Bytes an answer may have; the writer stops listing well before, the reader stops reading there.
inline constexpr std::size_t longest_answer = std::size_t{4} << 20U;

/// The answer as one line, newline included. Lists are cut so that it stays below `longest_answer`.
std::string to_json(const std::expected<Facts, Refused>& answer);

/// The answer back, or nothing when the text is not one: wrong syntax, a member missing or of
/// another type, a number out of range, a character above U+00FF. Takes any text.
std::optional<std::expected<Facts, Refused>> from_json(std::string_view text);

}  // namespace clrkit::native
