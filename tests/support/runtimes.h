// Runtimes made to run on core libraries that a test has written.
#pragma once

#include "support/process.h"

#include <filesystem>
#include <string>
#include <vector>

namespace clrkit::test {

/// Below the root of a .NET.
inline const std::filesystem::path dotnet_framework =
    std::filesystem::path("shared") / "Microsoft.NETCore.App";

/// Copies host, runtime and framework into a folder, for assemblies there to be replaced. Returns the
/// copied host.
std::filesystem::path copy_dotnet(const std::filesystem::path& dotnet,
                                  const std::filesystem::path& folder);
/// Runs a program of testdata on such a copy.
Outcome run_dotnet(const std::filesystem::path& host, const std::filesystem::path& program);

/// Runs a command in which mono takes the libraries of a folder first.
Outcome run_on_libraries(const std::filesystem::path& folder,
                         const std::vector<std::string>& command);

}  // namespace clrkit::test
