// Strong-name keys as bytes: the public key blob of an Assembly or AssemblyRef row, and the contents
// of key files (ECMA-335 II.6.2.1.3; PUBLICKEYBLOB and PRIVATEKEYBLOB of wincrypt.h). Views: nothing
// here owns a key.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/span.h>
#include <clrkit/core/error.h>
#include <clrkit/dotnet/strong_name/crypto.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace clrkit::strong_name {

enum class KeyKind : std::uint8_t {
    neutral,     // the 16 bytes that stand for the runtime's own key (ECMA-335 II.6.2.1.3)
    public_key,  // RSA1
    key_pair,    // RSA2: the private key is there as well
};

/// The private half of a key pair; every number little-endian.
struct PrivateKey {
    ByteSpan prime1, prime2, exponent1, exponent2, coefficient, exponent;
};

/// A parsed key; a view of the blob it was parsed from.
struct Key {
    KeyKind kind = KeyKind::neutral;
    /// SigAlgId and HashAlgId, ALG_IDs as they stand in the strong-name header; 0 without one, as
    /// in a key pair.
    std::uint32_t signature_algorithm = 0;
    std::uint32_t hash_algorithm = 0;
    std::uint32_t key_algorithm = 0;  // aiKeyAlg of the inner blob; 0x2400 is RSA_SIGN
    std::uint32_t bits = 0;           // of the modulus, as declared
    RsaPublicKey rsa;                 // no modulus when neutral
    PrivateKey private_key;           // empty but for a key pair
};

/// The neutral key of ECMA-335; its token is b77a5c561934e089.
inline constexpr std::array<std::uint8_t, 16> neutral_key = {0, 0, 0, 0, 0, 0, 0, 0,
                                                             4, 0, 0, 0, 0, 0, 0, 0};
CLRKIT_API bool is_neutral_key(ByteSpan blob);

/// Parses the public key of an Assembly row: SigAlgId, HashAlgId, cbPublicKey, PUBLICKEYBLOB; or
/// the neutral key. The sizes must agree exactly, as the runtime demands; algorithm numbers are not
/// judged. Error: `bad_key` with the reason; `offset` is one into `blob`.
CLRKIT_API Result<Key> parse_public_key(ByteSpan blob);

/// Parses a key file: a public key as above (`sn -p`), a bare PUBLICKEYBLOB, or a key pair, which
/// is a PRIVATEKEYBLOB (.snk). Errors as above.
CLRKIT_API Result<Key> parse_key_file(ByteSpan file);

/// The hash that signatures by this key use: SHA-1 where the key names none. Error: `bad_key` for
/// a number that is no known hash.
CLRKIT_API Result<HashAlgorithm> hash_algorithm(const Key& key);

/// Bytes of a signature: the modulus's, whatever kind of blob the key came from. 128 for the
/// neutral key, whose real ones have 1,024 bits.
constexpr std::size_t signature_size(const Key& key) {
    return key.kind == KeyKind::neutral ? 128 : key.rsa.modulus.size();
}

/// The public key blob that goes into an Assembly row: 32 bytes and the modulus, or the neutral key.
/// A key that names no hash gets `hash`. `sn`, `csc` and `mcs` all write SHA-1.
CLRKIT_API std::vector<std::uint8_t> public_key_blob(const Key& key,
                                                     HashAlgorithm hash = HashAlgorithm::sha1);

using PublicKeyToken = std::array<std::uint8_t, 8>;

/// The token of a public key blob: the last eight bytes of its SHA-1, reversed, in the order in
/// which AssemblyRef rows hold and people write them. Any bytes have one. Error: `hash_failed`.
CLRKIT_API Result<PublicKeyToken> public_key_token(ByteSpan blob, const Crypto& crypto);

}  // namespace clrkit::strong_name
