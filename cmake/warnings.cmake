# clrkit_warnings: linked privately by our own targets, so that nobody who uses the libraries inherits it.

add_library(clrkit_warnings INTERFACE)
target_compile_options(clrkit_warnings INTERFACE
  -Wall
  -Wextra
  -Wpedantic
  -Wconversion
  -Wsign-conversion
  -Wshadow
  # Instead of clang-tidy's checks for the same, which take far longer.
  -Wnon-virtual-dtor
  -Wredundant-decls
  -Wzero-as-null-pointer-constant
  $<$<CXX_COMPILER_ID:Clang>:-Wreserved-identifier>
  # GCC 12 sees overlaps inside std::string that are not there (GCC bug 105651).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  # Clang reports that libstdc++ 12 uses, in its own stable_sort, what it deprecates itself.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
  $<$<BOOL:${CLRKIT_WERROR}>:-Werror>
)
