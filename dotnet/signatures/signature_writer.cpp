// Encoding a model is writing its nodes one after the other: they are in the order of the bytes.
#include <clrkit/dotnet/signatures/signature_writer.h>

namespace clrkit {
namespace {

void write_method_counts(SignatureWriter& to, const SignatureNode& node) {
    if ((node.detail & calling_convention::generic) != 0) to.number(node.value);
    to.number(node.count - 1);
}

void write_root(SignatureWriter& to, const Signature& signature) {
    if (!signature.has_header()) return;
    const SignatureNode& node = signature.node();
    to.byte(node.detail);
    switch (signature.kind()) {
        case TypeList::Kind::single: break;
        case TypeList::Kind::method: write_method_counts(to, node); break;
        case TypeList::Kind::property: to.number(node.count - 1); break;
        case TypeList::Kind::locals:
        case TypeList::Kind::generic_arguments: to.number(node.count); break;
    }
}

void write_type(SignatureWriter& to, const SignatureNode& node) {
    to.element(node.type);
    switch (node.type) {
        case ElementType::modreq:
        case ElementType::modopt:
        case ElementType::class_:
        case ElementType::value_type: to.encoded_token(node.value); break;
        case ElementType::var:
        case ElementType::mvar: to.number(node.value); break;
        case ElementType::generic_instance:
            to.byte(node.detail).encoded_token(node.value).number(node.count);
            break;
        case ElementType::function_pointer:
            to.byte(node.detail);
            write_method_counts(to, node);
            break;
        default: break;
    }
}

}  // namespace

SignatureWriter& SignatureWriter::token(Token token) {
    const std::uint32_t encoded = encode(CodedIndex::TypeDefOrRef, token);
    if (encoded == bad_coded) {
        failed_ = true;
        return *this;
    }
    return encoded_token(encoded);
}

SignatureWriter& SignatureWriter::shape(std::uint32_t rank, std::span<const std::uint32_t> sizes,
                                        std::span<const std::int32_t> lower_bounds) {
    failed_ |= sizes.size() > rank || lower_bounds.size() > rank;
    number(rank).number(static_cast<std::uint32_t>(sizes.size()));
    for (const std::uint32_t size : sizes) number(size);
    number(static_cast<std::uint32_t>(lower_bounds.size()));
    for (const std::int32_t bound : lower_bounds) {
        failed_ |= bound < least_compressed_signed || bound > largest_compressed_signed;
        std::uint8_t encoded[4];
        bytes({encoded, write_compressed_signed(encoded, bound)});
    }
    return *this;
}

bool encode_signature(const Signature& signature, const BlobWriteContext& context) {
    SignatureWriter writer(context);
    write_root(writer, signature);
    for (const SignatureNode& node : signature.nodes().subspan(1)) {
        if (node.role == SignatureNode::Role::shape) {
            writer.bytes(signature.blob().subspan(node.value, node.count));
        } else {
            write_type(writer, node);
        }
    }
    writer.bytes(signature.trailing());
    return writer.ok();
}

}  // namespace clrkit
