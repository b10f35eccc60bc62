// How many bytes the mapped data of a field occupies, as far as the module itself can tell.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/dotnet/metadata/indexes.h>
#include <clrkit/dotnet/metadata/metadata.h>

#include <cstdint>
#include <optional>

namespace clrkit {

/// Bytes of a value of the field's type: a primitive, a type with an explicit ClassSize, an enum.
/// `pointer_size` is 4 or 8. Nothing when the type is defined elsewhere or has no stated size; its
/// data then runs to whatever comes next. `layouts` is ClassLayout by Parent: in `#-`, where a search
/// is a scan, whoever asks for many fields passes one.
CLRKIT_API std::optional<std::uint32_t> field_data_size(const Metadata& metadata,
                                                        std::uint32_t field,
                                                        std::uint32_t pointer_size,
                                                        const KeyIndex* layouts = nullptr);

}  // namespace clrkit
