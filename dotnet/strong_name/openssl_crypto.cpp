// Hashes through the low-level functions, RSA through EVP in a library context of our own.
//
// The low-level hash functions are deprecated in OpenSSL 3, and we use them on purpose. Everything
// else, the one-shot SHA1() included, goes through EVP, whose first use sets up error strings,
// configuration, random numbers and providers: 1.1 ms where a whole process takes 1.0, to hash the
// 160 bytes of a public key. The macro takes the attribute off the declarations, for this file only.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <clrkit/core/try.h>
#include <clrkit/dotnet/strong_name/openssl_crypto.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/md5.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <memory>

namespace clrkit {
namespace {

template <class Context, int (*init)(Context*), int (*update)(Context*, const void*, std::size_t),
          int (*final)(unsigned char*, Context*)>
bool hash_with(std::span<const ByteSpan> parts, MutableByteSpan digest) {
    Context context;
    if (init(&context) != 1) return false;
    for (const ByteSpan part : parts) {
        if (!part.empty() && update(&context, part.data(), part.size()) != 1) return false;
    }
    return final(digest.data(), &context) == 1;
}

Status hash(HashAlgorithm algorithm, std::span<const ByteSpan> parts, MutableByteSpan digest) {
    if (digest.size() != digest_size(algorithm)) {
        return failure(Stage::strong_name, ErrorCode::hash_failed, no_offset,
                       "the digest's buffer has another size");
    }
    bool done = false;
    switch (algorithm) {
        case HashAlgorithm::md5:
            done = hash_with<MD5_CTX, MD5_Init, MD5_Update, MD5_Final>(parts, digest);
            break;
        case HashAlgorithm::sha1:
            done = hash_with<SHA_CTX, SHA1_Init, SHA1_Update, SHA1_Final>(parts, digest);
            break;
        case HashAlgorithm::sha256:
            done = hash_with<SHA256_CTX, SHA256_Init, SHA256_Update, SHA256_Final>(parts, digest);
            break;
        case HashAlgorithm::sha384:
            done = hash_with<SHA512_CTX, SHA384_Init, SHA384_Update, SHA384_Final>(parts, digest);
            break;
        case HashAlgorithm::sha512:
            done = hash_with<SHA512_CTX, SHA512_Init, SHA512_Update, SHA512_Final>(parts, digest);
            break;
    }
    if (!done) return failure(Stage::strong_name, ErrorCode::hash_failed);
    return {};
}

template <class T, void (*release)(T*)>
struct Release {
    void operator()(T* object) const { release(object); }
};
template <class T, void (*release)(T*)>
using Owned = std::unique_ptr<T, Release<T, release>>;
using Number = Owned<BIGNUM, BN_free>;
using Key = Owned<EVP_PKEY, EVP_PKEY_free>;
using KeyContext = Owned<EVP_PKEY_CTX, EVP_PKEY_CTX_free>;
using Builder = Owned<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free>;
using Parameters = Owned<OSSL_PARAM, OSSL_PARAM_free>;

/// Errors that OpenSSL queues inside this scope are ours; the application's stay.
struct ErrorScope {
    ErrorScope() { ERR_set_mark(); }
    ~ErrorScope() { ERR_pop_to_mark(); }
    ErrorScope(const ErrorScope&) = delete;
    ErrorScope& operator=(const ErrorScope&) = delete;
};

/// Made once (0.6 ms) and never freed. A context of our own holds the built-in provider alone: no
/// policy of the machine or the application (no SHA-1, no 1,024 bits) can forbid what strong names
/// prescribe, and we need not keep OpenSSL from loading the application's configuration.
OSSL_LIB_CTX* library() {
    static OSSL_LIB_CTX* const context = OSSL_LIB_CTX_new();
    return context;
}

/// The DER of a DigestInfo up to the digest (RFC 8017, 9.2). With it the signature is checked as
/// one of plain bytes, for which no digest has to be fetched from a provider.
ByteSpan digest_info_prefix(HashAlgorithm algorithm) {
    static constexpr std::array<std::uint8_t, 18> md5 = {0x30, 0x20, 0x30, 0x0C, 0x06, 0x08,
                                                         0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D,
                                                         0x02, 0x05, 0x05, 0x00, 0x04, 0x10};
    static constexpr std::array<std::uint8_t, 15> sha1 = {
        0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2B, 0x0E, 0x03, 0x02, 0x1A, 0x05, 0x00, 0x04, 0x14};
    static constexpr auto sha2 = [](std::uint8_t which, std::uint8_t size) {
        return std::array<std::uint8_t, 19>{0x30,  static_cast<std::uint8_t>(17 + size),
                                            0x30,  0x0D,
                                            0x06,  0x09,
                                            0x60,  0x86,
                                            0x48,  0x01,
                                            0x65,  0x03,
                                            0x04,  0x02,
                                            which, 0x05,
                                            0x00,  0x04,
                                            size};
    };
    static constexpr std::array<std::uint8_t, 19> sha256 = sha2(1, 32);
    static constexpr std::array<std::uint8_t, 19> sha384 = sha2(2, 48);
    static constexpr std::array<std::uint8_t, 19> sha512 = sha2(3, 64);
    switch (algorithm) {
        case HashAlgorithm::md5: return md5;
        case HashAlgorithm::sha1: return sha1;
        case HashAlgorithm::sha256: return sha256;
        case HashAlgorithm::sha384: return sha384;
        case HashAlgorithm::sha512: return sha512;
    }
    return {};
}

Key import(const RsaPublicKey& key) {
    const Number modulus{
        BN_lebin2bn(key.modulus.data(), static_cast<int>(key.modulus.size()), nullptr)};
    const Builder builder{OSSL_PARAM_BLD_new()};
    if (!modulus || !builder ||
        OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, modulus.get()) != 1 ||
        OSSL_PARAM_BLD_push_uint32(builder.get(), OSSL_PKEY_PARAM_RSA_E, key.exponent) != 1) {
        return nullptr;
    }
    const Parameters parameters{OSSL_PARAM_BLD_to_param(builder.get())};
    const KeyContext context{EVP_PKEY_CTX_new_from_name(library(), "RSA", nullptr)};
    EVP_PKEY* made = nullptr;
    if (!parameters || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
        EVP_PKEY_fromdata(context.get(), &made, EVP_PKEY_PUBLIC_KEY, parameters.get()) != 1) {
        return nullptr;
    }
    return Key{made};
}

constexpr std::size_t largest_modulus = OPENSSL_RSA_MAX_MODULUS_BITS / 8;

Result<bool> verify_rsa(const RsaPublicKey& key, HashAlgorithm algorithm, ByteSpan digest,
                        ByteSpan signature) {
    if (key.modulus.empty() || key.modulus.size() > largest_modulus) {
        return failure(Stage::strong_name, ErrorCode::bad_key, no_offset,
                       "the modulus has no bits, or more than 16384");
    }
    if (signature.size() != key.modulus.size() || digest.size() != digest_size(algorithm)) {
        return false;
    }
    const ByteSpan prefix = digest_info_prefix(algorithm);
    std::array<std::uint8_t, 19 + largest_digest> info;
    std::uint8_t* const end =
        std::ranges::copy(digest, std::ranges::copy(prefix, info.data()).out).out;
    std::array<std::uint8_t, largest_modulus> big_endian;
    std::ranges::reverse_copy(signature, big_endian.data());

    const ErrorScope errors;
    const Key imported = import(key);
    if (!imported) return failure(Stage::strong_name, ErrorCode::bad_key);
    const KeyContext context{EVP_PKEY_CTX_new_from_pkey(library(), imported.get(), nullptr)};
    if (!context || EVP_PKEY_verify_init(context.get()) != 1 ||
        EVP_PKEY_CTX_set_rsa_padding(context.get(), RSA_PKCS1_PADDING) != 1) {
        return failure(Stage::strong_name, ErrorCode::bad_key);
    }
    return EVP_PKEY_verify(context.get(), big_endian.data(), signature.size(), info.data(),
                           static_cast<std::size_t>(end - info.data())) == 1;
}

}  // namespace

const Crypto& openssl_crypto() {
    static constexpr Crypto table{.hash = hash, .verify_rsa = verify_rsa};
    return table;
}

}  // namespace clrkit
