// What the tests of core/pe share: a small PE file with one part of interest in a section of its
// own, and the check that a part re-emits exactly what it claims.
#pragma once

#include "support/catch.h"
#include "support/image_builder.h"

#include <clrkit/core/bytes/span.h>
#include <clrkit/core/diagnostics.h>
#include <clrkit/core/pe/claims.h>
#include <clrkit/core/pe/image.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace clrkit::test {

/// Where the part of a sample stands.
inline constexpr std::uint32_t part_rva = 0x8000;
inline constexpr std::uint32_t part_offset = 0x400;

/// Little-endian words of four bytes.
inline Bytes words(std::initializer_list<std::uint32_t> values) {
    Bytes out;
    for (const std::uint32_t value : values) append(out, little_endian(value, 4));
    return out;
}

/// The parts one after another.
inline Bytes joined(std::initializer_list<Bytes> parts) {
    Bytes out;
    for (const Bytes& part : parts) append(out, part);
    return out;
}

/// A text with its NUL.
inline Bytes text0(std::string_view text) {
    Bytes out = bytes_of(text);
    out.push_back(0);
    return out;
}

/// A PE32 file of two sections: code at 0x2000 (offset 0x200), and the part at `part_rva`.
inline PeSpec pe_with(pe::Directory directory, const Bytes& part) {
    PeSpec spec;
    SectionSpec code;
    code.name = bytes_of(".text");
    code.virtual_address = 0x2000;
    code.data = Bytes(0x200, 0);
    SectionSpec data;
    data.name = bytes_of(".part");
    data.virtual_address = part_rva;
    data.data = part;
    spec.sections = {code, data};
    spec.directories[static_cast<int>(directory)] = {part_rva,
                                                     static_cast<std::uint32_t>(part.size())};
    return spec;
}

/// A parsed file. The bytes are an allocation of their exact size.
struct Sample {
    explicit Sample(const Bytes& bytes) : file(bytes.begin(), bytes.end()) {
        auto parsed = pe::Image::parse(file, &diagnostics);
        REQUIRE(parsed.has_value());
        image = *parsed;
        REQUIRE(diagnostics.empty());
    }
    explicit Sample(const PeSpec& spec) : Sample(build(spec)) {}
    Sample(const Sample&) = delete;

    Bytes file;
    pe::Image image;
    Diagnostics diagnostics;
};

/// The bytes inside the claims are those of the file, all others were left zero.
inline void check_emitted(ByteSpan file, const Bytes& emitted,
                          const std::vector<pe::Claim>& claims) {
    Bytes expected(file.size(), 0);
    for (const pe::Claim& claim : claims) {
        REQUIRE(claim.size != 0);
        REQUIRE(fits(file.size(), claim.offset, claim.size));
        const auto at = static_cast<std::ptrdiff_t>(claim.offset);
        std::copy_n(file.begin() + at, claim.size, expected.begin() + at);
    }
    const auto [ours, theirs] = std::mismatch(emitted.begin(), emitted.end(), expected.begin());
    INFO("differs at offset " << ours - emitted.begin());
    CHECK((ours == emitted.end() && theirs == expected.end()));
}

/// Emits `part` into zeros and compares; `claim_all` is its claim function.
template <class Part, class ClaimAll>
void check_reemits(ByteSpan file, const Part& part, ClaimAll claim_all) {
    Bytes emitted(file.size(), 0);
    CHECK(emit(part, MutableByteSpan{emitted}).has_value());
    std::vector<pe::Claim> claims;
    claim_all(part, claims);
    check_emitted(file, emitted, claims);
}

}  // namespace clrkit::test
