// What becomes of a strong-name signature when bytes that it covers change.
#pragma once

#include <clrkit/core/error.h>
#include <clrkit/core/pe/claims.h>
#include <clrkit/dotnet/module/state.h>

#include <cstdint>

namespace clrkit {

struct Crypto;

/// What the caller wants done with a signature that an edit makes stale.
enum class StaleSignature : std::uint8_t {
    /// Error `signature_would_go_stale`, unless it was invalid already.
    refuse,
    /// Clear the flag STRONGNAMESIGNED and zero the signature: the image is then delay-signed.
    drop,
    /// Set the flag and zero the signature: the image is then public-signed.
    public_sign,
};

struct SignatureDecision {
    bool zero = false;          // the bytes of `range`
    pe::FileRange range;        // of the signature, in the original
    std::uint32_t flags = 0;    // what the CLR header's Flags are to be
    bool invalid_kept = false;  // it was invalid already and stays as it is
};

/// Decides on the original bytes. `crypto` tells a valid signature from an invalid one; without it
/// every signature counts as valid. Errors: `signature_would_go_stale`; `unsupported` where the
/// signature is said to stand on headers or metadata.
Result<SignatureDecision> settle_signature(const ModuleState& state, StaleSignature wanted,
                                           const Crypto* crypto);

}  // namespace clrkit
