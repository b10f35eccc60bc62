// The strong name of a module: its keys read from the metadata, its state decided.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/dotnet/metadata/container.h>
#include <clrkit/dotnet/metadata/metadata.h>
#include <clrkit/dotnet/strong_name/strong_name.h>

namespace clrkit {

/// `strong_name::check` with the keys of the assembly: the Assembly row's, and that of
/// AssemblySignatureKeyAttribute where there is one. Errors as there.
CLRKIT_API Result<strong_name::Signature> check_signature(const Container& container,
                                                          const Metadata& metadata,
                                                          const Crypto* crypto);

}  // namespace clrkit
