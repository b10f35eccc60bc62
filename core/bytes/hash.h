// A fast hash of bytes for tables in memory: seeded per process, so that no file can be made to
// collide, and therefore never to be stored or to decide an order of output.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/span.h>

#include <cstdint>
#include <string_view>

namespace clrkit {

/// Sixty-four bits over the bytes; different in every process.
CLRKIT_API std::uint64_t hash_bytes(ByteSpan bytes, std::uint64_t more = 0);

inline std::uint64_t hash_text(std::string_view text, std::uint64_t more = 0) {
    return hash_bytes({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, more);
}

}  // namespace clrkit
