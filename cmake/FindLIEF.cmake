# LIEF::LIEF. Newer releases bring a CMake package, which is preferred; Debian's 0.9.0 does not.

find_package(LIEF CONFIG QUIET)
if(NOT LIEF_FOUND)
  find_path(LIEF_INCLUDE_DIR LIEF/PE.hpp)
  find_library(LIEF_LIBRARY LIEF)  # the shared one: the static archive lacks its dependencies
  if(LIEF_INCLUDE_DIR AND EXISTS "${LIEF_INCLUDE_DIR}/LIEF/version.h")
    file(STRINGS "${LIEF_INCLUDE_DIR}/LIEF/version.h" line REGEX "define LIEF_VERSION ")
    string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" LIEF_VERSION "${line}")
  endif()
endif()

include(FindPackageHandleStandardArgs)
if(TARGET LIEF::LIEF)
  find_package_handle_standard_args(LIEF CONFIG_MODE)
  return()
endif()
find_package_handle_standard_args(LIEF
  REQUIRED_VARS LIEF_LIBRARY LIEF_INCLUDE_DIR VERSION_VAR LIEF_VERSION)
if(LIEF_FOUND)
  add_library(LIEF::LIEF SHARED IMPORTED)
  set_target_properties(LIEF::LIEF PROPERTIES
    IMPORTED_LOCATION "${LIEF_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${LIEF_INCLUDE_DIR}")
endif()
mark_as_advanced(LIEF_INCLUDE_DIR LIEF_LIBRARY)
