// Signatures, types and members as IL source.
#include "signatures/blobs.h"

#include <clrkit/dotnet/metadata/indexes.h>
#include <clrkit/dotnet/signatures/il_names.h>

using namespace clrkit;
using namespace clrkit::test;

namespace {

using enum BlobKind;

Bytes joined(Bytes first, const Bytes& second) {
    append(first, second);
    return first;
}

std::string il_name(std::string_view name) {
    std::string text;
    append_il_name(text, name);
    return text;
}

/// minimal() with nested types, a global method, a generic instance, and references of every kind.
struct Sample {
    ImageSpec image = minimal();
    std::uint32_t list_ref, nested_ref, foreign_ref, nested_def, list_of_int;

    Sample() {
        Heaps& heaps = image.metadata.heaps;
        TablesSpec& tables = image.metadata.tables;
        const std::uint32_t module = tables.add(table::ModuleRef, {heaps.string("other.dll")});
        list_ref = tables.add(table::TypeRef,
                              {coded("ResolutionScope", table::AssemblyRef, 1),
                               heaps.string("List`1"), heaps.string("System.Collections.Generic")});
        nested_ref = tables.add(table::TypeRef, {coded("ResolutionScope", table::TypeRef, list_ref),
                                                 heaps.string("Enumerator"), 0});
        foreign_ref = tables.add(
            table::TypeRef,
            {coded("ResolutionScope", table::ModuleRef, module), heaps.string("Foreign"), 0});
        nested_def = tables.add(table::TypeDef, {0x00100002, heaps.string("Inner"), 0, 0, 1, 2});
        tables.add(table::NestedClass, {nested_def, minimal_rows::program});
        list_of_int = tables.add(
            table::TypeSpec,
            {heaps.blob(joined({0x15, 0x12}, joined(type_ref(list_ref), {0x01, 0x08})))});
    }
    static Bytes type_ref(std::uint32_t rid) { return compressed(rid << 2U | 1U); }
    std::uint32_t member(table::Id of, std::uint32_t rid, std::string_view name,
                         const Bytes& signature) {
        Heaps& heaps = image.metadata.heaps;
        return image.metadata.tables.add(
            table::MemberRef,
            {coded("MemberRefParent", of, rid), heaps.string(name), heaps.blob(signature)});
    }
};

}  // namespace

TEST_CASE("Primitive types have the assembler's names") {
    const Bytes all{0x00, 17,   0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
                    0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E, 0x16, 0x18, 0x19, 0x1C};
    CHECK(printed(all, method_signature) ==
          "void(bool, char, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, "
          "float64, string, typedref, native int, native uint, object)");
}

TEST_CASE("Classes, value types, parameters, arrays and pointers") {
    CHECK(printed({0x12, encoded::object}, type_signature) == "class [mscorlib]System.Object");
    CHECK(printed({0x11, encoded::program}, type_signature) == "valuetype Minimal.Program");
    CHECK(printed({0x13, 0x00}, type_signature) == "!0");
    CHECK(printed({0x1E, 0x01}, type_signature) == "!!1");
    CHECK(printed({0x1D, 0x0F, 0x0F, 0x01}, type_signature) == "void**[]");
    CHECK(printed({0x06, 0x10, 0x1D, 0x0E}, field_signature) == "string[]&");
    CHECK(printed({0x07, 0x02, 0x45, 0x10, 0x05, 0x0E}, stand_alone_signature) ==
          "(uint8& pinned, string)");
}

TEST_CASE("Shapes of arrays") {
    const auto array = [](const Bytes& shape) {
        return printed(joined({0x14, 0x08}, shape), type_signature);
    };
    CHECK(array({2, 0, 2, 0, 0}) == "int32[0...,0...]");
    CHECK(array({2, 0, 0}) == "int32[,]");
    CHECK(array({1, 0, 0}) == "int32[...]");
    CHECK(array({1, 0, 1, 0}) == "int32[0...]");
    CHECK(array({1, 1, 4, 1, 0}) == "int32[0...3]");
    CHECK(array({2, 2, 4, 5, 0}) == "int32[4,5]");
    CHECK(array({3, 1, 4, 2, 0x7D, 0x0C}) == "int32[-2...1,6...,]");
    // An array of arrays: the innermost shape comes first.
    CHECK(printed({0x14, 0x14, 0x08, 2, 0, 0, 3, 0, 0}, type_signature) == "int32[,][,,]");
}

TEST_CASE("Modifiers stand behind what they modify, the innermost first") {
    const Bytes blob{0x06, 0x1F, encoded::object, 0x0F, 0x20, encoded::console, 0x08};
    CHECK(printed(blob, field_signature) ==
          "int32 modopt([mscorlib]System.Console)* modreq([mscorlib]System.Object)");
    CHECK(printed({0x06, 0x1F, encoded::first_spec, 0x08}, field_signature,
                  {{0x15, 0x12, encoded::object, 0x01, 0x0E}}) ==
          "int32 modreq(class [mscorlib]System.Object<string>)");
}

TEST_CASE("Function pointers with their conventions") {
    CHECK(printed({0x1B, 0x01, 0x02, 0x01, 0x08, 0x0E}, type_signature) ==
          "method unmanaged cdecl void *(int32, string)");
    CHECK(printed({0x0F, 0x1B, 0x20, 0x00, 0x1B, 0x00, 0x00, 0x01}, type_signature) ==
          "method instance method void *() *()*");
    CHECK(printed({0x05, 0x02, 0x01, 0x08, 0x41, 0x0E}, stand_alone_signature) ==
          "vararg void(int32, ..., string)");
    CHECK(printed({0x60, 0x01, 0x01, 0x08}, method_signature) == "instance explicit void(int32)");
}

TEST_CASE("Generic instances, methods, instantiations, properties") {
    CHECK(
        printed({0x15, 0x12, encoded::object, 0x02, 0x08, 0x15, 0x11, encoded::program, 0x01, 0x0E},
                type_signature) ==
        "class [mscorlib]System.Object<int32,valuetype Minimal.Program<string>>");
    CHECK(printed({0x0A, 0x02, 0x08, 0x0E}, method_spec) == "<int32,string>");
    CHECK(printed({0x28, 0x01, 0x08, 0x0E}, property_signature) == "instance int32(string)");
}

TEST_CASE("Names of types: scopes, nesting, and without scopes") {
    const Sample sample;
    const Opened opened = open(sample.image);
    REQUIRE(opened.module);
    const auto text = [&](Table table, std::uint32_t rid, const PrintOptions& options = {}) {
        return type_reference_text(opened.metadata, Token(table, rid), options);
    };
    CHECK(text(Table::TypeRef, sample.nested_ref) ==
          "[mscorlib]System.Collections.Generic.List`1/Enumerator");
    CHECK(text(Table::TypeRef, sample.foreign_ref) == "[.module other.dll]Foreign");
    CHECK(text(Table::TypeDef, sample.nested_def) == "Minimal.Program/Inner");
    CHECK(text(Table::TypeDef, 1) == "'<Module>'");
    CHECK(text(Table::TypeSpec, sample.list_of_int) ==
          "class [mscorlib]System.Collections.Generic.List`1<int32>");
    PrintOptions bare;
    bare.scopes = false;
    CHECK(text(Table::TypeRef, sample.nested_ref, bare) ==
          "System.Collections.Generic.List`1/Enumerator");
    CHECK(text(Table::TypeRef, sample.foreign_ref, bare) == "Foreign");
    CHECK(text(Table::TypeRef, 99) == "/* 0x01000063: no such row */");
}

TEST_CASE("Types nested in a circle") {
    ImageSpec image = minimal();
    image.metadata.tables.row(table::TypeRef, 1)[0] = coded("ResolutionScope", table::TypeRef, 2);
    image.metadata.tables.row(table::TypeRef, 2)[0] = coded("ResolutionScope", table::TypeRef, 1);
    image.metadata.tables.add(table::NestedClass, {2, 2});
    const Opened opened = open(image);
    REQUIRE(opened.module);
    CHECK(type_reference_text(opened.metadata, Token(Table::TypeRef, 1)) ==
          "/* nested too deeply */System.Object");
    CHECK(type_reference_text(opened.metadata, Token(Table::TypeDef, 2)) ==
          "/* nested too deeply */Minimal.Program");
}

TEST_CASE("Members of every kind, with their owners") {
    Sample sample;
    const std::uint32_t field = sample.image.metadata.tables.add(
        table::Field, {0x16, sample.image.metadata.heaps.string("data"),
                       sample.image.metadata.heaps.blob({0x06, 0x08})});
    const auto add =
        sample.member(table::TypeSpec, sample.list_of_int, "Add", {0x20, 0x01, 0x01, 0x13, 0x00});
    const auto make = sample.member(table::TypeRef, 1, "Make", {0x10, 0x01, 0x00, 0x1E, 0x00});
    const auto global = sample.member(table::ModuleRef, 1, "entry", {0x00, 0x00, 0x01});
    const auto call = sample.member(table::MethodDef, 1, "Main", {0x05, 0x01, 0x08, 0x41, 0x08});
    const auto made = sample.image.metadata.tables.add(
        table::MethodSpec, {coded("MethodDefOrRef", table::MemberRef, make),
                            sample.image.metadata.heaps.blob({0x0A, 0x01, 0x0E})});
    const auto constructor = sample.member(table::TypeRef, 1, ".ctor", {0x20, 0x00, 0x01});
    const Opened opened = open(sample.image);
    REQUIRE(opened.module);
    const auto indexes = Indexes::build(opened.metadata);
    REQUIRE(indexes);
    PrintOptions indexed;
    indexed.indexes = &*indexes;
    for (const PrintOptions& options : {PrintOptions{}, indexed}) {
        const auto text = [&](Table table, std::uint32_t rid) {
            return member_text(opened.metadata, Token(table, rid), options);
        };
        CHECK(text(Table::MethodDef, 1) == "int32 Minimal.Program::Main()");
        CHECK(text(Table::MemberRef, minimal_rows::write_line) ==
              "void [mscorlib]System.Console::WriteLine(string)");
        CHECK(text(Table::MemberRef, add) ==
              "instance void class [mscorlib]System.Collections.Generic.List`1<int32>::Add(!0)");
        CHECK(text(Table::MemberRef, make) == "!!0 [mscorlib]System.Object::Make<[1]>()");
        CHECK(text(Table::MethodSpec, made) == "!!0 [mscorlib]System.Object::Make<string>()");
        CHECK(text(Table::MemberRef, global) == "void [.module other.dll]::entry()");
        CHECK(text(Table::MemberRef, call) == "vararg int32 Minimal.Program::Main(..., int32)");
        CHECK(text(Table::MemberRef, constructor) ==
              "instance void [mscorlib]System.Object::.ctor()");
        CHECK(text(Table::Field, field) == "int32 Minimal.Program/Inner::data");
        CHECK(text(Table::TypeDef, 2) == "Minimal.Program");
        CHECK(text(Table::MemberRef, 99) == "/* 0x0A000063: no such row */");
        CHECK(text(Table::Param, 1) == "/* 0x08000001: no such row */");
    }
}

TEST_CASE("Names are quoted where the assembler would read something else") {
    CHECK(il_name("System.Object") == "System.Object");
    CHECK(il_name("List`1") == "List`1");
    CHECK(il_name("_a$b@c?d9") == "_a$b@c?d9");
    CHECK(il_name("9a") == "'9a'");
    CHECK(il_name("<Module>") == "'<Module>'");
    CHECK(il_name("a-b") == "'a-b'");
    CHECK(il_name("value") == "'value'");
    CHECK(il_name("System.add") == "'System.add'");
    CHECK(il_name("Value") == "Value");
    CHECK(il_name("ldc.i4") == "'ldc.i4'");
    CHECK(il_name("") == "''");
    CHECK(il_name("a..b") == "'a..b'");
    CHECK(il_name(".ctor") == "'.ctor'");
    CHECK(il_name("it's\\n\n\x01") == "'it\\'s\\\\n\\n\\001'");
    CHECK(il_name("na\xC3\xAFve") == "'na\xC3\xAFve'");
    CHECK(il_name("\xC3(\xE2\x80\xAE\xED\xA0\x80") == "'\\303(\\342\\200\\256\\355\\240\\200'");
}

TEST_CASE("A text that would become too long is cut, and says so") {
    ImageSpec image = minimal();
    Heaps& heaps = image.metadata.heaps;
    image.metadata.tables.row(table::TypeRef, 1)[1] = heaps.string(std::string(60'000, 'n'));
    const Opened opened = open(image);
    REQUIRE(opened.module);
    Bytes blob{0x07, 0xC0, 0x00, 0xFF, 0xFF};
    append(blob, nested(65'535, {0x12, encoded::object}, {}));
    PrintOptions options;
    options.text_bytes = 200'000;
    const std::string text = signature_text(opened.metadata, blob, stand_alone_signature, options);
    CHECK(text.size() > 200'000);
    CHECK(text.size() < 300'000);
    CHECK(text.ends_with("/* and so on */"));
}
