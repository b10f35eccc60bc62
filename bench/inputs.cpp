#include "inputs.h"

#include <stdlib.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

namespace clrkit::bench {
namespace {

namespace fs = std::filesystem;

struct Folder {
    fs::path path;
    Folder() {
        std::string pattern = (fs::temp_directory_path() / "clrkit-bench-XXXXXX").string();
        if (mkdtemp(pattern.data()) != nullptr) path = pattern;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        if (!path.empty()) fs::remove_all(path, ignored);
    }
};

const fs::path& folder() {
    static const Folder made;
    return made.path;
}

std::string environment(const char* name, const char* otherwise) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != 0 ? value : otherwise;
}

/// "10.0.12" is newer than "9.0.4": versions compare by number.
std::vector<int> version_of(const fs::path& runtime) {
    std::vector<int> numbers;
    std::istringstream text(runtime.filename().string());
    for (std::string part; std::getline(text, part, '.');)
        numbers.push_back(std::atoi(part.c_str()));
    return numbers;
}

/// The newest .NET runtime's framework, as `dotnet --list-runtimes` would find it.
std::optional<fs::path> dotnet_framework() {
    std::optional<fs::path> newest;
    for (const std::string& root :
         {environment("DOTNET_ROOT", "/usr/share/dotnet"), std::string("/usr/share/dotnet"),
          std::string("/usr/lib/dotnet")}) {
        std::error_code absent;
        for (const auto& entry :
             fs::directory_iterator(fs::path(root) / "shared/Microsoft.NETCore.App", absent)) {
            if (!fs::exists(entry.path() / "System.Private.CoreLib.dll")) continue;
            if (!newest || version_of(*newest) < version_of(entry.path())) newest = entry.path();
        }
        if (newest) return newest;
    }
    return std::nullopt;
}

std::string size_text(std::size_t bytes) {
    const bool mega = bytes >= std::size_t{1} << 20U;
    const double unit = mega ? 1 << 20U : 1 << 10U;
    char text[32];
    std::snprintf(text, sizeof text, mega ? "%.1fM" : "%.0fK", static_cast<double>(bytes) / unit);
    return text;
}

/// Works on a copy, which nobody changes meanwhile and which lies where the output goes: from one file
/// system to another copy_file_range does not copy.
void add(std::vector<Input>& all, const fs::path& path) {
    const std::string file_name = path.filename().string();
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        skip(path.string(), "not on this machine");
        return;
    }
    const std::vector<char> content(std::istreambuf_iterator<char>(file), {});
    Input input;
    input.name = file_name + "," + size_text(content.size());
    input.path = (folder() / file_name).string();
    input.bytes.assign(content.begin(), content.end());
    std::ofstream(input.path, std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
    all.push_back(std::move(input));
}

fs::path tree() { return fs::path(environment("CLRKIT_TESTDATA", CLRKIT_TESTDATA_DIR)) / "bin"; }
fs::path mono() { return fs::path(environment("CLRKIT_MONO", "/usr/lib/mono")) / "4.5"; }

void add_from_framework(std::vector<Input>& all, const char* name) {
    if (const auto framework = dotnet_framework()) {
        add(all, *framework / name);
    } else {
        skip(name, "no .NET runtime found; DOTNET_ROOT may name one");
    }
}

std::vector<Input> load() {
    std::vector<Input> all;
    for (const char* name : {"hello.exe", "strings.exe", "wide.dll"}) add(all, tree() / name);
    add(all, mono() / "System.Core.dll");
    add(all, mono() / "mscorlib.dll");
    add_from_framework(all, "System.Private.CoreLib.dll");
    return all;
}

std::vector<Input> load_known() {
    std::vector<Input> all;
    for (const char* name : {"hello.exe", "code.exe", "many-methods.dll"}) add(all, tree() / name);
    add(all, mono() / "mscorlib.dll");
    for (const char* name :
         {"System.Runtime.dll", "System.Private.CoreLib.dll", "System.Private.Xml.dll"}) {
        add_from_framework(all, name);
    }
    return all;
}

}  // namespace

const std::vector<Input>& inputs() {
    static const std::vector<Input> all = load();
    return all;
}

const std::vector<Input>& known_inputs() {
    static const std::vector<Input> all = load_known();
    return all;
}

void skip(const std::string& what, const std::string& why) {
    std::fprintf(stderr, "SKIPPED: %s: %s\n", what.c_str(), why.c_str());
}

std::string output_path() { return (folder() / "out.dll").string(); }

}  // namespace clrkit::bench
