// The progress line.
#include "frame/progress.h"

#include "frame/message.h"

#include <unistd.h>

#include <string>

namespace clrkit::cli {

namespace {

constexpr std::chrono::milliseconds silence{500};
constexpr std::chrono::milliseconds pause{100};

}  // namespace

Progress::Progress(std::size_t total, bool quiet)
    : total_(total),
      wanted_(!quiet && total > 1 && isatty(STDERR_FILENO) == 1),
      next_(Clock::now() + silence) {}

void Progress::show(std::size_t done) {
    if (!wanted_ || Clock::now() < next_) return;
    complain("\r" + std::to_string(done) + " of " + std::to_string(total_) + " files");
    visible_ = true;
    next_ = Clock::now() + pause;
}

void Progress::clear() {
    if (visible_) complain("\r\x1b[K");
    visible_ = false;
}

}  // namespace clrkit::cli
