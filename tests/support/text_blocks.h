// Whether the blocks of source text are closed, counted while it goes by.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace clrkit::test {

/// Blocks that the text opens and does not close. A piece ends with a line, and no line of a file's own
/// text is a brace alone.
inline std::int64_t blocks_left_open(std::string_view piece) {
    std::int64_t blocks = 0;
    for (std::size_t at = 0; at < piece.size();) {
        const std::size_t end = std::min(piece.find('\n', at), piece.size());
        std::string_view line = piece.substr(at, end - at);
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        if (line == "{") ++blocks;
        if (line == "}") --blocks;
        at = end + 1;
    }
    return blocks;
}

}  // namespace clrkit::test
