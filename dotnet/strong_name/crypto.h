// The cryptography that clrkit::dotnet asks for and does not contain: a table of functions that
// clrkit::signing fills with OpenSSL's, and that anybody may fill otherwise.
#pragma once

#include <clrkit/core/bytes/span.h>
#include <clrkit/core/error.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace clrkit {

/// The hashes that .NET images name. The order is that of `digest_size`'s table.
enum class HashAlgorithm : std::uint8_t { md5, sha1, sha256, sha384, sha512 };

/// Bytes of a digest.
constexpr std::size_t digest_size(HashAlgorithm algorithm) {
    constexpr std::size_t sizes[] = {16, 20, 32, 48, 64};
    return sizes[static_cast<std::size_t>(algorithm)];
}
inline constexpr std::size_t largest_digest = 64;

/// The hash that an ALG_ID stands for: in Assembly.HashAlgId (ECMA-335 II.23.1.1) and in key blobs
/// (wincrypt.h). Nothing for any other number, 0 included, whose meaning is the context's.
constexpr std::optional<HashAlgorithm> hash_from_id(std::uint32_t alg_id) {
    switch (alg_id) {
        case 0x8003: return HashAlgorithm::md5;
        case 0x8004: return HashAlgorithm::sha1;
        case 0x800C: return HashAlgorithm::sha256;
        case 0x800D: return HashAlgorithm::sha384;
        case 0x800E: return HashAlgorithm::sha512;
        default: return std::nullopt;
    }
}

/// The ALG_ID of a hash.
constexpr std::uint32_t id_of(HashAlgorithm algorithm) {
    constexpr std::uint32_t ids[] = {0x8003, 0x8004, 0x800C, 0x800D, 0x800E};
    return ids[static_cast<std::size_t>(algorithm)];
}

/// An RSA public key as key blobs hold it. A view: whoever owns the blob owns the modulus.
struct RsaPublicKey {
    ByteSpan modulus;  // little-endian
    std::uint32_t exponent = 0;
};

/// Function pointers, none of them null; callable from several threads at once.
struct Crypto {
    /// Hashes the parts laid end to end. `digest` has exactly `digest_size(algorithm)` bytes.
    /// Error: `hash_failed`.
    Status (*hash)(HashAlgorithm algorithm, std::span<const ByteSpan> parts,
                   MutableByteSpan digest);
    /// True when `signature` (little-endian, as long as the modulus) is the RSASSA-PKCS1-v1_5
    /// signature (RFC 8017) of a message with this digest. Error: `bad_key` when the key cannot be
    /// one, or is above 16,384 bits.
    Result<bool> (*verify_rsa)(const RsaPublicKey& key, HashAlgorithm algorithm, ByteSpan digest,
                               ByteSpan signature);
};

}  // namespace clrkit
