# clrkit_warnings: linked privately by our own targets, so that nobody who uses the libraries inherits it.

add_library(clrkit_warnings INTERFACE)
target_compile_options(clrkit_warnings INTERFACE
  -Wall
  -Wextra
  -Wpedantic
  -Wconversion
  -Wsign-conversion
  -Wshadow
  $<$<BOOL:${CLRKIT_WERROR}>:-Werror>
)
