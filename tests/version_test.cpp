#include "support/catch.h"

#include <clrkit/core/version.h>

TEST_CASE("version is three numbers") {
    const std::string version(clrkit::version());
    CHECK_THAT(version, Catch::Matchers::Matches("[0-9]+\\.[0-9]+\\.[0-9]+"));
}
