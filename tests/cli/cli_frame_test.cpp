// What all verbs share: help, completions, streams, colours, JSON.
#include "cli/command.h"

#include <nlohmann/json.hpp>

namespace clrkit::test {
namespace {

const std::vector<std::string>& verbs() {
    static const std::vector<std::string> all{"info",    "dump", "dis",        "grep",
                                              "rewrite", "set",  "completions"};
    return all;
}

}  // namespace

TEST_CASE("help opens with three examples") {
    NEED_COMMAND();
    for (const std::string& verb : verbs()) {
        const CommandResult result = clrkit({verb, "--help"});
        CHECK(result.exit_code == 0);
        CHECK(result.err.empty());
        std::string_view rest = result.out;
        for (int i = 0; i < 3; ++i) {
            CHECK(contains(rest.substr(0, rest.find('\n')), "clrkit"));
            rest.remove_prefix(rest.find('\n') + 1);
        }
        CHECK(rest.starts_with("\nclrkit " + verb + " [OPTIONS]"));
        CHECK(clrkit({"help", verb}).out == result.out);
        CHECK(clrkit({verb, "-h", "no-such-file"}).out == result.out);
    }
    CHECK(clrkit({"--help"}).out.starts_with("  clrkit info"));
}

TEST_CASE("without a verb the verbs are listed, as an error") {
    NEED_COMMAND();
    const CommandResult result = clrkit({});
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK(result.err == clrkit({"--help"}).out);
    for (const std::string& verb : verbs()) CHECK(contains(result.err, "\n  " + verb + " "));
}

TEST_CASE("--version is one line") {
    NEED_COMMAND();
    const CommandResult result = clrkit({"--version"});
    CHECK(result.exit_code == 0);
    CHECK(result.out.starts_with("clrkit "));
    CHECK(lines_in(result.out) == 1);
}

TEST_CASE("completion scripts are well-formed and know every verb and option") {
    NEED_COMMAND();
    for (const char* shell : {"bash", "zsh", "fish"}) {
        const CommandResult result = clrkit({"completions", shell});
        CHECK(result.exit_code == 0);
        for (const std::string& verb : verbs()) CHECK(contains(result.out, verb));
        CHECK(contains(result.out, "files-from"));
        if (const auto there = program(shell)) {
            const TemporaryFolder folder;
            const auto script = folder.write("script", bytes_of(result.out));
            CHECK(run_apart({there->string(), "-n", script.string()}).exit_code == 0);
        }
    }
    CHECK(clrkit({"completions", "tcsh"}).exit_code == 2);
}

TEST_CASE("bash completes options and their values") {
    NEED_COMMAND();
    const auto bash = program("bash");
    if (!bash) SKIP_TEST("no bash");
    const TemporaryFolder folder;
    folder.write("script", bytes_of(clrkit({"completions", "bash"}).out));
    const CommandResult result = run_apart(
        {bash->string(), "-c",
         "source ./script; COMP_WORDS=(clrkit info --jso); COMP_CWORD=2; _clrkit; echo "
         "${COMPREPLY[@]}; COMP_WORDS=(clrkit set --laa o); COMP_CWORD=3; _clrkit; echo "
         "${COMPREPLY[@]}; COMP_WORDS=(clrkit re); COMP_CWORD=1; _clrkit; echo ${COMPREPLY[@]}"},
        {.folder = folder.path()});
    CHECK(result.out == "--json --jsonl\non off\nrewrite\n");
}

TEST_CASE("a closed standard output is no reason to complain, nor to write elsewhere") {
    NEED_COMMAND();
    const TemporaryFolder folder;
    folder.write("a.dll", minimal_bytes());
    const CommandResult result =
        clrkit({"info", "a.dll"}, {.folder = folder.path(), .stdout_to = StdoutTo::closed});
    CHECK(result.exit_code == 0);
    CHECK(result.err.empty());
    CHECK(read_bytes(folder.path() / "a.dll") == minimal_bytes());
    const CommandResult written = clrkit({"rewrite", "--json", "a.dll", "b.dll"},
                                         {.folder = folder.path(), .stdout_to = StdoutTo::closed});
    CHECK(written.exit_code == 0);
    CHECK(read_bytes(folder.path() / "b.dll") == minimal_bytes());
}

TEST_CASE("a reader that goes away ends the command quietly") {
    NEED_COMMAND();
    const TemporaryFolder folder;
    folder.write("a.dll", minimal_bytes());
    folder.write("b.dll", minimal_bytes());
    const CommandSetting setting{.folder = folder.path(),
                                 .stdout_to = StdoutTo::pipe_without_reader};
    const CommandResult result = clrkit({"info", "a.dll", "b.dll"}, setting);
    CHECK(result.exit_code == 0);
    CHECK(result.err.empty());
    // What is to be written is written all the same.
    CHECK(clrkit({"rewrite", "-q", "--jsonl", "a.dll", "b.dll", "-O", "out"}, setting).exit_code ==
          0);
    CHECK(read_bytes(folder.path() / "out/b.dll") == minimal_bytes());
}

TEST_CASE("a standard output that is full is an error") {
    NEED_COMMAND();
    const TemporaryFolder folder;
    folder.write("a.dll", minimal_bytes());
    const CommandResult result =
        clrkit({"info", "a.dll"}, {.folder = folder.path(), .stdout_to = StdoutTo::full_device});
    CHECK(result.exit_code == 2);
    CHECK(result.err == "clrkit: standard output: cannot be written: No space left on device\n");
}

TEST_CASE("colours are used when asked for") {
    NEED_COMMAND();
    const TemporaryFolder folder;
    folder.write("a.dll", minimal_bytes());
    const CommandSetting setting{.folder = folder.path()};
    const std::string plain = clrkit({"info", "a.dll"}, setting).out;
    CHECK(!contains(plain, "\x1b"));
    CHECK(clrkit({"info", "--color", "never", "a.dll"}, setting).out == plain);
    CHECK(contains(clrkit({"info", "--color=always", "a.dll"}, setting).out, "\x1b["));
    CHECK(contains(clrkit({"info", "--color", "always", "none"}, setting).err, "\x1b["));
}

TEST_CASE("--json is one document for any number of files") {
    NEED_COMMAND();
    const TemporaryFolder folder;
    folder.write("a.dll", minimal_bytes());
    folder.write("b.txt", bytes_of("text"));
    const CommandSetting setting{.folder = folder.path()};
    const auto one = nlohmann::json::parse(clrkit({"info", "--json", "a.dll"}, setting).out);
    CHECK(one["schema"] == 1);
    CHECK(one["files"].size() == 1);
    const CommandResult mixed =
        clrkit({"info", "--json", "-k", "b.txt", "a.dll", "b.txt"}, setting);
    CHECK(mixed.exit_code == 2);
    const auto three = nlohmann::json::parse(mixed.out);
    CHECK(three["files"].size() == 3);
    CHECK(three["files"][0]["error"]["code"] == "not_pe");
    CHECK(three["files"][1]["name"] == "minimal");
    const auto failed = nlohmann::json::parse(clrkit({"info", "--json", "b.txt"}, setting).out);
    CHECK(failed["files"].size() == 1);
}

TEST_CASE("--jsonl is one object a line, each with its schema") {
    NEED_COMMAND();
    const TemporaryFolder folder;
    folder.write("a.dll", minimal_bytes());
    folder.write("b.dll", minimal_bytes());
    const CommandResult result =
        clrkit({"info", "--jsonl", "a.dll", "b.dll"}, {.folder = folder.path()});
    REQUIRE(lines_in(result.out) == 2);
    const auto first = nlohmann::json::parse(result.out.substr(0, result.out.find('\n')));
    const auto second = nlohmann::json::parse(result.out.substr(result.out.find('\n')));
    CHECK(first["schema"] == 1);
    CHECK(first["file"] == "a.dll");
    CHECK(second["file"] == "b.dll");
}

TEST_CASE("names that are not UTF-8 lose nothing in JSON") {
    NEED_COMMAND();
    ImageSpec spec = minimal();
    const std::uint32_t name = spec.metadata.heaps.string("caf\xe9\"\\");
    spec.metadata.tables.row(table::Module, 1)[1] = name;
    const TemporaryFolder folder;
    folder.write("a.dll", build(spec));
    const CommandResult result = clrkit({"info", "--jsonl", "a.dll"}, {.folder = folder.path()});
    const auto object = nlohmann::json::parse(result.out);
    CHECK(object["module"] == "caf\xef\xbf\xbd\"\\");
    CHECK(object["module_bytes"] == "636166e9225c");
}

TEST_CASE("names without end are cut, and say how long they are") {
    NEED_COMMAND();
    ImageSpec spec = minimal();
    const std::uint32_t name = spec.metadata.heaps.string(std::string(5000, 'x'));
    spec.metadata.tables.row(table::Module, 1)[1] = name;
    const TemporaryFolder folder;
    folder.write("a.dll", build(spec));
    const CommandSetting setting{.folder = folder.path()};
    const auto object = nlohmann::json::parse(clrkit({"info", "--jsonl", "a.dll"}, setting).out);
    CHECK(object["module"] == std::string(1024, 'x'));
    CHECK(object["module_size"] == 5000);
    CHECK(contains(clrkit({"info", "a.dll"}, setting).out, "xxx... (3976 more bytes)"));
}

TEST_CASE("the same input and options give the same bytes") {
    NEED_COMMAND();
    const TemporaryFolder folder;
    copy_of("hello-net.dll", folder);
    const CommandSetting setting{.folder = folder.path()};
    for (const char* out : {"one.dll", "two.dll"}) {
        CHECK(clrkit({"set", "--version", "4.4.4.4", "--mvid", "hash", "hello-net.dll", "-o", out},
                     setting)
                  .exit_code == 0);
    }
    CHECK(read_bytes(folder.path() / "one.dll") == read_bytes(folder.path() / "two.dll"));
}

}  // namespace clrkit::test
