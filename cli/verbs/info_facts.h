// What `info` says of a module, gathered before anything is printed.
#pragma once

#include <clrkit/core/pe/debug_directory.h>
#include <clrkit/dotnet/model/module.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clrkit::cli {

/// Name, version, culture and key of an assembly or of a reference to one.
struct Identity {
    std::string_view name;
    Version version;
    std::string_view culture;      // empty: neutral
    std::string public_key_token;  // hexadecimal; empty: none
    std::uint32_t flags = 0;
};

struct Facts {
    std::optional<Identity> assembly;  // nothing for a netmodule
    std::string_view form;             // "library", "console program", ...
    bool reference_assembly = false;
    std::string_view target_framework;
    std::string platform;       // "AnyCPU", "x64", ...
    std::string_view system;    // of native code: "linux", ...; empty for Windows or none
    std::uint16_t machine = 0;  // as stored
    bool large_addresses = false;
    std::vector<std::string_view> flags;
    std::string strong_name;
    std::string native_code;  // "ReadyToRun 9.2"; empty: none
    bool ready_to_run = false;
    bool mixed_mode = false;
    std::uint32_t entry_point = 0;  // token, or RVA
    bool entry_point_is_rva = false;
    std::string entry_point_name;
    bool reproducible = false;
    pe::DebugDirectory debug;
    std::uint64_t certificates = 0;
    std::uint64_t certificate_bytes = 0;
};

Facts gather(const Module& module);
Identity reference_identity(const Module& module, std::uint32_t rid);

/// "mscorlib, Version=4.0.0.0, Culture=neutral, PublicKeyToken=b77a5c561934e089".
std::string text_of(const Identity& identity);
std::string text_of(const Version& version);
/// Seconds since 1970 as "2024-05-01T12:00:00Z".
std::string time_text(std::uint32_t seconds);

}  // namespace clrkit::cli
