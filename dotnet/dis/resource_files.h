// Embedded resources and the files that the text names for them. Not installed.
#pragma once

#include <clrkit/dotnet/dis/il_source.h>

#include <cstdint>
#include <optional>
#include <string>

namespace clrkit::dis {

/// The data of an embedded resource; nothing where it is not in the file whole.
std::optional<ByteSpan> embedded_resource(const Module& module, std::uint32_t rid);
/// Its name beside the text; empty where mono's assembler finds it by no name that a file may have.
std::string resource_file(const IlSource& source, std::uint32_t rid);
bool is_embedded(const Metadata& metadata, std::uint32_t rid);

}  // namespace clrkit::dis
