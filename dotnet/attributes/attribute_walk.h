// One pass over the arguments of a custom attribute (ECMA-335 II.23.3), iterative, with a bounded
// stack. What is read is told to a visitor; the transcoder and the model are visitors.
#pragma once

#include <clrkit/core/bytes/reader.h>
#include <clrkit/dotnet/attributes/attribute_constructor.h>
#include <clrkit/dotnet/attributes/enum_types.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace clrkit {

/// A text as a blob holds it: UTF-8 by the standard, any bytes in practice. Nothing is a null string,
/// which is not the empty one.
using BlobText = std::optional<std::string_view>;

/// Reads a text with its length in front (SerString); a first byte FF is null. Whether it was there
/// the reader says.
inline BlobText read_text(ByteReader& reader) {
    if (reader.left() != 0 && reader.rest()[0] == 0xFF) {
        reader.skip(1);
        return std::nullopt;
    }
    const ByteSpan bytes = reader.bytes(reader.compressed());
    return std::string_view{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// What a count of array elements says when there is no array.
inline constexpr std::uint32_t null_array = 0xFFFFFFFF;
inline constexpr std::uint16_t attribute_prolog = 0x0001;

/// Derive from this and hide what you want to hear of. Called in the order of the bytes.
struct AttributeVisitor {
    void prolog() {}
    /// A value of the constructor's next parameter follows. Has no bytes itself.
    void fixed_argument(const ArgumentType& /*type*/) {}
    /// How many named arguments follow. Not called when the blob ends in front of the count.
    void named_count(std::uint16_t /*count*/) {}
    /// `field` or `property`; type, name and value follow.
    void named_argument(ElementType /*kind*/) {}
    /// The type of a named argument or boxed value, as it stands in the blob.
    void type(const ArgumentType& /*type*/) {}
    void name(BlobText /*name*/) {}
    /// An array of that many elements, or null.
    void array(const ArgumentType& /*type*/, std::uint32_t /*count*/) {}
    /// All elements of an array whose elements are numbers, as they stand.
    void numbers(ByteSpan /*elements*/) {}
    /// A number of 1, 2, 4 or 8 bytes, in the low ones of `bits`.
    void number(const ArgumentType& /*type*/, std::uint64_t /*bits*/) {}
    /// A string or the name of a type, as `type` says.
    void text(ElementType /*type*/, BlobText /*text*/) {}
    /// The innermost array of strings, types or boxed values has ended; called for null and empty
    /// ones too, but not for arrays of numbers.
    void end_array() {}
};

template <class Visitor>
class AttributeWalker {
public:
    /// All but `depth` must outlive the walker. `metadata` is whose attribute it is.
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): left_, see there
    AttributeWalker(ByteReader& reader, Visitor& visitor, const Metadata& metadata,
                    const EnumLookup& enums, std::uint32_t depth)
        : reader_(reader),
          visitor_(visitor),
          metadata_(metadata),
          enums_(enums),
          depth_(std::min<std::uint32_t>(depth, deepest)) {}

    /// Reads the whole blob of an attribute; what is left in the reader then is trailing bytes.
    AttributeFault walk(const AttributeConstructor& constructor) {
        if (constructor.fault() != AttributeFault::none) return constructor.fault();
        const std::size_t budget = signature_budget + 16 * reader_.left();
        // A blob of no bytes at all is what compilers write for an attribute without arguments.
        if (reader_.left() == 0 && constructor.parameter_count() == 0) return {};
        if (reader_.u16() != attribute_prolog) {
            fail(AttributeFault::bad_prolog);
            return fault_;
        }
        visitor_.prolog();
        ParameterCursor parameters(constructor, budget);
        for (std::uint32_t i = 0; i < constructor.parameter_count(); ++i) {
            ArgumentType type;
            const AttributeFault fault = parameters.next(enums_, type);
            if (fault != AttributeFault::none) return fault;
            visitor_.fixed_argument(type);
            if (!value(type)) return fault_;
        }
        // Some tools leave the count of named arguments out where there is none.
        if (reader_.left() == 0) return {};
        const std::uint16_t count = reader_.u16();
        if (!reader_.ok()) return AttributeFault::truncated;
        visitor_.named_count(count);
        return named_arguments(count);
    }

    /// Reads that many named arguments and nothing in front of them.
    AttributeFault named_arguments(std::uint32_t count) {
        // Kind, type, length of the name, a value: four bytes at least.
        if (std::uint64_t{count} * 4 > reader_.left()) return AttributeFault::bad_count;
        for (std::uint32_t i = 0; i < count; ++i) {
            const auto kind = static_cast<ElementType>(reader_.u8());
            if (kind != ElementType::field && kind != ElementType::property) {
                fail(AttributeFault::bad_kind);
                return fault_;
            }
            visitor_.named_argument(kind);
            ArgumentType type;
            if (!read_type(type)) return fault_;
            const BlobText name = read_text(reader_);
            if (!reader_.ok()) return AttributeFault::truncated;
            visitor_.name(name);
            if (!value(type)) return fault_;
        }
        return {};
    }

private:
    static constexpr std::size_t deepest = 512;
    // Bytes of a constructor's signature that are looked at even for the shortest blob.
    static constexpr std::size_t signature_budget = 4096;

    bool fail(AttributeFault why) {
        // What a failed reader yields makes no sense: then the end of the bytes is the reason.
        if (fault_ == AttributeFault::none) {
            fault_ = reader_.ok() ? why : AttributeFault::truncated;
        }
        return false;
    }
    bool still_ok() { return reader_.ok() || fail(AttributeFault::truncated); }

    /// FieldOrPropType (II.23.3).
    bool read_type(ArgumentType& type) {
        type = {};
        type.element = static_cast<ElementType>(reader_.u8());
        if (type.element == ElementType::sz_array) {
            type.array = true;
            type.element = static_cast<ElementType>(reader_.u8());
        }
        if (type.element == ElementType::enum_) {
            const BlobText name = read_text(reader_);
            if (!still_ok()) return false;
            if (!name || name->empty()) return fail(AttributeFault::bad_type);
            const auto underlying = enums_.by_name(metadata_, *name);
            if (!underlying) return fail(AttributeFault::unresolved_enum);
            type.element = *underlying;
            type.is_enum = true;
            type.enum_name = *name;
        } else if (!is_value_type(type.element)) {
            return fail(AttributeFault::bad_type);
        }
        if (!still_ok()) return false;
        visitor_.type(type);
        return true;
    }
    static bool is_value_type(ElementType type) {
        return (type >= ElementType::boolean && type <= ElementType::string) ||
               type == ElementType::type || type == ElementType::boxed;
    }

    /// Reads a value and all it is made of. Only arrays of boxed values are gone back to, so only
    /// they take a place on the stack.
    bool value(ArgumentType type) {
        std::uint32_t boxes = 0;
        for (;;) {
            bool ended = true;
            if (type.array) {
                if (!array(type, ended)) return false;
            } else if (type.element == ElementType::boxed) {
                if (used_ + ++boxes > depth_) return fail(AttributeFault::too_deep);
                if (!read_type(type)) return false;
                continue;
            } else if (!scalar(type)) {
                return false;
            }
            while (ended && used_ != 0 && --left_[used_ - 1] == 0) {
                --used_;
                visitor_.end_array();
            }
            if (used_ == 0) return true;
            // The next element of the innermost array, or its first.
            type = {};
            type.element = ElementType::boxed;
            boxes = 0;
        }
    }

    bool scalar(const ArgumentType& type) {
        std::uint64_t bits = 0;
        switch (type.size()) {
            case 1: bits = reader_.u8(); break;
            case 2: bits = reader_.u16(); break;
            case 4: bits = reader_.u32(); break;
            case 8: bits = reader_.u64(); break;
            default: return text(type.element);
        }
        // Told only when it was there: a visitor may have room for no more than the blob's bytes.
        if (!still_ok()) return false;
        visitor_.number(type, bits);
        return true;
    }
    bool text(ElementType type) {
        const BlobText text = read_text(reader_);
        if (!still_ok()) return false;
        visitor_.text(type, text);
        return true;
    }

    /// Reads an array; of one of boxed values that is not empty only the head: then `ended` is false.
    bool array(const ArgumentType& type, bool& ended) {
        const std::uint32_t count = reader_.u32();
        if (!still_ok()) return false;
        const std::uint32_t size = type.size();
        const bool is_null = count == null_array;
        if (!is_null && std::uint64_t{count} * std::max(size, 1U) > reader_.left()) {
            return fail(AttributeFault::bad_count);
        }
        visitor_.array(type, count);
        if (size != 0) {
            if (!is_null) visitor_.numbers(reader_.bytes(std::uint64_t{count} * size));
            return true;
        }
        if (type.element == ElementType::boxed && !is_null && count != 0) {
            if (used_ == depth_) return fail(AttributeFault::too_deep);
            left_[used_++] = count;
            ended = false;
            return true;
        }
        for (std::uint32_t i = 0; !is_null && i < count; ++i) {
            if (!text(type.element)) return false;
        }
        visitor_.end_array();
        return true;
    }

    ByteReader& reader_;
    Visitor& visitor_;
    const Metadata& metadata_;
    const EnumLookup& enums_;
    std::uint32_t depth_;
    std::uint32_t used_ = 0;
    AttributeFault fault_ = AttributeFault::none;
    // Elements still to come, by level. Not initialized: `used_` says how many count.
    std::array<std::uint32_t, deepest> left_;
};

}  // namespace clrkit
