// What the strong-name tests share: hexadecimal text, files of testdata/, and known signatures.
#pragma once

#include <clrkit/dotnet/strong_name/crypto.h>

#include <filesystem>
#include <string_view>

#include "support/image_builder.h"

namespace clrkit::test {

/// The bytes that an even number of hexadecimal digits stand for.
Bytes from_hex(std::string_view digits);

/// A whole file, which must be there.
Bytes read_file(const std::filesystem::path& path);

/// A signature over the three bytes "abc" by `known_modulus()`, exponent 65537; both little-endian.
/// Made with another implementation of RSA.
Bytes known_signature(HashAlgorithm algorithm);
Bytes known_modulus();

}  // namespace clrkit::test
