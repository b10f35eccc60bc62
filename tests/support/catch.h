// Catch2, whichever of version 2 and 3 is installed, and how a test says that it cannot run here.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <cstdio>

// Version 2 cannot skip a test. The line is what `./dev test` counts and repeats at its end.
#define SKIP_TEST(reason)                                                                        \
    do {                                                                                         \
        std::printf("SKIPPED: %s: %s\n", Catch::getResultCapture().getCurrentTestName().c_str(), \
                    reason);                                                                     \
        std::fflush(stdout);                                                                     \
        return;                                                                                  \
    } while (false)
