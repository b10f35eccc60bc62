#include "support/real_files.h"

#include "support/environment.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

namespace clrkit::test {

namespace fs = std::filesystem;

namespace {

std::optional<fs::path> folder(const char* variable, const fs::path& otherwise) {
    const char* value = std::getenv(variable);
    fs::path path = value != nullptr && *value != '\0' ? fs::path(value) : otherwise;
    std::error_code ignored;
    if (path.empty() || !fs::is_directory(path, ignored)) return std::nullopt;
    return path;
}

fs::path dotnet_root() {
    const auto host = program("dotnet");
    std::error_code ignored;
    return host ? fs::canonical(*host, ignored).parent_path() : fs::path{};
}

// Every fourth is enough there, since another build goes through all.
constexpr std::size_t stride = under_sanitizer ? 4 : 1;

FileSet sampled(const char* name, const std::vector<fs::path>& files) {
    FileSet set{name, {}};
    for (std::size_t i = 0; i < files.size(); i += stride) set.files.push_back(files[i]);
    return set;
}

}  // namespace

std::vector<fs::path> images_below(const fs::path& folder) {
    constexpr std::array<std::string_view, 4> endings{".dll", ".exe", ".winmd", ".netmodule"};
    std::vector<fs::path> files;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, ignored)) {
        if (entry.is_symlink() || !entry.is_regular_file()) continue;
        const std::string ending = entry.path().extension().string();
        if (std::ranges::find(endings, ending) != endings.end()) files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

std::vector<FileSet> real_files() {
    std::vector<FileSet> sets{{"testdata", images_below(testdata() / "bin")}};
    if (const auto path = corpus()) sets.push_back({"corpus", images_below(*path)});
    if (const auto path = folder("CLRKIT_MONO", "/usr/lib/mono")) {
        sets.push_back(sampled("mono", images_below(*path)));
    }
    if (const auto path = folder("DOTNET_ROOT", dotnet_root())) {
        sets.push_back(sampled("dotnet", images_below(*path)));
    }
    return sets;
}

}  // namespace clrkit::test
