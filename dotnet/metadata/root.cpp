// Parsing the metadata root and its stream headers.
#include <clrkit/dotnet/metadata/root.h>

#include <algorithm>
#include <cstring>

namespace clrkit {
namespace {

constexpr std::uint64_t name_at_most = 32;

}  // namespace

Result<MetadataRoot> MetadataRoot::parse(ByteSpan bytes, std::uint64_t file_offset) {
    if (bytes.size() < 4 || load_le<std::uint32_t>(bytes.data()) != metadata_signature) {
        return failure(Stage::metadata, ErrorCode::metadata_bad_signature, file_offset);
    }
    if (bytes.size() < 20)
        return failure(Stage::metadata, ErrorCode::metadata_truncated, file_offset);
    // Rounded up to four, as the runtimes do, whatever the field says.
    const std::uint64_t length =
        (std::uint64_t{load_le<std::uint32_t>(bytes.data() + 12)} + 3) / 4 * 4;
    if (!fits(bytes.size(), 16, length + 4)) {
        return failure(Stage::metadata, ErrorCode::metadata_truncated, file_offset + 12,
                       "the version string is longer than the metadata");
    }
    MetadataRoot root;
    root.bytes_ = bytes;
    root.file_offset_ = file_offset;
    root.version_length_ = static_cast<std::uint32_t>(length);
    return root;
}

std::string_view MetadataRoot::version() const {
    const ByteSpan field = version_field();
    const std::string_view text{reinterpret_cast<const char*>(field.data()), field.size()};
    return text.substr(0, text.find('\0'));
}

std::optional<Stream> MetadataRoot::Cursor::next() {
    const ByteSpan all = root_->bytes();
    if (left_ == 0 || !fits(all.size(), position_, 8)) return std::nullopt;
    Stream stream;
    stream.header_offset = position_;
    stream.offset = load_le<std::uint32_t>(all.data() + position_);
    stream.size = load_le<std::uint32_t>(all.data() + position_ + 4);
    const ByteSpan room = slice_clamped(all, position_ + 8, name_at_most);
    const auto* text = reinterpret_cast<const char*>(room.data());
    const void* end = room.empty() ? nullptr : std::memchr(text, 0, room.size());
    const std::size_t length = end != nullptr
                                   ? static_cast<std::size_t>(static_cast<const char*>(end) - text)
                                   : room.size();
    stream.terminated = end != nullptr;
    stream.name = {text, length};
    stream.header_size =
        8 + std::min<std::uint64_t>(stream.terminated ? (length + 4) / 4 * 4 : name_at_most,
                                    room.size());
    stream.whole = fits(all.size(), stream.offset, stream.size);
    stream.content = slice_clamped(all, stream.offset, stream.size);
    position_ += stream.header_size;
    --left_;
    return stream;
}

}  // namespace clrkit
