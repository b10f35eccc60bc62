// What the fuzz targets share: properties whose failure is a crash, and a bound on what one input
// may make them look at.
#pragma once

#include <clrkit/core/bytes/span.h>
#include <clrkit/core/limits.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace clrkit::fuzz {

/// Stops with a message when a property of the library does not hold.
inline void require(bool holds, const char* property) {
    if (holds) return;
    std::fprintf(stderr, "violated: %s\n", property);
    std::abort();
}

/// True when the environment variable CLRKIT_FUZZ_VERBOSE asks for the story of one input.
inline bool verbose() {
    static const bool wanted = std::getenv("CLRKIT_FUZZ_VERBOSE") != nullptr;
    return wanted;
}

/// Malformed images let thousands of rows share one long string or list, and to look at each of them
/// whole would measure the fuzz target, not the library.
class Budget {
public:
    explicit Budget(std::uint64_t amount) : left_(amount) {}
    /// False from the first amount on that is not left.
    bool spend(std::uint64_t amount) {
        left_ = amount <= left_ ? left_ - amount : 0;
        return left_ != 0;
    }

private:
    std::uint64_t left_;
};

/// The library's limits, with fewer nodes: a tree of a million costs a second here.
inline Limits limits() {
    Limits limits;
    limits.nodes = 1U << 14U;
    return limits;
}

/// True when a view that a look-up returned lies inside the bytes it was taken from.
inline bool inside(ByteSpan whole, ByteSpan part) {
    return part.empty() || (part.data() >= whole.data() &&
                            part.data() + part.size() <= whole.data() + whole.size());
}
inline ByteSpan as_bytes(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// Reads both ends of a view, so that the sanitizer sees one that leads astray.
inline std::uint64_t touch(ByteSpan bytes) {
    std::uint64_t sum = bytes.size();
    for (const std::uint8_t byte : bytes.first(bytes.size() < 64 ? bytes.size() : 64)) sum += byte;
    return bytes.empty() ? sum : sum + bytes.back();
}

/// Where sums of what was read end, so that no read is left out.
inline volatile std::uint64_t sink = 0;

}  // namespace clrkit::fuzz
