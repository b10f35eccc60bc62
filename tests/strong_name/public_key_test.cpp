// Strong-name keys as blobs: the samples' keys, the neutral one, and blobs that are no key.
#include <clrkit/dotnet/strong_name/openssl_crypto.h>
#include <clrkit/dotnet/strong_name/public_key.h>

#include <algorithm>
#include <string>

#include "strong_name/samples.h"
#include "support/catch.h"
#include "support/environment.h"

using namespace clrkit;
using namespace clrkit::strong_name;
using namespace clrkit::test;

namespace {

Bytes key_file(const char* name) { return read_file(testdata() / "keys" / name); }

Bytes token_of(const Bytes& blob) {
    const auto token = public_key_token(blob, openssl_crypto());
    REQUIRE(token);
    return {token->begin(), token->end()};
}

Bytes neutral() { return {neutral_key.begin(), neutral_key.end()}; }

/// A public key blob of 1,024 bits, so far correct.
Bytes correct() { return key_file("test.pub"); }

Bytes with(std::uint64_t offset, std::uint32_t value) {
    Bytes blob = correct();
    put(blob, offset, little_endian(value, 4));
    return blob;
}

void check_refused(const Bytes& blob, std::uint64_t offset) {
    const auto key = parse_public_key(blob);
    REQUIRE(!key);
    CHECK(key.error().stage == Stage::strong_name);
    CHECK(key.error().code == ErrorCode::bad_key);
    CHECK(key.error().offset == offset);
}

}  // namespace

TEST_CASE("a public key file has its modulus, exponent and algorithms") {
    const Bytes blob = correct();
    const auto key = parse_public_key(blob);
    REQUIRE(key);
    CHECK(key->kind == KeyKind::public_key);
    CHECK(key->signature_algorithm == 0x2400);
    CHECK(key->hash_algorithm == 0x8004);
    CHECK(key->bits == 1024);
    CHECK(key->rsa.exponent == 65537);
    REQUIRE(key->rsa.modulus.size() == 128);
    CHECK(key->rsa.modulus.data() == blob.data() + 32);
    CHECK(hash_algorithm(*key) == HashAlgorithm::sha1);
}

TEST_CASE("a key pair gives the public key blob that sn extracts from it") {
    for (const auto& [pair, expected] :
         {std::pair{"test.snk", "test.pub"}, std::pair{"test2048.snk", "test2048.pub"}}) {
        const Bytes file = key_file(pair);
        const auto key = parse_key_file(file);
        REQUIRE(key);
        CHECK(key->kind == KeyKind::key_pair);
        CHECK(public_key_blob(*key) == key_file(expected));
    }
}

TEST_CASE("a key pair's private numbers fill the blob to its end") {
    const Bytes file = key_file("test.snk");
    const auto key = parse_key_file(file);
    REQUIRE(key);
    CHECK(key->private_key.prime1.size() == 64);
    CHECK(key->private_key.exponent.size() == 128);
    CHECK(key->private_key.exponent.data() + 128 == file.data() + file.size());
}

TEST_CASE("B29 a signature is as long as the modulus, for both kinds of blob") {
    const auto size_of = [](const char* name) {
        const Bytes file = key_file(name);
        const auto key = parse_key_file(file);
        REQUIRE(key);
        return signature_size(*key);
    };
    CHECK(size_of("test.pub") == 128);
    CHECK(size_of("test.snk") == 128);
    CHECK(size_of("test2048.pub") == 256);
    CHECK(size_of("test2048.snk") == 256);
}

TEST_CASE("a PUBLICKEYBLOB without the strong-name header is a key file") {
    const Bytes whole = correct();
    const Bytes bare(whole.begin() + 12, whole.end());
    const auto key = parse_key_file(bare);
    REQUIRE(key);
    CHECK(key->kind == KeyKind::public_key);
    CHECK(public_key_blob(*key) == whole);
    CHECK(!parse_public_key(bare));  // but not what an Assembly row holds
}

TEST_CASE("a key that names no hash gets the one asked for") {
    const Bytes file = key_file("test.snk");
    const auto key = parse_key_file(file);
    REQUIRE(key);
    const Bytes blob = public_key_blob(*key, HashAlgorithm::sha256);
    CHECK(blob == with(4, 0x800C));
    const auto again = parse_public_key(blob);
    REQUIRE(again);
    CHECK(hash_algorithm(*again) == HashAlgorithm::sha256);
}

TEST_CASE("the neutral key is known, is written as it is, and signs with 1,024 bits") {
    const Bytes blob = neutral();
    CHECK(is_neutral_key(blob));
    const auto key = parse_public_key(blob);
    REQUIRE(key);
    CHECK(key->kind == KeyKind::neutral);
    CHECK(signature_size(*key) == 128);
    CHECK(public_key_blob(*key) == blob);
    CHECK(!is_neutral_key(Bytes(16)));
    CHECK(!is_neutral_key({}));
}

TEST_CASE("tokens are those that the world knows") {
    CHECK(token_of(neutral()) == from_hex("b77a5c561934e089"));
    // Microsoft's, as in every System.*.dll of .NET Framework.
    CHECK(
        token_of(from_hex(
            "002400000480000094000000060200000024000052534131000400000100010007d1fa57c4aed9f0"
            "a32e84aa0faefd0de9e8fd6aec8f87fb03766c834c99921eb23be79ad9d5dcc1dd9ad23613210290"
            "0b723cf980957fc4e177108fc607774f29e8320e92ea05ece4e821c0a5efe8f1645c4c0c93c1ab99"
            "285d622caa652c1dfad63d745d6f2de5f17e5eaf0fc4963d261c8a12436518206dc093344d5ad293")) ==
        from_hex("b03f5f7f11d50a3a"));
}

TEST_CASE("MISC-09 blobs that are no key are refused with a place") {
    check_refused({}, 0);
    check_refused(Bytes(11, 0x24), 0);
    check_refused(with(8, 147), 8);                // cbPublicKey too small
    check_refused(with(8, 0xFFFFFFFF), 8);         // too large
    check_refused(with(12, 0x00000207), 12);       // PRIVATEKEYBLOB with RSA1
    check_refused(with(12, 0x00000306), 13);       // version 3
    check_refused(with(20, 0x31535344), 12);       // DSS1
    check_refused(with(24, 0), 24);                // no bits
    check_refused(with(24, 1032), 24);             // more bits than bytes
    check_refused(with(24, 0xFFFFFFFF), 24);       // many more
    check_refused(with(24, 1016), 12 + 20 + 127);  // bytes left over
}

TEST_CASE("MISC-09 every shorter blob is refused, whatever its header says") {
    const Bytes blob = correct();
    for (std::size_t size = 0; size < blob.size(); ++size) {
        Bytes cut(blob.begin(), blob.begin() + static_cast<std::ptrdiff_t>(size));
        CHECK(!parse_public_key(cut));
        if (size < 12) continue;
        put(cut, 8, little_endian(size - 12, 4));
        CHECK(!parse_public_key(cut));
    }
}

TEST_CASE("MISC-09 every shorter key pair is refused") {
    const Bytes file = key_file("test.snk");
    for (std::size_t size = 0; size < file.size(); ++size) {
        CHECK(!parse_key_file(ByteSpan(file).first(size)));
    }
}

TEST_CASE("MISC-09 a key with an unknown hash parses, and says so when it is asked for it") {
    const Bytes blob = with(4, 0x8005);
    const auto key = parse_public_key(blob);
    REQUIRE(key);
    CHECK(key->hash_algorithm == 0x8005);
    const auto algorithm = hash_algorithm(*key);
    REQUIRE(!algorithm);
    CHECK(algorithm.error().code == ErrorCode::bad_key);
    CHECK(public_key_blob(*key) == blob);
}

TEST_CASE("a key without a hash number signs with SHA-1") {
    const Bytes blob = with(4, 0);
    const auto key = parse_public_key(blob);
    REQUIRE(key);
    CHECK(hash_algorithm(*key) == HashAlgorithm::sha1);
}
