# What is found on the machine, and the few interface targets that say how we use it.

# The command links all but libc statically. Static archives of a distribution are rarely
# position-independent, so shared libraries of ours take the shared ones.
if(NOT BUILD_SHARED_LIBS)
  set(ZLIB_USE_STATIC_LIBS ON)
  set(OPENSSL_USE_STATIC_LIBS ON)
endif()
find_package(ZLIB REQUIRED)
find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto)

if(CLRKIT_CLI OR CLRKIT_TESTS)
  # Their own targets would pull in shared libraries, which cost start-up time: headers only.
  find_package(fmt REQUIRED)
  find_package(spdlog REQUIRED)
  add_library(clrkit_fmt INTERFACE)
  target_link_libraries(clrkit_fmt INTERFACE fmt::fmt-header-only)
  target_include_directories(clrkit_fmt SYSTEM INTERFACE
    $<TARGET_PROPERTY:spdlog::spdlog_header_only,INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_definitions(clrkit_fmt INTERFACE FMT_HEADER_ONLY=1 SPDLOG_FMT_EXTERNAL)

  # RapidJSON: the streaming writer only, so the headers suffice.
  find_path(CLRKIT_RAPIDJSON_INCLUDE rapidjson/writer.h REQUIRED)
  add_library(clrkit_rapidjson INTERFACE)
  target_include_directories(clrkit_rapidjson SYSTEM INTERFACE "${CLRKIT_RAPIDJSON_INCLUDE}")

  find_package(CLI11 REQUIRED)
  find_package(nlohmann_json REQUIRED)  # where JSON is read, not written
endif()

if(CLRKIT_TESTS)
  find_package(Catch2 REQUIRED)  # 2.13 or 3
endif()

if(CLRKIT_BENCH)
  find_package(benchmark REQUIRED)
endif()
