// The transcoder: a walk whose visitor writes what it hears.
#include <clrkit/dotnet/signatures/transcode.h>
#include <clrkit/dotnet/signatures/walk.h>

#include <algorithm>

namespace clrkit {
namespace {

/// Writes into a span that is known to be large enough, through a pointer of its own: the output
/// buffer is asked once for room and told once how much was used.
class Transcriber : public SignatureVisitor {
public:
    Transcriber(std::uint8_t* to, const TokenEncoder& tokens) : to_(to), tokens_(tokens) {}

    void header(std::uint8_t convention) { *to_++ = convention; }
    void count(std::uint32_t value) { to_ += write_compressed(to_, value); }
    void element(ElementType type) { *to_++ = static_cast<std::uint8_t>(type); }
    void generic_kind(ElementType type) { *to_++ = static_cast<std::uint8_t>(type); }
    void token(std::uint32_t encoded) { to_ += write_compressed(to_, tokens_.encoded(encoded)); }
    void number(std::uint32_t value) { to_ += write_compressed(to_, value); }
    // Lower bounds are signed, and what a signed number means depends on its length: as it stands.
    void shape(ByteSpan bytes) { to_ = std::ranges::copy(bytes, to_).out; }
    void rest(ByteSpan bytes) { to_ = std::ranges::copy(bytes, to_).out; }

    const std::uint8_t* end() const { return to_; }

private:
    std::uint8_t* to_;
    TokenEncoder tokens_;
};

}  // namespace

const char* note_of(SignatureFault fault) {
    switch (fault) {
        case SignatureFault::none: return "";
        case SignatureFault::truncated: return "it breaks off";
        case SignatureFault::bad_header: return "its calling convention does not belong here";
        case SignatureFault::bad_count: return "it counts more types than it has bytes";
        case SignatureFault::bad_element: return "an element type does not belong where it is";
        case SignatureFault::bad_generic:
            return "the instance is of neither a class nor a value type";
        case SignatureFault::bad_shape: return "an array has more sizes or bounds than dimensions";
        case SignatureFault::runtime_pointer: return "it holds a pointer of a running process";
        case SignatureFault::too_deep: return "it nests too deeply";
    }
    return "";
}

Transcoding transcode_signature(ByteSpan blob, BlobKind kind, const BlobReadContext& read,
                                const BlobWriteContext& write) {
    // A token of one byte may take four; nothing else grows.
    const MutableByteSpan room = write.output.reserve(blob.size() * 4);
    if (room.data() == nullptr && !blob.empty()) return Transcoding::no_memory;
    ByteReader reader(blob);
    Transcriber out(room.data(), write.tokens);
    SignatureWalker walker(reader, out, read.depth);
    if (const SignatureFault fault = walker.walk(kind); fault != SignatureFault::none) {
        read.report(ErrorCode::signature_malformed, note_of(fault));
        std::ranges::copy(blob, room.begin());
        write.output.commit(blob.size());
        return Transcoding::raw;
    }
    out.rest(reader.rest());
    const auto size = static_cast<std::size_t>(out.end() - room.data());
    write.output.commit(size);
    const bool same = size == blob.size() && std::ranges::equal(blob, room.first(size));
    return same ? Transcoding::same : Transcoding::changed;
}

}  // namespace clrkit
