// Writing to descriptors.
#include "frame/sink.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <utility>

namespace clrkit::cli {

void Sink::begin() {
    const std::string before = std::exchange(before_, {});
    buffer_ += before;
}

void Sink::print_values(fmt::string_view format, fmt::format_args values) {
    if (!before_.empty()) begin();
    fmt::vformat_to(std::back_inserter(buffer_), format, values);
    if (buffer_.size() >= full) spill();
}

void Sink::flush() {
    if (descriptor_ < 0) return;
    std::string_view left = buffer_;
    while (!left.empty() && !abandoned_ && problem_ == 0) {
        const ssize_t written = ::write(descriptor_, left.data(), left.size());
        if (written >= 0) {
            left.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno == EPIPE) {
            abandoned_ = true;
        } else if (errno != EINTR) {
            problem_ = errno;
        }
    }
    flushed_ += buffer_.size();
    buffer_.clear();
}

}  // namespace clrkit::cli
