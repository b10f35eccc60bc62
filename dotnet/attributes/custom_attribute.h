// Custom attributes (ECMA-335 II.23.3): for looking, a flat model; for copying, a transcoder; for
// making new ones, a writer. What cannot be decoded, or only by guessing how wide an enum is, stays
// the bytes it is.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/error.h>
#include <clrkit/dotnet/attributes/attribute_constructor.h>
#include <clrkit/dotnet/attributes/attribute_encoder.h>
#include <clrkit/dotnet/attributes/attribute_walk.h>
#include <clrkit/dotnet/attributes/enum_types.h>
#include <clrkit/dotnet/signatures/contexts.h>
#include <clrkit/dotnet/signatures/transcode.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace clrkit {

/// One value, or part of one. Children stand behind their parent.
struct AttributeNode {
    enum class Kind : std::uint8_t {
        number,   // `bits`
        text,     // a string, or a type's name when `element` is `type`
        numbers,  // an array of numbers: `count` elements, read with `element_bits`; no children
        array,    // an array of strings, types or boxed values: `count` children
        boxed,    // a value that brings its type along: one child, the value
        named,    // a field or property: one child, the value
    };
    Kind kind = Kind::number;
    /// Of the number, text, elements; for `boxed` and `named` of the child (`boxed` for an object).
    ElementType element = ElementType::end;
    /// Of text and arrays.
    bool is_null = false;
    bool is_enum = false;
    /// For `named`: a property. Else a field.
    bool is_property = false;
    /// For `boxed` and `named`: the child is an array.
    bool is_array = false;
    std::uint32_t count = 0;
    /// Index of the node behind this one and its children.
    std::uint32_t end = 0;
    /// The enum, in a fixed argument: a TypeDef or TypeRef.
    Token enum_type;
    std::uint64_t bits = 0;
    /// Text or name, or the elements of `numbers`. In the blob.
    ByteSpan bytes;
    /// The enum, in a boxed value or named argument. In the blob.
    std::string_view enum_name;

    std::string_view text() const {
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    /// Element `index` of `numbers`; 0 past the last.
    CLRKIT_API std::uint64_t element_bits(std::uint32_t index) const;
};
static_assert(sizeof(AttributeNode) <= 64 && std::is_trivially_copyable_v<AttributeNode>);

/// An attribute that was read. Views of the blob, which must outlive it; meant to be read into again
/// and again.
struct CustomAttribute {
    /// Preorder: the fixed arguments, then the named ones. Empty when it did not decode.
    std::vector<AttributeNode> nodes;
    std::uint32_t fixed_count = 0;
    std::uint32_t named_count = 0;
    /// False where the blob ends in front of the count of named arguments.
    bool has_named_count = false;
    /// What stands behind the last argument; nothing reads it.
    ByteSpan trailing;
    /// The whole blob.
    ByteSpan raw;
    /// Why it did not decode. `unresolved_enum`: it may be well-formed, nobody knows.
    AttributeFault fault = AttributeFault::none;

    bool decoded() const { return fault == AttributeFault::none; }
};

/// Reads an attribute; one that does not decode is reported (`attribute_malformed`,
/// `attribute_unresolved`) and says why in `into.fault`. Errors: `out_of_memory`.
CLRKIT_API Status read_custom_attribute(ByteSpan blob, const AttributeConstructor& constructor,
                                        const EnumLookup& enums, const BlobReadContext& read,
                                        CustomAttribute& into);

/// Writes an attribute: decoded and encoded where that is possible, else copied raw with the
/// diagnostic `attribute_malformed` or `attribute_unresolved`. Trailing bytes are kept, a missing
/// count of named arguments stays missing, an empty blob empty. Builds nothing, allocates nothing.
CLRKIT_API Transcoding transcode_custom_attribute(ByteSpan blob,
                                                  const AttributeConstructor& constructor,
                                                  const EnumLookup& enums,
                                                  const BlobReadContext& read,
                                                  const BlobWriteContext& write);

/// `attribute_unresolved` or `attribute_malformed`.
constexpr ErrorCode code_of(AttributeFault fault) {
    return fault == AttributeFault::unresolved_enum ? ErrorCode::attribute_unresolved
                                                    : ErrorCode::attribute_malformed;
}

/// Builds an attribute's blob, call by call in the order of its parts: `prolog`, the fixed arguments,
/// `named_count`, and for each named one `field` or `property` followed by its value. Whether the
/// calls fit the constructor is the caller's to know; whether the bytes were written,
/// `output.failed()` says. Also writes the arguments of a permission (see `PermissionSetWriter`).
class CustomAttributeWriter {
public:
    explicit CustomAttributeWriter(const BlobWriteContext& context) : context_(&context) {}

    void prolog() const { output().u16(attribute_prolog); }

    // Values.
    void boolean(bool value) const { number(ElementType::boolean, value ? 1 : 0); }
    /// `boolean` to `r8`: the low bytes of `bits`, also for an enum of that underlying type.
    void number(ElementType type, std::uint64_t bits) const { encoder().number(type, bits); }
    /// Also for an enum of that underlying type.
    void i4(std::int32_t value) const { output().u32(static_cast<std::uint32_t>(value)); }
    CLRKIT_API void r4(float value) const;
    CLRKIT_API void r8(double value) const;
    /// Nothing writes a null string.
    void string(BlobText text) const { encoder().text(text); }
    /// The name of a type as reflection writes it; nothing writes null.
    void type_name(BlobText name) const { encoder().text(name); }
    /// That many values follow.
    void array(std::uint32_t count) const { output().u32(count); }
    void null_array() const { output().u32(clrkit::null_array); }
    /// The elements of an array of numbers, in one piece, little-endian.
    void elements(ByteSpan bytes) const { output().bytes(bytes); }
    /// The type in front of a boxed value, which follows.
    void boxed(const ArgumentType& type) const { encoder().type(type); }

    // Named arguments.
    void named_count(std::uint16_t count) const { output().u16(count); }
    void field(const ArgumentType& type, std::string_view name) const {
        named(ElementType::field, type, name);
    }
    void property(const ArgumentType& type, std::string_view name) const {
        named(ElementType::property, type, name);
    }

    // Types for `boxed`, `field` and `property`.
    /// `boolean` to `string`, `type`, or `boxed` for System.Object.
    static ArgumentType of(ElementType element, bool array = false) {
        ArgumentType type;
        type.element = element;
        type.array = array;
        return type;
    }
    /// An enum by the name reflection gives it.
    static ArgumentType of_enum(std::string_view name, bool array = false) {
        ArgumentType type;
        type.is_enum = true;
        type.enum_name = name;
        type.array = array;
        return type;
    }

private:
    WriteBuffer& output() const { return context_->output; }
    AttributeEncoder<WriteBuffer> encoder() const { return AttributeEncoder(context_->output); }
    CLRKIT_API void named(ElementType kind, const ArgumentType& type, std::string_view name) const;

    const BlobWriteContext* context_;
};
static_assert(sizeof(CustomAttributeWriter) <= 16 &&
              std::is_trivially_copyable_v<CustomAttributeWriter>);

}  // namespace clrkit
