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

}  // namespace clrkit::test
