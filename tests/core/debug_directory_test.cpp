#include "core/pe_sample.h"

#include <clrkit/core/pe/debug_directory.h>

using namespace clrkit;
using namespace clrkit::test;
using pe::DebugDirectory;
using pe::DebugType;

namespace {

constexpr std::uint32_t data_at = 0x100;  // of the first entry's data, from the start of the part

Bytes code_view_data() {
    Bytes out = bytes_of("RSDS0123456789abcdef");
    append(out, words({7}));
    append(out, text0("a.pdb"));
    return out;
}

Bytes entry(DebugType type, std::uint32_t size, std::uint32_t rva, std::uint32_t pointer) {
    return words({0, 0x5A5A5A5A, 0x00010100, static_cast<std::uint32_t>(type), size, rva, pointer});
}

/// The entries, then at `data_at` the data.
PeSpec debugging(const Bytes& entries, const Bytes& data) {
    Bytes part = entries;
    part.resize(data_at);
    append(part, data);
    PeSpec spec = pe_with(pe::Directory::debug, part);
    spec.directories[6].size = static_cast<std::uint32_t>(entries.size());
    return spec;
}

std::uint32_t size_of(const Bytes& bytes) { return static_cast<std::uint32_t>(bytes.size()); }

std::string_view text_of(ByteSpan bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

TEST_CASE("debug directory: CodeView is read and re-emitted") {
    const Bytes data = code_view_data();
    const Sample sample(debugging(
        entry(DebugType::code_view, size_of(data), part_rva + data_at, part_offset + data_at),
        data));
    Diagnostics diagnostics;
    const DebugDirectory debug = DebugDirectory::read(sample.image, &diagnostics);
    CHECK(diagnostics.empty());
    REQUIRE(debug.complete);
    REQUIRE(debug.entries.size() == 1);
    CHECK(debug.entries[0].range == pe::FileRange{part_offset + data_at, data.size()});
    const auto view = code_view(debug.entries[0]);
    REQUIRE(view);
    CHECK(text_of(view->guid) == "0123456789abcdef");
    CHECK(view->age == 7);
    CHECK(text_of(view->path) == "a.pdb");
    CHECK(!pdb_checksum(debug.entries[0]));
    CHECK(!embedded_pdb(debug.entries[0]));
    check_reemits(sample.file, debug, pe::claim_debug_directory);
}

TEST_CASE("debug directory: a checksum, an embedded PDB and an entry without data") {
    const Bytes checksum = joined({text0("SHA256"), bytes_of("hash")});
    const Bytes embedded = joined({bytes_of("MPDB"), words({1234}), bytes_of("deflated")});
    const std::uint32_t second = data_at + size_of(checksum);
    const Sample sample(debugging(
        joined({entry(DebugType::pdb_checksum, size_of(checksum), 0, part_offset + data_at),
                entry(DebugType::embedded_portable_pdb, size_of(embedded), part_rva + second,
                      part_offset + second),
                entry(DebugType::reproducible, 0, 0, 0)}),
        joined({checksum, embedded})));
    const DebugDirectory debug = DebugDirectory::read(sample.image);
    REQUIRE(debug.complete);
    const auto sum = pdb_checksum(*debug.find(DebugType::pdb_checksum));
    REQUIRE(sum);
    CHECK(sum->algorithm == "SHA256");
    CHECK(text_of(sum->checksum) == "hash");
    const auto pdb = embedded_pdb(*debug.find(DebugType::embedded_portable_pdb));
    REQUIRE(pdb);
    CHECK(pdb->uncompressed_size == 1234);
    CHECK(text_of(pdb->deflated) == "deflated");
    REQUIRE(debug.find(DebugType::reproducible) != nullptr);
    CHECK(debug.find(DebugType::reproducible)->range.empty());
    CHECK(debug.find(DebugType::coff) == nullptr);
    check_reemits(sample.file, debug, pe::claim_debug_directory);
}

TEST_CASE("debug directory: data too short for its kind is no view") {
    for (std::uint32_t size = 1; size < 24; ++size) {
        const Sample sample(debugging(entry(DebugType::code_view, size, 0, part_offset + data_at),
                                      code_view_data()));
        CHECK(!code_view(DebugDirectory::read(sample.image).entries[0]));
    }
    const Sample no_nul(
        debugging(entry(DebugType::pdb_checksum, 6, 0, part_offset + data_at), bytes_of("SHA256")));
    CHECK(!pdb_checksum(DebugDirectory::read(no_nul.image).entries[0]));
    const Sample no_size(
        debugging(entry(DebugType::embedded_portable_pdb, 7, 0, part_offset + data_at),
                  bytes_of("MPDB\1\2\3")));
    CHECK(!embedded_pdb(DebugDirectory::read(no_size.image).entries[0]));
}

TEST_CASE("PE-32 the debug directory lies outside the file: reported, nothing read") {
    PeSpec spec = debugging(entry(DebugType::reproducible, 0, 0, 0), {});
    spec.directories[6].rva = 0x70000000;
    const Sample sample(spec);
    Diagnostics diagnostics;
    const DebugDirectory debug = DebugDirectory::read(sample.image, &diagnostics);
    CHECK(debug.entries.empty());
    CHECK(!debug.complete);
    CHECK(diagnostics.count(ErrorCode::pe_directory_outside) == 1);
    check_reemits(sample.file, debug, pe::claim_debug_directory);
}

TEST_CASE("PE-32 the debug directory's size is 0xFFFFFFFF: its real entries are read") {
    const Bytes data = code_view_data();
    PeSpec spec =
        debugging(joined({entry(DebugType::code_view, size_of(data), 0, part_offset + data_at),
                          entry(DebugType::reproducible, 0, 0, 0)}),
                  data);
    spec.directories[6].size = 0xFFFFFFFF;
    const Sample sample(spec);
    Diagnostics diagnostics;
    const DebugDirectory debug = DebugDirectory::read(sample.image, &diagnostics);
    CHECK(debug.entries.size() == 2);
    CHECK(!debug.complete);
    CHECK(diagnostics.total() == 1);
    check_reemits(sample.file, debug, pe::claim_debug_directory);
}

TEST_CASE("PE-32 the debug directory's size is no multiple of 28: whole entries are read") {
    PeSpec spec = debugging(entry(DebugType::reproducible, 0, 0, 0), {});
    spec.directories[6].size = 28 + 27;
    const Sample sample(spec);
    Diagnostics diagnostics;
    const DebugDirectory debug = DebugDirectory::read(sample.image, &diagnostics);
    CHECK(debug.entries.size() == 1);
    CHECK(diagnostics.count(ErrorCode::pe_bad_entry) == 1);
}

TEST_CASE("PE-33 the size of an entry's data is huge: reported, the entry stays") {
    for (const std::uint32_t size : {0x7FFFFFFFU, 0x80000000U, 0xFFFFFFFFU}) {
        const Sample sample(debugging(
            joined({entry(DebugType::code_view, size, part_rva + data_at, part_offset + data_at),
                    entry(DebugType::reproducible, 0, 0, 0)}),
            code_view_data()));
        Diagnostics diagnostics;
        const DebugDirectory debug = DebugDirectory::read(sample.image, &diagnostics);
        REQUIRE(debug.entries.size() == 2);
        CHECK(debug.entries[0].range.empty());
        CHECK(!code_view(debug.entries[0]));
        CHECK(!debug.complete);
        REQUIRE(diagnostics.total() == 1);
        CHECK(diagnostics.kept()[0].offset == part_offset);
        check_reemits(sample.file, debug, pe::claim_debug_directory);
    }
}

TEST_CASE("PE-33 only one of AddressOfRawData and PointerToRawData leads somewhere: it is taken") {
    const Bytes data = code_view_data();
    const std::uint32_t nowhere = 0x70000000;
    for (const auto& [rva, pointer] :
         std::initializer_list<std::pair<std::uint32_t, std::uint32_t>>{
             {0, part_offset + data_at},
             {part_rva + data_at, 0},
             {nowhere, part_offset + data_at},
             {part_rva + data_at, nowhere}}) {
        const Sample sample(
            debugging(entry(DebugType::code_view, size_of(data), rva, pointer), data));
        Diagnostics diagnostics;
        const DebugDirectory debug = DebugDirectory::read(sample.image, &diagnostics);
        CHECK(diagnostics.empty());
        CHECK(code_view(debug.entries[0]).has_value());
    }
}

TEST_CASE("debug directory: many entries that share large data end at the limit") {
    Bytes entries;
    for (int i = 0; i < 9; ++i) append(entries, entry(DebugType::pogo, 0x10000, 0, part_offset));
    const Sample sample(debugging(entries, Bytes(0x20000, 1)));
    Limits limits;
    limits.output_bytes = 0x50000;
    Diagnostics diagnostics;
    const DebugDirectory debug = DebugDirectory::read(sample.image, &diagnostics, limits);
    CHECK(debug.entries.size() == 5);
    CHECK(diagnostics.count(ErrorCode::limit_reached) == 1);
}
