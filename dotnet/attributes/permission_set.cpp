// Binary permission sets, by a walk like that over custom attributes.
#include <clrkit/core/door.h>
#include <clrkit/dotnet/attributes/attribute_nodes.h>
#include <clrkit/dotnet/attributes/permission_set.h>

#include <algorithm>

namespace clrkit {
namespace {

/// An attribute's frame: its name, and the block of its arguments.
struct Frame {
    BlobText type_name;
    ByteSpan block;      // the count, the arguments, what trails them
    ByteSpan arguments;  // without the count
    std::uint32_t named_count = 0;
};

/// Reads the head of a binary set; the number of attributes, or nothing when it makes no sense.
std::optional<std::uint32_t> read_head(ByteReader& reader) {
    reader.skip(1);
    const std::uint32_t count = reader.compressed();
    // Name, size, count of arguments: three bytes at least.
    if (!reader.ok() || std::uint64_t{count} * 3 > reader.left()) return std::nullopt;
    return count;
}

bool read_frame(ByteReader& reader, Frame& frame) {
    frame.type_name = read_text(reader);
    frame.block = reader.bytes(reader.compressed());
    ByteReader block(frame.block);
    frame.named_count = block.compressed();
    frame.arguments = block.rest();
    return reader.ok() && block.ok();
}

/// Bytes of the shortest compressed form.
std::uint32_t compressed_size(std::uint32_t value) {
    std::uint8_t room[4];
    return write_compressed(room, value);
}

/// Copies one attribute, its arguments decoded and encoded.
AttributeFault transcode_attribute(const Frame& frame, const Metadata& metadata,
                                   const EnumLookup& enums, std::uint32_t depth, RoomSink& to) {
    AttributeEncoder<RoomSink>(to).text(frame.type_name);
    // The size stands in front of what it measures. It does not grow, so its old length is room
    // enough; where it shrinks the arguments follow it down.
    const std::size_t start = to.size();
    const std::uint32_t size_room = compressed_size(static_cast<std::uint32_t>(frame.block.size()));
    for (std::uint32_t i = 0; i < size_room; ++i) to.u8(0);
    to.compressed(frame.named_count);
    ByteReader reader(frame.arguments);
    AttributeTranscriber<RoomSink> out{to};
    AttributeWalker walker(reader, out, metadata, enums, depth);
    const AttributeFault fault = walker.named_arguments(frame.named_count);
    if (fault != AttributeFault::none) return fault;
    to.bytes(reader.rest());
    const MutableByteSpan block = to.from(start + size_room);
    to.cut(start);
    to.compressed(static_cast<std::uint32_t>(block.size()));
    to.bytes(block);
    return {};
}

ErrorCode permission_code(AttributeFault fault) {
    return fault == AttributeFault::unresolved_enum ? ErrorCode::attribute_unresolved
                                                    : ErrorCode::permission_set_malformed;
}

/// Copies a binary set; the reason when that is not possible.
AttributeFault transcode_binary(ByteSpan blob, const Metadata& metadata, const EnumLookup& enums,
                                std::uint32_t depth, RoomSink& to) {
    ByteReader reader(blob);
    const auto count = read_head(reader);
    if (!count) return AttributeFault::bad_count;
    to.u8(binary_permission_set);
    to.compressed(*count);
    for (std::uint32_t i = 0; i < *count; ++i) {
        Frame frame;
        if (!read_frame(reader, frame)) return AttributeFault::truncated;
        const AttributeFault fault = transcode_attribute(frame, metadata, enums, depth, to);
        if (fault != AttributeFault::none) return fault;
    }
    to.bytes(reader.rest());
    return {};
}

}  // namespace

// ---------------------------------------------------------------------------------------- reading

namespace {

void read_binary(ByteSpan blob, const Metadata& metadata, const EnumLookup& enums,
                 const BlobReadContext& read, PermissionSet& into) {
    ByteReader reader(blob);
    const auto count = read_head(reader);
    for (std::uint32_t i = 0; count && i < *count; ++i) {
        Frame frame;
        if (!read_frame(reader, frame)) break;
        PermissionAttribute attribute;
        attribute.type_name = frame.type_name;
        attribute.arguments = frame.arguments;
        attribute.named_count = frame.named_count;
        attribute.first_node = static_cast<std::uint32_t>(into.nodes.size());
        ByteReader arguments(frame.arguments);
        NodeBuilder builder(into.nodes);
        AttributeWalker walker(arguments, builder, metadata, enums, read.depth);
        attribute.fault = walker.named_arguments(frame.named_count);
        if (attribute.fault != AttributeFault::none) {
            read.report(permission_code(attribute.fault), note_of(attribute.fault));
            into.nodes.resize(attribute.first_node);
        }
        attribute.end_node = static_cast<std::uint32_t>(into.nodes.size());
        into.attributes.push_back(attribute);
    }
    if (count && into.attributes.size() == *count) {
        into.form = PermissionSet::Form::binary;
        into.trailing = reader.rest();
        return;
    }
    read.report(ErrorCode::permission_set_malformed,
                note_of(count ? AttributeFault::truncated : AttributeFault::bad_count));
    into.form = PermissionSet::Form::malformed;
    into.attributes.clear();
    into.nodes.clear();
}

}  // namespace

Status read_permission_set(ByteSpan blob, const Metadata& metadata, const EnumLookup& enums,
                           const BlobReadContext& read, PermissionSet& into) {
    return at_the_door(Stage::signature, [&]() -> Status {
        into.attributes.clear();
        into.nodes.clear();
        into.raw = blob;
        into.trailing = {};
        if (blob.empty()) {
            into.form = PermissionSet::Form::empty;
        } else if (blob[0] != binary_permission_set) {
            into.form = PermissionSet::Form::xml;
        } else {
            read_binary(blob, metadata, enums, read, into);
        }
        return {};
    });
}

Transcoding transcode_permission_set(ByteSpan blob, const Metadata& metadata,
                                     const EnumLookup& enums, const BlobReadContext& read,
                                     const BlobWriteContext& write) {
    const MutableByteSpan room = write.output.reserve(blob.size());
    if (room.data() == nullptr && !blob.empty()) return Transcoding::no_memory;
    RoomSink sink(room);
    AttributeFault fault = AttributeFault::none;
    const bool binary = !blob.empty() && blob[0] == binary_permission_set;
    if (binary) fault = transcode_binary(blob, metadata, enums, read.depth, sink);
    if (!binary || fault != AttributeFault::none) {
        sink.cut(0);
        sink.bytes(blob);
    }
    write.output.commit(sink.size());
    if (fault != AttributeFault::none) {
        read.report(permission_code(fault), note_of(fault));
        return Transcoding::raw;
    }
    return std::ranges::equal(blob, sink.from(0)) ? Transcoding::same : Transcoding::changed;
}

// ----------------------------------------------------------------------------------------- writer

void PermissionSetWriter::begin(std::uint32_t attribute_count) const {
    context_->output.u8(binary_permission_set);
    context_->output.compressed(attribute_count);
}

void PermissionSetWriter::attribute(std::string_view type_name, std::uint32_t named_count,
                                    const WriteBuffer& arguments) const {
    WriteBuffer& to = context_->output;
    AttributeEncoder<WriteBuffer>(to).text(type_name);
    const std::uint64_t size = compressed_size(named_count) + arguments.bytes_written();
    // Larger than the form can say is a size that `compressed` refuses.
    to.compressed(static_cast<std::uint32_t>(std::min<std::uint64_t>(size, 0xFFFFFFFF)));
    to.compressed(named_count);
    for (const ByteSpan part : arguments.segments()) to.bytes(part);
}

}  // namespace clrkit
