// A rebuilt image: reopens, is a fixed point, has no larger heaps, and takes little memory; on every
// assembly of this machine.
#include "support/allocation_counter.h"
#include "support/catch.h"
#include "support/environment.h"
#include "support/process.h"
#include "support/real_files.h"
#include "support/rebuilt.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

using namespace clrkit;
namespace rows = clrkit::test::table;

namespace {

bool grew(const SizeChange& heap) { return heap.after > (heap.before + 3) / 4 * 4; }

/// The first program of testdata, opened.
Module hello() { return Module::open((test::testdata() / "bin/hello.exe").string()).value(); }

}  // namespace

TEST_CASE("A rebuilt image reopens with no larger heaps, and reassembling it changes nothing") {
    Writer writer;
    std::map<std::string, int> refused;
    std::map<std::string, int> pinned;
    int rebuilt = 0;
    for (const test::FileSet& set : test::real_files()) {
        for (const auto& path : set.files) {
            const auto module = Module::open(path.string());
            if (!module) continue;
            INFO(path);
            const auto image = writer.rebuild(module->state(), test::rebuild_freely());
            if (!image) {
                const Error& error = image.error();
                CHECK(
                    (error.code == ErrorCode::not_closed || error.code == ErrorCode::unsupported));
                ++refused[set.name + ": " +
                          (error.note != nullptr ? error.note : name_of(error.code))];
                continue;
            }
            ++rebuilt;
            const RebuildReport report = image->report;
            CHECK_FALSE(grew(report.strings));
            CHECK_FALSE(grew(report.blobs));
            CHECK_FALSE(grew(report.guids));
            CHECK_FALSE(grew(report.literals));
            if (report.literal_pin != rebuild::LiteralPin::none)
                ++pinned[name_of(report.literal_pin)];
            const test::Bytes first(image->bytes.begin(), image->bytes.end());
            const auto reopened = Module::from_bytes(first);
            REQUIRE(reopened);
            const bool fixed = test::rebuilt(writer, *reopened, test::reassemble_freely()) == first;
            CHECK(fixed);
        }
    }
    std::printf("  %d rebuilt\n", rebuilt);
    for (const auto& [reason, count] : refused)
        std::printf("  %5d refused: %s\n", count, reason.c_str());
    for (const auto& [reason, count] : pinned)
        std::printf("  %5d literals kept: %s\n", count, reason.c_str());
    CHECK(rebuilt > 0);
}

namespace {

/// Rebuilds all of testdata into a folder, runs its programs there and compares what they print.
/// Returns what was refused, with the reason; those run as they were.
std::map<std::string, std::string> run_rebuilt(const RebuildOptions& options) {
    const test::TemporaryFolder folder;
    std::filesystem::copy(test::testdata() / "bin", folder.path() / "bin",
                          std::filesystem::copy_options::recursive);
    Writer writer;
    std::map<std::string, std::string> refused;
    for (const auto& path : test::images_below(folder.path())) {
        const auto module = Module::open(path.string());
        if (!module) continue;
        const auto report = writer.rebuild_to(path.string(), module->state(), options);
        if (!report) refused[path.filename().string()] = name_of(report.error().code);
    }
    const test::Outcome outcome =
        test::run({"/usr/bin/env", "BIN=" + (folder.path() / "bin").string(),
                   (test::testdata() / "run.sh").string()});
    INFO(outcome.output);
    CHECK(outcome.exit_code == 0);
    return refused;
}

/// Native code that is no ReadyToRun code; data that no field's type covers.
const std::map<std::string, std::string> never_rebuilt{{"field-rva.exe", "not_closed"},
                                                       {"native-parts-x64.dll", "not_closed"},
                                                       {"native-parts-x86.dll", "not_closed"}};

}  // namespace

TEST_CASE("Every program of testdata prints the same when all of testdata is reassembled") {
    if (!test::program("mono") || !test::program("dotnet")) SKIP_TEST("needs mono and dotnet");
    CHECK(run_rebuilt(test::reassemble_freely()) == never_rebuilt);
}

TEST_CASE("Every program of testdata prints the same optimized and expanded") {
    if (!test::program("mono") || !test::program("dotnet")) SKIP_TEST("needs mono and dotnet");
    for (const cil::Forms forms : {cil::Forms::expand, cil::Forms::optimize}) {
        // What takes long are the runtimes, which no sanitizer looks into.
        if (test::under_sanitizer && forms == cil::Forms::optimize) continue;
        RebuildOptions options = test::reassemble_freely();
        options.forms = forms;
        auto refused = run_rebuilt(options);
        // Beside those: what embeds its PDB.
        std::erase_if(refused, [](const auto& file) { return file.second == "unsupported"; });
        CHECK(refused == never_rebuilt);
    }
}

TEST_CASE("Optimizing makes code smaller, expanding larger, and optimizing undoes expanding") {
    const Module module = Module::open((test::testdata() / "bin/generics.exe").string()).value();
    Writer writer;
    const auto rebuilt_as = [&](const Module& from, cil::Forms forms) {
        RebuildOptions options = test::reassemble_freely();
        options.forms = forms;
        return test::rebuilt(writer, from, options);
    };
    const test::Bytes kept = rebuilt_as(module, cil::Forms::keep);
    CHECK(kept == test::rebuilt(writer, module));
    const test::Bytes optimized = rebuilt_as(module, cil::Forms::optimize);
    const test::Bytes expanded = rebuilt_as(module, cil::Forms::expand);
    REQUIRE_FALSE(optimized.empty());
    CHECK(optimized.size() <= kept.size());
    CHECK(expanded.size() > kept.size());
    const auto large = Module::from_bytes(expanded);
    REQUIRE(large);
    CHECK(rebuilt_as(*large, cil::Forms::optimize) == optimized);
    RebuildOptions options = test::reassemble_freely();
    options.forms = cil::Forms::expand;
    const auto image = writer.rebuild(module.state(), options);
    REQUIRE(image);
    CHECK(image->report.decoded_bodies.raw == 0);
    CHECK(image->report.decoded_bodies.decoded == image->report.bodies.entries);
    CHECK(image->report.decoded_bodies.changed != 0);
}

TEST_CASE("Code of an image that embeds its PDB is not moved") {
    const auto module = Module::open((test::testdata() / "bin/symbols-embedded.dll").string());
    REQUIRE(module);
    Writer writer;
    RebuildOptions options = test::reassemble_freely();
    CHECK(writer.rebuild(module->state(), options));
    // Its compiler left nothing to make shorter.
    options.forms = cil::Forms::optimize;
    CHECK(writer.rebuild(module->state(), options));
    options.forms = cil::Forms::expand;
    const auto refused = writer.rebuild(module->state(), options);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::unsupported);
}

TEST_CASE("Rebuilding does not change the module, and a used Writer gives the same bytes") {
    const Module module = hello();
    const test::Bytes before(module.bytes().begin(), module.bytes().end());
    Writer fresh;
    const test::Bytes first = test::rebuilt(fresh, module);
    Writer used;
    const auto other = Module::open((test::testdata() / "bin/generics.exe").string());
    REQUIRE(other);
    REQUIRE_FALSE(test::rebuilt(used, *other).empty());
    CHECK(test::rebuilt(used, module) == first);
    CHECK(std::ranges::equal(module.bytes(), before));
}

TEST_CASE("A pinned image is refused with the first range that is not accounted for") {
    const auto module = Module::open((test::testdata() / "bin/field-rva.exe").string());
    REQUIRE(module);
    Writer writer;
    const auto refused = writer.rebuild(module->state());
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::not_closed);
    CHECK(refused.error().offset != no_offset);
    RebuildOptions trusting;
    trusting.trust_layout = true;
    const auto trusted = writer.rebuild(module->state(), trusting);
    REQUIRE(trusted);
    CHECK(trusted->report.unaccounted_bytes_dropped != 0);
}

TEST_CASE("A first section without data does not draw the others into the headers") {
    test::ImageSpec spec = test::minimal(0x4050);
    test::SectionSpec empty;
    empty.name = test::bytes_of(".bss");
    empty.virtual_address = 0x2000;
    empty.virtual_size = 0x100;
    empty.raw_pointer = 0;
    empty.raw_size = 0;
    empty.characteristics = 0xC0000080;
    spec.pe.sections.insert(spec.pe.sections.begin(), empty);
    const test::Bytes image = test::build(spec);
    const auto module = Module::from_bytes(image);
    REQUIRE(module);
    Writer writer;
    const test::Bytes first = test::rebuilt(writer, *module);
    REQUIRE_FALSE(first.empty());
    const auto reopened = Module::from_bytes(first);
    REQUIRE(reopened);
    CHECK(reopened->name() == module->name());
    const bool fixed = test::rebuilt(writer, *reopened) == first;
    CHECK(fixed);
}

TEST_CASE("ReadyToRun code is kept unless stripping it is asked for") {
    const auto module = Module::open((test::testdata() / "bin/hello-r2r-linux-x64.dll").string());
    REQUIRE(module);
    Writer writer;
    RebuildOptions options;
    const auto refused = writer.rebuild(module->state(), options);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::not_closed);
    options.strip_ready_to_run = true;
    const auto stripped = writer.rebuild(module->state(), options);
    REQUIRE(stripped);
    CHECK(stripped->report.ready_to_run_stripped);
    const auto reopened = Module::from_bytes(stripped->bytes);
    REQUIRE(reopened);
    CHECK_FALSE(reopened->container().has_native_code());
    CHECK(reopened->image().coff().machine == static_cast<std::uint16_t>(pe::Machine::i386));
    CHECK((reopened->container().clr_flags() & pe::clr_flags::il_only) != 0);
    CHECK((reopened->container().clr_flags() & pe::clr_flags::il_library) == 0);
}

TEST_CASE("A valid signature is not left stale: the caller chooses what becomes of it") {
    const auto module = Module::open((test::testdata() / "bin/hello-signed.exe").string());
    REQUIRE(module);
    Writer writer;
    RebuildOptions options;
    const auto refused = writer.rebuild(module->state(), options);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::signature_would_go_stale);
    options.stale_signature = StaleSignature::drop;
    const auto dropped = writer.rebuild(module->state(), options);
    REQUIRE(dropped);
    const auto reopened = Module::from_bytes(dropped->bytes);
    REQUIRE(reopened);
    CHECK((reopened->container().clr_flags() & pe::clr_flags::strong_name_signed) == 0);
    const pe::DataDirectory place = reopened->container().clr.strong_name_signature;
    const auto signature = reopened->image().range(place.rva, place.size);
    REQUIRE(signature);
    CHECK(all_zero(*signature));
}

TEST_CASE("A failed rebuild leaves the target as it was") {
    const test::TemporaryFolder folder;
    const auto target = folder.write("out.dll", test::bytes_of("before"));
    const auto module = Module::open((test::testdata() / "bin/native-parts-x64.dll").string());
    REQUIRE(module);
    Writer writer;
    CHECK_FALSE(writer.rebuild_to(target.string(), module->state()));
    CHECK(std::filesystem::file_size(target) == 6);
}

namespace {

/// An image of `count` methods with bodies, names and literals of their own.
test::Bytes many_methods(std::uint32_t count) {
    test::ImageSpec spec = test::minimal(0x2050);
    auto& tables = spec.metadata.tables;
    const test::Row signature = tables.row(rows::MethodDef, 1);
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::string name = "Method" + std::to_string(i);
        const std::uint32_t literal =
            spec.metadata.heaps.user_string(std::u16string(name.begin(), name.end()));
        test::Bytes code{0x72};
        test::append(code, test::little_endian(0x70000000U | literal, 4));
        test::append(code, {0x26, 0x2A});  // pop, ret
        tables.add(rows::MethodDef, {spec.area.add(test::fat_body(code)), 0, 0x0016,
                                     spec.metadata.heaps.string(name), signature[4], 1});
    }
    return test::build(spec);
}

}  // namespace

TEST_CASE("A used Writer rebuilds and reassembles core libraries with at most 64 allocations") {
    const char* const mono = "/usr/lib/mono/4.5/mscorlib.dll";
    for (const std::string& path :
         {(test::testdata() / "bin/many-methods.dll").string(),
          (test::testdata() / "bin/wide.dll").string(), std::string(mono)}) {
        if (!std::filesystem::exists(path)) continue;
        INFO(path);
        const auto module = Module::open(path);
        REQUIRE(module);
        Writer writer;
        for (const RebuildOptions& options : {test::rebuild_freely(), test::reassemble_freely()}) {
            bool done = false;
            REQUIRE(writer.rebuild(module->state(), options));
            const auto counted = test::all_allocations_in(
                [&] { done = writer.rebuild(module->state(), options).has_value(); });
            CHECK(done);
            CHECK(counted.count <= 64);
            std::printf("  %s: %llu allocations\n", options.reassemble ? "reassemble" : "rebuild",
                        static_cast<unsigned long long>(counted.count));
        }
    }
}

TEST_CASE("A rebuild allocates at most 64 times, whatever the number of methods") {
    std::vector<std::uint64_t> counts;
    for (const std::uint32_t methods : {1'000U, 1'000'000U}) {
        const test::Bytes image = many_methods(methods);
        const auto module = Module::from_bytes(image);
        REQUIRE(module);
        Writer writer;
        bool done = false;
        counts.push_back(test::all_allocations_in([&] {
                             done = writer.rebuild(module->state()).has_value();
                         }).count);
        REQUIRE(done);
    }
    CHECK(counts.back() <= 64);
    std::printf("  %llu allocations for 1,000 methods, %llu for 1,000,000\n",
                static_cast<unsigned long long>(counts.front()),
                static_cast<unsigned long long>(counts.back()));
}
