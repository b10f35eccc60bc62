// clrkit dis.
#include "cli/command.h"

#include <nlohmann/json.hpp>

#include <iterator>

namespace clrkit::test {
namespace {

std::string sample(const char* name) { return (testdata() / "bin" / name).string(); }

CommandResult dis(std::vector<std::string> words) {
    words.insert(words.begin(), "dis");
    return clrkit(words);
}

}  // namespace

TEST_CASE("dis prints a module, a type or a member") {
    NEED_COMMAND();
    const CommandResult all = dis({sample("hello.exe")});
    CHECK(all.exit_code == 0);
    CHECK(contains(all.out, ".assembly extern mscorlib\n"));
    CHECK(contains(all.out, "        .entrypoint\n"));
    const CommandResult one = dis({"--item", "Hello::Main", "--bytes", sample("hello.exe")});
    CHECK(one.out ==
          ".method private hidebysig static void Main() cil managed\n{\n    .entrypoint\n"
          "    .maxstack 8\n    IL_0000: ldstr \"Hello, world\"  // 72 01 00 00 70\n"
          "    IL_0005: call void [mscorlib]System.Console::WriteLine(string)  // 28 01 00 00 0A\n"
          "    IL_000A: ret  // 2A\n}\n");
    CHECK(contains(dis({"--item", "Hello", sample("hello.exe")}).out, ".class "));
    const CommandResult none = dis({"--item", "Hello::Nothing", sample("hello.exe")});
    CHECK(none.exit_code == 1);
    CHECK(contains(none.err, "there is no Hello::Nothing"));
}

TEST_CASE("dis writes a file, and resources beside it") {
    NEED_COMMAND();
    const TemporaryFolder folder;
    const std::string out = (folder.path() / "resources.il").string();
    CHECK(dis({sample("resources.exe"), "-o", out}).exit_code == 0);
    CHECK(std::filesystem::exists(folder.path() / "resources.1.bin"));
    const CommandResult refused = dis({sample("resources.exe"), "-o", out});
    CHECK(refused.exit_code == 2);
    CHECK(contains(refused.err, "hint: pass -f to replace it\n"));
    CHECK(dis({sample("resources.exe"), "-o", out, "-f"}).exit_code == 0);
    CHECK(dis({sample("hello.exe"), sample("eh.exe"), "-o", out, "-f"}).exit_code == 2);
    CHECK(dis({sample("hello.exe"), sample("eh.exe"), "-O", folder.path().string()}).exit_code ==
          0);
    CHECK(std::filesystem::exists(folder.path() / "hello.il"));
    CHECK(std::filesystem::exists(folder.path() / "eh.il"));
}

TEST_CASE("dis never writes over its input") {
    NEED_COMMAND();
    const TemporaryFolder folder;
    const CommandSetting here{.folder = folder.path()};
    const Bytes before = read_bytes(copy_of("hello.exe", folder));
    std::filesystem::create_symlink("hello.exe", folder.path() / "link.il");
    for (const char* output : {"hello.exe", "./hello.exe", "link.il"}) {
        const CommandResult result = clrkit({"dis", "-f", "hello.exe", "-o", output}, here);
        CHECK(result.exit_code == 2);
        CHECK(contains(result.err, "is the input itself; nothing was written"));
    }
    CHECK(read_bytes(folder.path() / "hello.exe") == before);
}

TEST_CASE("dis refuses two texts of one name before it writes any") {
    NEED_COMMAND();
    const TemporaryFolder folder;
    const CommandSetting here{.folder = folder.path()};
    folder.write("App.dll", minimal_bytes());
    folder.write("App.exe", minimal_bytes());
    for (const std::vector<std::string>& inputs :
         {std::vector<std::string>{"App.dll", "App.exe"}, std::vector<std::string>{"-r", "."}}) {
        std::vector<std::string> words{"dis", "-f", "-O", "out"};
        words.insert(words.end(), inputs.begin(), inputs.end());
        const CommandResult result = clrkit(words, here);
        CHECK(result.exit_code == 2);
        CHECK(contains(result.err, "would both be written to out/App.il; nothing was written"));
        CHECK(!std::filesystem::exists(folder.path() / "out"));
    }
}

TEST_CASE("dis looks at the names of resources before it writes any file") {
    NEED_COMMAND();
    const TemporaryFolder folder;
    const CommandSetting here{.folder = folder.path()};
    copy_of("resources.exe", folder);
    copy_of("hello.exe", folder);
    std::filesystem::create_directory(folder.path() / "out");
    folder.write("out/resources.2.bin", bytes_of("precious"));
    const std::vector<std::string> words{"dis", "hello.exe", "resources.exe", "-O", "out"};
    const CommandResult refused = clrkit(words, here);
    CHECK(refused.exit_code == 2);
    CHECK(refused.err ==
          "clrkit: out/resources.2.bin, beside out/resources.il: exists already; nothing was "
          "written\nhint: pass -f to replace it\n");
    CHECK(!std::filesystem::exists(folder.path() / "out" / "resources.1.bin"));
    CHECK(!std::filesystem::exists(folder.path() / "out" / "hello.il"));
    CHECK(read_bytes(folder.path() / "out" / "resources.2.bin") == bytes_of("precious"));
}

TEST_CASE("a resource's file is neither an input nor one of another input") {
    NEED_COMMAND();
    const TemporaryFolder folder;
    const CommandSetting here{.folder = folder.path()};
    copy_of("resources.exe", folder);
    std::filesystem::copy_file(sample("resources.exe"), folder.path() / "again.exe");
    folder.write("resources.1.bin", minimal_bytes());
    const CommandResult input =
        clrkit({"dis", "-f", "-O", ".", "resources.exe", "resources.1.bin"}, here);
    CHECK(input.exit_code == 2);
    CHECK(contains(input.err, "is an input too; nothing was written"));
    CHECK(read_bytes(folder.path() / "resources.1.bin") == minimal_bytes());
    const CommandResult twice =
        clrkit({"dis", "-f", "--for", "mono", "-O", "out", "resources.exe", "again.exe"}, here);
    CHECK(twice.exit_code == 2);
    CHECK(contains(twice.err, "is another such file too; nothing was written"));
    CHECK(!std::filesystem::exists(folder.path() / "out"));
}

TEST_CASE("dis makes no file of an item that is not there") {
    NEED_COMMAND();
    const TemporaryFolder folder;
    const std::string out = (folder.path() / "none.il").string();
    CHECK(dis({"--item", "Nothing", sample("hello.exe"), "-o", out}).exit_code == 1);
    CHECK(std::filesystem::is_empty(folder.path()));
    CHECK(dis({"--item", "Nothing", "--item", "Hello", sample("hello.exe"), "-o", out}).exit_code ==
          1);
    CHECK(std::filesystem::exists(out));
}

TEST_CASE("dis writes to a device itself, without files beside it") {
    NEED_COMMAND();
    // Not /dev/stdout: a fault here would take it from everybody.
    const TemporaryFolder folder;
    const std::string null = (folder.path() / "null.il").string();
    std::filesystem::create_symlink("/dev/null", null);
    CHECK(dis({sample("resources.exe"), "-o", null}).exit_code == 0);
    CHECK(std::filesystem::read_symlink(null) == "/dev/null");
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
    const CommandResult full = dis({sample("hello.exe"), "-o", "/dev/full"});
    CHECK(full.exit_code == 2);
    CHECK(contains(full.err, "clrkit: /dev/full: cannot be written: No space left on device"));
}

TEST_CASE("dis replaces what a symbolic link points to, and keeps its permissions") {
    NEED_COMMAND();
    const TemporaryFolder folder;
    folder.write("real.il", bytes_of("old"));
    std::filesystem::permissions(folder.path() / "real.il", std::filesystem::perms(0600));
    std::filesystem::create_symlink("real.il", folder.path() / "link.il");
    const std::string link = (folder.path() / "link.il").string();
    CHECK(dis({"-f", sample("hello.exe"), "-o", link}).exit_code == 0);
    CHECK(std::filesystem::is_symlink(link));
    CHECK(read_bytes(folder.path() / "real.il") != bytes_of("old"));
    CHECK(std::filesystem::status(link).permissions() == std::filesystem::perms(0600));
}

TEST_CASE("dis --for mono names resources as they are, and never the text itself") {
    NEED_COMMAND();
    const TemporaryFolder folder;
    const std::string out = (folder.path() / "resources.il").string();
    CHECK(dis({"--for", "mono", sample("resources.exe"), "-o", out}).exit_code == 0);
    CHECK(std::filesystem::exists(folder.path() / "strings.resources"));
    const std::string same = (folder.path() / "strings.resources").string();
    const CommandResult clash = dis({"--for", "mono", sample("resources.exe"), "-o", same, "-f"});
    CHECK(clash.exit_code == 2);
    CHECK(contains(clash.err, "an embedded resource has the name of the output"));
    CHECK(dis({"--for", "nobody", sample("hello.exe")}).exit_code == 2);
}

TEST_CASE("dis --strict fails where something cannot be said") {
    NEED_COMMAND();
    CHECK(dis({"--strict", sample("hello.exe")}).exit_code == 0);
    CHECK(dis({sample("attribute-parents.exe")}).exit_code == 0);
    const CommandResult strict = dis({"--strict", sample("attribute-parents.exe")});
    CHECK(strict.exit_code == 1);
    CHECK(contains(strict.out, "// What this text does not say as the file does:\n"));
    CHECK(contains(strict.err, "attribute-parents.exe: "));
    CHECK(contains(strict.err, " that the text does not say as the file does\n"));
    CHECK(lines_in(strict.err) == 1);
}

TEST_CASE("dis gives instructions as JSON") {
    NEED_COMMAND();
    const CommandResult result = dis({"--json", "--bytes", "--tokens", sample("hello.exe")});
    const auto file = nlohmann::json::parse(result.out)["files"][0];
    const auto& method = file["methods"][0];
    CHECK(method["token"] == "0x06000001");
    const auto& call = method["instructions"][1];
    CHECK(call["offset"] == 5);
    CHECK(call["opcode"] == "call");
    CHECK(call["token"] == "0x0A000001");
    CHECK(call["bytes"] == "280100000a");
    CHECK(file["not_said"].empty());
}

TEST_CASE("dis says when text breaks off since bodies are shared") {
    NEED_COMMAND();
    const TemporaryFolder folder;
    ImageSpec image = minimal();
    Bytes code(4000);  // nop
    code.push_back(0x2A);
    const std::uint32_t body = image.area.add(fat_body(code));
    const std::uint32_t signature = image.metadata.heaps.blob({0, 0, 1});
    for (std::uint32_t i = 0; i < 400; ++i) {
        const std::uint32_t name = image.metadata.heaps.string("method" + std::to_string(i));
        image.metadata.tables.add(table::MethodDef, {body, 0, 0x96, name, signature, 1});
    }
    const std::string path = folder.write("shared.dll", build(image)).string();
    const std::string out = (folder.path() / "shared.il").string();
    const CommandResult cut = dis({"-q", path, "-o", out});
    CHECK(cut.exit_code == 0);
    CHECK(cut.err == "clrkit: " + path + ": more text than the limit allows: it breaks off\n");
    CHECK(std::filesystem::file_size(out) < 17'000'000);
    CHECK(dis({"-q", "-f", "--strict", path, "-o", out}).exit_code == 1);
}

TEST_CASE("dis --limit is for the methods in JSON") {
    NEED_COMMAND();
    const CommandResult text = dis({"--limit", "1", sample("eh.exe")});
    CHECK(text.exit_code == 2);
    CHECK(contains(text.err, "--limit is for --json and --jsonl"));
    const CommandResult json = dis({"--json", "--limit", "1", sample("eh.exe")});
    CHECK(json.exit_code == 0);
    CHECK(nlohmann::json::parse(json.out)["files"][0]["methods"].size() == 1);
    CHECK(contains(json.err, "hint: --limit 0 lists all\n"));
}

}  // namespace clrkit::test
