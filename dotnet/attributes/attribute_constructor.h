// What a custom attribute's fixed arguments are: the parameters of its constructor (ECMA-335 II.22.10,
// II.23.3), read from the signature as they are needed. Views: the metadata owns the bytes.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/reader.h>
#include <clrkit/dotnet/attributes/enum_types.h>
#include <clrkit/dotnet/metadata/metadata.h>
#include <clrkit/dotnet/signatures/element_type.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace clrkit {

/// Why the arguments of an attribute could not be read.
enum class AttributeFault : std::uint8_t {
    none,
    no_constructor,
    bad_constructor,
    bad_parameter,
    bad_prolog,
    truncated,
    bad_count,
    bad_kind,
    bad_type,
    too_deep,
    unresolved_enum,
};
/// Static text for a diagnostic's note.
CLRKIT_API const char* note_of(AttributeFault fault);

/// What a value is, as far as its bytes go.
struct ArgumentType {
    /// `boolean` to `string`, `type`, or `boxed` for a value that brings its type along. For an enum
    /// its underlying integer.
    ElementType element = ElementType::end;
    /// An array of them.
    bool array = false;
    bool is_enum = false;
    /// The enum, where a signature names it.
    Token enum_type;
    /// The enum as the blob names it, byte for byte.
    std::string_view enum_name;

    /// Bytes of a value, or of an element of the array; 0 where they differ.
    std::uint32_t size() const { return primitive_size(element, 0).value_or(0); }
};
static_assert(sizeof(ArgumentType) <= 32 && std::is_trivially_copyable_v<ArgumentType>);

/// The constructor of an attribute, looked up and its signature's head read.
class AttributeConstructor {
public:
    /// Type arguments of a generic attribute that parameters may refer to.
    static constexpr std::size_t type_arguments_at_most = 16;

    /// That of a row of CustomAttribute. Never fails: `fault` says what is wrong with it.
    CLRKIT_API static AttributeConstructor of(const Metadata& metadata, std::uint32_t attribute);
    /// A MethodDef, or a MemberRef of a TypeRef, TypeDef or TypeSpec.
    CLRKIT_API static AttributeConstructor of(const Metadata& metadata, Token method);

    /// `no_constructor`, `bad_constructor` or none.
    AttributeFault fault() const { return fault_; }
    const Metadata& metadata() const { return *metadata_; }
    Token method() const { return method_; }
    std::uint32_t parameter_count() const { return count_; }
    /// The parameters' part of the signature.
    ByteSpan parameters() const { return parameters_; }
    /// The type that stands for VAR `number`; empty when there is none.
    CLRKIT_API ByteSpan type_argument(std::uint32_t number) const;

private:
    void read_signature(ByteSpan signature);
    void read_type_arguments(ByteSpan type_spec);

    const Metadata* metadata_ = nullptr;
    ByteSpan parameters_;
    ByteSpan arguments_;  // of the TypeSpec, from the first on
    std::array<std::uint16_t, type_arguments_at_most> argument_offsets_{};
    Token method_;
    std::uint32_t count_ = 0;
    std::uint8_t argument_count_ = 0;
    AttributeFault fault_ = AttributeFault::no_constructor;
};
static_assert(sizeof(AttributeConstructor) <= 96 &&
              std::is_trivially_copyable_v<AttributeConstructor>);

/// Goes through a constructor's parameters once.
class ParameterCursor {
public:
    /// `budget` bounds the bytes of the signature that are looked at, so that many attributes with one
    /// huge signature cost no more than their own blobs.
    ParameterCursor(const AttributeConstructor& constructor, std::size_t budget)
        : constructor_(constructor), reader_(slice_clamped(constructor.parameters(), 0, budget)) {}

    /// The next parameter. Custom modifiers are skipped, a VAR is what the attribute's type says.
    CLRKIT_API AttributeFault next(const EnumLookup& enums, ArgumentType& type);

private:
    AttributeFault resolve(const EnumLookup& enums, ElementType kind, std::uint32_t encoded,
                           ArgumentType& type) const;

    const AttributeConstructor& constructor_;
    ByteReader reader_;
};

}  // namespace clrkit
