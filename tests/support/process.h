// Running a program from a test, and a folder of its own for the files that it needs.
#pragma once

#include "support/image_builder.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace clrkit::test {

struct Outcome {
    int exit_code = -1;  // -1 when the program was killed or never ran
    std::string output;  // of stdout and stderr
};

/// Runs `command` (a program's path and its arguments) to its end.
Outcome run(const std::vector<std::string>& command);

/// A new empty folder, removed with what is in it.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    /// Writes a file into it and returns its path.
    std::filesystem::path write(std::string_view name, const Bytes& bytes) const;

private:
    std::filesystem::path path_;
};

}  // namespace clrkit::test
