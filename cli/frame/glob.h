// Patterns for file names: `*` and `?` within a name, `**` for any number of folders.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace clrkit::cli {

bool is_pattern(std::string_view name);

/// True when `name`, which has no slash, matches.
bool matches(std::string_view pattern, std::string_view name);

struct Found {
    std::string path;
    std::string relative;  // to the folder that was searched
};

/// Every regular file below `folder`, sorted. Links to files are followed, links to folders are
/// not. Folders that cannot be read are appended to `unreadable`.
void find_below(const std::string& folder, std::vector<Found>& found,
                std::vector<std::string>& unreadable);

/// Every regular file that matches the pattern, sorted.
void find_matching(const std::string& pattern, std::vector<Found>& found,
                   std::vector<std::string>& unreadable);

}  // namespace clrkit::cli
