#include "core/pe_sample.h"

#include <clrkit/core/pe/resources.h>

using namespace clrkit;
using namespace clrkit::test;
using pe::Resources;

namespace {

constexpr std::uint32_t directory_bit = 0x80000000;
constexpr std::uint32_t name_bit = 0x80000000;

/// The 16 bytes before a table's entries.
Bytes table_of(std::uint32_t named, std::uint32_t ids) {
    return words({0x11111111, 0x22222222, 0x00040003, ids << 16U | named});
}

// type 16 -> name "VS" -> language 0x409 -> "version!": three tables of one entry each at 0, 0x18
// and 0x30, the data entry at 0x48, the name at 0x58, the data at 0x60.
Bytes one_leaf() {
    return joined({table_of(0, 1),
                   words({16, directory_bit | 0x18}),
                   table_of(1, 0),
                   words({name_bit | 0x58, directory_bit | 0x30}),
                   table_of(0, 1),
                   words({0x409, 0x48}),
                   words({part_rva + 0x60, 8, 1252, 0x33333333}),
                   little_endian(2, 2),
                   bytes_of(std::string_view("V\0S\0", 4)),
                   {0, 0},
                   bytes_of("version!")});
}

PeSpec holding(const Bytes& tree) { return pe_with(pe::Directory::resource, tree); }

Resources read_bad(const Sample& sample, Diagnostics& diagnostics, const Limits& limits = {}) {
    const Resources tree = Resources::read(sample.image, &diagnostics, limits);
    CHECK(!tree.complete);
    CHECK(!diagnostics.empty());
    check_reemits(sample.file, tree, pe::claim_resources);
    return tree;
}

}  // namespace

TEST_CASE("Win32 resources: a tree is read, found and re-emitted, reserved fields too") {
    const Sample sample(holding(one_leaf()));
    Diagnostics diagnostics;
    const Resources tree = Resources::read(sample.image, &diagnostics);
    CHECK(diagnostics.empty());
    REQUIRE(tree.complete);
    CHECK(tree.directories.size() == 3);
    CHECK(tree.entries.size() == 3);
    CHECK(tree.names.size() == 1);
    REQUIRE(tree.leaves.size() == 1);
    CHECK(tree.leaves[0].range == pe::FileRange{part_offset + 0x60, 8});
    CHECK(tree.names[0].range() == pe::FileRange{part_offset + 0x58, 6});
    CHECK(tree.directories[2].depth == 2);
    std::vector<pe::Claim> claims;
    claim_resources(tree, claims);
    CHECK(claims.size() == 6);
    check_reemits(sample.file, tree, pe::claim_resources);
}

TEST_CASE("Win32 resources: a leaf is found by type, name and language") {
    const Sample sample(holding(one_leaf()));
    const Resources tree = Resources::read(sample.image);
    const pe::ResourceLeaf* leaf = tree.leaves.data();
    CHECK(tree.find(pe::resource_type::version) == leaf);
    CHECK(tree.find(16, std::u16string_view(u"VS")) == leaf);
    CHECK(tree.find(16, std::nullopt, 0x409) == leaf);
    CHECK(tree.find(pe::resource_type::manifest) == nullptr);
    CHECK(tree.find(16, 1) == nullptr);
    CHECK(tree.find(16, std::u16string_view(u"VSX")) == nullptr);
    CHECK(tree.find(16, std::nullopt, 0x407) == nullptr);
}

TEST_CASE("Win32 resources: nodes shared by several parents occur once") {
    // Types 16 and 24 lead to the same table.
    const Bytes tree_bytes =
        joined({table_of(0, 2), words({16, directory_bit | 0x20, 24, directory_bit | 0x20}),
                table_of(0, 2), words({1, 0x40, 2, 0x40}), words({part_rva + 0x50, 4, 0, 0}),
                bytes_of("data")});
    const Sample sample(holding(tree_bytes));
    Diagnostics diagnostics;
    const Resources tree = Resources::read(sample.image, &diagnostics);
    CHECK(diagnostics.empty());
    CHECK(tree.complete);
    CHECK(tree.directories.size() == 2);
    CHECK(tree.leaves.size() == 1);
    CHECK(tree.entries.size() == 4);
    CHECK(tree.entries[2].leaf == tree.entries[3].leaf);
    check_reemits(sample.file, tree, pe::claim_resources);
}

TEST_CASE("PE-34 the root of the resource tree contains itself: reported, the rest is read") {
    Bytes bytes = one_leaf();
    put(bytes, 0x2C, words({directory_bit}));  // the second level leads to the root
    const Sample sample(holding(bytes));
    Diagnostics diagnostics;
    const Resources tree = read_bad(sample, diagnostics);
    CHECK(tree.directories.size() == 2);
    CHECK(diagnostics.total() == 1);
    CHECK(diagnostics.kept()[0].offset == part_offset);
    CHECK(tree.find(16) == nullptr);
}

TEST_CASE("PE-34 a table deeper down contains itself: reported with its place") {
    Bytes bytes = one_leaf();
    put(bytes, 0x44, words({directory_bit | 0x18}));  // the third level leads to the second
    const Sample sample(holding(bytes));
    Diagnostics diagnostics;
    const Resources tree = read_bad(sample, diagnostics);
    CHECK(tree.directories.size() == 3);
    CHECK(diagnostics.kept()[0].offset == part_offset + 0x18);
    CHECK(tree.find(16) == nullptr);
}

TEST_CASE("PE-34 tables are nested by the thousand: the limit on depth ends it") {
    Bytes bytes;
    for (std::uint32_t i = 1; i <= 3000; ++i) {
        append(bytes, table_of(0, 1));
        append(bytes, words({1, directory_bit | i * 24}));
    }
    append(bytes, table_of(0, 0));
    const Sample sample(holding(bytes));
    Diagnostics diagnostics;
    const Resources tree = read_bad(sample, diagnostics);
    CHECK(tree.directories.size() == Limits{}.depth + 1);
    CHECK(diagnostics.count(ErrorCode::limit_reached) == 1);
}

TEST_CASE("PE-34 nesting within the limit is read whole") {
    Bytes bytes;
    for (std::uint32_t i = 1; i <= 100; ++i) {
        append(bytes, table_of(0, 1));
        append(bytes, words({1, directory_bit | i * 24}));
    }
    append(bytes, table_of(0, 0));
    const Sample sample(holding(bytes));
    const Resources tree = Resources::read(sample.image);
    CHECK(tree.complete);
    CHECK(tree.directories.size() == 101);
    check_reemits(sample.file, tree, pe::claim_resources);
}

TEST_CASE("PE-34 a table claims 0xFFFF entries of both kinds: those that fit are read") {
    Bytes bytes = one_leaf();
    put(bytes, 12, words({0xFFFFFFFF}));
    const Sample sample(holding(bytes));
    Diagnostics diagnostics;
    const Resources tree = read_bad(sample, diagnostics);
    CHECK(tree.entries.size() < 0x200);
    REQUIRE(tree.find(16) != nullptr);
    CHECK(tree.find(16)->header.size == 8);
}

TEST_CASE("PE-34 overlapping tables of many entries: the limit on nodes ends it") {
    // Every word is an entry that leads into a table one byte further on.
    Bytes bytes = table_of(0, 0xFFFF);
    for (std::uint32_t i = 0; i < 0x4000; ++i) append(bytes, words({i, directory_bit | (16 + i)}));
    const Sample sample(holding(bytes));
    Limits limits;
    limits.nodes = 20000;
    Diagnostics diagnostics;
    const Resources tree = read_bad(sample, diagnostics, limits);
    CHECK(tree.directories.size() + tree.entries.size() + tree.names.size() + tree.leaves.size() <=
          limits.nodes);
    CHECK(diagnostics.count(ErrorCode::limit_reached) == 1);
}

TEST_CASE("PE-35 the name of a resource lies outside the section: reported, the leaf is read") {
    Bytes bytes = one_leaf();
    put(bytes, 0x28, words({name_bit | 0x7000000}));
    const Sample sample(holding(bytes));
    Diagnostics diagnostics;
    const Resources tree = read_bad(sample, diagnostics);
    CHECK(tree.names.empty());
    CHECK(tree.entries[1].has_name());
    CHECK(tree.entries[1].name == pe::no_index);
    CHECK(diagnostics.kept()[0].offset == part_offset + 0x28);
    CHECK(tree.find(16) == tree.leaves.data());
}

TEST_CASE("PE-35 the name of a resource claims 0xFFFF units: reported, the leaf is read") {
    Bytes bytes = one_leaf();
    put(bytes, 0x58, little_endian(0xFFFF, 2));
    const Sample sample(holding(bytes));
    Diagnostics diagnostics;
    const Resources tree = read_bad(sample, diagnostics);
    CHECK(tree.names.empty());
    CHECK(tree.find(16) == tree.leaves.data());
}

TEST_CASE("PE-35 long names inside one another: the budget of bytes ends it") {
    Bytes bytes = table_of(0x400, 0);
    for (std::uint32_t i = 0; i < 0x400; ++i)
        append(bytes, words({name_bit | (0x3000 + i), 0x2010}));
    bytes.resize(0x3000);
    bytes.resize(0x6000, 0x10);  // each name has 0x1010 units
    const Sample sample(holding(bytes));
    Limits limits;
    limits.output_bytes = 0x20000;
    Diagnostics diagnostics;
    const Resources tree = read_bad(sample, diagnostics, limits);
    CHECK(tree.names.size() < 20);
    CHECK(diagnostics.count(ErrorCode::limit_reached) == 1);
}

TEST_CASE("PE-36 a leaf's data lies outside the image: reported, the leaf stays without data") {
    for (const auto& [rva, size] : std::initializer_list<std::pair<std::uint32_t, std::uint32_t>>{
             {0x70000000, 8}, {part_rva + 0x60, 0x7FFFFFFF}, {0xFFFFFFF8, 0x10}}) {
        Bytes bytes = one_leaf();
        put(bytes, 0x48, words({rva, size}));
        const Sample sample(holding(bytes));
        Diagnostics diagnostics;
        const Resources tree = read_bad(sample, diagnostics);
        REQUIRE(tree.leaves.size() == 1);
        CHECK(tree.leaves[0].data.empty());
        CHECK(tree.leaves[0].range.empty());
        CHECK(diagnostics.kept()[0].offset == part_offset + 0x48);
    }
}

TEST_CASE("PE-36 leaves and tables outside the section: each reported, none read") {
    Bytes bytes = one_leaf();
    put(bytes, 0x44, words({0x7000000}));
    const Sample leaf(holding(bytes));
    Diagnostics diagnostics;
    CHECK(read_bad(leaf, diagnostics).leaves.empty());
    put(bytes, 0x2C, words({directory_bit | 0x7000000}));
    const Sample table(holding(bytes));
    CHECK(read_bad(table, diagnostics).directories.size() == 2);
    CHECK(diagnostics.total() == 2);
}

TEST_CASE("PE-37 resources stand in a section of any name: read") {
    PeSpec spec = holding(one_leaf());
    spec.sections[1].name = bytes_of("whatever");
    const Sample sample(spec);
    CHECK(Resources::read(sample.image).complete);
    CHECK(Resources::read(sample.image).leaves.size() == 1);
}

TEST_CASE("PE-37 the resource directory has an RVA and size 0: read") {
    PeSpec spec = holding(one_leaf());
    spec.directories[2].size = 0;
    const Sample sample(spec);
    CHECK(Resources::read(sample.image).leaves.size() == 1);
}

TEST_CASE("PE-37 the resource directory lies outside the file: reported, nothing read") {
    PeSpec spec = holding(one_leaf());
    spec.directories[2].rva = 0x70000000;
    const Sample sample(spec);
    Diagnostics diagnostics;
    CHECK(read_bad(sample, diagnostics).empty());
    CHECK(diagnostics.count(ErrorCode::pe_directory_outside) == 1);
}
