// The jump to the CLR at the entry point: its forms, and the bytes of each.
#include <clrkit/core/pe/imports.h>

#include <clrkit/core/pe/place.h>

#include <algorithm>
#include <array>

namespace clrkit::pe {
namespace {

constexpr std::array<std::uint8_t, 2> jump{0xFF, 0x25};
constexpr std::array<std::uint8_t, 2> load{0x48, 0xA1};      // mov rax, [addr64]
constexpr std::array<std::uint8_t, 2> jump_rax{0xFF, 0xE0};  // jmp rax
// ld8 r9 = [gp];; ld8 r10 = [r9], 8; nop.i;; ld8 gp = [r9]; mov b6 = r10; br.cond.sptk.few b6
constexpr std::array<std::uint8_t, 32> ia64_bundles{
    0x0B, 0x48, 0x00, 0x02, 0x18, 0x10, 0xA0, 0x40, 0x24, 0x30, 0x28, 0x00, 0x00, 0x00, 0x04, 0x00,
    0x10, 0x08, 0x00, 0x12, 0x18, 0x10, 0x60, 0x50, 0x04, 0x80, 0x03, 0x00, 0x60, 0x00, 0x80, 0x00};

// Thumb-2, as the two halfwords stand in a little-endian word, with zero for immediates.
constexpr std::uint32_t movw_r12 = 0x0C00F240;
constexpr std::uint32_t movt_r12 = 0x0C00F2C0;
constexpr std::uint32_t jump_r12 = 0xF000F8DC;  // ldr.w pc, [r12]
constexpr std::uint32_t immediate_bits = 0x70FF040F;

constexpr std::uint8_t reloc_highlow = 3;
constexpr std::uint8_t reloc_thumb_mov32 = 7;
constexpr std::uint8_t reloc_dir64 = 10;

bool starts_with(ByteSpan bytes, ByteSpan expected) {
    return bytes.size() >= expected.size() &&
           std::equal(expected.begin(), expected.end(), bytes.begin());
}

/// The RVA of an address; nothing when it lies below the image base or 4 GiB above.
std::optional<std::uint32_t> rva_of_address(std::uint64_t address, std::uint64_t image_base) {
    if (address < image_base || address - image_base > UINT32_MAX) return std::nullopt;
    return static_cast<std::uint32_t>(address - image_base);
}

/// The immediate of movw and movt, imm4:i:imm3:imm8, out of and into the instruction's word.
std::uint32_t immediate_of(std::uint32_t instruction) {
    return (instruction & 0xFU) << 12U | (instruction >> 10U & 1U) << 11U |
           (instruction >> 28U & 7U) << 8U | (instruction >> 16U & 0xFFU);
}
std::uint32_t with_immediate(std::uint32_t instruction, std::uint32_t value) {
    return instruction | (value >> 12U & 0xFU) | (value >> 11U & 1U) << 10U |
           (value >> 8U & 7U) << 28U | (value & 0xFFU) << 16U;
}

std::optional<EntryThunk> read_thumb(const Image& image, std::uint32_t entry) {
    const std::uint32_t start = entry & ~1U;
    const auto bytes = image.range(start, 12);
    if (entry == start || !bytes) return std::nullopt;
    const auto low = load_le<std::uint32_t>(bytes->data());
    const auto high = load_le<std::uint32_t>(bytes->data() + 4);
    if ((low & ~immediate_bits) != movw_r12 || (high & ~immediate_bits) != movt_r12 ||
        load_le<std::uint32_t>(bytes->data() + 8) != jump_r12) {
        return std::nullopt;
    }
    const std::uint32_t address = immediate_of(high) << 16U | immediate_of(low);
    const auto slot = rva_of_address(address, image.image_base());
    if (!slot) return std::nullopt;
    return EntryThunk{ThunkForm::thumb, image.offset_in_file(*bytes), start, *slot,
                      image.image_base()};
}

std::optional<EntryThunk> read_ia64(const Image& image, std::uint32_t entry) {
    constexpr std::uint32_t code = ia64_bundles.size();
    if (entry < code) return std::nullopt;
    const auto bytes = image.range(entry - code, code + 16);
    if (!bytes || !starts_with(*bytes, ia64_bundles)) return std::nullopt;
    const std::uint64_t base = image.image_base();
    const auto start = rva_of_address(load_le<std::uint64_t>(bytes->data() + code), base);
    const auto slot = rva_of_address(load_le<std::uint64_t>(bytes->data() + code + 8), base);
    if (start != entry - code || !slot) return std::nullopt;
    return EntryThunk{ThunkForm::ia64, image.offset_in_file(*bytes), entry - code, *slot, base};
}

}  // namespace

std::optional<EntryThunk> EntryThunk::read(const Image& image) {
    const std::uint32_t entry = image.optional_start().address_of_entry_point;
    if (entry == 0) return std::nullopt;
    const auto machine = static_cast<Machine>(std::uint16_t{image.coff().machine});
    if (machine == Machine::ia64) return read_ia64(image, entry);
    if (machine == Machine::arm || machine == Machine::arm_nt) return read_thumb(image, entry);
    const ByteSpan bytes = image.from(entry);
    EntryThunk thunk;
    thunk.rva = entry;
    thunk.image_base = image.image_base();
    std::optional<std::uint32_t> slot;
    if (starts_with(bytes, jump) && bytes.size() >= 6) {
        const auto operand = load_le<std::uint32_t>(bytes.data() + 2);
        if (image.is_pe32_plus()) {
            thunk.form = ThunkForm::jump_relative;
            slot = entry + 6 + operand;  // modulo 2^32, as the processor adds
        } else {
            thunk.form = ThunkForm::jump_absolute;
            slot = rva_of_address(operand, thunk.image_base);
        }
    } else if (image.is_pe32_plus() && starts_with(bytes, load) && bytes.size() >= 12 &&
               starts_with(bytes.subspan(10), jump_rax)) {
        thunk.form = ThunkForm::load_and_jump;
        slot = rva_of_address(load_le<std::uint64_t>(bytes.data() + 2), thunk.image_base);
    }
    if (!slot) return std::nullopt;
    thunk.slot_rva = *slot;
    thunk.offset = image.offset_in_file(bytes);
    return thunk;
}

std::uint32_t EntryThunk::size() const {
    switch (form) {
        case ThunkForm::jump_absolute:
        case ThunkForm::jump_relative: return 6;
        case ThunkForm::load_and_jump:
        case ThunkForm::thumb: return 12;
        case ThunkForm::ia64: return 48;
    }
    return 0;
}

EntryThunk::Fixups EntryThunk::fixups() const {
    switch (form) {
        case ThunkForm::jump_relative: break;
        case ThunkForm::jump_absolute: return {{{rva + 2, reloc_highlow}}, 1};
        case ThunkForm::load_and_jump: return {{{rva + 2, reloc_dir64}}, 1};
        case ThunkForm::thumb: return {{{rva, reloc_thumb_mov32}}, 1};
        case ThunkForm::ia64: return {{{rva + 32, reloc_dir64}, {rva + 40, reloc_dir64}}, 2};
    }
    return {};
}

bool jumps_to_mscoree(const EntryThunk& thunk, const Imports& imports) {
    return imports_mscoree_only(imports) &&
           thunk.slot_rva == imports.dlls[0].descriptor.import_address_table;
}

Status emit(const EntryThunk& thunk, MutableByteSpan out) {
    Placer placer(out);
    const std::uint64_t at = thunk.offset;
    const std::uint64_t slot = thunk.image_base + thunk.slot_rva;
    switch (thunk.form) {
        case ThunkForm::jump_absolute:
            placer.put(at, jump);
            placer.put(at + 2, static_cast<std::uint32_t>(slot));
            break;
        case ThunkForm::jump_relative:
            placer.put(at, jump);
            placer.put(at + 2, thunk.slot_rva - (thunk.rva + 6));
            break;
        case ThunkForm::load_and_jump:
            placer.put(at, load);
            placer.put(at + 2, slot);
            placer.put(at + 10, jump_rax);
            break;
        case ThunkForm::thumb:
            placer.put(at, with_immediate(movw_r12, static_cast<std::uint32_t>(slot & 0xFFFF)));
            placer.put(at + 4, with_immediate(movt_r12, static_cast<std::uint32_t>(slot >> 16U)));
            placer.put(at + 8, jump_r12);
            break;
        case ThunkForm::ia64:
            placer.put(at, ia64_bundles);
            placer.put(at + 32, thunk.image_base + thunk.rva);
            placer.put(at + 40, slot);
            break;
    }
    return placer.status();
}

}  // namespace clrkit::pe
