// The model: what a decoded signature says of itself.
#include "signatures/blobs.h"
#include "support/allocation_counter.h"

using namespace clrkit;
using namespace clrkit::test;

namespace {

Signature decoded(const Bytes& blob, BlobKind kind, SignatureArena& arena) {
    const auto signature = decode_signature(blob, kind, {}, arena);
    REQUIRE(signature);
    return *signature;
}

}  // namespace

TEST_CASE("A method's convention, generic parameters, return type, parameters and sentinel") {
    SignatureArena arena;
    // instance vararg !!0 (int32, string, ..., class [mscorlib]System.Object)
    const Bytes blob{0x35, 0x02, 0x03, 0x1E, 0x00, 0x08, 0x0E, 0x41, 0x12, encoded::object};
    const Signature signature = decoded(blob, BlobKind::member_ref_signature, arena);
    CHECK(signature.kind() == TypeList::Kind::method);
    CHECK(signature.has_header());
    CHECK(signature.calling_convention() == 0x35);
    CHECK(signature.generic_parameter_count() == 2);
    CHECK(signature.type().kind() == ElementType::mvar);
    CHECK(signature.type().number() == 0);
    const SignatureTypes parameters = signature.parameters();
    REQUIRE(parameters.size() == 3);
    CHECK(parameters[0].kind() == ElementType::i4);
    CHECK(parameters[1].kind() == ElementType::string);
    CHECK(parameters[2].kind() == ElementType::sentinel);
    CHECK(parameters[2].unmodified().kind() == ElementType::class_);
    CHECK(parameters[2].element().token() == Token(Table::TypeRef, 1));
    CHECK(signature.sentinel() == 2);
    CHECK(signature.trailing().empty());
}

TEST_CASE("A method without a sentinel has none; the parameters are a range") {
    SignatureArena arena;
    const Bytes blob{0x00, 0x02, 0x01, 0x10, 0x08, 0x1D, 0x0E};
    const Signature signature = decoded(blob, BlobKind::method_signature, arena);
    CHECK_FALSE(signature.sentinel());
    std::vector<ElementType> kinds;
    for (const SignatureType type : signature.parameters()) kinds.push_back(type.kind());
    CHECK(kinds == std::vector{ElementType::by_ref, ElementType::sz_array});
    CHECK(signature.types().size() == 3);
}

TEST_CASE("Properties, fields, locals, instantiations and TypeSpecs") {
    SignatureArena arena;
    const Bytes property{0x28, 0x01, 0x08, 0x0E};
    const Signature a = decoded(property, BlobKind::property_signature, arena);
    CHECK(a.kind() == TypeList::Kind::property);
    CHECK(a.type().kind() == ElementType::i4);
    CHECK(a.parameters()[0].kind() == ElementType::string);
    const Bytes locals{0x07, 0x02, 0x45, 0x10, 0x05, 0x0E};
    const Signature b = decoded(locals, BlobKind::stand_alone_signature, arena);
    CHECK(b.kind() == TypeList::Kind::locals);
    REQUIRE(b.parameters().size() == 2);
    CHECK(b.types()[0].kind() == ElementType::pinned);
    CHECK(b.types()[0].unmodified().kind() == ElementType::by_ref);
    const Bytes arguments{0x0A, 0x02, 0x08, 0x13, 0x05};
    const Signature c = decoded(arguments, BlobKind::method_spec, arena);
    CHECK(c.kind() == TypeList::Kind::generic_arguments);
    CHECK(c.parameters()[1].number() == 5);
    const Bytes field{0x06, 0x02};
    CHECK(decoded(field, BlobKind::field_signature, arena).type().kind() == ElementType::boolean);
    const Bytes spec{0x1D, 0x02};
    const Signature d = decoded(spec, BlobKind::type_signature, arena);
    CHECK_FALSE(d.has_header());
    CHECK(d.type().element().kind() == ElementType::boolean);
    // Handles to what was decoded before are good still.
    CHECK(a.type().kind() == ElementType::i4);
}

TEST_CASE("Modifiers are in the order of the bytes, with their tokens") {
    SignatureArena arena;
    const Bytes blob{0x06, 0x1F, encoded::object, 0x20, encoded::program, 0x0F, 0x08};
    SignatureType type = decoded(blob, BlobKind::field_signature, arena).type();
    CHECK(type.kind() == ElementType::modreq);
    CHECK(type.token() == Token(Table::TypeRef, 1));
    CHECK(type.unmodified().kind() == ElementType::pointer);
    type = type.element();
    CHECK(type.kind() == ElementType::modopt);
    CHECK(type.token() == Token(Table::TypeDef, 2));
    CHECK(type.element().element().kind() == ElementType::i4);
}

TEST_CASE("Arguments of instances, one inside the other") {
    SignatureArena arena;
    const Bytes blob{0x15, 0x11, encoded::object, 0x02, 0x15, 0x12, encoded::console, 0x01, 0x0E,
                     0x13, 0x01};
    const SignatureType outer = decoded(blob, BlobKind::type_signature, arena).type();
    CHECK(outer.generic_kind() == ElementType::value_type);
    REQUIRE(outer.arguments().size() == 2);
    const SignatureType inner = outer.arguments()[0];
    CHECK(inner.generic_kind() == ElementType::class_);
    CHECK(inner.token() == Token(Table::TypeRef, 2));
    CHECK(inner.arguments()[0].kind() == ElementType::string);
    CHECK(outer.arguments()[1].number() == 1);
}

TEST_CASE("An array's element type, rank, sizes and signed lower bounds") {
    SignatureArena arena;
    // Behind the element type: rank 3, sizes 5 and 300, lower bounds -1, 2, -8192.
    const Bytes blob{0x14, 0x1D, 0x08, 0x03, 0x02, 0x05, 0x81, 0x2C, 0x03, 0x7F, 0x04, 0x80, 0x01};
    const SignatureType array = decoded(blob, BlobKind::type_signature, arena).type();
    CHECK(array.element().kind() == ElementType::sz_array);
    const ArrayShape shape = array.shape();
    CHECK(shape.rank() == 3);
    CHECK(shape.size_count() == 2);
    CHECK(shape.lower_bound_count() == 3);
    auto dimensions = shape.dimensions();
    const auto first = dimensions.next();
    CHECK(first.size == 5U);
    CHECK(first.lower_bound == -1);
    const auto second = dimensions.next();
    CHECK(second.size == 300U);
    CHECK(second.lower_bound == 2);
    const auto third = dimensions.next();
    CHECK_FALSE(third.size);
    CHECK(third.lower_bound == -8192);
}

TEST_CASE("The signature of a function pointer is one like any other") {
    SignatureArena arena;
    const Bytes blob{0x06, 0x1B, 0x01, 0x02, 0x01, 0x08, 0x1B, 0x00, 0x00, 0x0E};
    const SignatureType pointer = decoded(blob, BlobKind::field_signature, arena).type();
    const Signature function = pointer.function();
    CHECK(function.kind() == TypeList::Kind::method);
    CHECK(function.calling_convention() == calling_convention::c);
    CHECK(function.type().kind() == ElementType::void_);
    REQUIRE(function.parameters().size() == 2);
    CHECK(function.parameters()[1].function().type().kind() == ElementType::string);
    CHECK(function.trailing().empty());
}

TEST_CASE("Every node's subtree ends where the next one begins") {
    SignatureArena arena;
    const Bytes blob{0x00, 0x02, 0x01, 0x0F, 0x15, 0x12, encoded::object, 0x01, 0x08, 0x0E};
    const Signature signature = decoded(blob, BlobKind::method_signature, arena);
    // root, void, pointer, instance, int32, string
    std::vector<std::uint32_t> ends;
    for (const SignatureNode& node : signature.nodes()) ends.push_back(node.end);
    CHECK(ends == std::vector<std::uint32_t>{6, 2, 5, 5, 5, 6});
}

TEST_CASE("A depth of the caller's choice is kept to") {
    SignatureArena arena;
    BlobReadContext context;
    context.depth = 1;
    const Bytes one{0x15, 0x12, encoded::object, 0x01, 0x08};
    CHECK(decode_signature(one, BlobKind::type_signature, context, arena));
    const Bytes two{0x15, 0x12, encoded::object, 0x01, 0x15, 0x12, encoded::object, 0x01, 0x08};
    CHECK_FALSE(decode_signature(two, BlobKind::type_signature, context, arena));
}

TEST_CASE("A fault leaves the arena as it was and names the row") {
    SignatureArena arena;
    const Bytes good{0x06, 0x08};
    (void)decoded(good, BlobKind::field_signature, arena);
    BlobReadContext context;
    context.owner = Token(Table::Field, 7);
    const Bytes bad{0x06, 0x0F, 0x0F};
    const auto failed = decode_signature(bad, BlobKind::field_signature, context, arena);
    REQUIRE_FALSE(failed);
    CHECK(failed.error().stage == Stage::signature);
    CHECK(failed.error().token == 0x04000007);
    CHECK(arena.size() == 2);
}

TEST_CASE("A warm arena decodes without an allocation") {
    const Bytes blob = nested(1000, {0x0F}, {0x15, 0x12, encoded::object, 0x01, 0x08});
    SignatureArena arena;
    (void)decoded(blob, BlobKind::type_signature, arena);
    std::uint32_t nodes = 0;
    const Allocations made = allocations_in([&] {
        for (int i = 0; i < 100; ++i) {
            arena.clear();
            if (!decode_signature(blob, BlobKind::type_signature, {}, arena)) break;
            nodes += arena.size();
        }
    });
    CHECK(nodes == 100 * 1003);
    CHECK(made.count == 0);
}
