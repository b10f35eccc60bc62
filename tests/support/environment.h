// What a test may find on the machine it runs on. Environment variables win over the paths of the build.
#pragma once

#include <filesystem>
#include <optional>

namespace clrkit::test {

// testdata/ of the source tree; always there. CLRKIT_TESTDATA.
std::filesystem::path testdata();

// Real and hostile files kept outside the tree, if CLRKIT_CORPUS names a folder.
std::optional<std::filesystem::path> corpus();

// The command under test, if it was built. CLRKIT_EXE.
std::optional<std::filesystem::path> command();

// The judge of tests/judge, if it was built. CLRKIT_JUDGE.
std::optional<std::filesystem::path> judge_program();

// A program on PATH, such as "mono" or "dotnet".
std::optional<std::filesystem::path> program(const char* name);

}  // namespace clrkit::test
