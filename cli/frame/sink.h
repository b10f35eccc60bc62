// Where text goes: straight to a descriptor, or into memory until its turn comes. No iostream: its
// start-up and its locale are not needed.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace clrkit::cli {

class Sink {
public:
    /// Keeps everything in memory.
    Sink() = default;
    /// Writes to an open descriptor when a few pages are full, and on `flush`.
    explicit Sink(int descriptor) : descriptor_(descriptor) {}

    void put(char c) {
        if (!before_.empty()) begin();
        buffer_ += c;
        if (buffer_.size() >= full) spill();
    }
    void write(std::string_view text) {
        if (text.empty()) return;
        if (!before_.empty()) begin();
        buffer_ += text;
        if (buffer_.size() >= full) spill();
    }
    template <class... Values>
    void print(fmt::format_string<Values...> format, const Values&... values) {
        print_values(format, fmt::make_format_args(values...));
    }
    /// Text to put in front of whatever is written next, if anything is: separators.
    void before_next(std::string_view text) { before_ = text; }

    void flush();
    /// What was written so far and not flushed: all of it in memory.
    std::string_view pending() const { return buffer_; }
    /// Bytes written so far, flushed or not.
    std::uint64_t total() const { return flushed_ + buffer_.size(); }
    /// The reader went away: no fault, but further output is for nobody.
    bool abandoned() const { return abandoned_; }
    /// errno of the write that failed for another reason, or 0.
    int problem() const { return problem_; }

private:
    static constexpr std::size_t full = 65536;

    void begin();
    void spill() {
        if (descriptor_ >= 0) flush();
    }
    void print_values(fmt::string_view format, fmt::format_args values);

    std::string buffer_;
    std::string before_;
    std::uint64_t flushed_ = 0;
    int descriptor_ = -1;
    int problem_ = 0;
    bool abandoned_ = false;
};

}  // namespace clrkit::cli
