// What becomes of a signature blob: transcoded, decoded and encoded again, printed.
#pragma once

#include "support/catch.h"
#include "support/image_builder.h"
#include "support/opened.h"

#include <clrkit/dotnet/signatures/print_signature.h>
#include <clrkit/dotnet/signatures/signature.h>
#include <clrkit/dotnet/signatures/signature_writer.h>
#include <clrkit/dotnet/signatures/transcode.h>

#include <optional>
#include <string>
#include <string_view>

namespace clrkit::test {

/// What minimal() has, as signatures refer to it.
namespace encoded {
inline constexpr std::uint8_t program = 0x08;     // TypeDef 2, Minimal.Program
inline constexpr std::uint8_t object = 0x05;      // TypeRef 1, [mscorlib]System.Object
inline constexpr std::uint8_t console = 0x09;     // TypeRef 2, [mscorlib]System.Console
inline constexpr std::uint8_t first_spec = 0x06;  // TypeSpec 1, when there is one
}  // namespace encoded

struct Transcoded {
    Transcoding what = Transcoding::no_memory;
    Bytes bytes;
    std::uint64_t reported = 0;
};

inline Transcoded transcoded(const Bytes& blob, BlobKind kind, const TokenMap* map = nullptr) {
    std::uint8_t scratch[64];
    WriteBuffer output(scratch);
    Diagnostics diagnostics;
    BlobReadContext read;
    read.diagnostics = &diagnostics;
    const TokenEncoder tokens = map != nullptr ? TokenEncoder(*map) : TokenEncoder();
    Transcoded result;
    result.what = transcode_signature(blob, kind, read, {output, tokens});
    result.bytes = output.to_vector();
    result.reported = diagnostics.count(ErrorCode::signature_malformed);
    return result;
}

/// Decoded and encoded again; nothing when it cannot be decoded.
inline std::optional<Bytes> encoded_again(const Bytes& blob, BlobKind kind,
                                          const TokenMap* map = nullptr) {
    SignatureArena arena;
    const auto signature = decode_signature(blob, kind, {}, arena);
    if (!signature) return std::nullopt;
    WriteBuffer output;
    const TokenEncoder tokens = map != nullptr ? TokenEncoder(*map) : TokenEncoder();
    if (!encode_signature(*signature, {output, tokens})) return std::nullopt;
    return output.to_vector();
}

/// Understood, and kept byte for byte.
inline void check_same(const Bytes& blob, BlobKind kind) {
    const Transcoded result = transcoded(blob, kind);
    CHECK(result.what == Transcoding::same);
    CHECK(result.bytes == blob);
    CHECK(result.reported == 0);
    CHECK(encoded_again(blob, kind) == blob);
}

/// Not understood for that reason, and kept byte for byte.
inline void check_raw(const Bytes& blob, BlobKind kind, SignatureFault why) {
    const Transcoded result = transcoded(blob, kind);
    CHECK(result.what == Transcoding::raw);
    CHECK(result.bytes == blob);
    CHECK(result.reported == 1);
    SignatureArena arena;
    const auto signature = decode_signature(blob, kind, {}, arena);
    REQUIRE_FALSE(signature);
    CHECK(signature.error().code == ErrorCode::signature_malformed);
    CHECK(std::string_view(signature.error().note) == note_of(why));
    CHECK(arena.size() == 0);
}

/// As it is printed in minimal(), with more TypeSpecs.
inline std::string printed(const Bytes& blob, BlobKind kind,
                           const std::vector<Bytes>& type_specs = {}) {
    ImageSpec image = minimal();
    for (const Bytes& spec : type_specs) {
        image.metadata.tables.add(table::TypeSpec, {image.metadata.heaps.blob(spec)});
    }
    const Opened opened = open(image);
    REQUIRE(opened.module);
    return signature_text(opened.metadata, blob, kind);
}

/// `count` times `part`, then `end`.
inline Bytes nested(int count, const Bytes& part, const Bytes& end) {
    Bytes out;
    for (int i = 0; i < count; ++i) append(out, part);
    append(out, end);
    return out;
}

}  // namespace clrkit::test
