// clrkit dump.
#include "cli/command.h"

#include <nlohmann/json.hpp>

namespace clrkit::test {
namespace {

nlohmann::json dump(const Bytes& bytes, std::vector<std::string> options = {}) {
    const TemporaryFolder folder;
    folder.write("a.dll", bytes);
    options.insert(options.begin(), {"dump", "--jsonl"});
    options.emplace_back("a.dll");
    return nlohmann::json::parse(clrkit(options, {.folder = folder.path()}).out);
}

CommandResult dump_text(std::vector<std::string> options) {
    const TemporaryFolder folder;
    folder.write("a.dll", minimal_bytes());
    options.insert(options.begin(), "dump");
    options.emplace_back("a.dll");
    return clrkit(options, {.folder = folder.path()});
}

}  // namespace

TEST_CASE("dump shows what blobs mean") {
    NEED_COMMAND();
    const auto sample = [](const char* name) { return (testdata() / "bin" / name).string(); };
    const CommandResult methods = clrkit({"dump", "-t", "MethodDef", sample("attributes-net.dll")});
    CHECK(contains(methods.out, "  instance void(class [System.Runtime]System.Type[])  "));
    const CommandResult row =
        clrkit({"dump", "--token", "0x0C00000D", sample("attributes-net.dll")});
    CHECK(contains(row.out, "01000870726f70657274790363000000  (\"property\", 'c')\n"));
    CHECK(contains(clrkit({"dump", "-t", "DeclSecurity", sample("attributes-net.dll")}).out,
                   "SecurityPermissionAttribute(SkipVerification = true)}"));
    CHECK(contains(clrkit({"dump", "-t", "FieldMarshal", sample("marshal-il.dll")}).out,
                   "  lpwstr[10 + 3]\n"));
    CHECK(contains(clrkit({"dump", "-t", "Constant", sample("constants.exe")}).out, "  \""));
}

TEST_CASE("dump shows the arguments of attributes as JSON values") {
    NEED_COMMAND();
    const auto sample = (testdata() / "bin/attributes-net.dll").string();
    const auto of = [&](const char* token) {
        const auto outcome = clrkit({"dump", "--jsonl", "--token", token, sample});
        return nlohmann::json::parse(outcome.out)["tokens"][0]["Value"];
    };
    const auto boxed = of("0x0C00000D");
    CHECK(boxed["arguments"][0]["value"] == "property");
    CHECK(boxed["arguments"][1]["boxed"] == true);
    CHECK(boxed["arguments"][1]["value"] == 99);
    CHECK(of("0x0C000006")["named"][0]["value"] == true);
    CHECK(of("0x0C000007")["undecoded"] == "the enum is defined elsewhere, or not at all");
}

TEST_CASE("dump finds enums of other assemblies where --ref says") {
    NEED_COMMAND();
    const auto sample = (testdata() / "bin/missing-ref.dll").string();
    const auto outcome = clrkit({"dump", "-t", "CustomAttribute", "--ref", sample, sample});
    CHECK(outcome.exit_code == 0);
    CHECK(contains(outcome.out, "/* the enum is defined elsewhere, or not at all */"));
    const std::filesystem::path mono = "/usr/lib/mono/4.5";
    if (!std::filesystem::exists(mono / "mscorlib.dll")) return;
    const auto found = clrkit(
        {"dump", "-t", "CustomAttribute", "--limit", "0", "--ref", (mono / "mscorlib.dll").string(),
         "--ref", (mono / "System.dll").string(), (mono / "System.Core.dll").string()});
    CHECK(contains(found.out, "((System.AttributeTargets)"));
    CHECK(!contains(found.out, "the enum is defined elsewhere"));
}

TEST_CASE("dump shows headers, sections, streams and tables") {
    NEED_COMMAND();
    const auto object = dump(minimal_bytes());
    CHECK(object["coff_header"]["machine"] == 0x14C);
    CHECK(object["optional_header"]["magic"] == 0x10B);
    CHECK(object["optional_header"]["file_alignment"] == 0x200);
    CHECK(object["clr_header"]["flags"] == 1);
    CHECK(object["metadata_root"]["version"] == "v4.0.30319");
    CHECK(object["metadata_root"]["streams"][0]["name"] == "#~");
    CHECK(object["tables"][0]["name"] == "Module");
    CHECK(object["tables"][0]["rows"] == 1);
    CHECK(!object["sections"].empty());
    const CommandResult text = dump_text({});
    CHECK(contains(text.out, "optional_header at offset 0x"));
    CHECK(contains(text.out, "#Strings"));
}

TEST_CASE("dump --table shows rows with what they refer to") {
    NEED_COMMAND();
    const auto table = dump(minimal_bytes(), {"--table", "typedef"})["tables"][0];
    CHECK(table["table"] == "TypeDef");
    CHECK(table["row_count"] == 2);
    const auto& row = table["rows"][1];
    CHECK(row["token"] == "0x02000002");
    CHECK(row["TypeName"]["value"] == "Program");
    CHECK(row["TypeNamespace"]["value"] == "Minimal");
    CHECK(row["Extends"]["token"] == "0x01000001");
    CHECK(row["MethodList"]["token"] == "0x06000001");
    CHECK(row["MethodList"]["count"] == 1);
    CHECK(row["Flags"].is_number());
}

TEST_CASE("dump takes a table's number, and several tables") {
    NEED_COMMAND();
    const auto object = dump(minimal_bytes(), {"-t", "6", "-t", "0x0A"});
    CHECK(object["tables"][0]["table"] == "MethodDef");
    CHECK(object["tables"][1]["table"] == "MemberRef");
}

TEST_CASE("dump names the nearest table") {
    NEED_COMMAND();
    const CommandResult result = dump_text({"--table", "TypDef"});
    CHECK(result.exit_code == 2);
    CHECK(result.err == "clrkit: no table 'TypDef'\nhint: did you mean TypeDef?\n");
}

TEST_CASE("dump --raw shows stored numbers only") {
    NEED_COMMAND();
    const auto row = dump(minimal_bytes(), {"-t", "TypeDef", "--raw"})["tables"][0]["rows"][1];
    CHECK(row["TypeName"].is_number());
    CHECK(row["MethodList"] == 1);
    CHECK(row["Extends"] == (1 << 2 | 1));
}

TEST_CASE("dump --heap lists entries") {
    NEED_COMMAND();
    const auto heaps =
        dump(minimal_bytes(), {"--heap", "us", "--heap", "#Strings", "--heap", "guid"})["heaps"];
    CHECK(heaps[0]["entries"][0]["value"] == "minimal");
    CHECK(heaps[0]["entries"][0]["offset"] == 1);
    bool program = false;
    for (const auto& entry : heaps[1]["entries"]) program |= entry["value"] == "Program";
    CHECK(program);
    CHECK(heaps[2]["entries"][0]["index"] == 1);
    CHECK(contains(dump_text({"--heap", "us"}).out, "  0x000001  \"minimal\"\n"));
    CHECK(contains(dump_text({"--heap", "us", "--raw"}).out, "m.i.n.i.m.a.l."));
}

TEST_CASE("dump shows literals with lone surrogates whole") {
    NEED_COMMAND();
    ImageSpec spec = minimal();
    spec.metadata.heaps.user_string(u"\xD800x");
    const auto entries = dump(build(spec), {"--heap", "us"})["heaps"][0]["entries"];
    CHECK(entries[1]["bytes"] == "00d8780000");
}

TEST_CASE("dump --token shows one row or one literal") {
    NEED_COMMAND();
    const auto tokens =
        dump(minimal_bytes(), {"--token", "0x06000001", "--token", "70000001"})["tokens"];
    CHECK(tokens[0]["Name"]["value"] == "Main");
    CHECK(tokens[1]["value"] == "minimal");
    const CommandResult text = dump_text({"--token", "0x02000002"});
    CHECK(contains(text.out, "0x02000002 TypeDef at offset 0x"));
    CHECK(contains(text.out, "0x01000001 System.Object\n"));
}

TEST_CASE("a token that is not there is the answer no") {
    NEED_COMMAND();
    const CommandResult result = dump_text({"--token", "0x06000009"});
    CHECK(result.exit_code == 1);
    CHECK(result.err == "clrkit: a.dll: there is no 0x06000009\n");
    CHECK(dump_text({"--token", "main"}).exit_code == 2);
}

TEST_CASE("dump --limit bounds rows and entries and says how many more there are") {
    NEED_COMMAND();
    const CommandResult result = dump_text({"-t", "TypeDef", "--limit", "1"});
    CHECK(contains(result.out, "0x02000001"));
    CHECK(!contains(result.out, "0x02000002"));
    CHECK(result.err == "clrkit: a.dll: 1 more rows\nhint: --limit 0 lists all\n");
    CHECK(dump_text({"-t", "TypeDef", "--limit", "0"}).err.empty());
}

TEST_CASE("dump shows indexes that lead nowhere as they are stored") {
    NEED_COMMAND();
    ImageSpec spec = minimal();
    spec.metadata.tables.row(table::TypeDef, 2)[1] = 0xFFF0;
    spec.metadata.tables.row(table::TypeDef, 2)[3] = 0xFFFF;  // tag 3 of TypeDefOrRef
    const TemporaryFolder folder;
    folder.write("a.dll", build(spec));
    const CommandResult result =
        clrkit({"dump", "-t", "TypeDef", "a.dll"}, {.folder = folder.path()});
    CHECK(result.exit_code == 0);
    CHECK(contains(result.out, "0xFFF0 is past the heap"));
    CHECK(contains(result.out, "bad 0xFFFF"));
}

TEST_CASE("dump shows every table of every test file") {
    NEED_COMMAND();
    std::vector<std::string> words{"dump", "--jsonl", "--limit",
                                   "0",    "-r",      (testdata() / "bin").string()};
    for (int i = 0; i < 0x2D; ++i) words.insert(words.end(), {"-t", std::to_string(i)});
    const CommandResult result = clrkit(words);
    CHECK(result.exit_code == 0);
    std::string_view rest = result.out;
    std::size_t files = 0;
    for (; !rest.empty(); ++files) {
        const std::size_t end = rest.find('\n');
        CHECK(nlohmann::json::accept(rest.substr(0, end)));
        rest.remove_prefix(end + 1);
    }
    CHECK(files >= 2);
}

}  // namespace clrkit::test
