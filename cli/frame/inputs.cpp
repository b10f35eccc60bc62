// From operands to files.
#include "frame/inputs.h"

#include "frame/glob.h"
#include "frame/response_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace clrkit::cli {
namespace {

enum class Thing : std::uint8_t { missing, folder, other };

Thing thing_at(const std::string& path) {
    struct stat info{};
    if (stat(path.c_str(), &info) != 0) return Thing::missing;
    return S_ISDIR(info.st_mode) ? Thing::folder : Thing::other;
}

void add_found(std::vector<Found>&& found, std::vector<Input>& inputs) {
    for (Found& file : found) {
        if (!may_be_image(file.path)) continue;
        inputs.push_back({std::move(file.path), std::move(file.relative), true});
    }
}

}  // namespace

std::string_view file_name(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool may_be_image(const std::string& path) {
    const int from = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (from < 0) return true;
    std::array<char, 2> start{};
    const ssize_t got = read(from, start.data(), start.size());
    close(from);
    return got < 0 || (got == 2 && start[0] == 'M' && start[1] == 'Z');
}

Usage<std::vector<Input>> find_inputs(const Arguments& arguments,
                                      const std::vector<std::string>& names) {
    std::vector<Input> inputs;
    std::vector<std::string> unreadable;
    for (const std::string& name : names) {
        const Thing thing = thing_at(name);
        if (name == "-" && thing == Thing::missing) {
            return misuse("-: assemblies are not read from standard input",
                          "write it to a file and name that");
        }
        std::vector<Found> found;
        if (thing == Thing::missing && is_pattern(name)) {
            find_matching(name, found, unreadable);
            add_found(std::move(found), inputs);
        } else if (thing == Thing::folder && arguments.has("recursive")) {
            find_below(name, found, unreadable);
            add_found(std::move(found), inputs);
        } else {
            inputs.push_back({name, std::string(file_name(name)), false});
        }
    }
    // A folder that cannot be searched is an input that fails, so that nothing is left out unseen.
    for (std::string& folder : unreadable) {
        std::string name(file_name(folder));
        inputs.push_back({std::move(folder), std::move(name), false});
    }
    return inputs;
}

Usage<std::vector<Input>> find_inputs(const Arguments& arguments, std::size_t others) {
    const auto& operands = arguments.operands();
    std::vector<std::string> names(
        operands.begin() + static_cast<std::ptrdiff_t>(std::min(others, operands.size())),
        operands.end());
    if (arguments.has("files-from")) {
        auto text = read_text(std::string(arguments.text("files-from")));
        if (!text) return std::unexpected(text.error());
        for (std::string& path : split_paths(*text)) names.push_back(std::move(path));
    } else if (names.empty()) {
        return misuse("no input is named");
    }
    return find_inputs(arguments, names);
}

}  // namespace clrkit::cli
