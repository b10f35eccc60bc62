// Text that is assembled again gives an image that means the same: the programs of testdata, by the
// runtime's ilasm (which testdata/build.sh fetches) and the judge.
#include "support/catch.h"
#include "support/environment.h"
#include "support/judge.h"
#include "support/real_files.h"
#include "support/rebuilt.h"
#include "support/runtimes.h"

#include "dis/texts.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace clrkit;
using namespace clrkit::test;
namespace fs = std::filesystem;

namespace {

/// CLRKIT_ILASM, or where testdata/build.sh puts it.
std::optional<fs::path> find_ilasm() {
    if (const char* named = std::getenv("CLRKIT_ILASM")) return fs::path(named);
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    if (cache == nullptr && home == nullptr) return std::nullopt;
    const fs::path packages = (cache != nullptr ? fs::path(cache) : fs::path(home) / ".cache") /
                              "clrkit/packages/runtime.linux-x64.microsoft.netcore.ilasm";
    std::error_code none;
    for (const fs::directory_entry& version : fs::directory_iterator(packages, none)) {
        fs::path ilasm = version.path() / "runtimes/linux-x64/native/ilasm";
        if (fs::exists(ilasm)) return ilasm;
    }
    return std::nullopt;
}

/// What the assembler sets as it likes, whatever the text says: docs/dis.md.
constexpr const char* ignored =
    "mvid,timestamp,checksum,signature,signature-size,certificate,overlay,dos,linker,headers,"
    "sections,imports,exports,native,win32,debug,pdb-id,pdb,pdb-beside,form,streams,body-form,hint,"
    "alignment,rva64,references,order,literal-flag,pe";

/// The options in the text's second line.
std::vector<std::string> options_of(const std::string& text) {
    const std::string mark = "// Assemble with: ilasm ";
    const std::size_t start = text.find(mark) + mark.size();
    std::istringstream words(text.substr(start, text.find('\n', start) - start));
    std::vector<std::string> options;
    std::string word;
    while (words >> word) options.push_back(word);
    return options;
}

struct RoundTrip {
    int tried = 0;
    int refused = 0;
    std::vector<JudgedPair> exact;  // whose text says all there is
};

/// Disassembles a file and assembles it into `folder` under its name.
void go_round(const fs::path& ilasm, const fs::path& file, const fs::path& folder,
              RoundTrip& result) {
    const auto module = Module::open(file.string());
    if (!module) return;
    ++result.tried;
    fs::create_directories(folder);
    dis::DisassemblyOptions options;
    options.resource_prefix = file.filename().string() + ".";
    const Text text = text_of(*module, options, folder);
    REQUIRE_FALSE(text.text.empty());
    const fs::path source = folder / (file.filename().string() + ".il");
    const fs::path assembled = folder / file.filename();
    std::ofstream(source, std::ios::binary) << text.text;
    std::vector<std::string> command{ilasm.string(), "-nologo", "-quiet"};
    for (std::string& option : options_of(text.text)) command.push_back(std::move(option));
    command.push_back("-output=" + assembled.string());
    command.push_back(source.string());
    const Outcome outcome = run(command);
    if (outcome.exit_code != 0) {
        ++result.refused;
        UNSCOPED_INFO(file.string() << ": " << outcome.output);
    } else if (text.gaps.empty()) {
        result.exact.push_back({file, assembled});
    }
}

/// Options with a blank in them have quotes, and are for a shell.
bool for_a_shell(const fs::path& file) { return file.extension() == ".winmd"; }

}  // namespace

TEST_CASE("The programs of testdata mean the same once they are assembled again") {
    const auto ilasm = find_ilasm();
    if (!ilasm) SKIP_TEST("no ilasm of the runtime (testdata/build.sh fetches it)");
    const auto judge = Judge::find();
    if (!judge) SKIP_TEST(Judge::why_missing);
    const TemporaryFolder folder;
    const fs::path bin = testdata() / "bin";
    RoundTrip result;
    for (const fs::path& file : images_below(bin)) {
        if (for_a_shell(file)) continue;
        const fs::path into = folder.path() / fs::relative(file.parent_path(), bin);
        go_round(*ilasm, file, into, result);
    }
    std::printf("  %d files, %d refused by ilasm, %zu with nothing unsaid\n", result.tried,
                result.refused, result.exact.size());
    CHECK(result.refused == 0);
    CHECK(result.exact.size() >= 95);
    const Judgement judgement = judge->compare(result.exact, ignored, "--sets");
    INFO(judgement.report);
    CHECK(judgement.same);
}

TEST_CASE("Programs that were assembled again print what they printed") {
    const auto ilasm = find_ilasm();
    if (!ilasm) SKIP_TEST("no ilasm of the runtime (testdata/build.sh fetches it)");
    if (!program("dotnet") || !program("mono")) SKIP_TEST("no dotnet, or no mono");
    const TemporaryFolder folder;
    const fs::path bin = testdata() / "bin";
    fs::copy(bin, folder.path() / "bin", fs::copy_options::recursive);
    RoundTrip result;
    // Not `attributes`: it prints them in their order, which the assembler does not keep.
    const std::vector<std::string> names{"hello",     "generics", "eh",      "field-data",
                                         "members",   "async",    "layout",  "nested",
                                         "constants", "code",     "strings", "field-rva"};
    const auto env = program("env");
    if (!env) SKIP_TEST("no env");
    std::vector<std::string> command{env->string(), "BIN=" + (folder.path() / "bin").string(),
                                     (testdata() / "run.sh").string()};
    for (const std::string& name : names) {
        for (const std::string& each : {name + ".exe", name + "-net.dll"}) {
            if (!fs::exists(bin / each)) continue;
            fs::remove(folder.path() / "bin" / each);
            go_round(*ilasm, bin / each, folder.path() / "bin", result);
            command.push_back(each);
        }
    }
    CHECK(result.refused == 0);
    const Outcome outcome = run(command);
    INFO(outcome.output);
    CHECK(outcome.exit_code == 0);
}

TEST_CASE("mono and .NET run on core libraries that were made from their text") {
    const auto ilasm = find_ilasm();
    if (!ilasm) SKIP_TEST("no ilasm of the runtime (testdata/build.sh fetches it)");
    const auto dotnet = program("dotnet");
    const auto mono = program("mono");
    const fs::path libraries = "/usr/lib/mono/4.5";
    if (!dotnet || !mono || !fs::exists(libraries / "mscorlib.dll")) {
        SKIP_TEST("no dotnet, or no mono");
    }
    RoundTrip result;
    // The MVID that the assembler made up for our file, and then the same as ever.
    const auto printed_on = [](const Outcome& outcome, const fs::path& ours) {
        const auto module = Module::open(ours.string());
        REQUIRE(module);
        const Guid mvid = module->mvid().value();
        std::array<char, 9> first{};
        std::snprintf(first.data(), first.size(), "%02x%02x%02x%02x", mvid[3], mvid[2], mvid[1],
                      mvid[0]);
        return outcome.output.starts_with(first.data()) &&
               outcome.output.ends_with("\n3\n?query\n1\n");
    };
    {
        const TemporaryFolder folder;
        for (const char* name : {"mscorlib.dll", "System.dll", "System.Core.dll"}) {
            go_round(*ilasm, libraries / name, folder.path(), result);
        }
        const Outcome outcome = run_on_libraries(
            folder.path(), {mono->string(), (testdata() / "bin/core-library.exe").string()});
        INFO(outcome.output);
        CHECK(printed_on(outcome, folder.path() / "mscorlib.dll"));
    }
    const TemporaryFolder folder;
    const fs::path host = copy_dotnet(*dotnet, folder.path());
    for (const fs::path& file : images_below(folder.path() / dotnet_framework)) {
        if (file.filename() != "System.Private.CoreLib.dll") continue;
        const auto module = Module::open(file.string());
        REQUIRE(module);
        Writer writer;
        const TemporaryFolder stripped;
        const fs::path original =
            stripped.write(file.filename().string(), rebuilt(writer, *module));
        fs::remove(file);
        go_round(*ilasm, original, file.parent_path(), result);
        const Outcome outcome = run_dotnet(host, testdata() / "bin/core-library-net.dll");
        INFO(outcome.output);
        CHECK(printed_on(outcome, file));
    }
    CHECK(result.refused == 0);
}
