# The installed tree: libraries, public headers and the CMake package clrkit::{core,dotnet,signing}.
# tests/install/ is a project that uses it.

include(CMakePackageConfigHelpers)
set(CLRKIT_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/clrkit")

install(TARGETS clrkit_core clrkit_dotnet clrkit_signing
  EXPORT clrkitTargets
  FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT clrkitTargets NAMESPACE clrkit:: DESTINATION "${CLRKIT_PACKAGE_DIR}")

configure_package_config_file(cmake/clrkitConfig.cmake.in "${PROJECT_BINARY_DIR}/clrkitConfig.cmake"
  INSTALL_DESTINATION "${CLRKIT_PACKAGE_DIR}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/clrkitConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)  # until 1.0 a minor version may break what was
install(FILES
  "${PROJECT_BINARY_DIR}/clrkitConfig.cmake"
  "${PROJECT_BINARY_DIR}/clrkitConfigVersion.cmake"
  DESTINATION "${CLRKIT_PACKAGE_DIR}")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
