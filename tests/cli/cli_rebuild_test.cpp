// clrkit rewrite --rebuild.
#include "cli/command.h"

#include <nlohmann/json.hpp>

namespace clrkit::test {
namespace {

std::string sample(const char* name) { return (testdata() / "bin" / name).string(); }

}  // namespace

TEST_CASE("A rebuild says what became of every part, and a second one writes the same bytes") {
    NEED_COMMAND();
    const TemporaryFolder folder;
    const CommandSetting there{.folder = folder.path()};
    const auto first =
        clrkit({"rewrite", "--rebuild", "--json", sample("generics.exe"), "-o", "once.exe"}, there);
    REQUIRE(first.exit_code == 0);
    const auto report = nlohmann::json::parse(first.out)["files"][0];
    const Bytes once = read_bytes(folder.path() / "once.exe");
    CHECK(report["bytes_written"] == once.size());
    CHECK(report["strings"]["after"] <= report["strings"]["before"]);
    CHECK(contains(first.err, "rebuilt"));
    const auto second = clrkit({"rewrite", "--rebuild", "once.exe", "-o", "twice.exe"}, there);
    CHECK(second.exit_code == 0);
    const bool same = read_bytes(folder.path() / "twice.exe") == once;
    CHECK(same);
}

TEST_CASE("Native code is refused with a hint at the option that drops it") {
    NEED_COMMAND();
    const TemporaryFolder folder;
    const CommandSetting there{.folder = folder.path()};
    const std::string native = sample("hello-r2r-linux-x64.dll");
    const auto refused = clrkit({"rewrite", "--rebuild", native, "-o", "out.dll"}, there);
    CHECK(refused.exit_code == 2);
    CHECK(contains(refused.err, "hint: pass --strip-r2r"));
    CHECK_FALSE(std::filesystem::exists(folder.path() / "out.dll"));
    CHECK(
        clrkit({"rewrite", "--rebuild", "--strip-r2r", native, "-o", "out.dll"}, there).exit_code ==
        0);
}

TEST_CASE("Rebuilding does not go with --emit") {
    NEED_COMMAND();
    const auto misused =
        clrkit({"rewrite", "--rebuild", "--emit", sample("hello.exe"), "-o", "out.exe"});
    CHECK(misused.exit_code == 2);
    CHECK(contains(misused.err, "--emit"));
}

TEST_CASE("Reassembling decodes attributes, with enums of what --ref names") {
    NEED_COMMAND();
    const TemporaryFolder folder;
    const CommandSetting there{.folder = folder.path()};
    const auto reassemble = [&](std::vector<std::string> more) {
        std::vector<std::string> words{
            "rewrite", "--reassemble", "--json", "-f", sample("merge-app.exe"), "-o", "out.exe"};
        words.insert(words.end(), more.begin(), more.end());
        return clrkit(words, there);
    };
    const auto alone = reassemble({});
    REQUIRE(alone.exit_code == 0);
    CHECK(nlohmann::json::parse(alone.out)["files"][0]["decoded_attributes"]["decoded"] > 0);
    const auto nothing = reassemble({"--ref", "no-such.dll"});
    CHECK(nothing.exit_code == 2);
    CHECK(contains(nothing.err, "--ref no-such.dll: "));
    const auto folder_without = reassemble({"--ref", folder.path().string() + "/*.dll"});
    CHECK(folder_without.exit_code == 2);
    CHECK(contains(folder_without.err, "no .NET assembly is there"));
}

TEST_CASE("An enum of an assembly that is not at hand leaves the attribute raw, and is said") {
    NEED_COMMAND();
    const TemporaryFolder folder;
    const CommandSetting there{.folder = folder.path()};
    const auto outcome = clrkit(
        {"rewrite", "--reassemble", "--json", sample("missing-ref.dll"), "-o", "out.dll"}, there);
    REQUIRE(outcome.exit_code == 0);
    const auto counts = nlohmann::json::parse(outcome.out)["files"][0]["decoded_attributes"];
    CHECK(counts["raw"] == 2);
    CHECK(counts["first_raw"] == "0x0C000002");
    CHECK(contains(outcome.err, "kept raw: 2 attributes that do not decode"));
}

TEST_CASE("A reassembly reports bodies, the forms they took, and a PDB that no longer fits") {
    NEED_COMMAND();
    const TemporaryFolder folder;
    const CommandSetting there{.folder = folder.path()};
    const auto report_of = [&](const char* option) {
        std::vector<std::string> words{
            "rewrite", "--reassemble", "--json", "-f", sample("symbols.dll"), "-o", "out.dll"};
        if (option != nullptr) words.emplace_back(option);
        const auto done = clrkit(words, there);
        CHECK(done.exit_code == 0);
        return nlohmann::json::parse(done.out)["files"][0];
    };
    const auto kept = report_of(nullptr);
    CHECK(kept["decoded_bodies"]["decoded"] == kept["bodies"]["entries"]);
    CHECK(kept["decoded_bodies"]["changed"] == 0);
    CHECK(kept["symbols_stale"] == false);
    const auto expanded = report_of("--expand");
    CHECK(expanded["decoded_bodies"]["changed"] != 0);
    CHECK(expanded["symbols_stale"] == true);
    CHECK(expanded["bodies"]["after"] > kept["bodies"]["after"]);
}

TEST_CASE("--optimize and --expand are for --reassemble, and only one of them") {
    NEED_COMMAND();
    for (const char* option : {"--optimize", "--expand"}) {
        for (const char* how : {"--rebuild", "-f"}) {
            const auto misused =
                clrkit({"rewrite", how, option, sample("hello.exe"), "-o", "out.exe"});
            CHECK(misused.exit_code == 2);
            CHECK(contains(misused.err, std::string(option) + " is for --reassemble"));
        }
    }
    const auto both = clrkit({"rewrite", "--reassemble", "--optimize", "--expand",
                              sample("hello.exe"), "-o", "out.exe"});
    CHECK(both.exit_code == 2);
}

TEST_CASE("--ref is for --reassemble") {
    NEED_COMMAND();
    for (const char* how : {"--rebuild", "-f"}) {
        const auto misused =
            clrkit({"rewrite", how, "--ref", "x.dll", sample("hello.exe"), "-o", "y.exe"});
        CHECK(misused.exit_code == 2);
        CHECK(contains(misused.err, "--ref is for --reassemble"));
    }
}

TEST_CASE("--emit does not go with what makes a new image") {
    NEED_COMMAND();
    for (const std::string how : {"--rebuild", "--reassemble"}) {
        const auto misused = clrkit({"rewrite", how, "--emit", sample("hello.exe"), "-o", "y.exe"});
        CHECK(misused.exit_code == 2);
        CHECK(contains(misused.err, "clrkit: " + how + " and --emit do not go together"));
    }
}

}  // namespace clrkit::test
