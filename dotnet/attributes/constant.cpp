// Constants: one look at the type, one at the size.
#include <clrkit/core/bytes/reader.h>
#include <clrkit/dotnet/attributes/constant.h>

namespace clrkit {
namespace {

std::uint64_t number(ByteSpan bytes) {
    std::uint64_t bits = 0;
    for (std::size_t i = bytes.size(); i != 0; --i) bits = bits << 8U | bytes[i - 1];
    return bits;
}

}  // namespace

ConstantValue read_constant(ElementType type, ByteSpan blob) {
    using Kind = ConstantValue::Kind;
    ConstantValue value;
    value.type = type;
    value.bytes = blob;
    switch (type) {
        case ElementType::string:
            // A lone FF is what attributes have for a null string; some tools use it here too.
            if (blob.size() == 1 && blob[0] == 0xFF) {
                value.kind = Kind::null;
            } else if (blob.size() % 2 == 0) {
                value.kind = Kind::text;
            }
            return value;
        case ElementType::class_:
            if (blob.size() == 4 && all_zero(blob)) value.kind = Kind::null;
            return value;
        default: break;
    }
    if (type < ElementType::boolean || type > ElementType::r8) return value;
    if (primitive_size(type, 0) != blob.size()) return value;
    value.kind = Kind::number;
    value.bits = number(blob);
    return value;
}

ConstantValue read_constant(const Metadata& metadata, std::uint32_t constant) {
    const auto type =
        static_cast<ElementType>(metadata.cell(Table::Constant, constant, col::Constant::Type));
    return read_constant(type, metadata.blob(Table::Constant, constant, col::Constant::Value));
}

Transcoding transcode_constant(ElementType type, ByteSpan blob, const BlobReadContext& read,
                               const BlobWriteContext& write) {
    if (!write.output.bytes(blob)) return Transcoding::no_memory;
    if (read_constant(type, blob).kind != ConstantValue::Kind::malformed) return Transcoding::same;
    read.report(ErrorCode::constant_malformed, nullptr);
    return Transcoding::raw;
}

}  // namespace clrkit
