// One pass over a signature (ECMA-335 II.23.2 and what runtimes added to it), iterative, with a
// bounded stack. What is read is told to a visitor; the transcoder, the model and the checks are
// visitors.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/reader.h>
#include <clrkit/dotnet/metadata/schema.h>
#include <clrkit/dotnet/signatures/element_type.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace clrkit {

/// The first byte of every signature but a TypeSpec's (ECMA-335 II.23.2.3), and that of a function
/// pointer's.
namespace calling_convention {
enum : std::uint8_t {
    standard = 0x00,
    c = 0x01,
    stdcall = 0x02,
    thiscall = 0x03,
    fastcall = 0x04,
    vararg = 0x05,
    field = 0x06,
    local = 0x07,
    property = 0x08,
    unmanaged = 0x09,
    generic_instance = 0x0A,
    native_vararg = 0x0B,
    mask = 0x0F,
    generic = 0x10,
    has_this = 0x20,
    explicit_this = 0x40,
};
}  // namespace calling_convention

/// Why a signature could not be read to its end.
enum class SignatureFault : std::uint8_t {
    none,
    truncated,
    bad_header,
    bad_count,
    bad_element,
    bad_generic,
    bad_shape,
    runtime_pointer,
    too_deep,
};
/// Static text for a diagnostic's note.
CLRKIT_API const char* note_of(SignatureFault fault);

/// How many types follow in a list, and what the list is.
struct TypeList {
    enum class Kind : std::uint8_t { single, method, property, locals, generic_arguments };
    Kind kind;
    /// Types still to come, the return type included.
    std::uint32_t left;

    static constexpr TypeList one() { return {Kind::single, 1}; }
    bool takes_sentinel() const { return kind == Kind::method; }
};

/// Derive from this and hide what you want to hear of. Called in the order of the bytes.
struct SignatureVisitor {
    /// The calling convention in front, or that of a function pointer.
    void header(std::uint8_t /*convention*/) {}
    /// How many generic parameters, parameters, locals, arguments follow.
    void count(std::uint32_t /*value*/) {}
    /// A type begins with this, or a prefix of one; its operands follow.
    void element(ElementType /*type*/) {}
    /// CLASS or VALUETYPE behind GENERICINST.
    void generic_kind(ElementType /*type*/) {}
    /// A TypeDefOrRefOrSpecEncoded value.
    void token(std::uint32_t /*encoded*/) {}
    /// The number of a generic parameter.
    void number(std::uint32_t /*value*/) {}
    /// The shape of an array whose element type has just ended: the bytes, already checked.
    void shape(ByteSpan /*bytes*/) {}
};

template <class Visitor>
class SignatureWalker {
public:
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): frames_, see there
    SignatureWalker(ByteReader& reader, Visitor& visitor, std::uint32_t depth)
        : reader_(reader), visitor_(visitor), depth_(std::min<std::uint32_t>(depth, deepest)) {}

    /// Reads one signature of the kind that a blob column says; what is left in the reader then is
    /// trailing bytes.
    SignatureFault walk(BlobKind kind) {
        if (kind == BlobKind::type_signature) {
            types(TypeList::one());
            return fault();
        }
        const std::uint8_t convention = reader_.u8();
        if (!reader_.ok()) return SignatureFault::truncated;
        if (!allowed(kind, convention)) return SignatureFault::bad_header;
        visitor_.header(convention);
        switch (convention & calling_convention::mask) {
            case calling_convention::field: types(TypeList::one()); break;
            case calling_convention::local: counted(TypeList::Kind::locals, 0); break;
            case calling_convention::property: counted(TypeList::Kind::property, 1); break;
            case calling_convention::generic_instance:
                counted(TypeList::Kind::generic_arguments, 0);
                break;
            default: method(convention); break;
        }
        return fault();
    }

private:
    static constexpr std::size_t deepest = 512;
    /// A list to go on with when the innermost type ends. `array`: before that, its shape.
    struct Frame {
        TypeList list;
        bool array;
    };

    static bool is_method(std::uint8_t convention) {
        const unsigned kind = convention & calling_convention::mask;
        return (convention & 0x80U) == 0 &&
               (kind <= calling_convention::vararg || kind == calling_convention::unmanaged ||
                kind == calling_convention::native_vararg);
    }

    static bool allowed(BlobKind kind, std::uint8_t convention) {
        const bool field = convention == calling_convention::field;
        switch (kind) {
            case BlobKind::field_signature: return field;
            case BlobKind::method_signature: return is_method(convention);
            case BlobKind::member_ref_signature: return field || is_method(convention);
            case BlobKind::property_signature:
                return (convention & ~calling_convention::has_this) == calling_convention::property;
            case BlobKind::method_spec: return convention == calling_convention::generic_instance;
            case BlobKind::stand_alone_signature:
                return field || convention == calling_convention::local || is_method(convention);
            default: return false;
        }
    }

    SignatureFault fault() const {
        if (fault_ != SignatureFault::none) return fault_;
        return reader_.ok() ? SignatureFault::none : SignatureFault::truncated;
    }
    bool fail(SignatureFault why) {
        // What a failed reader yields makes no sense: then the end of the bytes is the reason.
        if (fault_ == SignatureFault::none) fault_ = reader_.ok() ? why : SignatureFault::truncated;
        return false;
    }

    /// A count, and `more` types beside what it counts. Every type takes at least one byte.
    bool read_count(TypeList::Kind kind, std::uint32_t more, TypeList& list) {
        const std::uint32_t count = reader_.compressed();
        if (std::uint64_t{count} > reader_.left()) return fail(SignatureFault::bad_count);
        visitor_.count(count);
        list = {kind, count + more};
        return reader_.ok();
    }
    void counted(TypeList::Kind kind, std::uint32_t more) {
        TypeList list = TypeList::one();
        if (read_count(kind, more, list)) types(list);
    }
    void method(std::uint8_t convention) {
        TypeList list = TypeList::one();
        if (method_list(convention, list)) types(list);
    }
    bool method_list(std::uint8_t convention, TypeList& list) {
        if ((convention & calling_convention::generic) != 0) visitor_.count(reader_.compressed());
        return read_count(TypeList::Kind::method, 1, list);
    }

    /// Reads the types of a list, and all they are made of.
    void types(TypeList list) {
        if (list.left == 0) return;
        for (;;) {
            bool ended = false;
            if (!element(list, ended)) return;
            while (ended) {
                if (--list.left != 0) break;
                if (used_ == 0) return;
                const Frame& outer = frames_[--used_];
                list = outer.list;
                if (outer.array && !shape()) return;
            }
        }
    }

    bool push(TypeList& list, TypeList inner, bool array) {
        if (used_ == depth_) return fail(SignatureFault::too_deep);
        frames_[used_++] = {list, array};
        list = inner;
        return true;
    }

    /// Reads one element. `ended` says whether a type has ended with it.
    bool element(TypeList& list, bool& ended) {
        const auto type = static_cast<ElementType>(reader_.u8());
        if (!reader_.ok()) return fail(SignatureFault::truncated);
        switch (type) {
            case ElementType::pointer:
            case ElementType::by_ref:
            case ElementType::sz_array:
            case ElementType::pinned: visitor_.element(type); return true;
            case ElementType::modreq:
            case ElementType::modopt: visitor_.element(type); return token();
            case ElementType::class_:
            case ElementType::value_type:
                visitor_.element(type);
                ended = true;
                return token();
            case ElementType::var:
            case ElementType::mvar:
                visitor_.element(type);
                ended = true;
                return number();
            case ElementType::array:
                visitor_.element(type);
                return push(list, TypeList::one(), true);
            case ElementType::generic_instance: return generic_instance(list, ended);
            case ElementType::function_pointer: return function_pointer(list);
            case ElementType::sentinel:
                if (!list.takes_sentinel()) return fail(SignatureFault::bad_element);
                visitor_.element(type);
                return true;
            case ElementType::internal: return fail(SignatureFault::runtime_pointer);
            default:
                if (!is_leaf(type)) return fail(SignatureFault::bad_element);
                visitor_.element(type);
                ended = true;
                return true;
        }
    }

    static bool is_leaf(ElementType type) {
        return (type >= ElementType::void_ && type <= ElementType::string) ||
               type == ElementType::typed_by_ref || type == ElementType::i ||
               type == ElementType::u || type == ElementType::object;
    }
    bool token() {
        const std::uint32_t encoded = reader_.compressed();
        if (!reader_.ok()) return fail(SignatureFault::truncated);
        visitor_.token(encoded);
        return true;
    }
    bool number() {
        const std::uint32_t value = reader_.compressed();
        if (!reader_.ok()) return fail(SignatureFault::truncated);
        visitor_.number(value);
        return true;
    }
    bool generic_instance(TypeList& list, bool& ended) {
        const auto kind = static_cast<ElementType>(reader_.u8());
        if (kind != ElementType::class_ && kind != ElementType::value_type) {
            return fail(SignatureFault::bad_generic);
        }
        visitor_.element(ElementType::generic_instance);
        visitor_.generic_kind(kind);
        TypeList arguments = TypeList::one();
        if (!token() || !read_count(TypeList::Kind::generic_arguments, 0, arguments)) return false;
        ended = arguments.left == 0;
        return ended || push(list, arguments, false);
    }
    bool function_pointer(TypeList& list) {
        const std::uint8_t convention = reader_.u8();
        if (!reader_.ok() || !is_method(convention)) return fail(SignatureFault::bad_header);
        visitor_.element(ElementType::function_pointer);
        visitor_.header(convention);
        TypeList inner = TypeList::one();
        return method_list(convention, inner) && push(list, inner, false);
    }
    /// ArrayShape (ECMA-335 II.23.2.13): rank, sizes, lower bounds.
    bool shape() {
        const ByteSpan from = reader_.rest();
        const std::size_t start = reader_.position();
        const std::uint32_t rank = reader_.compressed();
        for (int list = 0; list < 2; ++list) {
            const std::uint32_t count = reader_.compressed();
            if (count > rank || count > reader_.left()) return fail(SignatureFault::bad_shape);
            for (std::uint32_t i = 0; i < count; ++i) (void)reader_.compressed();
        }
        if (!reader_.ok()) return fail(SignatureFault::truncated);
        visitor_.shape(from.first(reader_.position() - start));
        return true;
    }

    ByteReader& reader_;
    Visitor& visitor_;
    std::uint32_t depth_;
    std::uint32_t used_ = 0;
    SignatureFault fault_ = SignatureFault::none;
    // Not initialized, which would cost more than most walks: `used_` says how many count.
    std::array<Frame, deepest> frames_;
};

}  // namespace clrkit
