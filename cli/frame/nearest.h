// The nearest of several names to a misspelled one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace clrkit::cli {

class Nearest {
public:
    /// Upper and lower case are the same.
    explicit Nearest(std::string_view wanted);
    void offer(std::string_view offered);
    /// The nearest name offered; empty when none is near enough to be what was meant.
    const std::string& best() const { return best_; }

private:
    std::string wanted_;
    std::string best_;
    std::size_t distance_ = 0;
};

}  // namespace clrkit::cli
