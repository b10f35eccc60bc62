// Running the command under test: its two streams apart, in a folder and an environment of one's own.
#pragma once

#include "support/catch.h"
#include "support/environment.h"
#include "support/image_builder.h"
#include "support/process.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace clrkit::test {

struct CommandResult {
    int exit_code = -1;  // 128 and the signal when it was killed; 127 when it did not start
    std::string out;
    std::string err;
};

/// Where standard output goes.
enum class StdoutTo : std::uint8_t { memory, closed, pipe_without_reader, full_device };

// GCC 12 warns of an aggregate's members that are neither named nor have an initializer.
// NOLINTBEGIN(readability-redundant-member-init)
struct CommandSetting {
    std::filesystem::path folder{};          // to start in; empty: where the tests run
    std::string input{};                     // standard input
    std::vector<std::string> environment{};  // "NAME=value", beside PATH
    StdoutTo stdout_to = StdoutTo::memory;
    /// Run as nobody, when the tests run as root: permissions mean nothing to root.
    bool unprivileged = false;
};
// NOLINTEND(readability-redundant-member-init)

/// Runs `clrkit WORDS...` to its end. The command is there: see NEED_COMMAND.
CommandResult clrkit(const std::vector<std::string>& words, const CommandSetting& setting = {});
/// Runs any program likewise.
CommandResult run_apart(const std::vector<std::string>& command,
                        const CommandSetting& setting = {});

Bytes read_bytes(const std::filesystem::path& path);
/// A copy of a file of testdata/bin.
std::filesystem::path copy_of(const char* name, const TemporaryFolder& folder);
/// `minimal()`, built.
Bytes minimal_bytes();
/// A native DLL: a PE file without a CLR header.
Bytes native_dll();
std::size_t lines_in(std::string_view text);
bool contains(std::string_view text, std::string_view part);

#define NEED_COMMAND() \
    if (!clrkit::test::command()) SKIP_TEST("the command is not built")

}  // namespace clrkit::test
