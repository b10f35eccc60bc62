// Reading the keys that a strong name is checked with.
#include <clrkit/dotnet/attributes/assembly_attribute.h>
#include <clrkit/dotnet/module/signature.h>

#include <cstdint>
#include <vector>

namespace clrkit {
namespace {

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// Empty when the text is not hexadecimal throughout: then no key was given.
std::vector<std::uint8_t> from_hex(std::string_view text) {
    std::vector<std::uint8_t> bytes;
    if (text.size() % 2 != 0) return bytes;
    bytes.reserve(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = hex_digit(text[i]);
        const int low = hex_digit(text[i + 1]);
        if (high < 0 || low < 0) return {};
        bytes.push_back(static_cast<std::uint8_t>(high * 16 + low));
    }
    return bytes;
}

}  // namespace

Result<strong_name::Signature> check_signature(const Container& container, const Metadata& metadata,
                                               const Crypto* crypto) {
    const ByteSpan attribute =
        assembly_attribute(metadata, "System.Reflection", "AssemblySignatureKeyAttribute");
    const std::vector<std::uint8_t> signature_key = from_hex(string_argument(attribute, 0));
    const std::vector<std::uint8_t> counter_signature = from_hex(string_argument(attribute, 1));
    strong_name::AssemblyKeys keys;
    keys.public_key = metadata.blob(Table::Assembly, 1, col::Assembly::PublicKey);
    keys.signature_key = signature_key;
    keys.counter_signature = counter_signature;
    return strong_name::check(container.image, container.clr, keys, crypto);
}

}  // namespace clrkit
