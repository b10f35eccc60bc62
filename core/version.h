// The library's own version, as built (compare with the headers' when linked dynamically).
#pragma once

#include <string_view>

#include <clrkit/core/api.h>

namespace clrkit {

// "MAJOR.MINOR.PATCH".
CLRKIT_API std::string_view version();

}  // namespace clrkit
