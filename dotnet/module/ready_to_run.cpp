// Reading the ReadyToRun header.
#include <clrkit/dotnet/module/ready_to_run.h>

#include <array>

namespace clrkit {

std::optional<ReadyToRunHeader> ready_to_run_header(const Container& container) {
    constexpr std::uint32_t signature = 0x00525452;  // "RTR"
    const auto bytes = container.image.range(container.clr.managed_native_header.rva, 12);
    if (!container.has_native_code() || !bytes ||
        load_le<std::uint32_t>(bytes->data()) != signature) {
        return std::nullopt;
    }
    return ReadyToRunHeader{load_le<std::uint16_t>(bytes->data() + 4),
                            load_le<std::uint16_t>(bytes->data() + 6),
                            load_le<std::uint32_t>(bytes->data() + 8)};
}

std::uint16_t processor_of(std::uint16_t machine) {
    constexpr std::array known{pe::Machine::i386,  pe::Machine::arm_nt,  pe::Machine::amd64,
                               pe::Machine::arm64, pe::Machine::riscv64, pe::Machine::loongarch64};
    // Windows, Linux, Apple, FreeBSD, NetBSD, SunOS
    constexpr std::array<std::uint16_t, 6> marks{0, 0x7B79, 0x4644, 0xADC4, 0x1993, 0x1992};
    for (const std::uint16_t mark : marks) {
        for (const pe::Machine processor : known) {
            if ((machine ^ mark) == static_cast<std::uint16_t>(processor)) {
                return static_cast<std::uint16_t>(processor);
            }
        }
    }
    return machine;
}

}  // namespace clrkit
