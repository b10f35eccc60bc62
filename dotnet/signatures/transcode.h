// From an old blob to a new one without building anything in between: tokens are mapped on the way,
// lengths take their shortest form, everything else is kept as it is.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/span.h>
#include <clrkit/dotnet/signatures/contexts.h>

#include <cstdint>

namespace clrkit {

/// What became of a blob.
enum class Transcoding : std::uint8_t {
    same,       // decoded and encoded: the same bytes
    changed,    // decoded and encoded; a token moved, or a number was longer than needed
    raw,        // could not be decoded: copied as it is, and reported
    no_memory,  // the output could not grow
};

/// Writes the signature of a column of that kind (field, method, member reference, stand-alone,
/// property, type or method instantiation). Bytes behind its end are kept (robustness: SIG-07).
/// What cannot be decoded is copied raw with the diagnostic `signature_malformed`; the tokens in it
/// are then not mapped, so whoever moves rows has to refuse it.
CLRKIT_API Transcoding transcode_signature(ByteSpan blob, BlobKind kind,
                                           const BlobReadContext& read,
                                           const BlobWriteContext& write);

/// True for the kinds above.
constexpr bool is_signature(BlobKind kind) {
    return kind >= BlobKind::field_signature && kind <= BlobKind::method_spec;
}

}  // namespace clrkit
