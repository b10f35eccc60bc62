#include <clrkit/core/bytes/reader.h>
#include <clrkit/core/try.h>
#include <clrkit/dotnet/strong_name/public_key.h>

#include <algorithm>

namespace clrkit::strong_name {
namespace {

constexpr std::uint8_t public_key_blob_type = 6;
constexpr std::uint8_t private_key_blob_type = 7;
constexpr std::uint8_t blob_version = 2;
constexpr std::uint32_t rsa1 = 0x31415352;
constexpr std::uint32_t rsa2 = 0x32415352;
constexpr std::uint32_t rsa_sign = 0x2400;
constexpr std::size_t strong_name_header = 12;  // SigAlgId, HashAlgId, cbPublicKey
constexpr std::size_t rsa_header = 20;          // BLOBHEADER and RSAPUBKEY

std::unexpected<Error> bad(std::uint64_t offset, const char* why) {
    return failure(Stage::strong_name, ErrorCode::bad_key, offset, why);
}

/// A PUBLICKEYBLOB or PRIVATEKEYBLOB that fills `blob`; `at` is its offset, for errors.
Result<Key> parse_rsa(ByteSpan blob, std::uint64_t at) {
    ByteReader reader(blob);
    const std::uint8_t type = reader.u8();
    const std::uint8_t version = reader.u8();
    reader.skip(2);
    Key key;
    key.key_algorithm = reader.u32();
    const std::uint32_t magic = reader.u32();
    key.bits = reader.u32();
    key.rsa.exponent = reader.u32();
    if (!reader.ok()) return bad(at, "the blob ends inside its header");
    if (type == public_key_blob_type && magic == rsa1) {
        key.kind = KeyKind::public_key;
    } else if (type == private_key_blob_type && magic == rsa2) {
        key.kind = KeyKind::key_pair;
    } else {
        return bad(at, "neither an RSA public key nor an RSA key pair");
    }
    if (version != blob_version) return bad(at + 1, "the blob's version is not 2");
    if (key.bits == 0) return bad(at + 12, "the modulus has no bits");

    const std::uint64_t whole = (std::uint64_t{key.bits} + 7) / 8;
    const std::uint64_t half = (std::uint64_t{key.bits} + 15) / 16;
    key.rsa.modulus = reader.bytes(whole);
    if (key.kind == KeyKind::key_pair) {
        PrivateKey& secret = key.private_key;
        secret.prime1 = reader.bytes(half);
        secret.prime2 = reader.bytes(half);
        secret.exponent1 = reader.bytes(half);
        secret.exponent2 = reader.bytes(half);
        secret.coefficient = reader.bytes(half);
        secret.exponent = reader.bytes(whole);
    }
    if (!reader.ok()) return bad(at + 12, "the blob is too short for its number of bits");
    if (reader.left() != 0) {
        return bad(at + reader.position(), "bytes are left over behind the key");
    }
    return key;
}

}  // namespace

bool is_neutral_key(ByteSpan blob) { return std::ranges::equal(blob, neutral_key); }

Result<Key> parse_public_key(ByteSpan blob) {
    if (is_neutral_key(blob)) return Key{};
    ByteReader reader(blob);
    const std::uint32_t signature_id = reader.u32();
    const std::uint32_t hash_id = reader.u32();
    const std::uint32_t size = reader.u32();
    if (!reader.ok()) return bad(0, "the blob ends inside its header");
    if (size != reader.left()) return bad(8, "the key is not as long as its header says");
    TRY(Key key, parse_rsa(reader.rest(), strong_name_header));
    if (key.kind != KeyKind::public_key) return bad(strong_name_header, "not a public key");
    key.signature_algorithm = signature_id;
    key.hash_algorithm = hash_id;
    return key;
}

Result<Key> parse_key_file(ByteSpan file) {
    if (file.empty()) return bad(0, "the key is empty");
    // A strong-name blob starts with an ALG_ID, whose low byte is 0.
    if (file[0] == public_key_blob_type || file[0] == private_key_blob_type) {
        return parse_rsa(file, 0);
    }
    return parse_public_key(file);
}

Result<HashAlgorithm> hash_algorithm(const Key& key) {
    if (key.hash_algorithm == 0) return HashAlgorithm::sha1;
    if (const auto known = hash_from_id(key.hash_algorithm)) return *known;
    return bad(4, "the key names a hash that is not known");
}

std::vector<std::uint8_t> public_key_blob(const Key& key, HashAlgorithm hash) {
    if (key.kind == KeyKind::neutral) return {neutral_key.begin(), neutral_key.end()};
    const std::size_t modulus = key.rsa.modulus.size();
    std::vector<std::uint8_t> blob(strong_name_header + rsa_header + modulus);
    std::uint8_t* const at = blob.data();
    const bool is_public = key.kind == KeyKind::public_key;
    const auto put = [at](std::size_t offset, std::uint32_t value) {
        store_le(at + offset, value);
    };
    put(0, key.signature_algorithm != 0 ? key.signature_algorithm : rsa_sign);
    put(4, key.hash_algorithm != 0 ? key.hash_algorithm : id_of(hash));
    put(8, static_cast<std::uint32_t>(rsa_header + modulus));
    at[12] = public_key_blob_type;
    at[13] = blob_version;
    put(16, is_public ? key.key_algorithm : rsa_sign);
    put(20, rsa1);
    put(24, key.bits);
    put(28, key.rsa.exponent);
    std::ranges::copy(key.rsa.modulus, at + strong_name_header + rsa_header);
    return blob;
}

Result<PublicKeyToken> public_key_token(ByteSpan blob, const Crypto& crypto) {
    std::array<std::uint8_t, digest_size(HashAlgorithm::sha1)> digest;
    TRY_DO(crypto.hash(HashAlgorithm::sha1, {&blob, 1}, digest));
    PublicKeyToken token;
    std::reverse_copy(digest.end() - 8, digest.end(), token.begin());
    return token;
}

}  // namespace clrkit::strong_name
