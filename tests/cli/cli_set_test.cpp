// clrkit set: only the bytes that were asked for change, and the result runs.
#include "cli/command.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace clrkit::test {
namespace {

/// Edits a copy of a test file in a folder of its own.
struct Edited {
    TemporaryFolder folder;
    Bytes before;
    CommandResult result;

    Edited(const char* name, std::vector<std::string> options)
        : before(read_bytes(testdata() / "bin" / name)) {
        folder.write("in.exe", before);
        options.insert(options.begin(), {"set", "--json", "in.exe", "-o", "out.exe"});
        result = clrkit(options, {.folder = folder.path()});
    }

    Bytes after() const { return read_bytes(folder.path() / "out.exe"); }
    nlohmann::json report() const { return nlohmann::json::parse(result.out)["files"][0]; }

    /// Offsets of the bytes that differ.
    std::vector<std::size_t> differing() const {
        const Bytes now = after();
        REQUIRE(now.size() == before.size());
        std::vector<std::size_t> offsets;
        for (std::size_t i = 0; i < now.size(); ++i) {
            if (now[i] != before[i]) offsets.push_back(i);
        }
        return offsets;
    }

    /// True when every byte that differs lies in a range that the report names.
    bool only_reported_bytes_differ() const {
        const auto changes = report()["changes"];
        return std::ranges::all_of(differing(), [&](std::size_t at) {
            return std::ranges::any_of(changes, [&](const auto& change) {
                const std::size_t start = change["offset"];
                const std::size_t size = change["size"];
                return at >= start && at - start < size;
            });
        });
    }
};

nlohmann::json info(const std::filesystem::path& path) {
    return nlohmann::json::parse(clrkit({"info", "--jsonl", path.string()}).out);
}

}  // namespace

TEST_CASE("set --version changes the version and nothing else") {
    NEED_COMMAND();
    const Edited edited("hello.exe", {"--version", "9.8.7.6"});
    CHECK(edited.result.exit_code == 0);
    CHECK(edited.differing().size() == 4);
    CHECK(edited.only_reported_bytes_differ());
    CHECK(edited.report()["changes"].size() == 1);
    CHECK(info(edited.folder.path() / "out.exe")["version"] == "9.8.7.6");
}

TEST_CASE("set --flag counts 32 bits as CorFlags does") {
    NEED_COMMAND();
    const auto flags_after = [](std::vector<std::string> assignments) {
        std::vector<std::string> options;
        for (std::string& one : assignments)
            options.insert(options.end(), {"--flag", std::move(one)});
        const Edited edited("hello.exe", options);
        CHECK(edited.result.exit_code == 0);
        return info(edited.folder.path() / "out.exe")["flags"].get<std::string>();
    };
    CHECK(flags_after({"32bitreq=on"}) == "0x00000003");
    CHECK(flags_after({"32bitpref=on"}) == "0x00020003");
    CHECK(flags_after({"32bitpref=on", "32bitreq=on"}) == "0x00000003");
    CHECK(flags_after({"32bitpref=on", "32bitreq=off"}) == "0x00020003");
    CHECK(flags_after({"32bitpref=on", "32bitpref=off"}) == "0x00000001");
    CHECK(flags_after({"32bitreq=on", "32bitreq=off"}) == "0x00000001");
    CHECK(flags_after({"ilonly=off"}) == "0x00000000");
    CHECK(flags_after({"trackdebugdata=on"}) == "0x00010001");
}

TEST_CASE("set --flag names what it takes") {
    NEED_COMMAND();
    CHECK(clrkit({"set", "--flag", "32bitrq=on", "a", "b"}).err ==
          "clrkit: no flag '32bitrq'\nhint: did you mean 32bitreq?\n");
    CHECK(contains(clrkit({"set", "--flag", "ilonly", "a", "b"}).err, "takes NAME=on or NAME=off"));
    CHECK(contains(clrkit({"set", "--flag", "ilonly=1", "a", "b"}).err, "neither on nor off"));
    CHECK(contains(clrkit({"set", "a", "b"}).err, "nothing to set"));
}

TEST_CASE("set --mvid takes a GUID") {
    NEED_COMMAND();
    const Edited edited("hello.exe", {"--mvid", "{00112233-4455-6677-8899-AABBCCDDEEFF}"});
    CHECK(edited.only_reported_bytes_differ());
    CHECK(info(edited.folder.path() / "out.exe")["mvid"] == "00112233-4455-6677-8899-aabbccddeeff");
    CHECK(contains(clrkit({"set", "--mvid", "0011", "a", "b"}).err, "is no GUID"));
}

TEST_CASE("set --mvid new is another one each time") {
    NEED_COMMAND();
    const Edited one("hello.exe", {"--mvid", "new"});
    const Edited two("hello.exe", {"--mvid", "new"});
    CHECK(one.after() != two.after());
    CHECK(one.only_reported_bytes_differ());
}

TEST_CASE("set --mvid hash depends on the content and not on the MVID before") {
    NEED_COMMAND();
    const Edited one("hello.exe", {"--mvid", "hash"});
    const Edited other("hello.exe", {"--mvid", "hash", "--version", "2.0.0.0"});
    CHECK(one.only_reported_bytes_differ());
    CHECK(one.report()["edits"][0]["to"] != other.report()["edits"][1]["to"]);
    const TemporaryFolder folder;
    const CommandSetting setting{.folder = folder.path()};
    folder.write("a.exe", one.before);
    CHECK(clrkit({"set", "--mvid", "new", "-i", "a.exe"}, setting).exit_code == 0);
    CHECK(clrkit({"set", "--mvid", "hash", "-i", "a.exe"}, setting).exit_code == 0);
    CHECK(read_bytes(folder.path() / "a.exe") == one.after());
    // Once more changes nothing.
    CHECK(contains(clrkit({"set", "--mvid", "hash", "-i", "a.exe"}, setting).err,
                   "nothing to change"));
}

TEST_CASE("set --timestamp takes seconds, dates and now") {
    NEED_COMMAND();
    const auto stamp = [](const char* time) -> std::uint32_t {
        const Edited edited("hello.exe", {"--timestamp", time});
        CHECK(edited.result.exit_code == 0);
        return info(edited.folder.path() / "out.exe")["timestamp"];
    };
    CHECK(stamp("1714557600") == 1714557600);
    CHECK(stamp("2024-05-01") == 1714521600);
    CHECK(stamp("2024-05-01T10:00:00Z") == 1714557600);
    CHECK(stamp("2024-05-01T12:00+02:00") == 1714557600);
    CHECK(stamp("now") > 1714557600);
    for (const char* bad :
         {"yesterday", "2024-13-01", "2024-05-01T25:00", "1960-01-01", "4294967296"}) {
        CHECK(clrkit({"set", "--timestamp", bad, "a", "b"}).exit_code == 2);
    }
}

TEST_CASE("set --laa changes one bit") {
    NEED_COMMAND();
    const Edited edited("hello.exe", {"--laa", "on"});
    CHECK(edited.differing().size() == 1);
    CHECK(info(edited.folder.path() / "out.exe")["large_addresses"] == true);
}

TEST_CASE("set makes several changes at once, or none") {
    NEED_COMMAND();
    const Edited edited("hello.exe", {"--version", "2.0.0.0", "--laa", "on", "--timestamp", "0",
                                      "--flag", "32bitpref=on"});
    CHECK(edited.result.exit_code == 0);
    CHECK(edited.report()["edits"].size() == 3);  // the timestamp was 0 already
    CHECK(edited.only_reported_bytes_differ());
    const Edited refused("hello-signed.exe", {"--laa", "on", "--version", "2.0.0.0"});
    CHECK(refused.result.exit_code == 2);
    CHECK(refused.report()["error"]["code"] == "signature_would_go_stale");
    CHECK(!std::filesystem::exists(refused.folder.path() / "out.exe"));
}

TEST_CASE("a version that is none is refused before a file is opened") {
    NEED_COMMAND();
    for (const char* bad : {"1.2.3.4.5", "1.x", "1..2", "65536.0.0.0", "1.", "-1"}) {
        const CommandResult result = clrkit({"set", std::string("--version=") + bad, "no", "such"});
        CHECK(result.exit_code == 2);
        CHECK(contains(result.err, "is no version"));
    }
}

TEST_CASE("a stale strong name is dropped or left public-signed by choice") {
    NEED_COMMAND();
    const Edited dropped("hello-signed.exe", {"--version", "2.0.0.0", "--drop-signature"});
    CHECK(dropped.result.exit_code == 0);
    CHECK(dropped.only_reported_bytes_differ());
    CHECK(info(dropped.folder.path() / "out.exe")["strong_name"] == "delay-signed");
    const Edited kept("hello-signed.exe", {"--version", "2.0.0.0", "--public-sign"});
    CHECK(info(kept.folder.path() / "out.exe")["strong_name"] == "public-signed");
    const Edited both("hello-signed.exe", {"--laa", "on", "--public-sign", "--drop-signature"});
    CHECK(both.result.exit_code == 2);
}

TEST_CASE("set refuses a MVID that native code depends on") {
    NEED_COMMAND();
    if (!std::filesystem::exists(testdata() / "bin/hello-r2r-linux-x64.dll")) {
        SKIP_TEST("no ReadyToRun test data");
    }
    const Edited edited("hello-r2r-linux-x64.dll", {"--mvid", "new"});
    CHECK(edited.result.exit_code == 2);
    CHECK(edited.report()["error"]["code"] == "ready_to_run_refuses");
}

TEST_CASE("a program that was edited runs under mono") {
    NEED_COMMAND();
    const auto mono = program("mono");
    if (!mono) SKIP_TEST("no mono");
    const Edited edited("hello.exe", {"--version", "9.9.9.9", "--mvid", "hash", "--timestamp", "0",
                                      "--flag", "trackdebugdata=on", "--laa", "on"});
    REQUIRE(edited.result.exit_code == 0);
    const CommandResult ran =
        run_apart({mono->string(), (edited.folder.path() / "out.exe").string()});
    CHECK(ran.exit_code == 0);
    CHECK(contains(ran.out, "Hello"));
}

TEST_CASE("a program that was edited runs under .NET") {
    NEED_COMMAND();
    const auto dotnet = program("dotnet");
    if (!dotnet) SKIP_TEST("no dotnet");
    const Edited edited("hello-net.dll", {"--version", "9.9.9.9", "--mvid", "hash", "--laa", "on"});
    REQUIRE(edited.result.exit_code == 0);
    const CommandResult ran = run_apart({dotnet->string(), "exec", "--runtimeconfig",
                                         (testdata() / "bin/net.runtimeconfig.json").string(),
                                         (edited.folder.path() / "out.exe").string()});
    CHECK(ran.exit_code == 0);
    CHECK(contains(ran.out, "Hello"));
}

TEST_CASE("rewrite --emit gives the same bytes on a closed image and refuses a pinned one") {
    NEED_COMMAND();
    const TemporaryFolder folder;
    const CommandSetting setting{.folder = folder.path()};
    copy_of("hello.exe", folder);
    CHECK(clrkit({"rewrite", "--emit", "hello.exe", "-o", "out.exe"}, setting).exit_code == 0);
    CHECK(read_bytes(folder.path() / "out.exe") == read_bytes(folder.path() / "hello.exe"));
    ImageSpec spec = minimal();
    spec.clr.flags = 0;
    folder.write("mixed.exe", build(spec));
    const CommandResult result = clrkit({"rewrite", "--emit", "mixed.exe", "-o", "m.exe"}, setting);
    CHECK(result.exit_code == 2);
    CHECK(contains(result.err, "not every byte of the image is accounted for"));
    CHECK(contains(result.err, "m.exe was not written"));
    CHECK(clrkit({"rewrite", "mixed.exe", "-o", "m.exe"}, setting).exit_code == 0);
}

TEST_CASE("rewrite --rebuild makes a program that runs") {
    NEED_COMMAND();
    const TemporaryFolder folder;
    const CommandSetting setting{.folder = folder.path()};
    copy_of("hello.exe", folder);
    const CommandResult result =
        clrkit({"rewrite", "--rebuild", "--json", "hello.exe", "-o", "out.exe"}, setting);
    REQUIRE(result.exit_code == 0);
    const auto report = nlohmann::json::parse(result.out)["files"][0];
    CHECK(report["bytes_written"] == read_bytes(folder.path() / "out.exe").size());
    const auto mono = program("mono");
    if (!mono) SKIP_TEST("no mono");
    const CommandResult ran = run_apart({mono->string(), (folder.path() / "out.exe").string()});
    CHECK(ran.exit_code == 0);
    CHECK(contains(ran.out, "Hello"));
}

TEST_CASE("options of --rebuild are refused without it") {
    NEED_COMMAND();
    CHECK(clrkit({"rewrite", "--strip-r2r", "a", "b"}).err ==
          "clrkit: --strip-r2r is for --rebuild\nhint: clrkit help rewrite\n");
    CHECK(clrkit({"rewrite", "--rebuild", "--emit", "a", "b"}).exit_code == 2);
}

}  // namespace clrkit::test
