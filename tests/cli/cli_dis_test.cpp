// clrkit dis.
#include "cli/command.h"

#include <nlohmann/json.hpp>

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
    CHECK(dis({sample("resources.exe"), "-o", out}).exit_code == 2);
    CHECK(dis({sample("resources.exe"), "-o", out, "-f"}).exit_code == 0);
    CHECK(dis({sample("hello.exe"), sample("eh.exe"), "-o", out, "-f"}).exit_code == 2);
    CHECK(dis({sample("hello.exe"), sample("eh.exe"), "-O", folder.path().string()}).exit_code ==
          0);
    CHECK(std::filesystem::exists(folder.path() / "hello.il"));
    CHECK(std::filesystem::exists(folder.path() / "eh.il"));
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

}  // namespace clrkit::test
