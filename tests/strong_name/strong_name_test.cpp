// Which bytes a strong-name signature covers, and the verdicts on signed files: built in source, from
// testdata/, and from the libraries of Mono and .NET where they are installed.
#include <clrkit/dotnet/metadata/container.h>
#include <clrkit/dotnet/metadata/metadata.h>
#include <clrkit/dotnet/strong_name/openssl_crypto.h>
#include <clrkit/dotnet/strong_name/strong_name.h>

#include <algorithm>
#include <string>

#include "strong_name/samples.h"
#include "support/catch.h"
#include "support/environment.h"
#include "support/process.h"

using namespace clrkit;
using namespace clrkit::strong_name;
using namespace clrkit::test;

namespace {

namespace fs = std::filesystem;

/// The state of a file's strong name, as its own metadata states the key.
Result<Signature> judge(const Bytes& file, const Crypto* crypto = &openssl_crypto()) {
    const auto container = Container::open_image(file);
    if (!container) return std::unexpected(container.error());
    const auto metadata = Metadata::parse(container->metadata, container->metadata_offset);
    if (!metadata) return std::unexpected(metadata.error());
    AssemblyKeys keys;
    if (metadata->rows(Table::Assembly) != 0)
        keys.public_key = metadata->blob(Table::Assembly, 1, 6);
    return check(container->image, container->clr, keys, crypto);
}

SignatureState state_of(const Bytes& file, const Crypto* crypto = &openssl_crypto()) {
    const auto signature = judge(file, crypto);
    REQUIRE(signature);
    return signature->state;
}

Bytes sample(const char* name) { return read_file(testdata() / "bin" / name); }

/// An image with room for a signature of 128 bytes; and where that is.
ImageSpec with_signature(bool pe32_plus) {
    ImageSpec image = minimal();
    image.pe.pe32_plus = pe32_plus;
    image.clr.strong_name_signature = {image.area.add(Bytes(128, 0)), 128};
    return image;
}

std::uint64_t signature_offset(const ImageSpec& spec) {
    return spec.offset_of(spec.clr.strong_name_signature.rva);
}

pe::Image parsed(const Bytes& file) {
    const auto image = pe::Image::parse(file);
    REQUIRE(image);
    return *image;
}

/// Ranges hashed as they are and as zeros, in order, adjoining ones joined.
struct Covered {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> bytes, zeros;
};

Covered covered(const Bytes& file, pe::FileRange signature) {
    const auto ranges = signed_ranges(parsed(file), file.size(), signature);
    REQUIRE(ranges);
    Covered result;
    for (const SignedRange& part : *ranges) {
        auto& list = part.as_zeros ? result.zeros : result.bytes;
        if (!list.empty() && list.back().second == part.range.offset) {
            list.back().second = part.range.end();
        } else {
            list.emplace_back(part.range.offset, part.range.end());
        }
    }
    return result;
}

ErrorCode refusal(const Bytes& file, pe::FileRange signature = {}) {
    const auto ranges = signed_ranges(parsed(file), file.size(), signature);
    return ranges ? ErrorCode::none : ranges.error().code;
}

/// A Crypto whose every signature by a key of 1,024 bits is right if it was made of 0xAA bytes.
Status ones(HashAlgorithm, std::span<const ByteSpan>, MutableByteSpan digest) {
    std::ranges::fill(digest, std::uint8_t{1});
    return {};
}
Result<bool> accept_aa(const RsaPublicKey&, HashAlgorithm, ByteSpan, ByteSpan signature) {
    return std::ranges::all_of(signature, [](std::uint8_t byte) { return byte == 0xAA; });
}
constexpr Crypto fake{.hash = ones, .verify_rsa = accept_aa};

/// `with_signature` with these bytes for a signature, a key, and the CLR flag.
Result<Signature> judged(const Bytes& signature, const Bytes& key, bool flagged,
                         const Crypto* crypto = &fake) {
    ImageSpec spec = with_signature(false);
    spec.clr.flags = flagged ? 9 : 1;
    Bytes file = build(spec);
    put(file, signature_offset(spec), signature);
    const auto container = Container::open_image(file);
    REQUIRE(container);
    return check(container->image, container->clr, {.public_key = key}, crypto);
}

Bytes some_key() { return read_file(testdata() / "keys" / "test.pub"); }
const Bytes no_signature(128, 0);
const Bytes right(128, 0xAA);
const Bytes wrong(128, 0xBB);

}  // namespace

// ------------------------------------------------------------------------------ what is signed

TEST_CASE("the headers are signed up to the last section header, but not the padding behind") {
    for (const bool pe32_plus : {false, true}) {
        const ImageSpec spec = with_signature(pe32_plus);
        const Bytes file = build(spec);
        const std::uint64_t checksum = spec.pe.optional_offset() + 64;
        const std::uint64_t certificate = spec.pe.directory_offset(4);
        const std::uint64_t headers_end = spec.pe.section_header_offset(1);
        const Covered covers = covered(file, {});
        REQUIRE(covers.zeros.size() == 2);
        CHECK(covers.zeros[0] == std::pair{checksum, checksum + 4});
        CHECK(covers.zeros[1] == std::pair{certificate, certificate + 8});
        REQUIRE(covers.bytes.size() == 4);
        CHECK(covers.bytes[0] == std::pair{std::uint64_t{0}, checksum});
        CHECK(covers.bytes[1] == std::pair{checksum + 4, certificate});
        CHECK(covers.bytes[2] == std::pair{certificate + 8, headers_end});
        CHECK(covers.bytes[3].first == 0x200);
    }
}

TEST_CASE("the raw data of each section is signed without the signature and nothing behind it") {
    ImageSpec spec = with_signature(false);
    spec.pe.overlay = Bytes(100, 0xEE);
    const Bytes file = build(spec);
    const std::uint64_t at = signature_offset(spec);
    const Covered covers = covered(file, {at, 128});
    REQUIRE(covers.bytes.size() == 5);
    CHECK(covers.bytes[3] == std::pair{std::uint64_t{0x200}, at});
    CHECK(covers.bytes[4].first == at + 128);
    CHECK(covers.bytes[4].second == file.size() - 100);
}

TEST_CASE(
    "optional headers of another size: the signed headers keep theirs, sections follow the file") {
    ImageSpec spec = with_signature(false);
    spec.pe.optional_header_tail = Bytes(16, 0xCC);
    const Bytes file = build(spec);
    const Covered covers = covered(file, {});
    REQUIRE(covers.bytes.size() == 5);
    CHECK(covers.bytes[2].second == spec.pe.pe_placed_at + 248);
    CHECK(covers.bytes[3].first == spec.pe.sections_offset());
}

TEST_CASE("a signature at the start or end of a section, or filling it, leaves no empty range") {
    const Bytes file = build(with_signature(false));
    const std::uint64_t begin = 0x200;
    const std::uint64_t end = file.size();
    CHECK(covered(file, {begin, 128}).bytes.back() == std::pair{begin + 128, end});
    CHECK(covered(file, {end - 128, 128}).bytes.back() == std::pair{begin, end - 128});
    CHECK(covered(file, {begin, end - begin}).bytes.size() == 3);  // the headers alone
}

TEST_CASE("headers alone suffice to say what will be signed") {
    const ImageSpec spec = with_signature(false);
    const Bytes file = build(spec);
    const ByteSpan headers = ByteSpan(file).first(0x200);
    const auto image = pe::Image::parse(headers);
    REQUIRE(image);
    const pe::FileRange signature{signature_offset(spec), 128};
    const auto early = signed_ranges(*image, file.size(), signature);
    const auto late = signed_ranges(parsed(file), file.size(), signature);
    REQUIRE(early);
    REQUIRE(late);
    CHECK(*early == *late);
}

TEST_CASE("images whose signed bytes cannot be told are refused") {
    const ImageSpec good = with_signature(false);
    const std::uint64_t size = build(good).size();
    CHECK(refusal(build(good), {0x1F0, 0x20}) == ErrorCode::pe_bad_entry);
    CHECK(refusal(build(good), {size - 64, 128}) == ErrorCode::pe_bad_entry);

    ImageSpec unbacked = good;
    unbacked.pe.sections[0].raw_size = 0x10000;
    CHECK(refusal(build(unbacked)) == ErrorCode::pe_section_unbacked);

    ImageSpec too_many = good;
    too_many.pe.number_of_sections = 60000;
    CHECK(refusal(build(too_many)) == ErrorCode::pe_sections_clamped);
}

TEST_CASE("sections that overlap a thousand times are a limit, not an hour") {
    PeSpec pe;
    pe.section_alignment = 0x1000;
    for (std::uint32_t i = 0; i < 1000; ++i) {
        SectionSpec section;
        section.virtual_address = 0x100000 * (i + 1);
        section.virtual_size = 0x100000;
        section.raw_pointer = 0x10000;
        section.raw_size = 0x100000;
        pe.sections.push_back(section);
    }
    pe.overlay = Bytes(0x120000, 1);
    CHECK(refusal(build(pe)) == ErrorCode::limit_reached);
}

// ----------------------------------------------------------------------------------- verdicts

TEST_CASE("an assembly without a key is unsigned, whatever else it has") {
    CHECK(judged(right, {}, true)->state == SignatureState::not_signed);
    CHECK(judged(no_signature, {}, false)->state == SignatureState::not_signed);
}

TEST_CASE("a key and no signature: delay-signed without the flag, public-signed with it") {
    CHECK(judged(no_signature, some_key(), false)->state == SignatureState::delay_signed);
    CHECK(judged(no_signature, some_key(), true)->state == SignatureState::public_signed);
}

TEST_CASE("a signature is judged whether flagged or not") {
    for (const bool flagged : {false, true}) {
        const auto good = judged(right, some_key(), flagged);
        REQUIRE(good);
        CHECK(good->state == SignatureState::valid);
        CHECK(good->signer == Signer::own_key);
        CHECK(good->range.size == 128);
        const auto bad = judged(wrong, some_key(), flagged);
        REQUIRE(bad);
        CHECK(bad->state == SignatureState::invalid);
        CHECK(bad->signer == Signer::none);
    }
}

TEST_CASE("without a Crypto a signature stays unchecked; whether there is one is still known") {
    CHECK(judged(right, some_key(), true, nullptr)->state == SignatureState::unchecked);
    CHECK(judged(no_signature, some_key(), true, nullptr)->state == SignatureState::public_signed);
}

TEST_CASE("the hash is the one that the key names") {
    Bytes key = some_key();
    put(key, 4, little_endian(0x800C, 4));
    CHECK(judged(right, key, true)->hash == HashAlgorithm::sha256);
    put(key, 4, little_endian(0, 4));
    CHECK(judged(right, key, true)->hash == HashAlgorithm::sha1);
}

TEST_CASE("MISC-09 a bogus key is an error only where there is a signature to check") {
    const Bytes bogus = {1, 2, 3};
    const auto checked = judged(right, bogus, true);
    REQUIRE(!checked);
    CHECK(checked.error().code == ErrorCode::bad_key);
    CHECK(judged(no_signature, bogus, false)->state == SignatureState::delay_signed);
    CHECK(judged(right, bogus, true, nullptr)->state == SignatureState::unchecked);
}

TEST_CASE("a signature directory outside the file is an error") {
    ImageSpec spec = with_signature(false);
    spec.clr.strong_name_signature = {0x7FFF0000, 128};
    const Bytes file = build(spec);
    const auto container = Container::open_image(file);
    REQUIRE(container);
    const Bytes key = some_key();
    const auto checked = check(container->image, container->clr, {.public_key = key}, &fake);
    REQUIRE(!checked);
    CHECK(checked.error().code == ErrorCode::pe_directory_outside);
}

TEST_CASE("a signature key that the assembly's key vouches for takes its place") {
    // The keys of .NET Framework's mscorlib: the neutral one, its replacement and Microsoft's
    // signature over that.
    const Bytes neutral(neutral_key.begin(), neutral_key.end());
    const Bytes replacement = from_hex(
        "002400000c800000140100000602000000240000525341310008000001000100613399aff18ef1a2c2514a27"
        "3a42d9042b72321f1757102df9ebada69923e2738406c21e5b801552ab8d200a65a235e001ac9adc25f2d811"
        "eb09496a4c6a59d4619589c69f5baf0c4179a47311d92555cd006acc8b5959f2bd6e10e360c34537a1d266da"
        "8085856583c85d81da7f3ec01ed9564c58d93d713cd0172c8e23a10f0239b80c96b07736f5d8b022542a4e74"
        "251a5f432824318b3539a5a087f8e53d2f135f9ca47f3bb2e10aff0af0849504fb7cea3ff192dc8de0edad64"
        "c68efde34c56d302ad55fd6e80f302d5efcdeae953658d3452561b5f36c542efdbdd9f888538d374cef106ac"
        "f7d93a4445c3c73cd911f0571aaf3d54da12b11ddec375b3");
    Bytes counter = from_hex(
        "a5a866e1ee186f807668209f3b11236ace5e21f117803a3143abb126dd035d7d2f876b6938aaf2ee3414d542"
        "0d753621400db44a49c486ce134300a2106adb6bdb433590fef8ad5c43cba82290dc49530effd86523d9483c"
        "00f458af46890036b0e2c61d077d7fbac467a506eba29e467a87198b053c749aa2a4d2840c784e6d");
    const AssemblyKeys keys{neutral, replacement, counter};
    CHECK(counter_signed(keys, openssl_crypto()) == true);
    const Bytes own = some_key();
    CHECK(counter_signed({own, replacement, counter}, openssl_crypto()) == false);

    ImageSpec spec = with_signature(false);
    Bytes file = build(spec);
    put(file, signature_offset(spec), right);
    const auto container = Container::open_image(file);
    REQUIRE(container);
    const auto checked = check(container->image, container->clr, {own, replacement, right}, &fake);
    REQUIRE(checked);
    CHECK(checked->signer == Signer::signature_key);
    CHECK(checked->hash == HashAlgorithm::sha256);
    const auto refused = check(container->image, container->clr, {own, replacement, wrong}, &fake);
    REQUIRE(refused);
    CHECK(refused->state == SignatureState::invalid);
}

// ------------------------------------------------------------------------------------ testdata

TEST_CASE("files signed by mcs and csc, with 1,024 and 2,048 bits, are valid") {
    for (const char* name :
         {"hello-signed.exe", "hello-net-signed.dll", "hello-net-signed2048.dll"}) {
        INFO(name);
        const auto signature = judge(sample(name));
        REQUIRE(signature);
        CHECK(signature->state == SignatureState::valid);
        CHECK(signature->signer == Signer::own_key);
        CHECK(signature->hash == HashAlgorithm::sha1);
    }
}

TEST_CASE("delay-signed, public-signed and unsigned files are told apart") {
    CHECK(state_of(sample("hello-delaysigned.exe")) == SignatureState::delay_signed);
    CHECK(state_of(sample("hello-net-delaysigned.dll")) == SignatureState::delay_signed);
    CHECK(state_of(sample("hello-net-publicsigned.dll")) == SignatureState::public_signed);
    CHECK(state_of(sample("hello-publickey.exe")) == SignatureState::public_signed);
    CHECK(state_of(sample("hello.exe")) == SignatureState::not_signed);
    CHECK(state_of(sample("module-part.netmodule")) == SignatureState::not_signed);
}

namespace {

/// A change to a signed file, and whether the signature still holds.
struct Change {
    const char* what;
    Bytes file;
    bool holds;
};

std::vector<Change> changes(const Bytes& file) {
    const pe::Image image = parsed(file);
    const auto container = Container::open_image(file);
    REQUIRE(container);
    const auto signature = signature_range(image, container->clr);
    REQUIRE(signature);
    const std::uint64_t padding = image.headers_end();
    const std::uint64_t first_data = image.sections()[0].pointer_to_raw_data;
    REQUIRE(padding < first_data);
    const auto flipped = [&](std::uint64_t offset) {
        Bytes changed = file;
        changed[static_cast<std::size_t>(offset)] ^= 0x10;
        return changed;
    };
    Bytes longer = file;
    append(longer, bytes_of("overlay"));
    return {
        {"nothing", file, true},
        {"DOS header", flipped(0x30), false},
        {"DOS stub", flipped(0x60), false},
        {"time stamp", flipped(image.coff_offset() + 4), false},
        {"checksum", flipped(image.optional_offset() + 64), true},
        {"DLL characteristics", flipped(image.optional_offset() + 71), false},
        {"certificate directory", flipped(image.directories_offset() + 36), true},
        {"reserved directory", flipped(image.directories_offset() + 127), false},
        {"section characteristics", flipped(image.sections_offset() + 39), false},
        {"padding behind the headers", flipped(padding), true},
        {"first byte of a section", flipped(first_data), false},
        {"last byte of a section", flipped(file.size() - 1), false},
        {"byte before the signature", flipped(signature->offset - 1), false},
        {"first byte of the signature", flipped(signature->offset), false},
        {"last byte of the signature", flipped(signature->end() - 1), false},
        {"byte behind the signature", flipped(signature->end()), false},
        {"overlay", longer, true},
    };
}

}  // namespace

TEST_CASE("one byte changed breaks a signature exactly where it is signed") {
    for (const char* name : {"hello-signed.exe", "hello-net-signed2048.dll"}) {
        for (const Change& change : changes(sample(name))) {
            INFO(name << ": " << change.what);
            const auto signature = judge(change.file);
            CHECK((signature && signature->state == SignatureState::valid) == change.holds);
        }
    }
}

// --------------------------------------------------------------------- other implementations

TEST_CASE("Mono's sn agrees on each changed byte") {
    const auto sn = program("sn");
    if (!sn) SKIP_TEST("sn is not installed");
    const TemporaryFolder folder;
    for (const Change& change : changes(sample("hello-signed.exe"))) {
        INFO(change.what);
        const fs::path file = folder.write("changed.exe", change.file);
        CHECK((run({*sn, "-q", "-vf", file}).exit_code == 0) == change.holds);
    }
}

TEST_CASE("Mono's sn agrees on Mono's own libraries") {
    const auto sn = program("sn");
    const fs::path mono = "/usr/lib/mono/4.5";
    if (!sn || !fs::exists(mono / "mscorlib.dll")) SKIP_TEST("Mono is not installed");
    for (const char* name : {"mscorlib.dll", "System.Core.dll", "Mono.Security.dll", "mcs.exe"}) {
        if (!fs::exists(mono / name)) continue;
        INFO(name);
        const bool valid = state_of(read_file(mono / name)) == SignatureState::valid;
        CHECK((run({*sn, "-q", "-vf", mono / name}).exit_code == 0) == valid);
    }
}

TEST_CASE("no library of Mono is invalid, and the neutral key's are signed with Mono's own") {
    const fs::path mono = "/usr/lib/mono/4.5";
    if (!fs::exists(mono / "mscorlib.dll")) SKIP_TEST("Mono is not installed");
    const auto core = judge(read_file(mono / "mscorlib.dll"));
    REQUIRE(core);
    CHECK(core->signer == Signer::mono);
    for (const auto& entry : fs::directory_iterator(mono)) {
        if (entry.path().extension() != ".dll") continue;
        INFO(entry.path());
        CHECK(state_of(read_file(entry.path())) != SignatureState::invalid);
    }
}

TEST_CASE("the neutral key stands for Microsoft's in .NET's mscorlib facade") {
    const auto dotnet = program("dotnet");
    if (!dotnet) SKIP_TEST(".NET is not installed");
    const fs::path shared = fs::canonical(*dotnet).parent_path() / "shared/Microsoft.NETCore.App";
    bool found = false;
    for (const auto& version : fs::directory_iterator(shared)) {
        const auto facade = judge(read_file(version.path() / "mscorlib.dll"));
        REQUIRE(facade);
        if (facade->state == SignatureState::public_signed) continue;  // not built by Microsoft
        found = true;
        CHECK(facade->state == SignatureState::valid);
        CHECK(facade->signer == Signer::microsoft);
    }
    if (!found) SKIP_TEST("no .NET built by Microsoft is installed");
}
