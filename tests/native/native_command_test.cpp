// The command and its helper: `info --native`, `rewrite --check`.
#include "native/helper_script.h"
#include "support/catch.h"
#include "support/environment.h"
#include "support/process.h"

#include <clrkit/core/native/client.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>

using namespace clrkit::test;
namespace fs = std::filesystem;

namespace {

/// Runs the command with that helper; with its own when the name is empty.
Outcome command_with(const std::string& helper, std::vector<std::string> words) {
    std::vector<std::string> all{"/usr/bin/env"};
    if (!helper.empty()) all.push_back("CLRKIT_NATIVE=" + helper);
    all.push_back(fs::absolute(command().value()).string());
    all.insert(all.end(), words.begin(), words.end());
    return run(all);
}

std::string hello() { return (testdata() / "bin/hello.exe").string(); }

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

std::string bytes_in(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// What the real helper says of hello.exe, with one thing changed.
std::string lying_helper(const TemporaryFolder& folder, std::string_view what,
                         std::string_view by) {
    const std::string file = bytes_in(hello());
    const auto facts =
        clrkit::native::ask({reinterpret_cast<const std::uint8_t*>(file.data()), file.size()});
    REQUIRE(facts);
    std::string line = to_json(*facts);
    const std::size_t at = line.find(what);
    REQUIRE(at != std::string::npos);
    line.replace(at, what.size(), by);
    folder.write("answer", bytes_of(line));
    return helper_script(folder, "liar", "cat " + (folder.path() / "answer").string());
}

#define NEED_HELPER()                                                    \
    if (!clrkit::test::command()) SKIP_TEST("the command is not built"); \
    if (clrkit::native::find_helper().empty())                           \
    SKIP_TEST("clrkit-native is not built: LIEF was not found")

}  // namespace

TEST_CASE("native command: the native view is printed") {
    NEED_HELPER();
    const Outcome outcome = command_with({}, {"info", "--native", hello()});
    CHECK(outcome.exit_code == 0);
    CHECK(contains(outcome.output, "assembly        hello"));
    CHECK(contains(outcome.output, "native view     as LIEF"));
    CHECK(contains(outcome.output, "machine 0x014C, PE32"));
    CHECK(contains(outcome.output, "mscoree.dll, 1 function\n"));
    CHECK(contains(outcome.output, "_CorExeMain\n"));
    CHECK(contains(outcome.output, "version info    file "));
    CHECK(contains(outcome.output, "OriginalFilename: hello.exe\n"));
}

TEST_CASE("native command: the native view as JSON") {
    NEED_HELPER();
    const Outcome outcome = command_with({}, {"info", "--native", "--jsonl", hello()});
    CHECK(outcome.exit_code == 0);
    const auto file = nlohmann::json::parse(outcome.output);
    CHECK(file["native"]["machine"] == "0x014C");
    CHECK(file["native"]["sections"][0]["name"] == ".text");
    CHECK(file["native"]["sections_count"] == file["native"]["sections"].size());
    CHECK(file["native"]["imports"][0]["functions"][0]["name"] == "_CorExeMain");
    CHECK(file["native"]["certificate"] == false);
    CHECK(file["version_info"]["tables"][0]["strings"].is_array());
    CHECK(file["version_info"]["complete"] == true);
}

TEST_CASE("native command: --limit cuts lists and says so once") {
    NEED_HELPER();
    const Outcome outcome = command_with({}, {"info", "--native", "--limit", "1", hello()});
    CHECK(outcome.exit_code == 0);
    CHECK(contains(outcome.output, "2 more sections\n"));
    CHECK(!contains(outcome.output, ".rsrc"));
}

TEST_CASE("native command: a crash is that file's error; the rest is printed, and the next file") {
    if (!command()) SKIP_TEST("the command is not built");
    const TemporaryFolder folder;
    const std::string crash = helper_script(folder, "helper", "kill -SEGV $$");
    const Outcome outcome = command_with(crash, {"info", "--native", "-k", hello(), hello()});
    CHECK(outcome.exit_code == 2);
    const std::string line = "clrkit: " + hello() + ": the native reader crashed (signal 11)\n";
    const std::size_t first = outcome.output.find(line);
    REQUIRE(first != std::string::npos);
    CHECK(outcome.output.find(line, first + 1) != std::string::npos);
    CHECK(contains(outcome.output, "assembly        hello"));
    CHECK(contains(outcome.output, "version info"));
}

TEST_CASE("native command: a crash in JSON") {
    if (!command()) SKIP_TEST("the command is not built");
    const TemporaryFolder folder;
    const std::string crash = helper_script(folder, "helper", "kill -SEGV $$");
    const Outcome outcome = command_with(crash, {"info", "--native", "--jsonl", hello()});
    CHECK(outcome.exit_code == 2);
    const auto file = nlohmann::json::parse(outcome.output.substr(0, outcome.output.find('\n')));
    CHECK(file["error"]["message"] == "the native reader crashed (signal 11)");
    CHECK(!file.contains("native"));
    CHECK(file["name"] == "hello");
}

TEST_CASE("native command: no helper is an error with a hint") {
    if (!command()) SKIP_TEST("the command is not built");
    const TemporaryFolder folder;
    const std::string nothing = (folder.path() / "nothing").string();
    const std::string target = (folder.path() / "out.exe").string();
    const Outcome info = command_with(nothing, {"info", "--native", hello()});
    CHECK(info.exit_code == 2);
    CHECK(contains(info.output, "is not there\nhint: clrkit-native is built where LIEF is found"));
    const Outcome check = command_with(nothing, {"rewrite", "--check", hello(), "-o", target});
    CHECK(check.exit_code == 2);
    CHECK(contains(check.output, "cannot be checked: the native reader"));
    CHECK(contains(check.output, "hint: "));
    CHECK(!fs::exists(target));
}

TEST_CASE("native command: --check writes what both readers agree on") {
    NEED_HELPER();
    const TemporaryFolder folder;
    const fs::path target = folder.path() / "out.exe";
    const Outcome outcome =
        command_with({}, {"rewrite", "--check", "--emit", hello(), "-o", target.string()});
    CHECK(outcome.exit_code == 0);
    CHECK(contains(outcome.output, " agrees\n"));
    CHECK(bytes_in(target) == bytes_in(hello()));
}

TEST_CASE("native command: --check answers no where the readers disagree, and nothing is written") {
    NEED_HELPER();
    const TemporaryFolder folder;
    const std::string target = (folder.path() / "out.exe").string();
    const auto check_with = [&](std::string_view what, std::string_view by) {
        return command_with(lying_helper(folder, what, by),
                            {"rewrite", "--check", hello(), "-o", target});
    };
    const Outcome machine = check_with("\"machine\":332", "\"machine\":34404");
    CHECK(machine.exit_code == 1);
    CHECK(contains(machine.output, "disagrees: machine 0x14C here, 0x8664 there; " + target +
                                       " was not written\n"));
    CHECK(std::ranges::count(machine.output, '\n') == 1);
    const Outcome section = check_with("\".rsrc\",\"rva\":16384", "\".rdat\",\"rva\":16385");
    CHECK(section.exit_code == 1);
    CHECK(contains(section.output, "name of section 2 '.rsrc' here, '.rdat' there"));
    CHECK(contains(section.output, "RVA of section 2 0x4000 here, 0x4001 there"));
    CHECK(std::ranges::count(section.output, '\n') == 2);
    CHECK(check_with("\"certificate\":false", "\"certificate\":true").exit_code == 1);
    CHECK(check_with("\"imports\":{\"count\":1", "\"imports\":{\"count\":2").exit_code == 1);
    CHECK(!fs::exists(target));
}

TEST_CASE("native command: --check looks at a rebuilt image") {
    NEED_HELPER();
    const TemporaryFolder folder;
    const fs::path target = folder.path() / "new";
    const std::vector<std::string> words{"rewrite", "--rebuild", "--check",
                                         hello(),   "-O",        target.string()};
    const std::string liar = lying_helper(folder, "\"entry_point\":", "\"entry_point\":1");
    const Outcome refused = command_with(liar, words);
    CHECK(refused.exit_code == 1);
    CHECK(contains(refused.output, "disagrees: entry point 0x"));
    CHECK(!fs::exists(target));
    const Outcome written = command_with({}, words);
    CHECK(written.exit_code == 0);
    CHECK(contains(written.output, " agrees\n"));
    CHECK(fs::exists(target / "hello.exe"));
}

TEST_CASE("native command: --check takes a refusal for a no") {
    if (!command()) SKIP_TEST("the command is not built");
    const TemporaryFolder folder;
    const std::string refuser =
        helper_script(folder, "helper", "echo '{\"schema\":1,\"error\":\"too odd\"}'");
    const fs::path target = folder.write("out.exe", bytes_of("old"));
    const Outcome outcome =
        command_with(refuser, {"rewrite", "--check", "-f", hello(), "-o", target.string()});
    CHECK(outcome.exit_code == 1);
    CHECK(contains(outcome.output,
                   "refuses the file: too odd; " + target.string() + " was left unchanged\n"));
    CHECK(bytes_in(target) == "old");
}

TEST_CASE("native command: the command does not link LIEF, its helper does") {
    NEED_HELPER();
    // The name as it stands among the needed libraries.
    CHECK(!contains(bytes_in(*command()), "libLIEF"));
    if (clrkit::native::find_helper().ends_with("/clrkit-native"))
        CHECK(contains(bytes_in(clrkit::native::find_helper()), "LIEF"));
    if (const auto ldd = program("ldd"))
        CHECK(!contains(run({ldd->string(), command()->string()}).output, "LIEF"));
}
