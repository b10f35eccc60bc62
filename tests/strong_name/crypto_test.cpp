// Known answers for the hashes and for RSA, and keys that are none.
#include <clrkit/dotnet/strong_name/openssl_crypto.h>

#include <array>

#include "strong_name/samples.h"
#include "support/catch.h"

using namespace clrkit;
using namespace clrkit::test;

namespace {

constexpr HashAlgorithm all[] = {HashAlgorithm::md5, HashAlgorithm::sha1, HashAlgorithm::sha256,
                                 HashAlgorithm::sha384, HashAlgorithm::sha512};

Bytes hash(HashAlgorithm algorithm, std::initializer_list<Bytes> parts) {
    const std::vector<ByteSpan> spans(parts.begin(), parts.end());
    Bytes digest(digest_size(algorithm));
    REQUIRE(openssl_crypto().hash(algorithm, spans, digest));
    return digest;
}

Result<bool> verify(HashAlgorithm algorithm, const Bytes& digest, const Bytes& signature) {
    const Bytes modulus = known_modulus();
    return openssl_crypto().verify_rsa({modulus, 65537}, algorithm, digest, signature);
}

}  // namespace

TEST_CASE("each hash gives the published digest of abc") {
    const Bytes abc = bytes_of("abc");
    CHECK(hash(HashAlgorithm::md5, {abc}) == from_hex("900150983cd24fb0d6963f7d28e17f72"));
    CHECK(hash(HashAlgorithm::sha1, {abc}) == from_hex("a9993e364706816aba3e25717850c26c9cd0d89d"));
    CHECK(hash(HashAlgorithm::sha256, {abc}) ==
          from_hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    CHECK(hash(HashAlgorithm::sha384, {abc}) ==
          from_hex("cb00753f45a35e8bb5a03d699ac65007272c32ab0eded163"
                   "1a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"));
    CHECK(hash(HashAlgorithm::sha512, {abc}) ==
          from_hex("ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                   "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"));
}

TEST_CASE("a hash over parts is the hash over what they make together, empty ones included") {
    for (const HashAlgorithm algorithm : all) {
        CHECK(hash(algorithm, {bytes_of("a"), {}, bytes_of("bc")}) ==
              hash(algorithm, {bytes_of("abc")}));
        CHECK(hash(algorithm, {}) == hash(algorithm, {Bytes{}}));
    }
}

TEST_CASE("a digest buffer of another size is refused") {
    std::array<std::uint8_t, 19> small{};
    const Status done = openssl_crypto().hash(HashAlgorithm::sha1, {}, small);
    REQUIRE(!done);
    CHECK(done.error().code == ErrorCode::hash_failed);
}

TEST_CASE("the ALG_ID of every hash leads back to it, and no other number does") {
    for (const HashAlgorithm algorithm : all) CHECK(hash_from_id(id_of(algorithm)) == algorithm);
    for (const std::uint32_t id : {0U, 0x8002U, 0x8005U, 0x800FU, 0x2400U, 0xFFFFFFFFU}) {
        CHECK(hash_from_id(id) == std::nullopt);
    }
}

TEST_CASE("a signature made elsewhere is right, for every hash") {
    for (const HashAlgorithm algorithm : all) {
        const Bytes digest = hash(algorithm, {bytes_of("abc")});
        CHECK(verify(algorithm, digest, known_signature(algorithm)) == true);
    }
}

TEST_CASE("a signature with one bit changed, of another digest or of another hash is wrong") {
    const Bytes digest = hash(HashAlgorithm::sha1, {bytes_of("abc")});
    Bytes changed = known_signature(HashAlgorithm::sha1);
    changed[100] ^= 1;
    CHECK(verify(HashAlgorithm::sha1, digest, changed) == false);
    CHECK(verify(HashAlgorithm::sha1, hash(HashAlgorithm::sha1, {bytes_of("abd")}),
                 known_signature(HashAlgorithm::sha1)) == false);
    CHECK(verify(HashAlgorithm::sha256, hash(HashAlgorithm::sha256, {bytes_of("abc")}),
                 known_signature(HashAlgorithm::sha1)) == false);
}

TEST_CASE("a signature or digest of the wrong length is wrong") {
    const Bytes digest = hash(HashAlgorithm::sha1, {bytes_of("abc")});
    const Bytes right = known_signature(HashAlgorithm::sha1);
    Bytes longer = right;
    longer.push_back(0);
    CHECK(verify(HashAlgorithm::sha1, digest, longer) == false);
    CHECK(verify(HashAlgorithm::sha1, digest, Bytes(right.begin(), right.end() - 1)) == false);
    CHECK(verify(HashAlgorithm::sha1, digest, {}) == false);
    CHECK(verify(HashAlgorithm::sha1, Bytes(19), right) == false);
}

TEST_CASE("a modulus of no bits, or of more than OpenSSL takes, is no key") {
    const Bytes digest(20);
    for (const std::size_t size : {std::size_t{0}, std::size_t{2049}}) {
        const Bytes modulus(size, 0xFF);
        const auto verified =
            openssl_crypto().verify_rsa({modulus, 65537}, HashAlgorithm::sha1, digest, Bytes(size));
        REQUIRE(!verified);
        CHECK(verified.error().code == ErrorCode::bad_key);
    }
}

TEST_CASE("absurd keys verify nothing") {
    const Bytes digest(20);
    for (const std::uint8_t fill : from_hex("000102FEFF")) {
        for (const std::uint32_t exponent : {0U, 1U, 2U, 3U, 65537U, 0xFFFFFFFFU}) {
            for (const std::size_t size : {1U, 11U, 128U, 2048U}) {
                const Bytes modulus(size, fill);
                const Bytes signature(size, 0x5A);
                const auto verified = openssl_crypto().verify_rsa(
                    {modulus, exponent}, HashAlgorithm::sha1, digest, signature);
                CHECK(verified.value_or(false) == false);
            }
        }
    }
}
