// Signatures and types of different modules, compared by name.
#include "signatures/blobs.h"
#include "support/allocation_counter.h"

#include <clrkit/dotnet/signatures/compare_signatures.h>

using namespace clrkit;
using namespace clrkit::test;

namespace {

constexpr auto type = BlobKind::type_signature;

/// minimal(), which defines Minimal.Program and refers to [mscorlib]System.Object, and its type
/// tables in another order with a reference to Minimal.Program instead.
struct Pair {
    Opened a = open(minimal());
    Opened b;
    Pair() {
        ImageSpec image = minimal();
        Heaps& heaps = image.metadata.heaps;
        TablesSpec& tables = image.metadata.tables;
        std::swap(tables.row(table::TypeRef, 1), tables.row(table::TypeRef, 2));
        tables.row(table::Assembly, 1)[7] = heaps.string("other");
        const std::uint32_t assembly =
            tables.add(table::AssemblyRef, {9, 0, 0, 0, 0, 0, heaps.string("MINIMAL"), 0, 0});
        tables.add(table::TypeRef, {coded("ResolutionScope", table::AssemblyRef, assembly),
                                    heaps.string("Program"), heaps.string("Minimal")});
        b = open(image);
        REQUIRE(a.module);
        REQUIRE(b.module);
    }
    ScopedSignature in_a(const Bytes& blob, BlobKind kind = type) const {
        return {{&a.metadata}, blob, kind};
    }
    ScopedSignature in_b(const Bytes& blob, BlobKind kind = type) const {
        return {{&b.metadata}, blob, kind};
    }
};

/// What b calls the types of a.
namespace in_b {
constexpr std::uint8_t object = 0x09;   // TypeRef 2
constexpr std::uint8_t console = 0x05;  // TypeRef 1
constexpr std::uint8_t program = 0x0D;  // TypeRef 3
}  // namespace in_b

/// Equal or not, both ways, and the hashes agree with that.
bool equal(const ScopedSignature& a, const ScopedSignature& b, const CompareOptions& options = {}) {
    SignatureComparer comparer(options);
    const bool result = comparer.equal(a, b);
    CHECK(comparer.equal(b, a) == result);
    CHECK((comparer.hash(a) == comparer.hash(b)) == result);
    CHECK(comparer.equal(a, a));
    return result;
}

}  // namespace

TEST_CASE("The same types by other tokens are equal, other types by the same tokens are not") {
    const Pair pair;
    CHECK(equal(pair.in_a({0x12, encoded::object}), pair.in_b({0x12, in_b::object})));
    CHECK_FALSE(equal(pair.in_a({0x12, encoded::object}), pair.in_b({0x12, encoded::object})));
    const Bytes method_a{0x00, 0x02, 0x01, 0x1D, 0x12, encoded::console, 0x08};
    const Bytes method_b{0x00, 0x02, 0x01, 0x1D, 0x12, in_b::console, 0x08};
    CHECK(equal(pair.in_a(method_a, BlobKind::method_signature),
                pair.in_b(method_b, BlobKind::member_ref_signature)));
}

TEST_CASE("A reference to an assembly's type equals the type in that assembly") {
    const Pair pair;
    CHECK(equal(pair.in_a({0x12, encoded::program}), pair.in_b({0x12, in_b::program})));
    // b's own Minimal.Program is another one.
    CHECK_FALSE(equal(pair.in_a({0x12, encoded::program}), pair.in_b({0x12, encoded::program})));
    SignatureComparer comparer;
    CHECK(comparer.equal_types({&pair.a.metadata}, Token(Table::TypeDef, 2), {&pair.b.metadata},
                               Token(Table::TypeRef, 3)));
    CHECK(SignatureComparer::hash_type({&pair.a.metadata}, Token(Table::TypeDef, 2)) ==
          SignatureComparer::hash_type({&pair.b.metadata}, Token(Table::TypeRef, 3)));
}

TEST_CASE("Structure counts: conventions, counts, shapes, class or value type, the sentinel") {
    const Pair pair;
    const auto differ = [&](const Bytes& a, const Bytes& b, BlobKind kind) {
        return !equal(pair.in_a(a, kind), pair.in_b(b, kind));
    };
    constexpr auto method = BlobKind::method_signature;
    CHECK(differ({0x00, 0x00, 0x01}, {0x20, 0x00, 0x01}, method));
    CHECK(differ({0x00, 0x00, 0x01}, {0x00, 0x01, 0x01, 0x08}, method));
    CHECK(differ({0x10, 0x01, 0x00, 0x01}, {0x10, 0x02, 0x00, 0x01}, method));
    CHECK(differ({0x05, 0x01, 0x01, 0x08}, {0x05, 0x01, 0x01, 0x41, 0x08}, method));
    CHECK(differ({0x12, encoded::object}, {0x11, in_b::object}, type));
    CHECK(differ({0x13, 0x00}, {0x13, 0x01}, type));
    CHECK(differ({0x13, 0x00}, {0x1E, 0x00}, type));
    CHECK(differ({0x1D, 0x08}, {0x14, 0x08, 0x01, 0x00, 0x00}, type));
    CHECK(differ({0x14, 0x08, 0x02, 0x00, 0x00}, {0x14, 0x08, 0x03, 0x00, 0x00}, type));
    CHECK(differ({0x15, 0x12, encoded::object, 0x01, 0x08}, {0x15, 0x12, in_b::object, 0x01, 0x09},
                 type));
}

TEST_CASE("Lower bounds and sizes count, the length of numbers and trailing bytes do not") {
    const Pair pair;
    SignatureComparer comparer;
    CHECK_FALSE(comparer.equal(pair.in_a({0x14, 0x08, 0x01, 0x00, 0x01, 0x00}),
                               pair.in_b({0x14, 0x08, 0x01, 0x00, 0x01, 0x02})));
    CHECK_FALSE(comparer.equal(pair.in_a({0x14, 0x08, 0x01, 0x01, 0x04, 0x00}),
                               pair.in_b({0x14, 0x08, 0x01, 0x01, 0x05, 0x00})));
    CHECK(equal(pair.in_a({0x14, 0x08, 0x01, 0x80, 0x01, 0x04, 0x00}),
                pair.in_b({0x14, 0x08, 0x01, 0x01, 0x04, 0x00})));
    CHECK(equal(pair.in_a({0x08, 0xAA}), pair.in_b({0x08})));
}

TEST_CASE("Modifiers count or do not") {
    const Pair pair;
    const Bytes plain{0x0F, 0x08};
    const Bytes modified{0x20, in_b::object, 0x0F, 0x1F, in_b::console, 0x08};
    CHECK_FALSE(equal(pair.in_a(plain), pair.in_b(modified)));
    CHECK(equal(pair.in_a(plain), pair.in_b(modified), {.modifiers = false}));
    CHECK(equal(pair.in_a({0x1F, encoded::object, 0x08}), pair.in_b({0x1F, in_b::object, 0x08})));
    CHECK_FALSE(
        equal(pair.in_a({0x1F, encoded::object, 0x08}), pair.in_b({0x20, in_b::object, 0x08})));
}

TEST_CASE("What cannot be decoded equals the same bytes of the same module only") {
    const Pair pair;
    const Bytes broken{0x0F, 0x17};
    SignatureComparer comparer;
    CHECK(comparer.equal(pair.in_a(broken), pair.in_a(broken)));
    CHECK_FALSE(comparer.equal(pair.in_a(broken), pair.in_b(broken)));
    CHECK_FALSE(comparer.equal(pair.in_a(broken), pair.in_a({0x08})));
}

TEST_CASE("Tokens that lead nowhere equal themselves") {
    const Pair pair;
    CHECK(equal(pair.in_a({0x12, 0x7C}), pair.in_b({0x12, 0x7C})));
    SignatureComparer comparer;
    CHECK_FALSE(comparer.equal(pair.in_a({0x12, 0x7C}), pair.in_b({0x12, 0x78})));
    CHECK_FALSE(comparer.equal(pair.in_a({0x12, 0x7C}), pair.in_b({0x12, in_b::object})));
}

TEST_CASE("A warm comparer allocates nothing") {
    const Pair pair;
    SignatureComparer comparer;
    const Bytes a = nested(100, {0x0F}, {0x15, 0x12, encoded::object, 0x01, 0x08});
    const Bytes b = nested(100, {0x0F}, {0x15, 0x12, in_b::object, 0x01, 0x08});
    REQUIRE(comparer.equal(pair.in_a(a), pair.in_b(b)));
    int equal_ones = 0;
    const Allocations made = allocations_in([&] {
        for (int i = 0; i < 100; ++i) {
            equal_ones += comparer.equal(pair.in_a(a), pair.in_b(b)) ? 1 : 0;
            equal_ones += comparer.hash(pair.in_a(a)) == comparer.hash(pair.in_b(b)) ? 1 : 0;
        }
    });
    CHECK(equal_ones == 200);
    CHECK(made.count == 0);
}
