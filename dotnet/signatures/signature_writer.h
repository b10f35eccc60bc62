// Building signatures (ECMA-335 II.23.2): each call writes the next bytes to the context's output, so
// what is written is also what is counted. Owns nothing.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/span.h>
#include <clrkit/dotnet/metadata/tokens.h>
#include <clrkit/dotnet/signatures/contexts.h>
#include <clrkit/dotnet/signatures/element_type.h>
#include <clrkit/dotnet/signatures/signature.h>

#include <cstdint>
#include <span>
#include <type_traits>

namespace clrkit {

/// Calls follow the order of the bytes: what stands in front of a type comes before it, as many types
/// as were counted follow a count. Whether they do is the caller's concern; decode to check it.
///
///     SignatureWriter(context)
///         .method(calling_convention::has_this, 1)
///         .primitive(ElementType::void_)
///         .sz_array().type(ElementType::class_, exception)
///         .ok();
class SignatureWriter {
public:
    explicit SignatureWriter(const BlobWriteContext& context) : context_(&context) {}

    /// False once something could not be written: no memory, a token that is no type, a number with
    /// more than 29 bits. What the output holds is of no use then.
    bool ok() const { return !failed_ && !context_->output.failed(); }

    // The beginning of a signature. That of a TypeSpec begins with its type.

    /// One type follows.
    SignatureWriter& field() { return byte(calling_convention::field); }
    /// `convention` with its flags; the one for generic methods is set where there are generic
    /// parameters. The return type and `parameters` types follow.
    SignatureWriter& method(std::uint8_t convention, std::uint32_t parameters,
                            std::uint32_t generic_parameters = 0);
    /// The property's type and `parameters` types follow.
    SignatureWriter& property(bool has_this, std::uint32_t parameters);
    /// `count` types follow.
    SignatureWriter& locals(std::uint32_t count);
    /// An instantiation of a method; `arguments` types follow.
    SignatureWriter& method_instance(std::uint32_t arguments);

    // Types.

    /// One that is its element type alone: `void_` to `string`, `i`, `u`, `object`, `typed_by_ref`.
    SignatureWriter& primitive(ElementType type) { return element(type); }
    /// `kind` is `class_` or `value_type`; `token` a TypeDef or TypeRef as it was before rows moved.
    SignatureWriter& type(ElementType kind, Token token) { return element(kind).token(token); }
    /// The same; `arguments` types follow.
    SignatureWriter& generic_instance(ElementType kind, Token token, std::uint32_t arguments);
    SignatureWriter& var(std::uint32_t number) { return element(ElementType::var).number(number); }
    SignatureWriter& mvar(std::uint32_t number) {
        return element(ElementType::mvar).number(number);
    }
    /// What `method` says of what follows holds here too.
    SignatureWriter& function_pointer(std::uint8_t convention, std::uint32_t parameters,
                                      std::uint32_t generic_parameters = 0) {
        return element(ElementType::function_pointer)
            .method(convention, parameters, generic_parameters);
    }
    /// The element type follows, then `shape`.
    SignatureWriter& array() { return element(ElementType::array); }
    /// At most `rank` sizes and lower bounds.
    CLRKIT_API SignatureWriter& shape(std::uint32_t rank, std::span<const std::uint32_t> sizes = {},
                                      std::span<const std::int32_t> lower_bounds = {});

    // What stands in front of a type.

    SignatureWriter& pointer() { return element(ElementType::pointer); }
    SignatureWriter& by_ref() { return element(ElementType::by_ref); }
    SignatureWriter& sz_array() { return element(ElementType::sz_array); }
    SignatureWriter& pinned() { return element(ElementType::pinned); }
    SignatureWriter& sentinel() { return element(ElementType::sentinel); }
    SignatureWriter& modreq(Token token) { return element(ElementType::modreq).token(token); }
    SignatureWriter& modopt(Token token) { return element(ElementType::modopt).token(token); }

    // Parts, for who copies rather than builds.

    SignatureWriter& element(ElementType type) { return byte(static_cast<std::uint8_t>(type)); }
    SignatureWriter& byte(std::uint8_t value) {
        failed_ |= !context_->output.u8(value);
        return *this;
    }
    SignatureWriter& number(std::uint32_t value) {
        failed_ |= !context_->output.compressed(value);
        return *this;
    }
    SignatureWriter& bytes(ByteSpan bytes) {
        failed_ |= !context_->output.bytes(bytes);
        return *this;
    }
    /// A TypeDef, TypeRef or TypeSpec, through the context's encoder.
    CLRKIT_API SignatureWriter& token(Token token);
    /// A stored value, through the context's encoder.
    SignatureWriter& encoded_token(std::uint32_t encoded) {
        return number(context_->tokens.encoded(encoded));
    }

private:
    const BlobWriteContext* context_;
    bool failed_ = false;
};
static_assert(sizeof(SignatureWriter) <= 16 && std::is_trivially_copyable_v<SignatureWriter>);

inline SignatureWriter& SignatureWriter::method(std::uint8_t convention, std::uint32_t parameters,
                                                std::uint32_t generic_parameters) {
    if (generic_parameters != 0) convention |= calling_convention::generic;
    byte(convention);
    if ((convention & calling_convention::generic) != 0) number(generic_parameters);
    return number(parameters);
}
inline SignatureWriter& SignatureWriter::property(bool has_this, std::uint32_t parameters) {
    return byte(calling_convention::property |
                (has_this ? calling_convention::has_this : calling_convention::standard))
        .number(parameters);
}
inline SignatureWriter& SignatureWriter::locals(std::uint32_t count) {
    return byte(calling_convention::local).number(count);
}
inline SignatureWriter& SignatureWriter::method_instance(std::uint32_t arguments) {
    return byte(calling_convention::generic_instance).number(arguments);
}
inline SignatureWriter& SignatureWriter::generic_instance(ElementType kind, Token token,
                                                          std::uint32_t arguments) {
    return element(ElementType::generic_instance).element(kind).token(token).number(arguments);
}

/// Writes a decoded signature with its trailing bytes: what `transcode_signature` writes of its blob.
/// False when the output could not grow.
CLRKIT_API bool encode_signature(const Signature& signature, const BlobWriteContext& context);

}  // namespace clrkit
