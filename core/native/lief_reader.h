// LIEF's view of a PE file. The helper's own; nothing else links LIEF.
#pragma once

#include <clrkit/core/native/facts.h>

#include <cstdint>
#include <expected>
#include <vector>

namespace clrkit::native {

/// Parses the file with LIEF. Win32 resources, COFF symbols and their names are hidden from it: its
/// readers of these can be made to overflow the stack or to take gigabytes. Lets `std::bad_alloc`
/// through.
std::expected<Facts, Refused> read_with_lief(std::vector<std::uint8_t> file);

}  // namespace clrkit::native
