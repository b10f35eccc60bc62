// Helpers that misbehave: shell scripts in the place of clrkit-native.
#pragma once

#include "support/process.h"

#include <string>
#include <string_view>

namespace clrkit::test {

/// An executable script in the folder.
inline std::string helper_script(const TemporaryFolder& folder, std::string_view name,
                                 std::string_view body) {
    const auto path = folder.write(name, bytes_of("#!/bin/sh\n" + std::string(body) + "\n"));
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path.string();
}

}  // namespace clrkit::test
