// A module rebuilt for a test.
#pragma once

#include "support/image_builder.h"

#include <clrkit/dotnet/model/module.h>
#include <clrkit/dotnet/write/writer.h>

namespace clrkit::test {

/// Signatures public-signed, native code stripped: nothing but what pins the image is refused.
inline RebuildOptions rebuild_freely() {
    RebuildOptions options;
    options.stale_signature = StaleSignature::public_sign;
    options.strip_ready_to_run = true;
    return options;
}

/// The same, and everything that can be is decoded and encoded anew.
inline RebuildOptions reassemble_freely() {
    RebuildOptions options = rebuild_freely();
    options.reassemble = true;
    return options;
}

/// A copy of the rebuilt image; empty when it was refused.
inline Bytes rebuilt(Writer& writer, const Module& module,
                     const RebuildOptions& options = rebuild_freely()) {
    const auto image = writer.rebuild(module.state(), options);
    if (!image) return {};
    return {image->bytes.begin(), image->bytes.end()};
}

}  // namespace clrkit::test
