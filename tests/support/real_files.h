// The assemblies of this machine: compiler-made ones that tests go through in bulk.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace clrkit::test {

/// Whether this build has the address sanitizer: passes over thousands of files take it minutes.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool under_sanitizer = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool under_sanitizer = true;
#else
inline constexpr bool under_sanitizer = false;
#endif
#else
inline constexpr bool under_sanitizer = false;
#endif

/// A set of files, and what it is called in a report.
struct FileSet {
    std::string name;
    std::vector<std::filesystem::path> files;  // sorted
};

/// .dll, .exe, .winmd and .netmodule below a folder, symbolic links left out.
std::vector<std::filesystem::path> images_below(const std::filesystem::path& folder);

/// testdata/bin; and where they exist the corpus, mono's libraries (CLRKIT_MONO or /usr/lib/mono)
/// and the .NET SDK with its shared frameworks (DOTNET_ROOT, or beside the dotnet on PATH); in builds
/// with the address sanitizer every fourth file of these two.
std::vector<FileSet> real_files();

}  // namespace clrkit::test
