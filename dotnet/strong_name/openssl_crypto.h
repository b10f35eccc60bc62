// OpenSSL behind the interface of crypto.h. Target clrkit::signing; no OpenSSL header is needed to
// include this one.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/dotnet/strong_name/crypto.h>

namespace clrkit {

/// Hashes and RSA by OpenSSL's libcrypto. Hashing initializes nothing in libcrypto and costs only
/// the hash itself; the first RSA operation of a process costs about a millisecond more, once.
/// OpenSSL's default library context, its configuration and its error queue stay the application's.
CLRKIT_API const Crypto& openssl_crypto();

}  // namespace clrkit
