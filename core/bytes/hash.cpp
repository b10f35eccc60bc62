// Multiply and fold, eight bytes at a time.
#include <clrkit/core/bytes/hash.h>

#include <random>

namespace clrkit {
namespace {

std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = Wide{a} * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

std::uint64_t seed() {
    static const std::uint64_t value = [] {
        std::random_device device;
        return std::uint64_t{device()} << 32U | device();
    }();
    return value;
}

}  // namespace

std::uint64_t hash_bytes(ByteSpan bytes, std::uint64_t more) {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
    std::uint64_t hash = fold(seed() ^ more, odd) ^ bytes.size();
    const std::uint8_t* at = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= 8; at += 8, left -= 8) {
        std::uint64_t word;
        std::memcpy(&word, at, sizeof word);
        hash = fold(hash ^ word, odd);
    }
    std::uint64_t rest = 0;
    if (left != 0) std::memcpy(&rest, at, left);
    return fold(hash ^ rest, odd ^ seed());
}

}  // namespace clrkit
