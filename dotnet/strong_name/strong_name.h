// Strong names: which bytes of an image are signed, and whether its signature is right (ECMA-335
// II.6.2.1.3, II.25.3.3; the details are those of .NET Framework, the last runtime to check).
// Signing needs nothing more: hash `signed_ranges`, sign the digest, and write the signature,
// reversed, into the range that was left out. STRONGNAMESIGNED is hashed: set it first.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/span.h>
#include <clrkit/core/error.h>
#include <clrkit/core/pe/claims.h>
#include <clrkit/core/pe/image.h>
#include <clrkit/dotnet/strong_name/crypto.h>
#include <clrkit/dotnet/strong_name/public_key.h>

#include <array>
#include <cstdint>
#include <vector>

namespace clrkit::strong_name {

/// A part of the file as it goes into the hash.
struct SignedRange {
    pe::FileRange range;
    /// Hashed as that many zero bytes: the checksum, and the directory entry of the certificate.
    bool as_zeros = false;
    friend bool operator==(const SignedRange&, const SignedRange&) = default;
};

/// What a strong-name signature covers, in the order in which it is hashed: everything before the
/// PE signature; the NT headers at their fixed size (248 or 264 bytes), checksum and certificate
/// entry as zeros; the section headers; each section's raw data, in the order of the headers,
/// without the signature. Nothing between, behind or beside: not the padding behind the section
/// headers, no gap between sections, no overlay, no certificate.
///
/// Only the headers are read, so `image` may be a view of headers that are still to be written;
/// `file_size` is the size of the whole file. `signature` is the range left out; may be empty.
/// Errors, where the runtime finds no valid signature either: `pe_sections_clamped`,
/// `pe_section_unbacked`, `pe_truncated`, `pe_bad_entry` (a signature that begins or ends outside
/// the section it touches), and `limit_reached` for sections that overlap beyond the usual budget.
CLRKIT_API Result<std::vector<SignedRange>> signed_ranges(const pe::Image& image,
                                                          std::uint64_t file_size,
                                                          pe::FileRange signature);

/// A digest; `size` bytes of it count.
struct Digest {
    HashAlgorithm algorithm = HashAlgorithm::sha1;
    std::array<std::uint8_t, largest_digest> bytes{};
    ByteSpan span() const { return ByteSpan(bytes).first(digest_size(algorithm)); }
};

/// The strong-name hash of an image in memory, computed in place. Errors: those of `signed_ranges`,
/// `hash_failed`.
CLRKIT_API Result<Digest> strong_name_hash(const pe::Image& image, pe::FileRange signature,
                                           HashAlgorithm algorithm, const Crypto& crypto);

/// Where the signature is that the CLR header names; an empty range where it names none. Error:
/// `pe_directory_outside`.
CLRKIT_API Result<pe::FileRange> signature_range(const pe::Image& image,
                                                 const pe::ClrHeader& header);

enum class SignatureState : std::uint8_t {
    not_signed,     // the assembly has no public key
    delay_signed,   // a key, but no signature (absent or all zero) and no STRONGNAMESIGNED
    public_signed,  // STRONGNAMESIGNED, but no signature
    valid,          // whether flagged or not: mono's libraries have the flag clear
    invalid,
    unchecked,  // a signature, but no Crypto to check it with, or an image dumped from memory
};
/// As printed: "unsigned", "delay-signed", "public-signed", "valid", "invalid", "unchecked".
CLRKIT_API const char* name_of(SignatureState state);

/// Whose key a valid signature was made with.
enum class Signer : std::uint8_t {
    none,           // not valid
    own_key,        // the assembly's public key
    signature_key,  // AssemblySignatureKeyAttribute's, which the assembly's key vouches for
    microsoft,      // Microsoft's, which the neutral key stands for in .NET Framework
    /// Mono's, which its machine.config accepts for the neutral key and four Microsoft and IBM
    /// tokens, and no other runtime does. The private key is public: it proves nothing.
    mono,
};

struct Signature {
    SignatureState state = SignatureState::not_signed;
    Signer signer = Signer::none;
    HashAlgorithm hash = HashAlgorithm::sha1;  // where valid
    pe::FileRange range;                       // empty where there is no signature
};

/// The keys an assembly names; views, empty where absent.
// The initializers keep GCC from warning where a caller names the public key alone.
// NOLINTBEGIN(readability-redundant-member-init)
struct AssemblyKeys {
    ByteSpan public_key = {};         // the Assembly row's
    ByteSpan signature_key = {};      // AssemblySignatureKeyAttribute's first argument, out of hex
    ByteSpan counter_signature = {};  // and its second
};
// NOLINTEND(readability-redundant-member-init)

/// The state of an image's strong name. `header` is its CLR header. `crypto` may be null: then a
/// signature that is there stays unchecked. Decides as .NET Framework does, with the key's hash
/// algorithm, except that Mono's key is accepted where Mono accepts it: ask `signer`.
/// Reads the whole file once when there is a signature to check, nothing but headers otherwise.
/// Errors, when a signature can neither be right nor wrong: `bad_key` for a key that is none, those
/// of `signed_ranges`, `signature_range` and `crypto`.
CLRKIT_API Result<Signature> check(const pe::Image& image, const pe::ClrHeader& header,
                                   const AssemblyKeys& keys, const Crypto* crypto);

/// True when the assembly's key (Microsoft's for the neutral one) vouches for the signature key:
/// when `counter_signature` is its signature over the bytes of the signature key's blob. Errors:
/// `bad_key`, `hash_failed`.
CLRKIT_API Result<bool> counter_signed(const AssemblyKeys& keys, const Crypto& crypto);

}  // namespace clrkit::strong_name
