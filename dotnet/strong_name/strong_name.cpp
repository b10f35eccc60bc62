#include <clrkit/core/limits.h>
#include <clrkit/core/try.h>
#include <clrkit/dotnet/strong_name/strong_name.h>
#include <clrkit/dotnet/strong_name/well_known_keys.h>

#include <algorithm>
#include <optional>

namespace clrkit::strong_name {
namespace {

using pe::FileRange;

// The headers as the runtime copies them: structures of a fixed size, with all sixteen directories,
// whatever SizeOfOptionalHeader says. The certificate's entry is the fifth directory.
constexpr std::uint64_t nt_headers_size32 = 248;
constexpr std::uint64_t nt_headers_size64 = 264;
constexpr std::uint64_t certificate_entry = 32;  // from the first directory

/// Appends ranges; parts of no size are left out.
class RangeList {
public:
    explicit RangeList(std::size_t expected) { ranges_.reserve(expected); }
    void add(std::uint64_t from, std::uint64_t to) {
        if (from < to) ranges_.push_back({{from, to - from}, false});
    }
    void zeros(std::uint64_t from, std::uint64_t to) {
        ranges_.push_back({{from, to - from}, true});
    }
    std::vector<SignedRange> take() { return std::move(ranges_); }

private:
    std::vector<SignedRange> ranges_;
};

Status add_headers(RangeList& list, const pe::Image& image, std::uint64_t file_size) {
    const std::uint64_t nt = image.pe_offset();
    const std::uint64_t nt_end =
        nt + (image.is_pe32_plus() ? nt_headers_size64 : nt_headers_size32);
    if (nt_end > file_size || image.headers_end() > file_size) {
        return failure(Stage::strong_name, ErrorCode::pe_truncated, nt);
    }
    const std::uint64_t checksum = std::uint64_t{image.optional_offset()} + 64;
    const std::uint64_t entry = image.directories_offset() + certificate_entry;
    list.add(0, nt);
    list.add(nt, checksum);
    list.zeros(checksum, checksum + 4);
    list.add(checksum + 4, entry);
    list.zeros(entry, entry + 8);
    list.add(entry + 8, nt_end);
    list.add(image.sections_offset(), image.headers_end());
    return {};
}

}  // namespace

Result<std::vector<SignedRange>> signed_ranges(const pe::Image& image, std::uint64_t file_size,
                                               FileRange signature) {
    const auto sections = image.sections();
    if (sections.size() != image.coff().number_of_sections) {
        return failure(Stage::strong_name, ErrorCode::pe_sections_clamped, image.coff_offset() + 2);
    }
    RangeList list(7 + sections.size() + 1);
    TRY_DO(add_headers(list, image, file_size));
    std::uint64_t budget = Limits{}.output_budget(file_size);
    std::uint64_t header_at = image.sections_offset();
    for (const pe::SectionHeader& section : sections) {
        // The fields as they stand: what the loader would round, the runtime does not.
        const std::uint64_t size = section.size_of_raw_data;
        const std::uint64_t begin = section.pointer_to_raw_data;
        const std::uint64_t end = begin + size;
        if (size != 0 && !fits(file_size, begin, size)) {
            return failure(Stage::strong_name, ErrorCode::pe_section_unbacked, header_at);
        }
        if (size > budget) return failure(Stage::strong_name, ErrorCode::limit_reached, header_at);
        budget -= size;
        header_at += sizeof(pe::SectionHeader);
        if (signature.empty() || size == 0 || signature.end() <= begin || signature.offset >= end) {
            list.add(begin, end);
        } else if (signature.offset < begin || signature.end() > end) {
            return failure(Stage::strong_name, ErrorCode::pe_bad_entry, signature.offset,
                           "the signature does not lie in one section");
        } else {
            list.add(begin, signature.offset);
            list.add(signature.end(), end);
        }
    }
    return list.take();
}

Result<Digest> strong_name_hash(const pe::Image& image, FileRange signature,
                                HashAlgorithm algorithm, const Crypto& crypto) {
    static constexpr std::array<std::uint8_t, 8> zeros{};
    const ByteSpan file = image.bytes();
    TRY(const std::vector<SignedRange> ranges, signed_ranges(image, file.size(), signature));
    std::vector<ByteSpan> parts;
    parts.reserve(ranges.size());
    for (const SignedRange& part : ranges) {
        const ByteSpan from = part.as_zeros ? ByteSpan(zeros) : tail(file, part.range.offset);
        parts.push_back(from.first(static_cast<std::size_t>(part.range.size)));
    }
    Digest digest{.algorithm = algorithm};
    TRY_DO(
        crypto.hash(algorithm, parts, MutableByteSpan(digest.bytes).first(digest_size(algorithm))));
    return digest;
}

Result<FileRange> signature_range(const pe::Image& image, const pe::ClrHeader& header) {
    const pe::DataDirectory& entry = header.strong_name_signature;
    if (entry.rva == 0 || entry.size == 0) return FileRange{};
    const auto bytes = image.range(entry.rva, entry.size);
    if (!bytes) {
        return failure(Stage::strong_name, ErrorCode::pe_directory_outside, no_offset,
                       "the strong-name signature");
    }
    return FileRange{image.offset_in_file(*bytes), bytes->size()};
}

const char* name_of(SignatureState state) {
    switch (state) {
        case SignatureState::not_signed: return "unsigned";
        case SignatureState::delay_signed: return "delay-signed";
        case SignatureState::public_signed: return "public-signed";
        case SignatureState::valid: return "valid";
        case SignatureState::invalid: return "invalid";
        case SignatureState::unchecked: return "unchecked";
    }
    return "";
}

namespace {

/// One image's signature, tried with one key after the other; the image is hashed once for each
/// hash algorithm that comes up in a row.
class Trial {
public:
    Trial(const pe::Image& image, FileRange signature, const Crypto& crypto)
        : image_(image), signature_(signature), crypto_(crypto) {}

    HashAlgorithm hash() const { return digest_->algorithm; }

    Result<bool> signed_by(ByteSpan public_key) {
        TRY(const Key key, parse_public_key(public_key));
        TRY(const HashAlgorithm algorithm, hash_algorithm(key));
        if (!digest_ || digest_->algorithm != algorithm) {
            TRY(digest_, strong_name_hash(image_, signature_, algorithm, crypto_));
        }
        const ByteSpan signature = image_.bytes().subspan(
            static_cast<std::size_t>(signature_.offset), static_cast<std::size_t>(signature_.size));
        return crypto_.verify_rsa(key.rsa, algorithm, digest_->span(), signature);
    }

private:
    const pe::Image& image_;
    FileRange signature_;
    const Crypto& crypto_;
    std::optional<Digest> digest_;
};

/// Who made the signature, among those whose signature counts.
Result<Signer> find_signer(Trial& trial, const AssemblyKeys& keys, const Crypto& crypto) {
    if (!keys.signature_key.empty()) {
        TRY(const bool vouched_for, counter_signed(keys, crypto));
        if (!vouched_for) return Signer::none;
        TRY(const bool signed_by_it, trial.signed_by(keys.signature_key));
        return signed_by_it ? Signer::signature_key : Signer::none;
    }
    const bool neutral = is_neutral_key(keys.public_key);
    TRY(const bool real, trial.signed_by(neutral ? microsoft_key() : keys.public_key));
    if (real) return neutral ? Signer::microsoft : Signer::own_key;
    TRY(const PublicKeyToken token, public_key_token(keys.public_key, crypto));
    if (!mono_signs_for(token)) return Signer::none;
    TRY(const bool mono, trial.signed_by(mono_key()));
    return mono ? Signer::mono : Signer::none;
}

/// True for an image dumped from memory: the bytes that were signed are not in the order of the file.
bool laid_out_for_memory(const pe::Image& image) {
    if (image.mapping() != pe::Mapping::memory) return false;
    return std::ranges::any_of(image.sections(), [](const pe::SectionHeader& section) {
        return section.pointer_to_raw_data != section.virtual_address;
    });
}

}  // namespace

Result<Signature> check(const pe::Image& image, const pe::ClrHeader& header,
                        const AssemblyKeys& keys, const Crypto* crypto) {
    Signature result;
    if (keys.public_key.empty()) return result;
    TRY(result.range, signature_range(image, header));
    const ByteSpan signature = slice_clamped(image.bytes(), result.range.offset, result.range.size);
    if (all_zero(signature)) {
        const bool flagged = (header.flags & pe::clr_flags::strong_name_signed) != 0;
        result.state = flagged ? SignatureState::public_signed : SignatureState::delay_signed;
        return result;
    }
    result.state = SignatureState::unchecked;
    if (crypto == nullptr || laid_out_for_memory(image)) return result;
    Trial trial(image, result.range, *crypto);
    TRY(result.signer, find_signer(trial, keys, *crypto));
    result.state = result.signer != Signer::none ? SignatureState::valid : SignatureState::invalid;
    if (result.signer != Signer::none) result.hash = trial.hash();
    return result;
}

Result<bool> counter_signed(const AssemblyKeys& keys, const Crypto& crypto) {
    const bool neutral = is_neutral_key(keys.public_key);
    TRY(const Key identity, parse_public_key(neutral ? microsoft_key() : keys.public_key));
    TRY(const HashAlgorithm algorithm, hash_algorithm(identity));
    Digest digest{.algorithm = algorithm};
    TRY_DO(crypto.hash(algorithm, {&keys.signature_key, 1},
                       MutableByteSpan(digest.bytes).first(digest_size(algorithm))));
    return crypto.verify_rsa(identity.rsa, algorithm, digest.span(), keys.counter_signature);
}

}  // namespace clrkit::strong_name
