// A bounded sink for tolerated faults: the first thousand are kept, the rest are counted by code.
#pragma once

#include <clrkit/core/error.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace clrkit {

class Diagnostics {
public:
    static constexpr std::size_t kept_at_most = 1000;

    CLRKIT_API void add(const Error& fault);
    /// Adds what another sink was told.
    CLRKIT_API void add(const Diagnostics& other);
    /// The first faults reported, in order.
    const std::vector<Error>& kept() const { return kept_; }
    /// All faults reported, kept or not.
    std::uint64_t total() const { return total_; }
    std::uint64_t count(ErrorCode code) const { return counts_[static_cast<std::size_t>(code)]; }
    bool empty() const { return total_ == 0; }

private:
    std::vector<Error> kept_;
    std::array<std::uint64_t, static_cast<std::size_t>(ErrorCode::count_)> counts_{};
    std::uint64_t total_ = 0;
};

/// Reports to a sink that may be absent.
inline void report(Diagnostics* sink, Stage stage, ErrorCode code, std::uint64_t offset = no_offset,
                   const char* note = nullptr, std::uint32_t token = 0) {
    if (sink != nullptr) sink->add({code, stage, token, offset, note});
}

}  // namespace clrkit
