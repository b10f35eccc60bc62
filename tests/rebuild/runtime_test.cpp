// Runtimes on core libraries that were rebuilt. That it is ours which runs shows an MVID that no other
// has.
#include "support/catch.h"
#include "support/environment.h"
#include "support/real_files.h"
#include "support/rebuilt.h"
#include "support/runtimes.h"

#include <cstdio>

using namespace clrkit;
using namespace clrkit::test;
namespace fs = std::filesystem;

namespace {

constexpr const char* our_mvid = "11111111-2222-3333-4444-555555555555";
constexpr Guid our_mvid_bytes{0x11, 0x11, 0x11, 0x11, 0x22, 0x22, 0x33, 0x33,
                              0x44, 0x44, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55};
// What testdata/src/core-library.cs prints.
const std::string printed = std::string(our_mvid) + "\n3\n?query\n1\n";

struct Way {
    const char* name;
    RebuildOptions options;
};

/// Every way to write all bodies anew that may change them, and the one that does not decode them.
std::vector<Way> ways() {
    std::vector<Way> result{{"rebuilt", rebuild_freely()},
                            {"optimized", reassemble_freely()},
                            {"expanded", reassemble_freely()}};
    result[1].options.forms = cil::Forms::optimize;
    result[2].options.forms = cil::Forms::expand;
    // Three times all of .NET takes a sanitizer minutes.
    if (under_sanitizer) result.resize(1);
    return result;
}

/// Rebuilds an assembly into a folder; with our MVID where `marked`. False when it was refused.
bool rebuild_into(Writer& writer, const fs::path& from, const fs::path& folder,
                  const RebuildOptions& rebuild, bool marked) {
    const auto module = Module::open(from.string());
    if (!module) return false;
    const Bytes bytes = rebuilt(writer, *module, rebuild);
    if (bytes.empty()) return false;
    auto ours = Module::from_bytes(bytes);
    REQUIRE(ours);
    if (marked) REQUIRE(ours->set_mvid(our_mvid_bytes));
    SaveOptions options;
    options.stale_signature = StaleSignature::public_sign;
    return ours->save((folder / from.filename()).string(), options).has_value();
}

/// A .NET of its own, with every assembly of the framework rebuilt.
fs::path rebuilt_dotnet(const fs::path& dotnet, const fs::path& folder, const Way& way) {
    const fs::path root = fs::canonical(dotnet).parent_path();
    fs::path host = copy_dotnet(dotnet, folder);
    Writer writer;
    int count = 0;
    for (const fs::path& file : images_below(root / dotnet_framework)) {
        const fs::path into = folder / fs::relative(file, root).parent_path();
        fs::remove(into / file.filename());
        const bool marked = file.filename() == "System.Private.CoreLib.dll";
        if (rebuild_into(writer, file, into, way.options, marked)) {
            ++count;
        } else {
            fs::copy_file(file, into / file.filename());
        }
    }
    std::printf("  %d assemblies of the framework %s\n", count, way.name);
    return host;
}

}  // namespace

TEST_CASE("mono runs on mscorlib, System, System.Core and System.Xml rebuilt in every way") {
    const auto mono = program("mono");
    const fs::path libraries = "/usr/lib/mono/4.5";
    if (!mono || !fs::exists(libraries / "mscorlib.dll")) SKIP_TEST("no mono");
    for (const Way& way : ways()) {
        CAPTURE(way.name);
        const TemporaryFolder folder;
        Writer writer;
        for (const char* name :
             {"mscorlib.dll", "System.dll", "System.Core.dll", "System.Xml.dll"}) {
            CAPTURE(name);
            REQUIRE(rebuild_into(writer, libraries / name, folder.path(), way.options,
                                 std::string_view(name) == "mscorlib.dll"));
        }
        const Outcome outcome = run_on_libraries(
            folder.path(), {mono->string(), (testdata() / "bin/core-library.exe").string()});
        CHECK(outcome.output == printed);
        CHECK(outcome.exit_code == 0);
        const Outcome programs = run_on_libraries(
            folder.path(), {(testdata() / "run.sh").string(), "eh.exe", "generics.exe",
                            "strings.exe", "async.exe", "attributes.exe", "field-data.exe"});
        INFO(programs.output);
        CHECK(programs.exit_code == 0);
    }
}

TEST_CASE("dotnet runs on a framework of which every assembly was stripped and rebuilt") {
    const auto dotnet = program("dotnet");
    if (!dotnet) SKIP_TEST("no dotnet");
    for (const Way& way : ways()) {
        CAPTURE(way.name);
        const TemporaryFolder folder;
        const fs::path ours = rebuilt_dotnet(*dotnet, folder.path(), way);
        const Outcome outcome = run_dotnet(ours, testdata() / "bin/core-library-net.dll");
        CHECK(outcome.output == printed);
        CHECK(outcome.exit_code == 0);
    }
}
