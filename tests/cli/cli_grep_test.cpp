// clrkit grep.
#include "cli/command.h"

#include <nlohmann/json.hpp>

namespace clrkit::test {
namespace {

std::string sample(const char* name) { return (testdata() / "bin" / name).string(); }

CommandResult grep(std::vector<std::string> words) {
    words.insert(words.begin(), "grep");
    return clrkit(words);
}

/// minimal() with this code in Main.
ImageSpec with_code(const Bytes& code) {
    ImageSpec spec = minimal();
    spec.metadata.tables.row(table::MethodDef, minimal_rows::main)[0] =
        spec.area.add(tiny_body(code));
    return spec;
}

/// Looks for what `words` say in an image, app.exe.
CommandResult grep_in(const ImageSpec& spec, std::vector<std::string> words) {
    const TemporaryFolder folder;
    folder.write("app.exe", build(spec));
    words.insert(words.begin(), "grep");
    words.emplace_back("app.exe");
    return clrkit(words, {.folder = folder.path()});
}

}  // namespace

TEST_CASE("grep finds literals, and says where they are loaded") {
    NEED_COMMAND();
    const CommandResult found = grep({"Hello", sample("hello.exe")});
    CHECK(found.exit_code == 0);
    CHECK(found.out == sample("hello.exe") +
                           ": 0x06000001 void Hello::Main() IL_0000: ldstr \"Hello, world\"\n");
    CHECK(grep({"hello", sample("hello.exe")}).exit_code == 1);
    CHECK(grep({"-i", "hello", sample("hello.exe")}).exit_code == 0);
    CHECK(grep({"-x", "Hello", sample("hello.exe")}).exit_code == 1);
    CHECK(grep({"-x", "Hello, world", sample("hello.exe")}).exit_code == 0);
    CHECK(grep({"-E", "^H.*d$", sample("hello.exe")}).exit_code == 0);
}

TEST_CASE("grep -x -E wants all of the text to match, whatever the expression is made of") {
    NEED_COMMAND();
    const std::string hello = sample("hello.exe");
    CHECK(grep({"-x", "-E", "Hello|Hello, world", hello}).exit_code == 0);
    CHECK(grep({"-x", "-E", "Hello|world", hello}).exit_code == 1);
    CHECK(grep({"-x", "-E", "^Hello.*", hello}).exit_code == 0);
    CHECK(grep({"-x", "-E", "ello.*", hello}).exit_code == 1);
    CHECK(grep({"-x", "-E", "H)|(e", hello}).exit_code == 2);
}

TEST_CASE("grep finds uses of members and types") {
    NEED_COMMAND();
    CHECK(contains(grep({"-m", "Console::WriteLine", sample("hello.exe")}).out,
                   "IL_0005: call void System.Console::WriteLine(string)\n"));
    CHECK(grep({"-m", "Console::ReadLine", sample("hello.exe")}).exit_code == 1);
}

TEST_CASE("grep finds numbers in code and among constants, whatever way they are written") {
    NEED_COMMAND();
    const std::string constants = sample("constants.exe");
    CHECK(grep({"-n", "1.5", constants}).exit_code != 2);
    const auto in_code = grep({"-n", "--jsonl", "42", sample("code.exe")});
    CHECK(in_code.exit_code != 2);
    // The value of an enum's field, in decimal and hexadecimal: 1 << 40.
    for (const char* number : {"1099511627776", "0x10000000000"}) {
        CHECK(contains(grep({"-n", number, sample("attributes-net.dll")}).out,
                       "Wide::Far = 1099511627776\n"));
    }
    const CommandResult misused = grep({"-n", "many", constants});
    CHECK(misused.exit_code == 2);
    CHECK(contains(misused.err, "'many' is no number"));
}

TEST_CASE("grep finds floating-point numbers as it prints them, and NaN") {
    NEED_COMMAND();
    // ldc.r4 0.9, ldc.r4 NaN, ldc.r8 NaN.
    const Bytes code{0x22, 0x66, 0x66, 0x66, 0x3F, 0x26, 0x22, 0,    0,    0xC0, 0x7F, 0x26,
                     0x23, 0,    0,    0,    0,    0,    0,    0xF8, 0x7F, 0x26, 0x2A};
    CHECK(contains(grep_in(with_code(code), {"-n", "0.9"}).out, "IL_0000: ldc.r4 0.9\n"));
    CHECK(grep_in(with_code(code), {"-c", "-n", "nan"}).out == "app.exe: 2\n");
    // Too large for a float: not its infinity either.
    const Bytes infinite{0x22, 0, 0, 0x80, 0x7F, 0x26, 0x2A};
    CHECK(grep_in(with_code(infinite), {"-n", "1e300"}).exit_code == 1);
    CHECK(grep_in(with_code(infinite), {"-n", "inf"}).exit_code == 0);
    ImageSpec constant = minimal();
    constant.metadata.tables.add(table::Field, {6, constant.metadata.heaps.string("Ratio"),
                                                constant.metadata.heaps.blob({6, 0x0C})});
    constant.metadata.tables.add(table::Constant,
                                 {0x0C, 0, coded("HasConstant", table::Field, 1),
                                  constant.metadata.heaps.blob({0x66, 0x66, 0x66, 0x3F})});
    CHECK(contains(grep_in(constant, {"-n", "0.9"}).out, "Ratio = 0.9"));
}

TEST_CASE("grep finds negative numbers behind --, and says so when they are taken for options") {
    NEED_COMMAND();
    const ImageSpec minus_one = with_code({0x15, 0x2A});
    const CommandResult misused = grep_in(minus_one, {"-n", "-1"});
    CHECK(misused.exit_code == 2);
    CHECK(misused.err == "clrkit: no option -1\nhint: behind -- nothing is an option: -- -1\n");
    CHECK(contains(grep_in(minus_one, {"-n", "--", "-1"}).out, "IL_0000: ldc.i4.m1\n"));
}

TEST_CASE("grep refuses integers that 64 bits do not hold") {
    NEED_COMMAND();
    const std::string hello = sample("hello.exe");
    for (const char* number :
         {"-9223372036854775809", "18446744073709551616", "0x10000000000000000"}) {
        INFO(number);
        const CommandResult refused = grep({"-n", "--", number, hello});
        CHECK(refused.exit_code == 2);
        CHECK(contains(refused.err, "does not fit into 64 bits"));
    }
    for (const char* number :
         {"-9223372036854775808", "18446744073709551615", "0xFFFFFFFFFFFFFFFF", "1e20"}) {
        INFO(number);
        CHECK(grep({"-n", "--", number, hello}).exit_code == 1);
    }
}

TEST_CASE("grep tells which method has the parameter with a constant") {
    NEED_COMMAND();
    ImageSpec spec = minimal();
    spec.metadata.tables.add(table::Param, {0x1000, 1, spec.metadata.heaps.string("limit")});
    spec.metadata.tables.add(table::Constant, {8, 0, coded("HasConstant", table::Param, 1),
                                               spec.metadata.heaps.blob({7, 0, 0, 0})});
    CHECK(grep_in(spec, {"-n", "7"}).out ==
          "app.exe: 0x08000001 Param of int32 Minimal.Program::Main() = 7\n");
    CHECK(contains(grep_in(spec, {"-n", "7", "--jsonl"}).out,
                   "\"in\":\"int32 Minimal.Program::Main()\",\"text\":\"7\""));
}

TEST_CASE("grep gives the bytes of literals with lone surrogates") {
    NEED_COMMAND();
    ImageSpec spec = minimal();
    const std::uint32_t literal = spec.metadata.heaps.user_string(u"a\xD800");
    Bytes code{0x72};
    append(code, little_endian(0x70000000 | literal, 4));
    append(code, {0x26, 0x2A});
    spec.metadata.tables.row(table::MethodDef, minimal_rows::main)[0] =
        spec.area.add(tiny_body(code));
    CHECK(contains(grep_in(spec, {"a", "--jsonl"}).out, ",\"bytes\":\"610000d800\"}"));
    CHECK(!contains(grep_in(minimal(), {"a", "--jsonl"}).out, "bytes"));
}

TEST_CASE("grep finds opcodes by name") {
    NEED_COMMAND();
    const auto object =
        nlohmann::json::parse(grep({"--jsonl", "--opcodes", "ldstr", sample("hello.exe")}).out);
    REQUIRE(object["matches"].size() == 1);
    CHECK(object["matches"][0]["opcode"] == "ldstr");
    CHECK(object["matches"][0]["method"] == "0x06000001");
    CHECK(object["matches"][0]["operand"] == "\"Hello, world\"");
    CHECK(object["count"] == 1);
}

TEST_CASE("grep refuses opcodes that there are none of") {
    NEED_COMMAND();
    const std::string hello = sample("hello.exe");
    const CommandResult misspelled = grep({"--opcodes", "callvirtx", hello});
    CHECK(misspelled.exit_code == 2);
    CHECK(misspelled.err == "clrkit: no such opcode: 'callvirtx'\nhint: did you mean callvirt?\n");
    CHECK(contains(grep({"--opcodes", "ldc.*", hello}).err,
                   "hint: with -E the pattern is a regular expression"));
    // A literal may be any word.
    CHECK(grep({"--opcodes", "-s", "callvirtx", hello}).exit_code == 1);
    CHECK(grep({"--opcodes", "-E", "callvirtx", hello}).exit_code == 1);
    CHECK(grep({"--opcodes", "LdStr", hello}).exit_code == 0);
}

TEST_CASE("grep finds code behind junk that control goes around") {
    NEED_COMMAND();
    // br.s over the first byte of a ldc.i8 that would swallow what follows.
    const CommandResult found =
        grep_in(with_code({0x2B, 0x01, 0x21, 0x72, 1, 0, 0, 0x70, 0x26, 0x2A, 0}),
                {"--opcodes", "-E", "."});
    CHECK(found.out ==
          "app.exe: 0x06000001 int32 Minimal.Program::Main() IL_0000: br.s\n"
          "app.exe: 0x06000001 int32 Minimal.Program::Main() IL_0003: ldstr \"minimal\"\n"
          "app.exe: 0x06000001 int32 Minimal.Program::Main() IL_0008: pop\n"
          "app.exe: 0x06000001 int32 Minimal.Program::Main() IL_0009: ret\n");
    CHECK(found.err.empty());
}

TEST_CASE("grep looks through code that cannot be followed up to where it is none, and says so") {
    NEED_COMMAND();
    const CommandResult found =
        grep_in(with_code({0x72, 1, 0, 0, 0x70, 0x26, 0x24, 0x2A}), {"minimal"});
    CHECK(found.exit_code == 0);
    CHECK(lines_in(found.out) == 1);
    CHECK(found.err == "clrkit: app.exe: 1 bodies were not read to their end\n");
    // A jump into the middle of an instruction: all of it decodes, and might be something else.
    const CommandResult jumps =
        grep_in(with_code({0x2B, 0xFF, 0x72, 1, 0, 0, 0x70, 0x26, 0x2A}), {"minimal"});
    CHECK(lines_in(jumps.out) == 1);
    CHECK(lines_in(jumps.err) == 1);
}

TEST_CASE("grep does not take native code for IL") {
    NEED_COMMAND();
    ImageSpec native = minimal();
    native.metadata.tables.row(table::MethodDef, minimal_rows::main)[1] = 1;
    CHECK(grep_in(native, {"minimal"}).exit_code == 1);
    // A method of IL that has the same address does have a body.
    Row other = native.metadata.tables.row(table::MethodDef, minimal_rows::main);
    other[1] = 0;
    native.metadata.tables.add(table::MethodDef, other);
    CHECK(contains(grep_in(native, {"minimal"}).out, ": 0x06000002 "));
}

TEST_CASE("grep counts, and names files") {
    NEED_COMMAND();
    CHECK(grep({"-c", "Hello", sample("hello.exe")}).out == sample("hello.exe") + ": 1\n");
    const CommandResult names = grep({"-l", "Hello", sample("hello.exe"), sample("generics.exe")});
    CHECK(names.out == sample("hello.exe") + "\n");
    // One file with a match is enough.
    CHECK(names.exit_code == 0);
}

TEST_CASE("grep tells in JSON how many matches there are, or with -l only whether") {
    NEED_COMMAND();
    const ImageSpec twice = with_code({0x72, 1, 0, 0, 0x70, 0x26, 0x72, 1, 0, 0, 0x70, 0x26, 0x2A});
    CHECK(grep_in(twice, {"-c", "--jsonl", "minimal"}).out ==
          "{\"schema\":1,\"file\":\"app.exe\",\"count\":2}\n");
    CHECK(grep_in(twice, {"-l", "--jsonl", "minimal"}).out ==
          "{\"schema\":1,\"file\":\"app.exe\",\"found\":true}\n");
    CHECK(grep_in(twice, {"-l", "--jsonl", "maximal"}).out ==
          "{\"schema\":1,\"file\":\"app.exe\",\"found\":false}\n");
}

TEST_CASE("grep prints labels as dis does") {
    NEED_COMMAND();
    Bytes code(11, 0);
    append(code, {0x1F, 99, 0x26, 0x2A});
    CHECK(contains(grep_in(with_code(code), {"-n", "99"}).out, " IL_000B: ldc.i4.s 99\n"));
    ImageSpec large = minimal();
    Bytes nops(0x10000, 0);
    append(nops, {0x1F, 99, 0x26, 0x2A});
    large.metadata.tables.row(table::MethodDef, minimal_rows::main)[0] =
        large.area.add(fat_body(nops));
    CHECK(contains(grep_in(large, {"-n", "99"}).out, " IL_00010000: ldc.i4.s 99\n"));
}

TEST_CASE("grep without a pattern, an input, or a sound expression is misuse") {
    NEED_COMMAND();
    CHECK(contains(grep({}).err, "no pattern is named"));
    CHECK(contains(grep({"Hello"}).err, "no input is named"));
    const CommandResult unsound = grep({"-E", "(", sample("hello.exe")});
    CHECK(unsound.exit_code == 2);
    CHECK(contains(unsound.err, "'(' is no extended regular expression"));
}

}  // namespace clrkit::test
