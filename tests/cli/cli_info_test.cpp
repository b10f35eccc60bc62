// clrkit info.
#include "cli/command.h"

#include <nlohmann/json.hpp>

namespace clrkit::test {
namespace {

nlohmann::json info(const std::filesystem::path& path, std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"info", "--jsonl"});
    options.push_back(path.string());
    const CommandResult result = clrkit(options);
    CHECK(result.exit_code == 0);
    return nlohmann::json::parse(result.out);
}

nlohmann::json info_of(const char* name, std::vector<std::string> options = {}) {
    return info(testdata() / "bin" / name, std::move(options));
}

nlohmann::json info_of(const Bytes& bytes, std::vector<std::string> options = {}) {
    const TemporaryFolder folder;
    return info(folder.write("a.dll", bytes), std::move(options));
}

bool in_testdata(const char* name) { return std::filesystem::exists(testdata() / "bin" / name); }

std::string platform(std::uint16_t machine, bool pe32_plus, std::uint32_t flags) {
    ImageSpec spec = minimal();
    spec.pe.machine = machine;
    spec.pe.pe32_plus = pe32_plus;
    spec.clr.flags = flags;
    const auto object = info_of(build(spec));
    std::string text = object["platform"];
    if (object.contains("system")) text += " " + object["system"].get<std::string>();
    return text;
}

}  // namespace

TEST_CASE("info tells the identity of an assembly") {
    NEED_COMMAND();
    const auto object = info_of("hello-signed.exe");
    CHECK(object["kind"] == "assembly");
    CHECK(object["form"] == "console program");
    CHECK(object["name"] == "hello-signed");
    CHECK(object["culture"] == "neutral");
    CHECK(object["public_key_token"] == "05c90fa45ce9d854");
    CHECK(object["strong_name"] == "signed");
    CHECK(object["metadata_version"] == "v4.0.30319");
    CHECK(object["entry_point"] == "0x06000001");
    CHECK(object["entry_point_name"] == "Hello::Main");
    CHECK(object["references"][0]["name"] == "mscorlib");
    CHECK(object["references"][0]["public_key_token"] == "b77a5c561934e089");
    CHECK(object["mvid"].get<std::string>().size() == 36);
}

TEST_CASE("info tells the platform as CorFlags would") {
    NEED_COMMAND();
    CHECK(platform(0x14C, false, 0x1) == "AnyCPU");
    CHECK(platform(0x14C, false, 0x20003) == "AnyCPU, 32-bit preferred");
    CHECK(platform(0x14C, false, 0x3) == "x86");
    CHECK(platform(0x14C, false, 0x0) == "x86");
    CHECK(platform(0x8664, true, 0x1) == "x64");
    CHECK(platform(0xAA64, true, 0x1) == "ARM64");
    CHECK(platform(0x1C4, false, 0x1) == "ARM");
    CHECK(platform(0x200, true, 0x1) == "Itanium");
    CHECK(platform(0x1234, true, 0x1) == "machine 0x1234");
}

TEST_CASE("info takes the system out of the machine of native code") {
    NEED_COMMAND();
    CHECK(platform(0xFD1D, true, 0x1) == "x64 linux");
    CHECK(platform(0xAA64 ^ 0x4644, true, 0x1) == "ARM64 apple");
    CHECK(platform(0x8664 ^ 0xADC4, true, 0x1) == "x64 freebsd");
    CHECK(platform(0x8664 ^ 0x1993, true, 0x1) == "x64 netbsd");
    CHECK(platform(0x8664 ^ 0x1992, true, 0x1) == "x64 sunos");
}

TEST_CASE("info tells the states of a strong name without hashing") {
    NEED_COMMAND();
    CHECK(info_of("hello.exe")["strong_name"] == "unsigned");
    CHECK(info_of("hello-delaysigned.exe")["strong_name"] == "delay-signed");
    CHECK(info_of("hello-net-publicsigned.dll")["strong_name"] == "public-signed");
    CHECK(info_of("hello-net-signed.dll")["strong_name"] == "signed");
}

TEST_CASE("info tells ReadyToRun code and its system") {
    NEED_COMMAND();
    if (!in_testdata("hello-r2r-linux-x64.dll")) SKIP_TEST("no ReadyToRun test data");
    const auto object = info_of("hello-r2r-linux-x64.dll");
    CHECK(object["ready_to_run"] == true);
    CHECK(object["native_code"].get<std::string>().starts_with("ReadyToRun "));
    CHECK(object["platform"] == "x64");
    CHECK(object["system"] == "linux");
    CHECK(info_of("hello.exe")["ready_to_run"] == false);
}

TEST_CASE("info tells mixed mode") {
    NEED_COMMAND();
    ImageSpec spec = minimal();
    spec.clr.flags = 0;
    CHECK(info_of(build(spec))["mixed_mode"] == true);
    CHECK(info_of(minimal_bytes())["mixed_mode"] == false);
}

TEST_CASE("info tells a netmodule") {
    NEED_COMMAND();
    ImageSpec spec = minimal();
    spec.metadata.tables.rows.erase(table::Assembly);
    const auto object = info_of(build(spec));
    CHECK(object["kind"] == "netmodule");
    CHECK(!object.contains("name"));
}

TEST_CASE("info shows the debug directory") {
    NEED_COMMAND();
    if (!in_testdata("symbols-embedded.dll")) SKIP_TEST("no test data with symbols");
    bool code_view = false;
    bool embedded = false;
    const auto object = info_of("symbols-embedded.dll");
    for (const auto& entry : object["debug"]) {
        code_view |= entry["kind"] == "codeview" && entry["guid"].get<std::string>().size() == 36;
        embedded |= entry["kind"] == "embedded_pdb" && entry["uncompressed_bytes"] > 0;
    }
    CHECK(code_view);
    CHECK(embedded);
    CHECK(info_of("hello-net.dll")["reproducible"] == true);
}

TEST_CASE("info says that a certificate is there") {
    NEED_COMMAND();
    ImageSpec spec = minimal();
    // WIN_CERTIFICATE: length, revision, type, data.
    spec.pe.certificate = little_endian(16, 4);
    append(spec.pe.certificate, little_endian(0x200, 2));
    append(spec.pe.certificate, little_endian(2, 2));
    append(spec.pe.certificate, Bytes(8, 0x30));
    CHECK(info_of(build(spec))["certificates"] == 1);
    CHECK(info_of(minimal_bytes())["certificates"] == 0);
}

TEST_CASE("info --coverage says closed or pinned and why") {
    NEED_COMMAND();
    CHECK(info_of("hello.exe", {"--coverage"})["layout"]["closed"] == true);
    ImageSpec spec = minimal();
    spec.clr.flags = 0;
    const auto layout = info_of(build(spec), {"--coverage"})["layout"];
    CHECK(layout["closed"] == false);
    CHECK(!layout["reason"].get<std::string>().empty());
    CHECK(!info_of("hello.exe").contains("layout"));
}

TEST_CASE("info --size accounts for every byte") {
    NEED_COMMAND();
    const auto object = info_of("hello.exe", {"--size"});
    std::uint64_t sum = 0;
    for (const auto& kind : object["sizes"]["kinds"]) sum += kind["bytes"].get<std::uint64_t>();
    CHECK(sum == object["bytes"]);
    CHECK(object["sizes"]["tables"][0]["name"] == "Module");
    CHECK(object["sizes"]["sections"][0]["name"] == ".text");
}

TEST_CASE("info lists tolerated faults when asked and counts them otherwise") {
    NEED_COMMAND();
    ImageSpec spec = minimal();
    spec.metadata.streams.push_back(stream("#Strings", Bytes{0, 0, 0, 0}));
    const TemporaryFolder folder;
    folder.write("a.dll", build(spec));
    const CommandSetting setting{.folder = folder.path()};
    const std::string brief = clrkit({"info", "a.dll"}, setting).out;
    CHECK(contains(brief, "faults"));
    CHECK(contains(brief, "(--diagnostics lists them)"));
    const std::string listed = clrkit({"info", "--diagnostics", "a.dll"}, setting).out;
    CHECK(contains(listed, "a metadata stream's name occurs twice"));
    const auto object = info_of(build(spec), {"--diagnostics"});
    CHECK(object["faults"] == object["fault_list"].size());
    CHECK(object["fault_list"][0].contains("code"));
    CHECK(!contains(clrkit({"info", (testdata() / "bin/hello.exe").string()}).out, "faults"));
}

TEST_CASE("info prints one block a file, with an empty line between") {
    NEED_COMMAND();
    const TemporaryFolder folder;
    folder.write("a.dll", minimal_bytes());
    folder.write("b.dll", minimal_bytes());
    const CommandResult result = clrkit({"info", "a.dll", "b.dll"}, {.folder = folder.path()});
    CHECK(result.out.starts_with("a.dll\n  assembly        minimal, Version=1.0.0.0"));
    CHECK(contains(result.out, "\n\nb.dll\n"));
}

TEST_CASE("info --limit bounds the references and says so") {
    NEED_COMMAND();
    const TemporaryFolder folder;
    copy_of("hello-net.dll", folder);
    const CommandResult result =
        clrkit({"info", "--limit", "1", "--jsonl", "hello-net.dll"}, {.folder = folder.path()});
    CHECK(nlohmann::json::parse(result.out)["references"].size() == 1);
    CHECK(contains(result.err, "1 more references"));
    CHECK(contains(result.err, "hint: --limit 0 lists all"));
}

TEST_CASE("info lists the attributes of the assembly and its module") {
    NEED_COMMAND();
    const auto sample = (testdata() / "bin/attributes-net.dll").string();
    const CommandResult text = clrkit({"info", sample});
    CHECK(contains(text.out, "  attributes      System.Runtime.CompilerServices."));
    CHECK(contains(text.out, "(\"assembly\", 1)\n"));
    CHECK(contains(text.out, "[module] "));
    const auto object = nlohmann::json::parse(clrkit({"info", "--jsonl", sample}).out);
    const auto& attributes = object["attributes"];
    REQUIRE(attributes.size() == 7);
    CHECK(attributes[0]["of"] == "assembly");
    CHECK(attributes[0]["token"] == "0x0C000005");
    CHECK(attributes[0]["arguments"][0]["value"] == 8);
    CHECK(attributes[6]["of"] == "module");
}

}  // namespace clrkit::test
