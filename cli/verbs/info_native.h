// `info --native`: what a file looks like to the native world. Headers, imports, exports and the like
// as LIEF sees them (clrkit-native); the Win32 version resource as our own reader does.
#pragma once

#include "frame/batch.h"

#include <clrkit/core/native/client.h>
#include <clrkit/core/pe/resources.h>
#include <clrkit/core/pe/version_info.h>

#include <expected>
#include <optional>

namespace clrkit::cli {

struct NativeView {
    std::expected<native::Facts, native::Problem> facts;
    std::optional<pe::VersionInfo> version;  // its strings are in the module's bytes
};

NativeView gather_native(const Module& module);

/// Prints what there is. Where the native reader failed, the caller says so: `facts.error()`.
void print_native(Job& job, const NativeView& view);
void write_native(Job& job, const NativeView& view);

}  // namespace clrkit::cli
