#include "support/environment.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

namespace clrkit::test {

namespace fs = std::filesystem;

namespace {

std::string variable(const char* name, const char* otherwise) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : otherwise;
}

std::optional<fs::path> if_exists(fs::path path) {
    std::error_code ignored;
    if (path.empty() || !fs::exists(path, ignored)) {
        return std::nullopt;
    }
    return path;
}

}  // namespace

fs::path testdata() { return variable("CLRKIT_TESTDATA", CLRKIT_TESTDATA_DIR); }

std::optional<fs::path> corpus() { return if_exists(variable("CLRKIT_CORPUS", "")); }

std::optional<fs::path> command() { return if_exists(variable("CLRKIT_EXE", CLRKIT_EXE_PATH)); }

std::optional<fs::path> judge_program() {
    return if_exists(variable("CLRKIT_JUDGE", CLRKIT_JUDGE_PATH));
}

std::optional<fs::path> program(const char* name) {
    const std::string path = variable("PATH", "/usr/bin:/bin");
    std::string_view rest = path;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(':'), rest.size());
        if (auto found = if_exists(fs::path(rest.substr(0, end)) / name)) {
            return found;
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return std::nullopt;
}

}  // namespace clrkit::test
