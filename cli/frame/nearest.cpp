// Edit distance: insertions, deletions, substitutions and swaps of neighbours each count one.
#include "frame/nearest.h"

#include <algorithm>
#include <vector>

namespace clrkit::cli {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before_last(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> current(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        current[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t differs = a[i - 1] != b[j - 1] ? 1 : 0;
            current[j] = std::min({last[j] + 1, current[j - 1] + 1, last[j - 1] + differs});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                current[j] = std::min(current[j], before_last[j - 2] + 1);
            }
        }
        before_last.swap(last);
        last.swap(current);
    }
    return last[b.size()];
}

constexpr std::size_t longest_name = 64;

std::string lower_case(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return out;
}

}  // namespace

Nearest::Nearest(std::string_view wanted) : wanted_(lower_case(wanted)) {}

void Nearest::offer(std::string_view offered) {
    if (wanted_.size() > longest_name) return;
    const std::string name = lower_case(offered);
    // A beginning is near, however much is missing: --keep for --keep-going.
    const bool begins = wanted_.size() >= 4 && name.starts_with(wanted_);
    const std::size_t distance = begins ? 1 : edit_distance(wanted_, name);
    const std::size_t allowed = std::max<std::size_t>(1, wanted_.size() / 3);
    if (distance > allowed || (!best_.empty() && distance >= distance_)) return;
    best_ = offered;
    distance_ = distance;
}

}  // namespace clrkit::cli
