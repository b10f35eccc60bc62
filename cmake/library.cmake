# How a library of ours is declared. Headers sit beside their sources; links in the build folder give
# them the one spelling used everywhere, in the tree and installed: <clrkit/core/...>, <clrkit/dotnet/...>.

set(CLRKIT_INCLUDE_DIR "${PROJECT_BINARY_DIR}/include")
file(MAKE_DIRECTORY "${CLRKIT_INCLUDE_DIR}/clrkit")
foreach(room core dotnet)
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${room}" "${CLRKIT_INCLUDE_DIR}/clrkit/${room}" SYMBOLIC)
endforeach()

# clrkit_library(core): target clrkit_core, alias clrkit::core, file libclrkit_core.
function(clrkit_library name)
  set(target clrkit_${name})
  add_library(${target})
  add_library(clrkit::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name}
    LINKER_LANGUAGE CXX
    POSITION_INDEPENDENT_CODE ON  # a static library may end up in anybody's PIE or shared object
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}  # until 1.0 a minor version may break
    INSTALL_RPATH "$ORIGIN"
  )
  target_compile_features(${target} PUBLIC cxx_std_23)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${CLRKIT_INCLUDE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  )
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:clrkit_warnings>)
endfunction()

# clrkit_public_headers(core bytes/span.h ...): the headers that are installed; paths are relative to
# the folder that calls. What is not listed here is not installed.
function(clrkit_public_headers name)
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY "${PROJECT_SOURCE_DIR}"
             OUTPUT_VARIABLE folder)
  list(TRANSFORM ARGN PREPEND "${CLRKIT_INCLUDE_DIR}/clrkit/${folder}/" OUTPUT_VARIABLE headers)
  target_sources(clrkit_${name} PUBLIC
    FILE_SET HEADERS BASE_DIRS "${CLRKIT_INCLUDE_DIR}" FILES ${headers})
endfunction()

# All but libc linked statically, at a fixed address.
function(clrkit_static_executable target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  if(BUILD_SHARED_LIBS)
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  endif()
  if(BUILD_SHARED_LIBS OR CLRKIT_SANITIZE)
    return()
  endif()
  target_compile_options(${target} PRIVATE -fno-pie)
  target_link_options(${target} PRIVATE -no-pie -static-libstdc++ -static-libgcc)
endfunction()
