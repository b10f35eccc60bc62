// Reading, transcoding and writing custom attributes: all over one walk and one encoder.
#include <clrkit/core/door.h>
#include <clrkit/dotnet/attributes/attribute_nodes.h>
#include <clrkit/dotnet/attributes/custom_attribute.h>

#include <algorithm>
#include <bit>

namespace clrkit {

std::uint64_t AttributeNode::element_bits(std::uint32_t index) const {
    const std::uint32_t size = primitive_size(element, 0).value_or(0);
    ByteReader reader(tail(bytes, std::uint64_t{index} * size));
    switch (size) {
        case 1: return reader.u8();
        case 2: return reader.u16();
        case 4: return reader.u32();
        case 8: return reader.u64();
        default: return 0;
    }
}

Status read_custom_attribute(ByteSpan blob, const AttributeConstructor& constructor,
                             const EnumLookup& enums, const BlobReadContext& read,
                             CustomAttribute& into) {
    return at_the_door(Stage::signature, [&]() -> Status {
        into.nodes.clear();
        into.raw = blob;
        ByteReader reader(blob);
        NodeBuilder builder(into.nodes);
        AttributeWalker walker(reader, builder, constructor.metadata(), enums, read.depth);
        into.fault = walker.walk(constructor);
        if (!into.decoded()) {
            read.report(code_of(into.fault), note_of(into.fault));
            into.nodes.clear();
        }
        const bool decoded = into.decoded();
        into.fixed_count = decoded ? builder.fixed_count : 0;
        into.named_count = decoded ? builder.named_count_read : 0;
        into.has_named_count = decoded && builder.has_named_count;
        into.trailing = decoded ? reader.rest() : ByteSpan{};
        return {};
    });
}

Transcoding transcode_custom_attribute(ByteSpan blob, const AttributeConstructor& constructor,
                                       const EnumLookup& enums, const BlobReadContext& read,
                                       const BlobWriteContext& write) {
    // Nothing grows: lengths take their shortest form.
    const MutableByteSpan room = write.output.reserve(blob.size());
    if (room.data() == nullptr && !blob.empty()) return Transcoding::no_memory;
    ByteReader reader(blob);
    RoomSink sink(room);
    AttributeTranscriber<RoomSink> out{sink};
    AttributeWalker walker(reader, out, constructor.metadata(), enums, read.depth);
    const AttributeFault fault = walker.walk(constructor);
    if (fault != AttributeFault::none) {
        read.report(code_of(fault), note_of(fault));
        sink.cut(0);
        sink.bytes(blob);
        write.output.commit(sink.size());
        return Transcoding::raw;
    }
    sink.bytes(reader.rest());
    write.output.commit(sink.size());
    return std::ranges::equal(blob, sink.from(0)) ? Transcoding::same : Transcoding::changed;
}

void CustomAttributeWriter::r4(float value) const {
    output().u32(std::bit_cast<std::uint32_t>(value));
}

void CustomAttributeWriter::r8(double value) const {
    output().u64(std::bit_cast<std::uint64_t>(value));
}

void CustomAttributeWriter::named(ElementType kind, const ArgumentType& type,
                                  std::string_view name) const {
    output().u8(static_cast<std::uint8_t>(kind));
    encoder().type(type);
    encoder().text(name);
}

}  // namespace clrkit
