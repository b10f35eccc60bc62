// What may change while ReadyToRun code stays in an image. Native code indexes the metadata: row ids,
// #US offsets, the number of AssemblyRef rows, type names (a hash without fallback), well-known
// attributes (a filter), the MVID (from other images). This table states what it does not look at;
// everything else is refused.
#pragma once

#include <clrkit/dotnet/metadata/metadata.h>

#include <cstdint>

namespace clrkit {

/// True when the raw value of a cell may change from the present one to `value`.
bool ready_to_run_allows(const Metadata& metadata, Token row, unsigned column, std::uint32_t value);

}  // namespace clrkit
