// Constructors by token, and their parameters.
#include <clrkit/dotnet/attributes/attribute_constructor.h>
#include <clrkit/dotnet/signatures/walk.h>

namespace clrkit {
namespace {

constexpr int modifiers_followed = 512;
// Bytes of a TypeSpec that are looked at, whatever its length: it is read anew for every attribute.
constexpr std::size_t type_spec_budget = 4096;

ElementType element_behind_modifiers(ByteReader& reader) {
    auto type = static_cast<ElementType>(reader.u8());
    for (int count = 0; type == ElementType::modreq || type == ElementType::modopt; ++count) {
        (void)reader.compressed();
        if (count == modifiers_followed) reader.fail();
        type = static_cast<ElementType>(reader.u8());
        if (!reader.ok()) break;
    }
    return type;
}

/// Skips one whole type.
bool skip_type(ByteReader& reader) {
    SignatureVisitor nobody;
    SignatureWalker walker(reader, nobody, Limits{}.depth);
    return walker.walk(BlobKind::type_signature) == SignatureFault::none;
}

}  // namespace

const char* note_of(AttributeFault fault) {
    switch (fault) {
        case AttributeFault::none: return "";
        case AttributeFault::no_constructor: return "its constructor is no method";
        case AttributeFault::bad_constructor: return "its constructor's signature makes no sense";
        case AttributeFault::bad_parameter:
            return "its constructor has a parameter that no attribute can have";
        case AttributeFault::bad_prolog: return "it does not begin with 01 00";
        case AttributeFault::truncated: return "it breaks off";
        case AttributeFault::bad_count: return "it counts more values than it has bytes";
        case AttributeFault::bad_kind: return "a named argument is neither field nor property";
        case AttributeFault::bad_type: return "a value is of a type that no attribute can have";
        case AttributeFault::too_deep: return "it nests too deeply";
        case AttributeFault::unresolved_enum: return "the enum is defined elsewhere, or not at all";
    }
    return "";
}

// ------------------------------------------------------------------------------------- constructor

AttributeConstructor AttributeConstructor::of(const Metadata& metadata, std::uint32_t attribute) {
    return of(metadata,
              metadata.token(Table::CustomAttribute, attribute, col::CustomAttribute::Type));
}

AttributeConstructor AttributeConstructor::of(const Metadata& metadata, Token method) {
    AttributeConstructor result;
    result.metadata_ = &metadata;
    result.method_ = method;
    const bool reference = method.table() == Table::MemberRef;
    if (!reference && method.table() != Table::MethodDef) return result;
    if (!metadata.tables().has(method)) return result;
    result.fault_ = AttributeFault::bad_constructor;
    if (!reference) {
        result.read_signature(
            metadata.blob(Table::MethodDef, method.rid(), col::MethodDef::Signature));
        return result;
    }
    result.read_signature(metadata.blob(Table::MemberRef, method.rid(), col::MemberRef::Signature));
    const Token type = metadata.token(Table::MemberRef, method.rid(), col::MemberRef::Class);
    if (type.table() == Table::TypeSpec) {
        result.read_type_arguments(
            metadata.blob(Table::TypeSpec, type.rid(), col::TypeSpec::Signature));
    }
    return result;
}

void AttributeConstructor::read_signature(ByteSpan signature) {
    ByteReader reader(signature);
    const std::uint8_t convention = reader.u8();
    const unsigned kind = convention & calling_convention::mask;
    if ((convention & calling_convention::generic) != 0) return;
    if (kind != calling_convention::standard && kind != calling_convention::vararg) return;
    count_ = reader.compressed();
    const ElementType returned = element_behind_modifiers(reader);
    // Every parameter takes at least a byte.
    if (!reader.ok() || returned != ElementType::void_ || count_ > reader.left()) return;
    parameters_ = reader.rest();
    fault_ = AttributeFault::none;
}

void AttributeConstructor::read_type_arguments(ByteSpan type_spec) {
    ByteReader reader(slice_clamped(type_spec, 0, type_spec_budget));
    if (static_cast<ElementType>(reader.u8()) != ElementType::generic_instance) return;
    (void)reader.u8();
    (void)reader.compressed();
    const std::uint32_t count = reader.compressed();
    if (!reader.ok()) return;
    arguments_ = reader.rest();
    const std::size_t start = reader.position();
    for (std::uint32_t i = 0; i < count && i < type_arguments_at_most; ++i) {
        argument_offsets_[i] = static_cast<std::uint16_t>(reader.position() - start);
        if (!skip_type(reader)) return;
        argument_count_ = static_cast<std::uint8_t>(i + 1);
    }
}

ByteSpan AttributeConstructor::type_argument(std::uint32_t number) const {
    return number < argument_count_ ? arguments_.subspan(argument_offsets_[number]) : ByteSpan{};
}

// -------------------------------------------------------------------------------------- parameters

AttributeFault ParameterCursor::next(const EnumLookup& enums, ArgumentType& type) {
    type = {};
    ByteReader argument(ByteSpan{});
    ByteReader* reader = &reader_;
    for (;;) {
        const bool substituted = reader != &reader_;
        ByteReader start = *reader;
        const ElementType element = substituted ? static_cast<ElementType>(reader->u8())
                                                : element_behind_modifiers(*reader);
        if (!reader->ok()) return AttributeFault::bad_constructor;
        switch (element) {
            case ElementType::sz_array:
                if (type.array) return AttributeFault::bad_parameter;
                type.array = true;
                continue;
            case ElementType::var: {
                // A type argument that is itself a VAR is one of the attribute's parent: no attribute
                // can have it.
                const ByteSpan bytes = constructor_.type_argument(reader->compressed());
                if (substituted || bytes.empty()) return AttributeFault::bad_parameter;
                argument = ByteReader(bytes);
                reader = &argument;
                continue;
            }
            case ElementType::object: type.element = ElementType::boxed; return {};
            case ElementType::class_:
            case ElementType::value_type:
                return resolve(enums, element, reader->compressed(), type);
            case ElementType::generic_instance: {
                const auto kind = static_cast<ElementType>(reader->u8());
                const std::uint32_t encoded = reader->compressed();
                if (!substituted) {
                    if (!skip_type(start)) return AttributeFault::bad_constructor;
                    *reader = start;
                }
                return resolve(enums, kind, encoded, type);
            }
            default:
                if (element < ElementType::boolean || element > ElementType::string) {
                    return AttributeFault::bad_parameter;
                }
                type.element = element;
                return {};
        }
    }
}

AttributeFault ParameterCursor::resolve(const EnumLookup& enums, ElementType kind,
                                        std::uint32_t encoded, ArgumentType& type) const {
    const Metadata& metadata = constructor_.metadata();
    const Token token = decode(CodedIndex::TypeDefOrRef, encoded);
    if (!metadata.tables().has(token)) return AttributeFault::bad_parameter;
    if (kind == ElementType::class_ && is_named(metadata, token, "System", "Type")) {
        type.element = ElementType::type;
        return {};
    }
    // Some compilers say CLASS of an enum that they did not look up.
    const auto underlying = enums.by_token(metadata, token);
    if (!underlying) {
        return token.table() == Table::TypeRef ? AttributeFault::unresolved_enum
                                               : AttributeFault::bad_parameter;
    }
    type.element = *underlying;
    type.is_enum = true;
    type.enum_type = token;
    return {};
}

}  // namespace clrkit
