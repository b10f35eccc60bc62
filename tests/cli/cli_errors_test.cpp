// What the command says and how it ends when an input is not what it should be.
#include "cli/command.h"

#include <array>

namespace clrkit::test {
namespace {

constexpr std::array<std::uint8_t, 32> app_host_marker{
    0x8B, 0x12, 0x02, 0xB9, 0x6A, 0x61, 0x20, 0x38, 0x72, 0x7B, 0x93, 0x02, 0x14, 0xD7, 0xA0, 0x32,
    0x13, 0xF5, 0xB9, 0xE6, 0xEF, 0xAE, 0x33, 0x18, 0xEE, 0x3B, 0x2D, 0xCE, 0x24, 0xB3, 0x6A, 0xAE};

/// A native program with an app host's marker in it.
Bytes app_host() {
    Bytes bytes = native_dll();
    bytes.resize(bytes.size() + 16);
    bytes.insert(bytes.end(), app_host_marker.begin(), app_host_marker.end());
    return bytes;
}

/// CHECKs that the input is refused with one line, and a hint below it where there is one.
void check_refused_with(const Bytes& bytes, std::string_view sentence, std::string_view hint) {
    const TemporaryFolder folder;
    folder.write("App.dll", bytes);
    const CommandResult result = clrkit({"info", "App.dll"}, {.folder = folder.path()});
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    std::string expected = "clrkit: App.dll: " + std::string(sentence);
    CHECK(result.err.substr(0, expected.size()) == expected);
    CHECK(lines_in(result.err) == (hint.empty() ? 1 : 2));
    if (!hint.empty()) CHECK(contains(result.err, "\nhint: " + std::string(hint) + "\n"));
}

}  // namespace

TEST_CASE("the command names an empty file") {
    NEED_COMMAND();
    check_refused_with({}, "the file is empty", "");
}

TEST_CASE("the command names a text file") {
    NEED_COMMAND();
    check_refused_with(bytes_of("hello there, this is text\n"), "not a PE file", "");
}

TEST_CASE("the command names random bytes") {
    NEED_COMMAND();
    Bytes bytes;
    for (unsigned i = 0; i < 4096; ++i)
        bytes.push_back(static_cast<std::uint8_t>(i * 2654435761U >> 13U));
    check_refused_with(bytes, "not a PE file", "");
}

TEST_CASE("the command names a native DLL") {
    NEED_COMMAND();
    check_refused_with(native_dll(), "a native PE file", "");
}

TEST_CASE("the command names an app host and says what to pass") {
    NEED_COMMAND();
    check_refused_with(app_host(), "a .NET app host", "pass the .dll beside it");
}

TEST_CASE("the command names a Portable PDB and says what to pass") {
    NEED_COMMAND();
    check_refused_with(minimal_pdb().encode(), "a Portable PDB",
                       "pass the .dll or .exe it belongs to");
}

TEST_CASE("the command names an ELF file") {
    NEED_COMMAND();
    const auto elf = program("true");
    if (!elf) SKIP_TEST("no ELF program at hand");
    check_refused_with(read_bytes(*elf), "an ELF file",
                       "if it is an app host, pass the .dll beside it");
}

TEST_CASE("the command says which file is missing") {
    NEED_COMMAND();
    const CommandResult result = clrkit({"info", "no-such.dll"});
    CHECK(result.exit_code == 2);
    CHECK(result.err == "clrkit: no-such.dll: cannot be opened: No such file or directory\n");
}

TEST_CASE("the command says that a folder is no file") {
    NEED_COMMAND();
    const TemporaryFolder folder;
    const CommandResult result = clrkit({"info", "."}, {.folder = folder.path()});
    CHECK(result.exit_code == 2);
    CHECK(result.err ==
          "clrkit: .: is a folder\nhint: name a file, or pass -r to search the folder\n");
}

TEST_CASE("the command says that it reads no pipes, and what to do instead") {
    NEED_COMMAND();
    const CommandResult pipe = clrkit({"info", "/dev/null"});
    CHECK(pipe.exit_code == 2);
    CHECK(pipe.err ==
          "clrkit: /dev/null: is not a regular file\n"
          "hint: copy what it gives to a file, and name that\n");
    const TemporaryFolder folder;
    const CommandResult standard = clrkit({"info", "-"}, {.folder = folder.path()});
    CHECK(standard.exit_code == 2);
    CHECK(standard.err ==
          "clrkit: -: assemblies are not read from standard input\n"
          "hint: write it to a file and name that\n");
}

TEST_CASE("a broken image is refused with the place of the fault") {
    NEED_COMMAND();
    ImageSpec spec = minimal();
    spec.metadata.signature = 0x12345678;
    check_refused_with(build(spec), "the metadata root does not start with BSJB at offset 0x",
                       "the file may be encrypted or packed");
}

TEST_CASE("a batch stops at the first failure") {
    NEED_COMMAND();
    const TemporaryFolder folder;
    folder.write("a.txt", bytes_of("text"));
    folder.write("b.dll", minimal_bytes());
    const CommandResult result = clrkit({"info", "a.txt", "b.dll"}, {.folder = folder.path()});
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
}

TEST_CASE("with --keep-going a batch goes on after a failure and still ends with 2") {
    NEED_COMMAND();
    const TemporaryFolder folder;
    folder.write("a.txt", bytes_of("text"));
    folder.write("b.dll", minimal_bytes());
    const CommandResult result =
        clrkit({"info", "--keep-going", "a.txt", "b.dll"}, {.folder = folder.path()});
    CHECK(result.exit_code == 2);
    CHECK(contains(result.out, "b.dll\n"));
    CHECK(lines_in(result.err) == 1);
}

TEST_CASE("an option that does not exist is refused with the nearest one") {
    NEED_COMMAND();
    const CommandResult result = clrkit({"info", "--jsno", "App.dll"});
    CHECK(result.exit_code == 2);
    CHECK(result.err == "clrkit: no option --jsno\nhint: did you mean --json?\n");
    CHECK(contains(clrkit({"info", "--keep", "x"}).err, "did you mean --keep-going?"));
    CHECK(contains(clrkit({"info", "--xyzzy", "x"}).err, "hint: clrkit help info"));
}

TEST_CASE("a verb that does not exist is refused with the nearest one") {
    NEED_COMMAND();
    const CommandResult result = clrkit({"rewirte", "App.dll"});
    CHECK(result.exit_code == 2);
    CHECK(result.err == "clrkit: no verb 'rewirte'\nhint: did you mean rewrite?\n");
}

TEST_CASE("a value that an option does not take is refused") {
    NEED_COMMAND();
    CHECK(clrkit({"info", "--color", "blue", "x"}).err ==
          "clrkit: --color takes one of auto|always|never, not 'blue'\nhint: clrkit help info\n");
    CHECK(contains(clrkit({"info", "--limit", "many", "x"}).err, "--limit takes a number"));
    CHECK(contains(clrkit({"info", "--limit", "1", "--limit", "2", "x"}).err, "more than once"));
    CHECK(contains(clrkit({"info", "--limit"}).err, "clrkit: --limit needs a value\n"));
    CHECK(contains(clrkit({"info", "--json=1", "x"}).err, "clrkit: --json takes no value\n"));
    CHECK(
        contains(clrkit({"info", "--json", "--jsonl", "x"}).err, "only one of --json and --jsonl"));
    CHECK(contains(clrkit({"info"}).err, "no input is named"));
}

TEST_CASE("control characters in names never reach the terminal") {
    NEED_COMMAND();
    ImageSpec spec = minimal();
    const std::uint32_t name = spec.metadata.heaps.string("evil\x1b[2J\x07\u202e\x9b");
    spec.metadata.tables.row(table::Module, 1)[1] = name;
    const TemporaryFolder folder;
    folder.write("evil.dll", build(spec));
    const CommandResult text = clrkit({"info", "evil.dll"}, {.folder = folder.path()});
    CHECK(contains(text.out, "evil\\u{1B}[2J\\u{7}\\u{202E}\\x9B"));
    const CommandResult json = clrkit({"info", "--json", "evil.dll"}, {.folder = folder.path()});
    for (const std::string_view bad : {"\x1b", "\x07", "\u202e", "\x9b"}) {
        CHECK(!contains(text.out, bad));
        CHECK(!contains(json.out, bad));
    }
    // An error names the file, and a file's name is text from outside as well.
    CHECK(!contains(clrkit({"info", "a\x1b[2Jb"}).err, "\x1b"));
}

}  // namespace clrkit::test
