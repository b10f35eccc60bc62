// Every kind of file that there is: text comes to an end, is UTF-8, and its braces match.
#include "dis/texts.h"
#include "support/catch.h"
#include "support/environment.h"
#include "support/noise.h"
#include "support/real_files.h"
#include "support/text_blocks.h"

#include <clrkit/core/bytes/utf8.h>
#include <clrkit/core/io/input_file.h>

#include <algorithm>
#include <cstdio>

using namespace clrkit;
using namespace clrkit::test;
namespace fs = std::filesystem;

namespace {

/// Counts while the text goes by; nothing is kept.
struct Reader {
    std::uint64_t bytes = 0;
    std::int64_t blocks = 0;
    bool utf8 = true;

    void operator()(std::string_view text) {
        bytes += text.size();
        blocks += blocks_left_open(text);
        utf8 = utf8 && is_utf8(text);
    }
};

/// False when the module cannot be looked up in.
bool read_all(const Module& module, Reader& reader, const dis::DisassemblyOptions& options = {}) {
    const dis::TextTarget target(reader);
    auto disassembler = dis::Disassembler::create(module, options, target);
    if (!disassembler) return false;
    disassembler->module();
    for (const MethodDef method : module.methods()) (void)disassembler->instructions(method);
    return disassembler->gaps().count(dis::GapKind::text_limit) == 0;
}

void check_file(const fs::path& path, std::uint64_t& bytes) {
    const auto module = Module::open(path.string());
    if (!module) return;
    Reader reader;
    const bool whole = read_all(*module, reader);
    INFO(path.string());
    CHECK(reader.utf8);
    if (whole) CHECK(reader.blocks == 0);
    // Half of the default limit: what it cuts is no real file.
    CHECK(reader.bytes <= 8'000'000 + 16 * module->bytes().size());
    bytes += reader.bytes;
}

}  // namespace

TEST_CASE("Text of real assemblies is UTF-8 with braces that match") {
    for (const FileSet& set : real_files()) {
        // All of testdata, and a sample of what is large.
        constexpr std::size_t most = 120;
        const std::size_t step = std::max<std::size_t>(1, set.files.size() / most);
        std::uint64_t bytes = 0;
        std::size_t files = 0;
        for (std::size_t i = 0; i < set.files.size(); i += step, ++files) {
            check_file(set.files[i], bytes);
        }
        std::printf("  %s: %zu files, %llu MB of text\n", set.name.c_str(), files,
                    static_cast<unsigned long long>(bytes >> 20U));
    }
}

TEST_CASE("The same assembly stored wastefully has the same text") {
    // None with field data: its labels are addresses.
    for (const char* name : {"hello.exe", "members.exe", "attributes.exe", "eh.exe"}) {
        const auto module = Module::open((testdata() / "bin" / name).string());
        REQUIRE(module);
        const Bytes noisy = with_noise(*module, {});
        if (noisy.empty()) continue;
        const auto other = Module::from_bytes(noisy);
        REQUIRE(other);
        INFO(name);
        CHECK(text_of(*module).text == text_of(*other).text);
    }
}

TEST_CASE("Damaged files give text or nothing, and bounded much of it") {
    const fs::path corpus = testdata() / ".." / "tests" / "fuzz" / "corpus";
    if (!fs::exists(corpus)) SKIP_TEST("no fuzz corpus beside the test data");
    dis::DisassemblyOptions options;
    options.text_bytes = std::uint64_t{4} << 20U;
    int files = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(corpus)) {
        if (!entry.is_regular_file()) continue;
        const auto module = Module::open(entry.path().string());
        if (!module) continue;
        Reader reader;
        (void)read_all(*module, reader, options);
        INFO(entry.path().string());
        CHECK(reader.utf8);
        CHECK(reader.bytes <= options.text_bytes);
        ++files;
    }
    std::printf("  %d damaged files\n", files);
}

TEST_CASE("Every byte of a small program may be anything") {
    const Bytes good = build(minimal());
    dis::DisassemblyOptions options;
    options.text_bytes = std::uint64_t{1} << 20U;
    for (std::size_t at = 0x200; at < good.size(); ++at) {
        for (const std::uint8_t value : {std::uint8_t{0}, std::uint8_t{0xFF}, std::uint8_t{0x7F},
                                         static_cast<std::uint8_t>(good[at] + 1)}) {
            Bytes bad = good;
            bad[at] = value;
            const Opened opened = open(bad);
            if (!opened.module) continue;
            Reader reader;
            (void)read_all(*opened.module, reader, options);
            if (!reader.utf8) FAIL("not UTF-8 with byte " << at << " as " << int{value});
        }
    }
}
