// How far a batch is, on a terminal that shows nothing else, once it has taken half a second.
#pragma once

#include <chrono>
#include <cstddef>

namespace clrkit::cli {

class Progress {
public:
    /// `quiet` where the terminal shows the data itself.
    Progress(std::size_t total, bool quiet);
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Shows that `done` jobs are done, a few times a second at most.
    void show(std::size_t done);
    /// Takes the line away, so that something else can be printed.
    void clear();

private:
    using Clock = std::chrono::steady_clock;

    std::size_t total_;
    bool wanted_;
    bool visible_ = false;
    Clock::time_point next_;
};

}  // namespace clrkit::cli
