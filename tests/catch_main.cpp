// The only file that compiles Catch2 version 2 itself.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
