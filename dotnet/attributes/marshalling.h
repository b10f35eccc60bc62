// Marshalling descriptors (ECMA-335 II.23.4, and what the runtimes read beyond it): which native type
// a parameter or field has. Most parts are optional: they may be missing from the end.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/dotnet/attributes/attribute_encoder.h>
#include <clrkit/dotnet/signatures/contexts.h>
#include <clrkit/dotnet/signatures/transcode.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

namespace clrkit {

/// Native types (corhdr.h, CorNativeType).
// clang-format off
enum class NativeType : std::uint8_t {
    end = 0x00, void_ = 0x01, boolean = 0x02, i1 = 0x03, u1 = 0x04, i2 = 0x05, u2 = 0x06, i4 = 0x07,
    u4 = 0x08, i8 = 0x09, u8 = 0x0A, r4 = 0x0B, r8 = 0x0C, sys_char = 0x0D, variant = 0x0E,
    currency = 0x0F, pointer = 0x10, decimal = 0x11, date = 0x12, bstr = 0x13, lpstr = 0x14,
    lpwstr = 0x15, lptstr = 0x16, fixed_sys_string = 0x17, object_ref = 0x18, iunknown = 0x19,
    idispatch = 0x1A, struct_ = 0x1B, interface = 0x1C, safe_array = 0x1D, fixed_array = 0x1E,
    int_ = 0x1F, uint = 0x20, nested_struct = 0x21, by_val_str = 0x22, ansi_bstr = 0x23,
    tbstr = 0x24, variant_bool = 0x25, function = 0x26, as_any = 0x28, array = 0x2A,
    lp_struct = 0x2B, custom_marshaler = 0x2C, error = 0x2D, iinspectable = 0x2E, hstring = 0x2F,
    lp_utf8_str = 0x30, max = 0x50,
};
// clang-format on

/// Why a descriptor could not be read.
enum class MarshallingFault : std::uint8_t { none, empty, truncated, unknown_type };
/// Static text for a diagnostic's note.
CLRKIT_API const char* note_of(MarshallingFault fault);

/// A descriptor that was read. Views of the blob. A part that is not there is nothing; where one is,
/// all parts in front of it are.
struct MarshallingDescriptor {
    NativeType type = NativeType::end;
    MarshallingFault fault = MarshallingFault::none;
    /// `array`: the elements' native type, `NativeType::max` where it is not said; `fixed_array`: the
    /// same, behind `count`; `safe_array`: their VARTYPE.
    std::optional<std::uint32_t> element;
    /// `array`: which parameter holds the number of elements, from 0; interfaces: which holds the IID.
    std::optional<std::uint32_t> parameter;
    /// `array`: elements beside those the parameter counts; `fixed_array` and `fixed_sys_string`: how
    /// many there are.
    std::optional<std::uint32_t> count;
    /// `array`: bit 0 says that `parameter` means something.
    std::optional<std::uint32_t> flags;
    /// `safe_array`: the type's name as reflection writes it.
    BlobText user_type;
    /// `custom_marshaler`, all four always: a GUID as text, native type, marshaler's type name, cookie.
    std::string_view guid;
    std::string_view native_name;
    std::string_view managed_name;
    std::string_view cookie;
    /// What stands behind the last part; nothing reads it.
    ByteSpan trailing;

    bool decoded() const { return fault == MarshallingFault::none; }
};
static_assert(std::is_trivially_copyable_v<MarshallingDescriptor>);

/// Never fails: `fault` says what is wrong. Allocates nothing.
CLRKIT_API MarshallingDescriptor read_marshalling(ByteSpan blob);

/// Writes a descriptor: decoded and encoded where that is possible, else copied raw with the
/// diagnostic `marshalling_malformed`. Trailing bytes are kept, missing parts stay missing.
CLRKIT_API Transcoding transcode_marshalling(ByteSpan blob, const BlobReadContext& read,
                                             const BlobWriteContext& write);

/// Writes descriptors. Whether the bytes were written, `output.failed()` says.
class MarshalWriter {
public:
    explicit MarshalWriter(const BlobWriteContext& context) : context_(&context) {}

    /// A native type without parts, or with none of its optional ones.
    void simple(NativeType type) const { output().u8(static_cast<std::uint8_t>(type)); }
    /// Any descriptor that decodes: its parts, and what trails them.
    CLRKIT_API void descriptor(const MarshallingDescriptor& value) const;
    /// `count_parameter` from 0. Parts behind the first that is missing must be missing too.
    CLRKIT_API void array(NativeType element,
                          std::optional<std::uint32_t> count_parameter = std::nullopt,
                          std::optional<std::uint32_t> count = std::nullopt,
                          std::optional<std::uint32_t> flags = std::nullopt) const;
    CLRKIT_API void fixed_array(std::uint32_t count,
                                std::optional<NativeType> element = std::nullopt) const;
    CLRKIT_API void fixed_string(std::uint32_t count) const;
    CLRKIT_API void safe_array(std::optional<std::uint32_t> variant_type,
                               BlobText user_type = std::nullopt) const;
    /// `iunknown`, `idispatch` or `interface`.
    CLRKIT_API void interface(NativeType type,
                              std::optional<std::uint32_t> iid_parameter = std::nullopt) const;
    CLRKIT_API void custom(std::string_view managed_name, std::string_view cookie = {},
                           std::string_view guid = {}, std::string_view native_name = {}) const;

private:
    WriteBuffer& output() const { return context_->output; }

    const BlobWriteContext* context_;
};
static_assert(sizeof(MarshalWriter) <= 16 && std::is_trivially_copyable_v<MarshalWriter>);

}  // namespace clrkit
