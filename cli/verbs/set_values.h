// The values that `set` takes, read from text.
#pragma once

#include "frame/arguments.h"

#include <clrkit/dotnet/model/module.h>

#include <cstdint>
#include <string_view>

namespace clrkit::cli {

/// "2.1.0.0"; parts that are missing are 0, each is at most 65535.
Usage<Version> parse_version(std::string_view text);

/// With or without braces.
Usage<Guid> parse_guid(std::string_view text);
/// A new random GUID (RFC 4122, version 4).
Usage<Guid> random_guid();

/// Seconds since 1970, "now", or a date by ISO 8601: "2024-05-01", "2024-05-01T12:30",
/// "2024-05-01T12:30:00+02:00"; UTC unless it says otherwise.
Usage<std::uint32_t> parse_time(std::string_view text);

/// "on" or "off".
Usage<bool> parse_switch(std::string_view text);

/// The flags of the CLR header after `assignment`, "32bitreq=on". The 32-bit flags mean what
/// CorFlags shows: required is the one bit, preferred both of them.
Usage<std::uint32_t> assign_flag(std::uint32_t flags, std::string_view assignment);

}  // namespace clrkit::cli
