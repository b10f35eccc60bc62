// The header of ReadyToRun code, which the CLR header's managed native header points at (readytorun-
// format.md and readytorun.h of the runtime). To look at; nothing here changes it.
#pragma once

#include <clrkit/core/bytes/endian.h>
#include <clrkit/dotnet/metadata/container.h>

#include <cstdint>

namespace clrkit {

struct ReadyToRunHeader {
    le32 signature;
    le16 major_version;
    le16 minor_version;
    le32 flags;
    le32 number_of_sections;
};
static_assert(sizeof(ReadyToRunHeader) == 16);

inline constexpr std::uint32_t ready_to_run_signature = 0x00525452;  // "RTR"

/// The header where the image has one, in place; null for images without native code, and for other
/// native headers (NGEN).
inline const ReadyToRunHeader* ready_to_run_header(const Container& container) {
    if (!container.has_native_code()) return nullptr;
    const auto* header =
        container.image.view<ReadyToRunHeader>(container.clr.managed_native_header.rva);
    return header != nullptr && header->signature == ready_to_run_signature ? header : nullptr;
}

/// The operating system that a ReadyToRun image was compiled for, and the processor: for any but
/// Windows the COFF machine is stored XORed with a number of the system's.
enum class TargetSystem : std::uint8_t { windows, linux, apple, freebsd, netbsd, sunos, unknown };

struct NativeTarget {
    TargetSystem system = TargetSystem::unknown;
    std::uint16_t machine = 0;  // as stored where the system is unknown
};

/// Takes a stored COFF machine apart.
constexpr NativeTarget native_target(std::uint16_t stored) {
    struct System {
        TargetSystem system;
        std::uint16_t mask;
    };
    constexpr System systems[] = {
        {TargetSystem::windows, 0},     {TargetSystem::linux, 0x7B79},
        {TargetSystem::apple, 0x4644},  {TargetSystem::freebsd, 0xADC4},
        {TargetSystem::netbsd, 0x1993}, {TargetSystem::sunos, 0x1992},
    };
    // i386, ARM (both kinds), Itanium, x64, ARM64, LoongArch64, RISC-V 64
    constexpr std::uint16_t machines[] = {0x14C,  0x1C0,  0x1C4,  0x200,
                                          0x8664, 0xAA64, 0x6264, 0x5064};
    for (const System& system : systems) {
        for (const std::uint16_t machine : machines) {
            if ((stored ^ system.mask) == machine) return {system.system, machine};
        }
    }
    return {TargetSystem::unknown, stored};
}

}  // namespace clrkit
