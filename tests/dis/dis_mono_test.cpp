// Text for mono's assembler: what it is told in other words, what it cannot be told, and that it and
// mono take the programs of testdata.
#include "dis/texts.h"
#include "support/catch.h"
#include "support/environment.h"
#include "support/process.h"
#include "support/real_files.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

using namespace clrkit;
using namespace clrkit::test;
using dis::GapKind;
namespace fs = std::filesystem;

namespace {

Text mono_text_of(const ImageSpec& image) {
    dis::DisassemblyOptions options;
    options.dialect = dis::Dialect::mono;
    return text_of(image, options);
}

/// CLRKIT_MONO_ILASM, or the one beside mono.
std::optional<fs::path> find_mono_ilasm() {
    if (const char* named = std::getenv("CLRKIT_MONO_ILASM")) return fs::path(named);
    const auto mono = program("mono");
    if (!mono) return std::nullopt;
    fs::path ilasm = mono->parent_path().parent_path() / "lib/mono/4.5/ilasm.exe";
    if (!fs::exists(ilasm)) return std::nullopt;
    return ilasm;
}

/// Disassembles a file and assembles it into `folder` under its name. False, with what was said noted,
/// where the assembler refuses it.
bool go_round(const fs::path& ilasm, const fs::path& file, const fs::path& folder) {
    const auto module = Module::open(file.string());
    REQUIRE(module);
    fs::create_directories(folder);
    dis::DisassemblyOptions options;
    options.dialect = dis::Dialect::mono;
    const std::string text = text_of(*module, options, folder).text;
    REQUIRE_FALSE(text.empty());
    const std::string source = file.filename().string() + ".il";
    std::ofstream(folder / source, std::ios::binary) << text;
    std::vector<std::string> command{
        program("env")->string(),
        "-C",
        folder.string(),
        program("mono")->string(),
        ilasm.string(),
        text.find("// Assemble with: ilasm /dll") != std::string::npos ? "/dll" : "/exe",
        "/output:" + (folder / file.filename()).string(),
        source,
    };
    if (text.find(" /noautoinherit\n") != std::string::npos) command.push_back("/noautoinherit");
    const Outcome outcome = run(command);
    if (outcome.exit_code != 0) UNSCOPED_INFO(file.string() << ": " << outcome.output);
    return outcome.exit_code == 0;
}

}  // namespace

TEST_CASE("For mono: options of its own, and neither a list of types nor versions") {
    const Text text = mono_text_of(minimal());
    CHECK(text.has("// Assemble with: ilasm /exe\n"));
    CHECK(!text.has(".typelist"));
    CHECK(text.gaps.empty());
}

TEST_CASE("For mono: flags without a word are left out, and said") {
    ImageSpec image = minimal();
    image.metadata.tables.row(table::TypeDef, minimal_rows::program)[0] |= 0x4000;
    CHECK(text_of(image).has("windowsruntime"));
    const Text text = mono_text_of(image);
    CHECK(!text.has("windowsruntime"));
    CHECK(text.gaps.count(GapKind::flags) == 1);
}

TEST_CASE("For mono: native types in words, or not at all") {
    const auto field_with = [](const Bytes& descriptor) {
        ImageSpec image = minimal();
        TablesSpec& tables = image.metadata.tables;
        Heaps& heaps = image.metadata.heaps;
        const std::uint32_t field =
            tables.add(table::Field, {0x1006, heaps.string("f"), heaps.blob({0x06, 0x0E})});
        tables.add(table::FieldMarshal,
                   {coded("HasFieldMarshal", table::Field, field), heaps.blob(descriptor)});
        return mono_text_of(image);
    };
    CHECK(field_with({0x17, 0x81, 0x04}).has("marshal(fixed sysstring [260]) string f\n"));
    CHECK(field_with({0x1D, 0x08}).has("marshal(safearray bstr) string f\n"));
    CHECK(field_with({0x2A, 0x07, 0x02, 0x05}).has("marshal(int32[5 + 2]) string f\n"));
    CHECK(field_with({0x14}).gaps.empty());
    for (const Bytes& unknown : {Bytes{0x30}, Bytes{0x18}, Bytes{0x1E, 8, 0x15}, Bytes{0x1D, 9},
                                 Bytes{0x2A, 0x07, 0x02, 0x05, 0x01}}) {
        const Text text = field_with(unknown);
        CHECK(!text.has("marshal("));
        CHECK(text.gaps.count(GapKind::native_type) == 1);
    }
}

TEST_CASE("For mono: literals that are no text keep their last byte") {
    ImageSpec image = minimal();
    const std::uint32_t literal = image.metadata.heaps.user_string(std::u16string{0xD800});
    const Bytes token = little_endian(0x70000000U | literal, 4);
    Bytes code{0x72};
    append(code, token);
    append(code, {0x26, 0x2A});
    image.metadata.tables.row(table::MethodDef, minimal_rows::main)[0] =
        image.area.add(tiny_body(code));
    CHECK(mono_text_of(image).has("ldstr bytearray ( 00 D8 00 )\n"));
}

TEST_CASE("For mono: what a type implements is declared in front of it") {
    ImageSpec image = minimal();
    TablesSpec& tables = image.metadata.tables;
    Heaps& heaps = image.metadata.heaps;
    const std::uint32_t interface =
        tables.add(table::TypeDef,
                   {0xA1, heaps.string("ILater"), 0, 0, 1, tables.row_count(table::MethodDef) + 1});
    tables.add(table::InterfaceImpl,
               {minimal_rows::program, coded("TypeDefOrRef", table::TypeDef, interface)});
    const Text text = mono_text_of(image);
    const std::size_t head = text.text.find(".class interface abstract public auto ansi ILater\n");
    CHECK(head < text.text.find("Minimal.Program\n"));
    CHECK(text.gaps.empty());
}

TEST_CASE("For mono: a type built on itself stays without its base, and that is said") {
    ImageSpec image = minimal();
    TablesSpec& tables = image.metadata.tables;
    Heaps& heaps = image.metadata.heaps;
    // Program : Object<Program>
    const std::uint32_t base =
        tables.add(table::TypeSpec,
                   {heaps.blob({0x15, 0x12,
                                static_cast<std::uint8_t>(coded("TypeDefOrRef", table::TypeRef,
                                                                minimal_rows::object_ref)),
                                0x01, 0x12,
                                static_cast<std::uint8_t>(coded("TypeDefOrRef", table::TypeDef,
                                                                minimal_rows::program))})});
    tables.row(table::TypeDef, minimal_rows::program)[3] =
        coded("TypeDefOrRef", table::TypeSpec, base);
    CHECK(text_of(image).has("extends class"));
    const Text text = mono_text_of(image);
    CHECK(!text.has("extends"));
    CHECK(text.gaps.count(GapKind::base_type) == 1);
}

TEST_CASE("For mono: value types of other assemblies are named first") {
    ImageSpec image = minimal();
    TablesSpec& tables = image.metadata.tables;
    Heaps& heaps = image.metadata.heaps;
    const auto object =
        static_cast<std::uint8_t>(coded("TypeDefOrRef", table::TypeRef, minimal_rows::object_ref));
    tables.add(table::Field, {0x16, heaps.string("f"), heaps.blob({0x06, 0x11, object})});
    CHECK(mono_text_of(image).has(
        ".custom instance void object::.ctor(\n    valuetype [mscorlib]System.Object)\n"));
}

TEST_CASE("For mono: resources are files of their own names, where they can be") {
    for (const char* name : {"texts.resources", "../up", ".hidden", "a/b", ""}) {
        ImageSpec image = minimal();
        TablesSpec& tables = image.metadata.tables;
        tables.add(table::ManifestResource, {0, 1, image.metadata.heaps.string(name), 0});
        const Text text = mono_text_of(image);
        INFO(name);
        const bool plain = std::string_view(name) == "texts.resources";
        CHECK(text.gaps.count(GapKind::resource_name) == (plain ? 0 : 1));
    }
}

TEST_CASE("mono's assembler takes the programs of testdata, and mono runs them the same") {
    const auto ilasm = find_mono_ilasm();
    const auto env = program("env");
    if (!ilasm || !env) SKIP_TEST("no ilasm of mono (mono-devel)");
    const TemporaryFolder folder;
    const fs::path bin = testdata() / "bin";
    fs::copy(bin, folder.path() / "bin", fs::copy_options::recursive);
    int tried = 0;
    int refused = 0;
    for (const fs::path& file : images_below(bin)) {
        if (!Module::open(file.string())) continue;
        ++tried;
        const fs::path into =
            folder.path() / "mono" / fs::relative(file.parent_path(), bin) / file.stem();
        if (!go_round(*ilasm, file, into)) ++refused;
        fs::remove(into / (file.filename().string() + ".il"));
    }
    std::printf("  %d files, %d refused by mono's ilasm\n", tried, refused);
    CHECK(tried > 100);
    CHECK(refused == 0);
    // Those that do not print what mono's assembler leaves out.
    std::vector<std::string> command{env->string(), "BIN=" + (folder.path() / "bin").string(),
                                     (testdata() / "run.sh").string()};
    for (const char* name :
         {"hello.exe",     "generics.exe",     "eh.exe",      "eh-il.exe",     "field-data.exe",
          "members.exe",   "members-il.exe",   "async.exe",   "layout.exe",    "nested.exe",
          "constants.exe", "constants-il.exe", "code.exe",    "strings.exe",   "user-strings.exe",
          "opcodes.exe",   "calli.exe",        "varargs.exe", "resources.exe", "signatures.exe",
          "names.exe"}) {
        const fs::path assembled = folder.path() / "mono" / "." / fs::path(name).stem() / name;
        if (!fs::exists(assembled)) continue;
        fs::copy_file(assembled, folder.path() / "bin" / name,
                      fs::copy_options::overwrite_existing);
        command.emplace_back(name);
    }
    const Outcome outcome = run(command);
    INFO(outcome.output);
    // run.sh runs some of them by dotnet as well, which is not what this is about.
    CHECK(outcome.output.find("on mono") == std::string::npos);
    CHECK(command.size() > 15);
}
