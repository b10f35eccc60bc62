// The keys that runtimes put in the place of the one an assembly names. Private to this folder.
#pragma once

#include <clrkit/core/bytes/span.h>
#include <clrkit/dotnet/strong_name/public_key.h>

namespace clrkit::strong_name {

/// The public key with token b03f5f7f11d50a3a. .NET Framework checks with it what names the neutral
/// key: Microsoft's mscorlib, System and others.
ByteSpan microsoft_key();

/// The public key with token 0738eb9f132ed756, with which Mono signs its own libraries.
ByteSpan mono_key();

/// True for the tokens that Mono's machine.config maps to Mono's key (<pubTokenMapping>).
bool mono_signs_for(const PublicKeyToken& token);

}  // namespace clrkit::strong_name
