// Cutting the base at its patches.
#include <clrkit/dotnet/write/patched_bytes.h>

#include <algorithm>

namespace clrkit {
namespace {

constexpr std::array<std::uint8_t, 4096> zeros{};

}  // namespace

std::vector<ByteSpan> PatchedBytes::parts() {
    std::ranges::stable_sort(patches_, {}, &Patch::offset);
    std::vector<ByteSpan> parts;
    std::uint64_t position = 0;
    for (const Patch& patch : patches_) {
        const std::uint64_t end = std::min<std::uint64_t>(patch.offset + patch.size, base_.size());
        const std::uint64_t start = std::max(patch.offset, position);
        if (start >= end) continue;
        parts.push_back(slice_clamped(base_, position, start - position));
        if (patch.zeros) {
            for (std::uint64_t left = end - start; left != 0;) {
                const auto chunk =
                    static_cast<std::size_t>(std::min<std::uint64_t>(left, zeros.size()));
                parts.push_back(ByteSpan(zeros).first(chunk));
                left -= chunk;
            }
        } else {
            parts.push_back(slice_clamped(patch.bytes, start - patch.offset, end - start));
        }
        position = end;
    }
    parts.push_back(tail(base_, position));
    return parts;
}

}  // namespace clrkit
