// What everything that reads or writes a blob is told, as small values passed by reference: where the
// bytes go, what becomes of tokens, where faults are reported. Creating one costs nothing and owns
// nothing.
#pragma once

#include <clrkit/core/buffers/write_buffer.h>
#include <clrkit/core/diagnostics.h>
#include <clrkit/core/limits.h>
#include <clrkit/dotnet/metadata/schema.h>

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>

namespace clrkit {

/// New row numbers by old ones. A table without an array, and a row past its end, keep their number.
struct TokenMap {
    /// By table; entry `rid - 1` is the new row. The arrays belong to whoever fills them in.
    std::array<std::span<const std::uint32_t>, table_slots> rows{};

    std::uint32_t row(Table table, std::uint32_t rid) const {
        const auto& map = rows[static_cast<std::size_t>(table)];
        return rid - 1 < map.size() ? map[rid - 1] : rid;
    }
};

/// The token that a TypeDefOrRefOrSpecEncoded value stands for (ECMA-335 II.23.2.8): no token where
/// its tag means nothing, and where its row number does not fit a token. (A blob has room for more
/// bits than that; cut off, they would lead to a row that nobody meant.)
constexpr Token token_of_encoded(std::uint32_t encoded) {
    if (encoded >> 2U > 0xFFFFFF) return {};
    return decode(CodedIndex::TypeDefOrRef, encoded);
}

/// Encodes type tokens for blobs: an array look-up.
class TokenEncoder {
public:
    /// The identity.
    TokenEncoder() = default;
    /// `map` must outlive the encoder.
    explicit TokenEncoder(const TokenMap& map) : map_(&map) {}

    /// A TypeDefOrRefOrSpecEncoded value from the old one. One that stands for no token stays as it
    /// is.
    std::uint32_t encoded(std::uint32_t old) const {
        if (map_ == nullptr) return old;
        const Token token = token_of_encoded(old);
        if (token.rid() == 0) return old;
        return map_->row(token.table(), token.rid()) << 2U | (old & 3U);
    }
    bool is_identity() const { return map_ == nullptr; }

private:
    const TokenMap* map_ = nullptr;
};

/// For reading: whose blob it is, how deep it may nest, where faults go.
struct BlobReadContext {
    /// May be null.
    Diagnostics* diagnostics = nullptr;
    /// The row whose blob this is, for diagnostics.
    Token owner;
    /// Most levels of nesting that need memory; see `Limits::depth`.
    std::uint32_t depth = Limits{}.depth;

    void report(ErrorCode code, const char* note) const {
        clrkit::report(diagnostics, Stage::signature, code, no_offset, note, owner.value());
    }
};

/// For writing: where the bytes go and what becomes of the type tokens among them.
struct BlobWriteContext {
    WriteBuffer& output;
    TokenEncoder tokens;
};

static_assert(sizeof(BlobReadContext) <= 16 && std::is_trivially_copyable_v<BlobReadContext>);
static_assert(sizeof(BlobWriteContext) <= 16 && std::is_trivially_copyable_v<BlobWriteContext>);

}  // namespace clrkit
