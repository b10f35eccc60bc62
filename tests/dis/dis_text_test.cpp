// Golden texts: names, literals, numbers, clauses, generics, and what cannot be said.
#include "dis/texts.h"
#include "support/catch.h"

#include <clrkit/dotnet/signatures/il_names.h>

#include <bit>

using namespace clrkit;
using namespace clrkit::test;
using dis::GapKind;

namespace {

std::string literal(std::u16string_view text) {
    Bytes bytes;
    for (const char16_t unit : text) append(bytes, little_endian(unit, 2));
    std::string result;
    dis::append_literal(result, bytes, 0);
    return result;
}

Bytes joined(std::initializer_list<Bytes> parts) {
    Bytes all;
    for (const Bytes& part : parts) append(all, part);
    return all;
}

Bytes load_r8(double value) {
    return joined({{0x23}, little_endian(std::bit_cast<std::uint64_t>(value), 8), {0x26}});
}
Bytes load_r4(std::uint32_t bits) { return joined({{0x22}, little_endian(bits, 4), {0x26}}); }

}  // namespace

TEST_CASE("A whole small program") {
    CHECK(text_of(minimal()).text == R"(// "minimal.exe"
// Assemble with: ilasm -mdv=v4.0.30319 -ssver=4.0

.assembly extern mscorlib
{
    .publickeytoken = ( B7 7A 5C 56 19 34 E0 89 )
    .ver 4:0:0:0
}
.assembly minimal
{
    .hash algorithm 0x00008004
    .ver 1:0:0:0
}
.module minimal.exe

.imagebase 0x00400000
.file alignment 0x00000200
.stackreserve 0x00100000
.subsystem 0x0003
.corflags 0x00000001

.typelist
{
    Minimal.Program
}

.class public auto ansi beforefieldinit Minimal.Program
    extends [mscorlib]System.Object
{
    .method public hidebysig static int32 Main() cil managed
    {
        .entrypoint
        .maxstack 8
        IL_0000: ldstr "minimal"
        IL_0005: call void [mscorlib]System.Console::WriteLine(string)
        IL_000A: ldc.i4.s 42
        IL_000C: ret
    }
}
)");
}

TEST_CASE("A field's name with dots is one identifier, where it is declared and where it is used") {
    ImageSpec image = minimal();
    TablesSpec& tables = image.metadata.tables;
    Heaps& heaps = image.metadata.heaps;
    tables.add(table::Field, {0x16, heaps.string("a.b"), heaps.blob({0x06, 0x08})});
    tables.row(table::MethodDef, minimal_rows::main)[0] =
        image.area.add(tiny_body({0x7E, 1, 0, 0, 4, 0x26, 0x2A}));
    const Text text = text_of(image);
    CHECK(text.has(".field public static int32 'a.b'\n"));
    CHECK(text.has("ldsfld int32 Minimal.Program::'a.b'\n"));
}

TEST_CASE("Literals are quoted where they are plain text, else bytes") {
    CHECK(literal(u"plain") == "\"plain\"");
    CHECK(literal(u"") == "\"\"");
    CHECK(literal(u"a\"b\\c\n\r\t") == R"("a\"b\\c\n\r\t")");
    CHECK(literal(u"\u00E9\u4E2D\U0001F600") == "\"\u00E9\u4E2D\U0001F600\"");
    CHECK(literal(std::u16string{0xD800, u'a'}) == "bytearray ( 00 D8 61 00 )");
    CHECK(literal(std::u16string{0xDC00}) == "bytearray ( 00 DC )");
    CHECK(literal(std::u16string{0}) == "bytearray ( 00 00 )");
    CHECK(literal(std::u16string{0x202E}) == "bytearray ( 2E 20 )");
}

TEST_CASE("Lists of more than sixteen bytes take lines of their own") {
    std::string text;
    dis::append_bytes(text, Bytes(17, 0xAB), 1);
    CHECK(text == "(\n    AB AB AB AB AB AB AB AB AB AB AB AB AB AB AB AB\n    AB )");
}

TEST_CASE("Names of the assembler's own words, with dots or odd characters are quoted") {
    std::string text;
    for (const char* name : {"plain", "a.b", "class", "async.x", "x86", "1st", "<a>", "a'b", ""}) {
        append_il_name(text, name);
        text += ' ';
    }
    CHECK(text == R"(plain a.b 'class' 'async.x' 'x86' '1st' '<a>' 'a\'b' '' )");
    text.clear();
    append_il_identifier(text, "a.b");
    CHECK(text == "'a.b'");
}

TEST_CASE("A name behind a quoted namespace is quoted with it") {
    ImageSpec image = minimal();
    auto& row = image.metadata.tables.row(table::TypeDef, minimal_rows::program);
    row[1] = image.metadata.heaps.string("ctor");
    row[2] = image.metadata.heaps.string("a b");
    CHECK(text_of(image).has("beforefieldinit 'a b.ctor'\n"));
}

TEST_CASE("Floating-point numbers are decimal where that is exact, else bytes") {
    const Bytes code = joined({load_r8(1),
                               load_r8(0.1),
                               load_r8(1e300),
                               load_r8(-0.0),
                               load_r8(std::bit_cast<double>(0x7FF0000000000000U)),
                               load_r8(std::bit_cast<double>(0x7FF8000000001234U)),
                               load_r4(0x3DCCCCCD),
                               load_r4(0x80000000),
                               load_r4(0x7FC00001),
                               {0x2A}});
    const Text text = text_of(with_body(fat_body(code)));
    for (const char* part :
         {"ldc.r8 1.0\n", "ldc.r8 0.1\n", "ldc.r8 1e+300\n", "ldc.r8 ( 00 00 00 00 00 00 00 80 )\n",
          "ldc.r8 ( 00 00 00 00 00 00 F0 7F )\n", "ldc.r8 ( 34 12 00 00 00 00 F8 7F )\n",
          "ldc.r4 0.1\n", "ldc.r4 ( 00 00 00 80 )\n", "ldc.r4 ( 01 00 C0 7F )\n"}) {
        INFO(part);
        CHECK(text.has(part));
    }
    CHECK(text.gaps.empty());
}

TEST_CASE("A signalling NaN of four bytes is written as bytes, and said") {
    const Text text = text_of(with_body(tiny_body(joined({load_r4(0x7FA00000), {0x2A}}))));
    CHECK(text.has("IL_0000: \n        .emitbyte 0x22\n        .emitbyte 0x00\n"));
    CHECK(text.gaps.count(GapKind::signalling_nan) == 1);
}

TEST_CASE("Jumps go to labels, or by distance where no instruction begins") {
    // br.s to the end, br.s into an operand, switch.
    const Bytes code{0x2B, 0x0F, 0x2B, 0xFF, 0x16, 0x45, 2,    0,    0,   0,
                     0,    0,    0,    0,    0xF0, 0xFF, 0xFF, 0xFF, 0x2A};
    const Text text = text_of(with_body(tiny_body(code)));
    CHECK(text.has("IL_0000: br.s IL_0011\n") == false);
    CHECK(text.has("IL_0002: br.s -1\n"));
    CHECK(text.has("IL_0005: switch (IL_0012, IL_0002)\n"));
}

TEST_CASE("Bytes that are no instruction are emitted one by one") {
    const Text text = text_of(with_body(tiny_body({0x00, 0x24, 0x25})));
    CHECK(text.has("IL_0000: nop\n        .emitbyte 0x24\n        .emitbyte 0x25\n"));
}

TEST_CASE("Junk that control goes around is bytes, and the code behind it instructions") {
    // br.s over a byte that would swallow what follows; ret; junk.
    const Text text = text_of(with_body(tiny_body({0x2B, 0x01, 0x20, 0x16, 0x26, 0x2A, 0x24})));
    CHECK(
        text.has("IL_0000: br.s IL_0003\n        .emitbyte 0x20\n        IL_0003: ldc.i4.0\n"
                 "        IL_0004: pop\n        IL_0005: ret\n        .emitbyte 0x24\n"));
    CHECK(text.gaps.empty());
}

TEST_CASE("Exception clauses stand behind the code, by labels") {
    // nop, leave.s, catch: pop, leave.s; filter: pop, ldc.i4.1, endfilter; handler: pop, leave.s; ret
    const Bytes code{0x00, 0xDE, 0x0A, 0x26, 0xDE, 0x07, 0x26,
                     0x17, 0xFE, 0x11, 0x26, 0xDE, 0x00, 0x2A};
    Bytes body = fat_body(code);
    body[0] |= 0x08;  // sections follow
    body.resize((body.size() + 3) / 4 * 4);
    const auto clause = [](std::uint32_t flags, std::uint32_t handler, std::uint32_t size,
                           std::uint32_t type) {
        return joined({little_endian(flags, 2),
                       little_endian(0, 2),
                       {3},
                       little_endian(handler, 2),
                       {static_cast<std::uint8_t>(size)},
                       little_endian(type, 4)});
    };
    append(body, {0x01, 4 + 3 * 12, 0, 0});
    append(body, clause(0, 3, 3, token(table::TypeRef, minimal_rows::object_ref)));
    append(body, clause(1, 10, 3, 6));
    append(body, clause(2, 10, 4, 0));
    const Text text = text_of(with_body(body));
    CHECK(text.has(
        "        IL_000E:\n"
        "        .try IL_0000 to IL_0003 catch [mscorlib]System.Object handler IL_0003 to IL_0006\n"
        "        .try IL_0000 to IL_0003 filter IL_0006 handler IL_000A to IL_000D\n"
        "        .try IL_0000 to IL_0003 finally handler IL_000A to IL_000E\n"));
    CHECK(text.gaps.empty());
}

TEST_CASE("Generic parameters with variance, constraints and attributes") {
    ImageSpec image = minimal();
    TablesSpec& tables = image.metadata.tables;
    Heaps& heaps = image.metadata.heaps;
    const std::uint32_t owner = coded("TypeOrMethodDef", table::TypeDef, minimal_rows::program);
    tables.add(table::GenericParam, {0, 0x14, owner, heaps.string("T")});
    tables.add(table::GenericParam, {1, 0x02, owner, heaps.string("class")});
    tables.add(table::GenericParamConstraint,
               {1, coded("TypeDefOrRef", table::TypeRef, minimal_rows::object_ref)});
    const Text text = text_of(image);
    CHECK(text.has("Minimal.Program<class .ctor ([mscorlib]System.Object) T, - 'class'>\n"));
    CHECK(text.gaps.empty());
}

TEST_CASE("Constants of every type") {
    ImageSpec image = minimal();
    TablesSpec& tables = image.metadata.tables;
    Heaps& heaps = image.metadata.heaps;
    const auto add = [&](const char* name, std::uint8_t type, const Bytes& value) {
        const std::uint32_t field =
            tables.add(table::Field, {0x8056, heaps.string(name), heaps.blob({0x06, type})});
        tables.add(table::Constant,
                   {type, 0, coded("HasConstant", table::Field, field), heaps.blob(value)});
    };
    add("a", 0x02, {1});
    add("b", 0x03, {0x41, 0});
    add("c", 0x04, {0xFF});
    add("d", 0x0B, Bytes(8, 0xFF));
    add("e", 0x0C, {0, 0, 0xC0, 0x7F});
    add("f", 0x0D, little_endian(std::bit_cast<std::uint64_t>(0.5), 8));
    add("g", 0x0E, {0x68, 0, 0x69, 0});
    add("h", 0x0A, little_endian(std::uint64_t{1} << 63U, 8));
    add("i", 0x02, {7});
    const Text text = text_of(image);
    for (const char* part :
         {" a = bool(true)\n", " b = char(0x0041)\n", " c = int8(-1)\n",
          " d = uint64(18446744073709551615)\n", " e = float32(0x7FC00000)\n",
          " f = float64(0.5)\n", " g = \"hi\"\n", " h = int64(-9223372036854775808)\n"}) {
        INFO(part);
        CHECK(text.has(part));
    }
    CHECK(text.gaps.count(GapKind::constant) == 1);
    CHECK(text.has("// What this text does not say as the file does:\n"));
}

TEST_CASE("Bytes behind a field's data that belong to nothing are kept, those of a body are not") {
    ImageSpec image = minimal();
    TablesSpec& tables = image.metadata.tables;
    Heaps& heaps = image.metadata.heaps;
    const std::uint32_t field =
        tables.add(table::Field, {0x16, heaps.string("f"), heaps.blob({0x06, 0x05})});
    tables.add(table::FieldRVA, {image.area.add({0xDE, 0xAD, 0xBE, 0}), field});
    tables.row(table::MethodDef, minimal_rows::main)[0] = image.area.add(tiny_body({0x2A}));
    const Text text = text_of(image);
    CHECK(text.has(" = bytearray ( DE )\n// behind that, and of no field\n"));
    CHECK(text.has(" = bytearray ( AD BE )\n"));
    CHECK(text.gaps.empty());
}

TEST_CASE("Assemblies of one name are declared under two, and named by them") {
    ImageSpec image = minimal();
    TablesSpec& tables = image.metadata.tables;
    Heaps& heaps = image.metadata.heaps;
    const std::uint32_t second =
        tables.add(table::AssemblyRef, {5, 0, 0, 0, 0, 0, heaps.string("mscorlib"), 0, 0});
    tables.row(table::TypeRef, minimal_rows::console_ref)[0] =
        coded("ResolutionScope", table::AssemblyRef, second);
    const Text text = text_of(image);
    CHECK(text.has(".assembly extern mscorlib as mscorlib$2\n"));
    CHECK(text.has("call void [mscorlib$2]System.Console::WriteLine(string)\n"));
}

TEST_CASE("Tokens and bytes as comments") {
    dis::DisassemblyOptions options;
    options.tokens = true;
    options.bytes = true;
    const Text text = text_of(minimal(), options);
    CHECK(text.has(".method /*06000001*/ public"));
    CHECK(
        text.has("call /*0A000001*/ void [mscorlib]System.Console::WriteLine(string)  // 28 01 00 "
                 "00 0A\n"));
}

TEST_CASE("A token that leads nowhere becomes bytes, and is said") {
    const Text text = text_of(with_body(tiny_body({0x28, 0x99, 0, 0, 0x0A, 0x2A})));
    CHECK(text.has(".emitbyte 0x28\n        .emitbyte 0x99\n"));
    CHECK(text.gaps.count(GapKind::token) == 1);
}

TEST_CASE("Text stops at its limit, and says so") {
    dis::DisassemblyOptions options;
    options.text_bytes = 100;
    CHECK(text_of(minimal(), options).text.empty());
    CHECK(text_of(minimal(), options).gaps.count(GapKind::text_limit) == 1);
}

TEST_CASE("Instructions as data") {
    const Opened opened = open(minimal());
    REQUIRE(opened.module);
    auto drop = [](std::string_view) {};
    const dis::TextTarget nowhere(drop);
    auto disassembler = dis::Disassembler::create(*opened.module, {}, nowhere);
    REQUIRE(disassembler);
    const auto found = disassembler->find("Minimal.Program::Main");
    REQUIRE(found == std::vector{Token(Table::MethodDef, 1)});
    const auto& all = disassembler->instructions(opened.module->method(1));
    REQUIRE(all.size() == 4);
    CHECK(all[0].opcode == "ldstr");
    CHECK(all[0].operand == "\"minimal\"");
    CHECK(all[2].offset == 10);
    CHECK(disassembler->find("Minimal.Program").size() == 1);
    CHECK(disassembler->find("Minimal.Nothing").empty());
}
