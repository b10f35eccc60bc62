// Descriptors, read into a plain value and written from it: by the transcoder into room that suffices,
// by the writer into its buffer.
#include <clrkit/dotnet/attributes/marshalling.h>

#include <algorithm>

namespace clrkit {
namespace {

using Part = std::optional<std::uint32_t>;

bool is_known(NativeType type) {
    const auto value = static_cast<std::uint8_t>(type);
    return type == NativeType::max ||
           (value >= 0x01 && value <= 0x30 && value != 0x27 && value != 0x29);
}

/// A part that may be missing from the end.
Part part(ByteReader& reader) {
    if (reader.left() == 0) return std::nullopt;
    return reader.compressed();
}

/// A text that has to be there. No form of it is null.
std::string_view text(ByteReader& reader) {
    const ByteSpan bytes = reader.bytes(reader.compressed());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void read_parts(ByteReader& reader, MarshallingDescriptor& into) {
    switch (into.type) {
        case NativeType::array:
            into.element = part(reader);
            into.parameter = part(reader);
            into.count = part(reader);
            into.flags = part(reader);
            break;
        case NativeType::fixed_array:
            into.count = part(reader);
            into.element = part(reader);
            break;
        case NativeType::fixed_sys_string: into.count = part(reader); break;
        case NativeType::safe_array:
            into.element = part(reader);
            if (reader.left() != 0) into.user_type = text(reader);
            break;
        case NativeType::iunknown:
        case NativeType::idispatch:
        case NativeType::interface: into.parameter = part(reader); break;
        case NativeType::custom_marshaler:
            into.guid = text(reader);
            into.native_name = text(reader);
            into.managed_name = text(reader);
            into.cookie = text(reader);
            break;
        default: break;
    }
}

/// Parts in their order, up to the first that is missing.
template <class Sink>
void write_parts(Sink& to, std::initializer_list<Part> parts) {
    for (const Part& value : parts) {
        if (!value) return;
        to.compressed(*value);
    }
}

template <class Sink>
void write_descriptor(Sink& to, const MarshallingDescriptor& value) {
    const AttributeEncoder<Sink> encoder(to);
    to.u8(static_cast<std::uint8_t>(value.type));
    switch (value.type) {
        case NativeType::array:
            write_parts(to, {value.element, value.parameter, value.count, value.flags});
            break;
        case NativeType::fixed_array: write_parts(to, {value.count, value.element}); break;
        case NativeType::fixed_sys_string: write_parts(to, {value.count}); break;
        case NativeType::safe_array:
            write_parts(to, {value.element});
            if (value.element && value.user_type) encoder.text(value.user_type);
            break;
        case NativeType::iunknown:
        case NativeType::idispatch:
        case NativeType::interface: write_parts(to, {value.parameter}); break;
        case NativeType::custom_marshaler:
            for (const std::string_view text :
                 {value.guid, value.native_name, value.managed_name, value.cookie}) {
                encoder.text(text);
            }
            break;
        default: break;
    }
    to.bytes(value.trailing);
}

}  // namespace

const char* note_of(MarshallingFault fault) {
    switch (fault) {
        case MarshallingFault::none: return "";
        case MarshallingFault::empty: return "it is empty";
        case MarshallingFault::truncated: return "it breaks off";
        case MarshallingFault::unknown_type: return "its native type is not known";
    }
    return "";
}

MarshallingDescriptor read_marshalling(ByteSpan blob) {
    MarshallingDescriptor result;
    ByteReader reader(blob);
    result.type = static_cast<NativeType>(reader.u8());
    if (!reader.ok()) {
        result.fault = MarshallingFault::empty;
        return result;
    }
    if (!is_known(result.type)) {
        result.fault = MarshallingFault::unknown_type;
        result.trailing = reader.rest();
        return result;
    }
    read_parts(reader, result);
    if (reader.ok()) {
        result.trailing = reader.rest();
        return result;
    }
    // Half of its parts would be worse than none.
    const NativeType type = result.type;
    result = {};
    result.type = type;
    result.fault = MarshallingFault::truncated;
    result.trailing = blob.subspan(1);
    return result;
}

Transcoding transcode_marshalling(ByteSpan blob, const BlobReadContext& read,
                                  const BlobWriteContext& write) {
    const MutableByteSpan room = write.output.reserve(blob.size());
    if (room.data() == nullptr && !blob.empty()) return Transcoding::no_memory;
    const MarshallingDescriptor value = read_marshalling(blob);
    RoomSink sink(room);
    if (!value.decoded()) {
        read.report(ErrorCode::marshalling_malformed, note_of(value.fault));
        sink.bytes(blob);
        write.output.commit(sink.size());
        return Transcoding::raw;
    }
    write_descriptor(sink, value);
    write.output.commit(sink.size());
    return std::ranges::equal(blob, sink.from(0)) ? Transcoding::same : Transcoding::changed;
}

// ----------------------------------------------------------------------------------------- writer

void MarshalWriter::descriptor(const MarshallingDescriptor& value) const {
    write_descriptor(output(), value);
}

void MarshalWriter::array(NativeType element, Part count_parameter, Part count, Part flags) const {
    MarshallingDescriptor value;
    value.type = NativeType::array;
    value.element = static_cast<std::uint32_t>(element);
    value.parameter = count_parameter;
    value.count = count;
    value.flags = flags;
    descriptor(value);
}

void MarshalWriter::fixed_array(std::uint32_t count, std::optional<NativeType> element) const {
    MarshallingDescriptor value;
    value.type = NativeType::fixed_array;
    value.count = count;
    if (element) value.element = static_cast<std::uint32_t>(*element);
    descriptor(value);
}

void MarshalWriter::fixed_string(std::uint32_t count) const {
    MarshallingDescriptor value;
    value.type = NativeType::fixed_sys_string;
    value.count = count;
    descriptor(value);
}

void MarshalWriter::safe_array(Part variant_type, BlobText user_type) const {
    MarshallingDescriptor value;
    value.type = NativeType::safe_array;
    value.element = variant_type;
    value.user_type = user_type;
    descriptor(value);
}

void MarshalWriter::interface(NativeType type, Part iid_parameter) const {
    MarshallingDescriptor value;
    value.type = type;
    value.parameter = iid_parameter;
    descriptor(value);
}

void MarshalWriter::custom(std::string_view managed_name, std::string_view cookie,
                           std::string_view guid, std::string_view native_name) const {
    MarshallingDescriptor value;
    value.type = NativeType::custom_marshaler;
    value.guid = guid;
    value.native_name = native_name;
    value.managed_name = managed_name;
    value.cookie = cookie;
    descriptor(value);
}

}  // namespace clrkit
