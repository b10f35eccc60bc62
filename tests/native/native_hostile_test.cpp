// Files made to hurt LIEF 0.9: what can be hidden from it is, the rest ends at a limit.
#include "core/pe_sample.h"
#include "support/environment.h"

#include <clrkit/core/native/client.h>
#include <clrkit/core/native/compare.h>

#include <fstream>
#include <iterator>

using namespace clrkit;
using namespace clrkit::test;
using native::Failure;

namespace {

#define NEED_HELPER()                          \
    if (clrkit::native::find_helper().empty()) \
    SKIP_TEST("clrkit-native is not built: LIEF was not found")

Bytes read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("native hostile: resource directories nested a hundred thousand deep") {
    NEED_HELPER();
    constexpr std::uint32_t depth = 100'000;
    Bytes tree;
    for (std::uint32_t level = 1; level <= depth; ++level)
        append(tree, words({0, 0, 0, 0x10000, 1, 0x80000000U | level * 24}));
    append(tree, words({0, 0, 0, 0}));
    const Sample sample(pe_with(pe::Directory::resource, tree));
    const auto facts = native::ask(sample.file);
    REQUIRE(facts);
    CHECK(native::disagreements(sample.image, *facts).empty());
}

TEST_CASE("native hostile: COFF symbols that share one long name") {
    NEED_HELPER();
    constexpr std::uint32_t symbols = 50'000;
    constexpr std::uint32_t name_size = 1'000'000;
    PeSpec spec = pe_with(pe::Directory::reserved, {1});
    const Bytes before = build(spec);
    Bytes file = before;
    for (std::uint32_t i = 0; i < symbols; ++i)
        append(file, joined({words({0, 4, 0}), Bytes(6, 0)}));
    append(file, words({name_size}));
    file.insert(file.end(), name_size, 'x');
    const std::uint32_t coff = load_le<std::uint32_t>(file.data() + 60) + 4;
    put(file, coff + 8, words({static_cast<std::uint32_t>(before.size()), symbols}));
    const Sample sample(file);
    const auto facts = native::ask(sample.file);
    REQUIRE(facts);
    CHECK(native::disagreements(sample.image, *facts).empty());
}

TEST_CASE("native hostile: imports that share one long name end at a limit") {
    NEED_HELPER();
#if defined(__SANITIZE_ADDRESS__)
    SKIP_TEST("the address sanitizer allows no limit on memory");
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    SKIP_TEST("the address sanitizer allows no limit on memory");
#endif
#endif
    constexpr std::uint32_t functions = 50'000;
    const std::uint32_t slots = part_rva + 64;
    const std::uint32_t names = slots + (functions + 1) * 4;
    Bytes table = words({slots, 0, 0, part_rva + 48, slots, 0, 0, 0, 0, 0, 0, 0});
    append(table, text0("shared.dll"));
    table.resize(64);
    for (std::uint32_t i = 0; i < functions; ++i) append(table, words({names}));
    append(table, words({0}));
    append(table, {0, 0});
    table.insert(table.end(), 1'000'000, 'x');
    table.push_back(0);
    const auto facts = native::ask(build(pe_with(pe::Directory::import_table, table)));
    REQUIRE(!facts);
    // On a busy machine time may be over first.
    const Failure failure = facts.error().failure;
    CHECK((failure == Failure::out_of_memory || failure == Failure::out_of_time));
}

TEST_CASE("native hostile: what is no PE file is refused") {
    NEED_HELPER();
    for (const Bytes& file : {Bytes{}, bytes_of("MZ"), Bytes(4096, 0), Bytes(4096, 0xFF),
                              bytes_of("\x7F"
                                       "ELF")}) {
        const auto facts = native::ask(file);
        REQUIRE(!facts);
        CHECK(facts.error().failure == Failure::refused);
    }
}

TEST_CASE("native hostile: a file cut anywhere is answered or refused") {
    NEED_HELPER();
    const Bytes whole = build(minimal());
    for (std::size_t size = 0; size < whole.size(); size += 61) {
        CAPTURE(size);
        const auto facts = native::ask(ByteSpan(whole).first(size));
        CHECK((facts || facts.error().failure == Failure::refused));
    }
}

TEST_CASE("native hostile: crafted resource trees") {
    NEED_HELPER();
    if (!corpus()) SKIP_TEST("CLRKIT_CORPUS is not set");
    for (const char* name : {"DataOffset", "DirName", "DirOffset", "Loop"}) {
        const auto path =
            *corpus() / ("asmresolver/HelloWorld.MaliciousWin32Res" + std::string(name) + ".exe");
        CAPTURE(path.string());
        const Bytes file = read_file(path);
        const auto image = pe::Image::parse(file);
        REQUIRE(image);
        const auto facts = native::ask(file);
        REQUIRE(facts);
        CHECK(native::disagreements(*image, *facts).empty());
    }
}
