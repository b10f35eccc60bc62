// Signatures that no compiler writes. The number in front of a test's name is its row in
// docs/robustness.md.
#include "signatures/blobs.h"
#include "support/catch.h"
#include "support/opened.h"

#include <clrkit/dotnet/signatures/compare_signatures.h>
#include <clrkit/dotnet/write/writer.h>

using namespace clrkit;
using namespace clrkit::test;

namespace {

using enum BlobKind;
constexpr auto type = BlobKind::type_signature;
constexpr auto field = BlobKind::field_signature;
constexpr auto method = BlobKind::method_signature;
constexpr auto locals = BlobKind::stand_alone_signature;

const Bytes largest_number{0xDF, 0xFF, 0xFF, 0xFF};

Bytes joined(Bytes first, const Bytes& second, const Bytes& third = {}) {
    append(first, second);
    append(first, third);
    return first;
}

/// minimal() with TypeSpecs of these signatures.
Opened with_type_specs(const std::vector<Bytes>& signatures) {
    ImageSpec image = minimal();
    for (const Bytes& blob : signatures) {
        image.metadata.tables.add(table::TypeSpec, {image.metadata.heaps.blob(blob)});
    }
    Opened opened = open(image);
    require_kept(opened);
    return opened;
}

std::string spec_text(const Opened& opened, std::uint32_t rid) {
    return type_reference_text(opened.metadata, Token(Table::TypeSpec, rid));
}

/// The encoded token of TypeSpec `rid`.
Bytes spec(std::uint32_t rid) { return compressed(rid << 2U | 2U); }

}  // namespace

TEST_CASE("SIG-01 50,000 pointers, arrays and modifiers on one type: a type like any other") {
    for (const Bytes& prefix : {Bytes{0x0F}, Bytes{0x1D}, Bytes{0x1F, encoded::object}}) {
        check_same(nested(50'000, prefix, {0x01}), type);
    }
    CHECK(printed(nested(50'000, {0x0F}, {0x01}), type) == "void" + std::string(50'000, '*'));
    check_raw(nested(50'000, {0x0F}, {}), type, SignatureFault::truncated);
}

TEST_CASE("SIG-01 what needs memory for each level is followed 512 levels deep") {
    const Bytes list{0x15, 0x12, encoded::object, 0x01};
    check_same(nested(512, list, {0x08}), type);
    check_raw(nested(513, list, {0x08}), type, SignatureFault::too_deep);
    check_raw(nested(50'000, list, {0x08}), type, SignatureFault::too_deep);
    check_raw(nested(50'000, {0x14}, {0x08}), type, SignatureFault::too_deep);
    check_raw(nested(50'000, {0x1B, 0x00, 0x00}, {0x08}), type, SignatureFault::too_deep);
}

TEST_CASE("SIG-02 a TypeSpec that contains itself: printed until it does, equal to itself") {
    const Opened opened = with_type_specs({{0x1F, encoded::first_spec, 0x08}});
    CHECK(spec_text(opened, 1) == "int32 modreq(/* 0x1B000001: inside itself */)");
    const TokenScope scope{&opened.metadata};
    const Opened again = with_type_specs({{0x1F, encoded::first_spec, 0x08}});
    const TokenScope other{&again.metadata};
    SignatureComparer comparer;
    const Token self(Table::TypeSpec, 1);
    CHECK(comparer.equal_types(scope, self, scope, self));
    CHECK(comparer.equal_types(scope, self, other, self));
    check_same({0x1F, encoded::first_spec, 0x08}, type);
}

TEST_CASE("SIG-03 TypeSpecs that contain each other, by modifiers and as generic types") {
    const Bytes by_modifier = joined({0x1F}, spec(2), {0x08});
    const Bytes by_instance = joined({0x15, 0x12}, spec(1), {0x01, 0x0E});
    const Opened opened = with_type_specs({by_modifier, by_instance});
    CHECK(spec_text(opened, 1) == "int32 modreq(class /* 0x1B000001: inside itself */<string>)");
    CHECK(spec_text(opened, 2) == "class int32 modreq(/* 0x1B000002: inside itself */)<string>");
    const Opened again = with_type_specs({by_modifier, by_instance});
    SignatureComparer comparer;
    CHECK(comparer.equal_types({&opened.metadata}, Token(Table::TypeSpec, 1), {&again.metadata},
                               Token(Table::TypeSpec, 1)));
    CHECK_FALSE(comparer.equal_types({&opened.metadata}, Token(Table::TypeSpec, 1),
                                     {&again.metadata}, Token(Table::TypeSpec, 2)));
}

TEST_CASE("SIG-03 forty TypeSpecs that contain the next one twice: not followed without end") {
    std::vector<Bytes> specs;
    for (std::uint32_t next = 2; next <= 41; ++next) {
        specs.push_back(joined(joined({0x1F}, spec(next)), joined({0x20}, spec(next), {0x08})));
    }
    specs.push_back({0x08});
    const Opened opened = with_type_specs(specs);
    const std::string text = spec_text(opened, 1);
    CHECK(text.size() < 20'000);
    CHECK(text.find("not followed") != std::string::npos);
    const Opened again = with_type_specs(specs);
    SignatureComparer comparer;
    CHECK(comparer.equal_types({&opened.metadata}, Token(Table::TypeSpec, 1), {&again.metadata},
                               Token(Table::TypeSpec, 1)));
}

TEST_CASE("SIG-04 counts beyond the bytes: nothing is allocated by them") {
    check_raw(joined({0x00}, largest_number, {0x01}), method, SignatureFault::bad_count);
    check_raw(joined({0x07}, largest_number, {0x08}), locals, SignatureFault::bad_count);
    check_raw(joined({0x08}, largest_number, {0x08}), property_signature,
              SignatureFault::bad_count);
    check_raw(joined({0x0A}, largest_number, {0x08}), method_spec, SignatureFault::bad_count);
    check_raw(joined({0x15, 0x12, encoded::object}, largest_number), type,
              SignatureFault::bad_count);
    check_raw({0x07, 0x03, 0x08, 0x08}, locals, SignatureFault::bad_count);
    check_raw({0x00, 0x01, 0x01}, method, SignatureFault::truncated);
}

TEST_CASE("SIG-04 half a billion generic parameters: a number, kept") {
    const Bytes blob = joined({0x10}, largest_number, {0x00, 0x01});
    check_same(blob, method);
    CHECK(printed(blob, method) == "void()");
}

TEST_CASE("SIG-05 arrays of rank 0, 33, 65,535: kept") {
    check_same({0x14, 0x08, 0x00, 0x00, 0x00}, type);
    CHECK(printed({0x14, 0x08, 0x00, 0x00, 0x00}, type) == "int32[/* rank 0 */]");
    check_same({0x14, 0x08, 33, 0x00, 0x00}, type);
    CHECK(printed({0x14, 0x08, 33, 0x00, 0x00}, type) == "int32[" + std::string(32, ',') + "]");
    const Bytes huge{0x14, 0x08, 0xC0, 0x00, 0xFF, 0xFF, 0x00, 0x00};
    check_same(huge, type);
    CHECK(printed(huge, type) == "int32[/* rank 65535 */]");
}

TEST_CASE("SIG-05 more sizes or lower bounds than dimensions: raw; negative lower bounds: kept") {
    check_raw({0x14, 0x08, 0x01, 0x02, 0x01, 0x01, 0x00}, type, SignatureFault::bad_shape);
    check_raw({0x14, 0x08, 0x01, 0x00, 0x02, 0x00, 0x00}, type, SignatureFault::bad_shape);
    check_raw({0x14, 0x08, 0x03, 0x03, 0x01}, type, SignatureFault::bad_shape);
    const Bytes negative{0x14, 0x08, 0x01, 0x01, 0x05, 0x01, 0x7F};
    check_same(negative, type);
    CHECK(printed(negative, type) == "int32[-1...3]");
}

TEST_CASE("SIG-06 unknown element types: raw") {
    for (const std::uint8_t unknown : Bytes{0x00, 0x17, 0x1A, 0x22, 0x30, 0x40, 0x43, 0x50, 0xFF}) {
        check_raw({0x06, unknown}, field, SignatureFault::bad_element);
        check_raw({0x0F, unknown, 0x08}, type, SignatureFault::bad_element);
    }
}

TEST_CASE("SIG-07 bytes behind a signature: kept") {
    const Bytes blob{0x06, 0x08, 0xAA, 0xBB};
    check_same(blob, field);
    SignatureArena arena;
    const auto signature = decode_signature(blob, field, {}, arena);
    REQUIRE(signature);
    CHECK(std::ranges::equal(signature->trailing(), Bytes{0xAA, 0xBB}));
    CHECK(printed(blob, field) == "int32");
}

TEST_CASE("SIG-08 sentinels first, last, twice, without vararg, and vararg without one: kept") {
    const Bytes first{0x05, 0x02, 0x01, 0x41, 0x08, 0x0E};
    check_same(first, member_ref_signature);
    CHECK(printed(first, member_ref_signature) == "vararg void(..., int32, string)");
    const Bytes last{0x05, 0x01, 0x01, 0x08, 0x41};
    check_same(last, member_ref_signature);
    const Bytes twice{0x05, 0x02, 0x01, 0x41, 0x08, 0x41, 0x0E};
    check_same(twice, member_ref_signature);
    CHECK(printed(twice, member_ref_signature) == "vararg void(..., int32, ..., string)");
    check_same({0x00, 0x01, 0x01, 0x41, 0x08}, method);
    check_same({0x05, 0x01, 0x01, 0x08}, member_ref_signature);
    check_same({0x05, 0x00, 0x41, 0x01}, method);
}

TEST_CASE("SIG-08 a sentinel where no parameters are: raw") {
    check_raw({0x06, 0x41, 0x08}, field, SignatureFault::bad_element);
    check_raw({0x07, 0x01, 0x41, 0x08}, locals, SignatureFault::bad_element);
    check_raw({0x15, 0x12, encoded::object, 0x01, 0x41, 0x08}, type, SignatureFault::bad_element);
}

TEST_CASE("SIG-09 instances of a parameter, a primitive, a function pointer: raw") {
    check_raw({0x15, 0x13, 0x00, 0x01, 0x08}, type, SignatureFault::bad_generic);
    check_raw({0x15, 0x08, 0x01, 0x08}, type, SignatureFault::bad_generic);
    check_raw({0x15, 0x1B, 0x00, 0x00, 0x01}, type, SignatureFault::bad_generic);
    check_raw({0x15}, type, SignatureFault::truncated);
}

TEST_CASE("SIG-09 an instance of a TypeSpec, one without arguments: kept") {
    const Bytes of_spec{0x15, 0x12, encoded::first_spec, 0x01, 0x08};
    check_same(of_spec, type);
    CHECK(printed(of_spec, type, {{0x0E}}) == "class string<int32>");
    const Bytes nothing{0x15, 0x12, encoded::object, 0x00};
    check_same(nothing, type);
    CHECK(printed(nothing, type) == "class [mscorlib]System.Object<>");
}

TEST_CASE("SIG-10 numbers of generic parameters that nothing has: kept") {
    const Bytes var = joined({0x13}, largest_number);
    check_same(var, type);
    CHECK(printed(var, type) == "!536870911");
    check_same(joined({0x1E}, largest_number), type);
}

TEST_CASE("SIG-11 tokens of no table, of row 0, past the end: kept, also when rows move") {
    std::vector<std::uint32_t> rows(16, 7);
    TokenMap map;
    for (const Table moved : {Table::TypeDef, Table::TypeRef, Table::TypeSpec}) {
        map.rows[static_cast<std::size_t>(moved)] = rows;
    }
    // The last one's row number has 25 bits: one more than a token.
    for (const std::uint32_t stored : {0x00U, 0x03U, 0x07U, 0x7FFFU, 0x4000005U}) {
        const Bytes blob = joined({0x12}, compressed(stored));
        check_same(blob, type);
        CHECK(transcoded(blob, type, &map).bytes == blob);
        CHECK(encoded_again(blob, type, &map) == blob);
    }
    CHECK(printed({0x12, 0x00}, type) == "class /* 0x02000000: no such row */");
    CHECK(printed({0x12, 0x07}, type) == "class /* 0x00000007: no type */");
    CHECK(printed({0x11, 0xBF, 0xFD}, type) == "valuetype /* 0x01000FFF: no such row */");
}

TEST_CASE("SIG-12 SIG-13 class for value types and the reverse, primitives by token: kept") {
    check_same({0x06, 0x11, encoded::object}, field);
    check_same({0x06, 0x12, encoded::console}, field);
    CHECK(printed({0x11, encoded::object}, type) == "valuetype [mscorlib]System.Object");
}

TEST_CASE("SIG-14 pinned and typed references in odd places: kept") {
    check_same({0x06, 0x45, 0x08}, field);
    check_same({0x06, 0x10, 0x16}, field);
    check_same({0x15, 0x12, encoded::object, 0x02, 0x45, 0x0E, 0x16}, type);
    check_same({0x0F, 0x45, 0x45, 0x1D, 0x16}, type);
    CHECK(printed({0x0F, 0x45, 0x45, 0x1D, 0x16}, type) == "typedref[] pinned pinned*");
}

TEST_CASE("SIG-15 pointers of a running process: raw") {
    check_raw(joined({0x06, 0x21}, Bytes(8, 0x41)), field, SignatureFault::runtime_pointer);
    check_raw({0x06, 0x21}, field, SignatureFault::runtime_pointer);
}

TEST_CASE("SIG-16 function pointers that return function pointers, 500 deep: kept") {
    const Bytes blob = nested(500, {0x1B, 0x00, 0x00}, {0x01});
    check_same(blob, type);
    const std::string text = printed(blob, type);
    CHECK(text.starts_with("method method "));
    CHECK(text.ends_with(" *() *() *()"));
}

TEST_CASE("SIG-17 calling conventions that mean nothing: raw") {
    for (unsigned convention = 0; convention < 256; ++convention) {
        const Bytes blob{static_cast<std::uint8_t>(convention), 0x00, 0x01};
        const unsigned kind = convention & 0x0FU;
        const bool valid = convention < 0x80 && (kind <= 5 || kind == 9 || kind == 11);
        CHECK((transcoded(blob, method).what != Transcoding::raw) ==
              (valid && (convention & 0x10U) == 0));
        CHECK(transcoded(blob, method).bytes == blob);
    }
    check_raw({0x16, 0x01, 0x08}, field, SignatureFault::bad_header);
    check_raw({0x80, 0x00, 0x01}, method, SignatureFault::bad_header);
    check_raw({0x1B, 0x06, 0x08}, type, SignatureFault::bad_header);
}

TEST_CASE("SIG-18 a signature of one kind where another belongs: raw") {
    check_raw({0x00, 0x00, 0x01}, field, SignatureFault::bad_header);
    check_raw({0x07, 0x01, 0x08}, field, SignatureFault::bad_header);
    check_raw({0x08, 0x00, 0x08}, method, SignatureFault::bad_header);
    check_raw({0x06, 0x08}, method, SignatureFault::bad_header);
    check_raw({0x00, 0x00, 0x01}, property_signature, SignatureFault::bad_header);
    check_raw({0x08, 0x00, 0x08}, locals, SignatureFault::bad_header);
    check_raw({0x07, 0x00}, member_ref_signature, SignatureFault::bad_header);
    check_raw({0x07, 0x01, 0x08}, method_spec, SignatureFault::bad_header);
}

TEST_CASE("SIG-19 no locals, 65,535 locals: kept") {
    check_same({0x07, 0x00}, locals);
    CHECK(printed({0x07, 0x00}, locals) == "()");
    const Bytes many = nested(65'535, {0x08}, {});
    check_same(joined({0x07, 0xC0, 0x00, 0xFF, 0xFF}, many), locals);
    CHECK(printed(joined({0x07, 0xC0, 0x00, 0xFF, 0xFF}, many), locals).size() ==
          std::size_t{65'535} * 7);
}

TEST_CASE("SIG-20 a signature outside its heap, an empty one: none, and said so") {
    ImageSpec image = minimal();
    image.metadata.tables.row(table::MethodDef, 1)[4] = 0x7FFF;
    const Opened opened = open(image);
    require_opened(opened);
    CHECK(member_text(opened.metadata, Token(Table::MethodDef, 1)) ==
          "/* no signature: it breaks off */ Minimal.Program::Main");
    for (const BlobKind kind : {field, method, type, locals, method_spec}) {
        check_raw({}, kind, SignatureFault::truncated);
    }
}

TEST_CASE("SIG-21 fields by reference, modifiers of conventions and of initializers: kept") {
    check_same({0x06, 0x10, 0x08}, field);
    CHECK(printed({0x06, 0x10, 0x08}, field) == "int32&");
    const Bytes unmanaged{0x1B, 0x09, 0x01, 0x20, encoded::object, 0x01, 0x0F, 0x08};
    check_same(unmanaged, type);
    CHECK(printed(unmanaged, type) ==
          "method unmanaged void modopt([mscorlib]System.Object) *(int32*)");
    const Bytes init_only{0x20, 0x01, 0x1F, encoded::object, 0x01, 0x08};
    check_same(init_only, method);
    CHECK(printed(init_only, method) == "instance void modreq([mscorlib]System.Object)(int32)");
    const Bytes in{0x00, 0x01, 0x01, 0x1F, encoded::console, 0x10, 0x08};
    check_same(in, method);
    CHECK(printed(in, method) == "void(int32& modreq([mscorlib]System.Console))");
}

TEST_CASE("SIG-22 50,000 signatures that begin inside one another: a budget ends the work") {
    // Every fifth byte begins a blob of 64 KiB that is nothing but modifiers.
    ImageSpec image = minimal();
    Bytes& heap = image.metadata.heaps.blobs;
    const auto start = static_cast<std::uint32_t>(heap.size());
    append(heap, nested(50'000 + 13'107, {0x1F, 0xC0, 0x00, 0xFF, 0xFF}, {0x08}));
    for (std::uint32_t i = 0; i < 50'000; ++i) {
        image.metadata.tables.add(table::TypeSpec, {start + 1 + 5 * i});
    }
    const Opened opened = open(image);
    require_kept(opened);
    Writer writer;
    const auto rebuilt = writer.rebuild(opened.module->state());
    REQUIRE_FALSE(rebuilt);
    CHECK(rebuilt.error().code == ErrorCode::output_budget);
}
