// Writing values at file offsets into a buffer the size of the image. Internal: what the emit
// functions of this folder share.
#pragma once

#include <clrkit/core/bytes/endian.h>
#include <clrkit/core/bytes/span.h>
#include <clrkit/core/error.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace clrkit::pe {

/// Writes what lies inside the buffer whole, and remembers the first place that does not.
class Placer {
public:
    explicit Placer(MutableByteSpan out) : out_(out) {}

    /// A little-endian integer or an on-disk structure.
    template <class T>
    void put(std::uint64_t offset, const T& value) {
        if (!has_room(offset, sizeof(T))) return;
        if constexpr (std::is_integral_v<T>) {
            store_le(out_.data() + offset, value);
        } else {
            static_assert(std::is_trivially_copyable_v<T> && alignof(T) == 1);
            std::memcpy(out_.data() + offset, &value, sizeof(T));
        }
    }
    void put(std::uint64_t offset, ByteSpan bytes) {
        if (bytes.empty() || !has_room(offset, bytes.size())) return;
        std::memcpy(out_.data() + offset, bytes.data(), bytes.size());
    }

    Status status() const {
        if (outside_ == no_offset) return {};
        return failure(Stage::write, ErrorCode::output_budget, outside_,
                       "the buffer is smaller than the image");
    }

private:
    bool has_room(std::uint64_t offset, std::uint64_t size) {
        if (fits(out_.size(), offset, size)) return true;
        if (outside_ == no_offset) outside_ = offset;
        return false;
    }

    MutableByteSpan out_;
    std::uint64_t outside_ = no_offset;
};

}  // namespace clrkit::pe
