// Searching folders. On <dirent.h>: std::filesystem is slower to start and tells less about links.
#include "frame/glob.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <span>

namespace clrkit::cli {
namespace {

struct Entry {
    std::string name;
    bool folder = false;
};

bool is_folder(const std::string& path, bool follow) {
    struct stat info{};
    const int failed = follow ? stat(path.c_str(), &info) : lstat(path.c_str(), &info);
    return failed == 0 && S_ISDIR(info.st_mode);
}

bool is_file(const std::string& path) {
    struct stat info{};
    return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

std::string join(const std::string& folder, const std::string& name) {
    if (folder.empty() || folder.ends_with('/')) return folder + name;
    return folder + '/' + name;
}

/// The entries of a folder, sorted by name: the order of the disk is nobody's.
std::vector<Entry> entries_of(const std::string& folder, std::vector<std::string>& unreadable) {
    std::vector<Entry> entries;
    DIR* open = opendir(folder.empty() ? "." : folder.c_str());
    if (open == nullptr) {
        unreadable.push_back(folder);
        return entries;
    }
    while (const dirent* entry = readdir(open)) {
        std::string name = entry->d_name;
        if (name == "." || name == "..") continue;
        const bool folder_inside =
            entry->d_type == DT_DIR ||
            (entry->d_type == DT_UNKNOWN && is_folder(join(folder, name), false));
        entries.push_back({std::move(name), folder_inside});
    }
    closedir(open);
    std::ranges::sort(entries, {}, &Entry::name);
    return entries;
}

/// A search for the parts of a pattern.
class Search {
public:
    Search(std::vector<Found>& found, std::vector<std::string>& unreadable)
        : found_(found), unreadable_(unreadable) {}

    void descend(const std::string& folder, const std::string& relative,
                 std::span<const std::string> parts) {
        const std::string& part = parts[0];
        const std::span<const std::string> rest = parts.subspan(1);
        const bool any_depth = part == "**";
        if (any_depth && !rest.empty()) descend(folder, relative, rest);
        for (const Entry& entry : entries_of(folder, unreadable_)) {
            const std::string path = join(folder, entry.name);
            const std::string below = join(relative, entry.name);
            if (any_depth) {
                if (entry.folder) descend(path, below, parts);
                if (rest.empty() && !entry.folder) add(path, below);
            } else if (matches(part, entry.name)) {
                if (rest.empty()) {
                    add(path, below);
                } else if (is_folder(path, true)) {
                    descend(path, below, rest);
                }
            }
        }
    }

private:
    void add(const std::string& path, const std::string& relative) {
        if (is_file(path)) found_.push_back({path, relative});
    }

    std::vector<Found>& found_;
    std::vector<std::string>& unreadable_;
};

}  // namespace

bool is_pattern(std::string_view name) {
    return name.find_first_of("*?") != std::string_view::npos;
}

bool matches(std::string_view pattern, std::string_view name) {
    // Greedy with one point to come back to: linear in practice, quadratic at worst.
    std::size_t p = 0;
    std::size_t n = 0;
    std::size_t star = std::string_view::npos;
    std::size_t star_name = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            star_name = n;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
            ++p;
            ++n;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            n = ++star_name;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

void find_below(const std::string& folder, std::vector<Found>& found,
                std::vector<std::string>& unreadable) {
    const std::string everything[] = {"**"};
    Search(found, unreadable).descend(folder, {}, everything);
}

void find_matching(const std::string& pattern, std::vector<Found>& found,
                   std::vector<std::string>& unreadable) {
    // The folders in front of the first wildcard are names, not patterns.
    const std::size_t wildcard = pattern.find_first_of("*?");
    const std::size_t slash = pattern.rfind('/', wildcard);
    const std::string folder = slash == std::string::npos ? "" : pattern.substr(0, slash + 1);
    std::vector<std::string> parts;
    for (std::size_t at = folder.size(); at < pattern.size();) {
        const std::size_t end = std::min(pattern.find('/', at), pattern.size());
        std::string part = pattern.substr(at, end - at);
        const bool repeated = part == "**" && !parts.empty() && parts.back() == "**";
        if (!part.empty() && !repeated) parts.push_back(std::move(part));
        at = end + 1;
    }
    std::vector<Found> here;
    Search(here, unreadable).descend(folder, {}, parts);
    // Two `**` can reach one file by two ways.
    std::ranges::sort(here, {}, &Found::path);
    const auto repeated = std::ranges::unique(here, {}, &Found::path);
    here.erase(repeated.begin(), repeated.end());
    found.insert(found.end(), here.begin(), here.end());
}

}  // namespace clrkit::cli
