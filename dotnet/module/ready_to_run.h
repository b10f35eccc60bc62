// The header of ReadyToRun code (dotnet/runtime, "readytorun-format"): what it says about the IL
// image that the code was made from.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/dotnet/metadata/container.h>

#include <cstdint>
#include <optional>

namespace clrkit {

struct ReadyToRunHeader {
    std::uint16_t major_version = 0;
    std::uint16_t minor_version = 0;
    std::uint32_t flags = 0;
};

namespace ready_to_run_flags {
/// The IL image was built for any processor.
inline constexpr std::uint32_t platform_neutral_source = 0x001;
/// One of several images whose native code stands in another file.
inline constexpr std::uint32_t component = 0x020;
/// The IL bodies are gone: only the native code is left.
inline constexpr std::uint32_t stripped_il_bodies = 0x200;
}  // namespace ready_to_run_flags

/// The header that the CLR header's ManagedNativeHeader leads to; nothing when there is none or it
/// does not begin with "RTR".
CLRKIT_API std::optional<ReadyToRunHeader> ready_to_run_header(const Container& container);

/// The processor of an image: the Machine field without the mark of an operating system that
/// ReadyToRun images for others than Windows carry.
CLRKIT_API std::uint16_t processor_of(std::uint16_t machine);

}  // namespace clrkit
