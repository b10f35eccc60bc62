// Attributes of the assembly that clrkit itself needs to read, found by the type's full name.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/dotnet/metadata/metadata.h>

#include <string_view>

namespace clrkit {

/// The blob of the first attribute of that type on the assembly; empty when there is none.
/// O(log rows) where the attributes are sorted.
CLRKIT_API ByteSpan assembly_attribute(const Metadata& metadata, std::string_view name_space,
                                       std::string_view name);

/// The fixed argument number `index` (from 0) of an attribute whose fixed arguments up to there are
/// all strings (ECMA-335 II.23.3); empty when it is null or cannot be read.
CLRKIT_API std::string_view string_argument(ByteSpan blob, unsigned index);

}  // namespace clrkit
