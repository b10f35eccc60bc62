// The import table with everything it refers to, and the thunk at the entry point of a CLR image
// that jumps through it (Microsoft PE/COFF specification, ".idata"; ECMA-335 II.25.3.1).
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/span.h>
#include <clrkit/core/diagnostics.h>
#include <clrkit/core/error.h>
#include <clrkit/core/limits.h>
#include <clrkit/core/pe/claims.h>
#include <clrkit/core/pe/format.h>
#include <clrkit/core/pe/image.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace clrkit::pe {

/// One slot of a lookup table and its twin in the address table.
struct ImportFunction {
    /// The slots as stored: RVA of hint and name, or the ordinal with the highest bit set. A bound
    /// image holds addresses in `address`. The same value where one table serves as both.
    std::uint64_t lookup = 0;
    std::uint64_t address = 0;
    bool by_ordinal = false;
    std::uint16_t hint = 0;  // or the ordinal
    /// Without its NUL, in the image's bytes; empty for an ordinal or where it cannot be read.
    ByteSpan name;
    /// Hint, name and NUL; empty likewise.
    FileRange hint_name;
};

/// One import descriptor.
struct ImportedDll {
    ImportDescriptor descriptor{};
    ByteSpan name;         // without its NUL, in the image's bytes
    FileRange name_range;  // with it
    /// The functions are `functions[first_function, first_function + function_count)`.
    std::uint32_t first_function = 0;
    std::uint32_t function_count = 0;
    /// The tables with their terminating zero slot. `lookup` is empty when the descriptor names
    /// none; `address` is as long as the file backs it.
    FileRange lookup;
    FileRange address;
    /// The slot behind the last one of the address table, which a loader never looks at.
    std::uint64_t address_terminator = 0;
};

/// The import table (directory 1). Names are views into the image; the rest is owned.
struct Imports {
    bool wide = false;  // slots have 8 bytes (PE32+), else 4
    std::vector<ImportedDll> dlls;
    std::vector<ImportFunction> functions;
    /// The descriptor that ends the list: one without a name or an address table, as the loader
    /// looks at it.
    ImportDescriptor terminator{};
    /// All descriptors and the terminator. Empty when the image has no import table.
    FileRange descriptors;
    /// Everything the table refers to was read.
    bool complete = true;

    /// Reads the table; what cannot be read is reported, makes it incomplete and is left out. The
    /// directory's size is not asked: the loader does not either. Memory is bounded by
    /// `limits.nodes` (descriptors and functions) and by the file's size.
    CLRKIT_API static Imports read(const Image& image, Diagnostics* diagnostics = nullptr,
                                   const Limits& limits = {});

    bool empty() const { return descriptors.empty(); }
    std::uint32_t slot_size() const { return wide ? 8 : 4; }
    std::span<const ImportFunction> functions_of(const ImportedDll& dll) const {
        return std::span{functions}.subspan(dll.first_function, dll.function_count);
    }
};

/// True when the whole table is the one import of a CLR image: mscoree.dll's _CorExeMain or
/// _CorDllMain. False for an empty table, which images for machines newer than i386 have.
CLRKIT_API bool imports_mscoree_only(const Imports& imports);

/// Writes descriptors, tables and names at their places in `out`, which begins where the file begins,
/// from the parsed values. Error: `output_budget` when `out` is too small.
CLRKIT_API Status emit(const Imports& imports, MutableByteSpan out);
/// Descriptors; lookup tables, address tables and names, each with its DLL's index as item.
CLRKIT_API void claim_imports(const Imports& imports, std::vector<Claim>& claims);

/// The instructions found at the entry point of CLR images.
enum class ThunkForm : std::uint8_t {
    jump_absolute,  // i386: FF 25 addr32
    jump_relative,  // amd64: FF 25 disp32
    load_and_jump,  // amd64: 48 A1 addr64, FF E0
    thumb,          // arm: movw r12, movt r12, ldr.w pc, [r12]; the entry point is odd
    ia64,           // two bundles, then the function descriptor that AddressOfEntryPoint names
};

/// The native code that AddressOfEntryPoint leads to, when it is a jump through a slot and nothing else.
struct EntryThunk {
    ThunkForm form = ThunkForm::jump_absolute;
    /// First byte, in the file and in memory; of the bundles for ia64.
    std::uint64_t offset = 0;
    std::uint32_t rva = 0;
    /// The slot it jumps through.
    std::uint32_t slot_rva = 0;
    std::uint64_t image_base = 0;

    /// Reads the thunk at AddressOfEntryPoint. Nothing when there is no entry point or other code.
    CLRKIT_API static std::optional<EntryThunk> read(const Image& image);

    CLRKIT_API std::uint32_t size() const;  // in bytes
    FileRange range() const { return {offset, size()}; }

    /// A place in the thunk that depends on the image base.
    struct Fixup {
        std::uint32_t rva = 0;
        std::uint8_t type = 0;  // IMAGE_REL_BASED_*
    };
    struct Fixups {
        Fixup items[2];
        std::uint32_t count = 0;
        std::span<const Fixup> span() const { return {items, count}; }
    };
    CLRKIT_API Fixups fixups() const;
};

/// True when the imports are the CLR's alone and the thunk jumps through their slot.
CLRKIT_API bool jumps_to_mscoree(const EntryThunk& thunk, const Imports& imports);

/// Writes the instructions from `form`, `rva`, `slot_rva` and `image_base` at `offset`. Error:
/// `output_budget` when `out` is too small.
CLRKIT_API Status emit(const EntryThunk& thunk, MutableByteSpan out);
inline void claim_entry_thunk(const EntryThunk& thunk, std::vector<Claim>& claims) {
    claim(claims, thunk.range(), ClaimKind::entry_thunk);
}

}  // namespace clrkit::pe
