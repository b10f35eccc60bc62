// CLRKIT_VERSION comes from the project() line of the top CMakeLists.txt: one place to change.
#include <clrkit/core/version.h>

namespace clrkit {

std::string_view version() { return CLRKIT_VERSION; }

}  // namespace clrkit
