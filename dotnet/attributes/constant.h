// Constants of fields, parameters and properties (ECMA-335 II.22.9): a type beside bytes. The bytes
// are the truth; the typed view is for looking.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/span.h>
#include <clrkit/dotnet/metadata/metadata.h>
#include <clrkit/dotnet/signatures/contexts.h>
#include <clrkit/dotnet/signatures/element_type.h>
#include <clrkit/dotnet/signatures/transcode.h>

#include <cstdint>
#include <type_traits>

namespace clrkit {

struct ConstantValue {
    enum class Kind : std::uint8_t {
        number,     // `boolean` to `r8`: `bits`, whatever they are
        text,       // `bytes` are UTF-16 units, surrogates paired or not
        null,       // the null reference
        malformed,  // the type is none that a constant has, or `bytes` are not as many as it takes
    };
    Kind kind = Kind::malformed;
    /// As the row says.
    ElementType type = ElementType::end;
    /// A number in its low bytes; the bits of a floating-point one, NaN payload and sign included.
    std::uint64_t bits = 0;
    /// The whole blob.
    ByteSpan bytes;
};
static_assert(sizeof(ConstantValue) <= 32 && std::is_trivially_copyable_v<ConstantValue>);

/// The value of a type and a blob. Never fails.
CLRKIT_API ConstantValue read_constant(ElementType type, ByteSpan blob);
/// That of a row of Constant; malformed when there is no such row.
CLRKIT_API ConstantValue read_constant(const Metadata& metadata, std::uint32_t constant);

/// Writes the bytes as they are. A blob that does not fit the type is reported (`constant_malformed`)
/// and counts as `raw`.
CLRKIT_API Transcoding transcode_constant(ElementType type, ByteSpan blob,
                                          const BlobReadContext& read,
                                          const BlobWriteContext& write);

}  // namespace clrkit
