// Values that compilers give to images without native code.
#include <clrkit/core/pe/imports.h>
#include <clrkit/core/pe/relocations.h>
#include <clrkit/core/try.h>
#include <clrkit/dotnet/write/rebuild/fresh_headers.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace clrkit::rebuild {
namespace {

using pe::ClaimKind;
namespace flags = pe::section_flags;

constexpr std::uint32_t file_alignment = 0x200;
constexpr std::uint32_t section_alignment = 0x2000;
constexpr std::uint32_t headers_size = 0x200;

// Import table of one DLL with one function: descriptors, lookup table, hint and name, DLL name.
constexpr std::uint32_t descriptors_size = 2 * sizeof(pe::ImportDescriptor);
constexpr std::uint32_t slots_size = 8;
constexpr std::string_view dll_name = "mscoree.dll";
constexpr std::uint32_t hint_name_size =
    2 + 11 + 1;  // _CorExeMain and _CorDllMain are equally long
constexpr std::uint32_t lookup_at = descriptors_size;
constexpr std::uint32_t hint_name_at = lookup_at + slots_size;
constexpr std::uint32_t dll_name_at = hint_name_at + hint_name_size;
constexpr std::uint32_t imports_size =
    dll_name_at + static_cast<std::uint32_t>(dll_name.size()) + 1;
constexpr std::uint32_t thunk_size = 6;
constexpr std::uint32_t relocations_size = 12;
constexpr std::array<std::uint8_t, imports_size> zeros{};

pe::SectionHeader section(std::string_view name, std::uint32_t rva, std::uint32_t rights) {
    pe::SectionHeader header{};
    std::ranges::copy(name, header.name.begin());
    header.virtual_address = rva;
    header.characteristics = rights;
    return header;
}

ByteSpan bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

bool needs_start_up(const pe::Headers& headers) { return !headers.is_pe32_plus(); }

/// What depends on the width of addresses.
void set_kind(pe::Headers& headers, bool wide, bool dll) {
    headers.start.magic = wide ? pe::magic_pe32_plus : pe::magic_pe32;
    headers.coff.size_of_optional_header = wide ? std::uint16_t{0xF0} : std::uint16_t{0xE0};
    const std::uint16_t width_bit =
        wide ? pe::characteristics::large_address_aware : pe::characteristics::machine_32bit;
    headers.coff.characteristics = static_cast<std::uint16_t>(
        pe::characteristics::executable_image | width_bit | (dll ? pe::characteristics::dll : 0U));
    headers.base_of_data = 0;
    if (wide) {
        headers.image_base = dll ? 0x180000000 : 0x140000000;
        headers.size_of_stack_reserve = 0x400000;
        headers.size_of_stack_commit = 0x4000;
        headers.size_of_heap_reserve = 0x100000;
        headers.size_of_heap_commit = 0x2000;
    } else {
        headers.image_base = dll ? 0x10000000 : 0x400000;
        headers.size_of_stack_reserve = 0x100000;
        headers.size_of_stack_commit = 0x1000;
        headers.size_of_heap_reserve = 0x100000;
        headers.size_of_heap_commit = 0x1000;
    }
}

}  // namespace

std::uint32_t fresh_clr_flags(std::uint32_t clr_flags) {
    return (clr_flags & ~pe::clr_flags::il_library) | pe::clr_flags::il_only;
}

Result<pe::Headers> fresh_headers(const ModuleState& state, bool has_resources) {
    const auto native = ready_to_run_header(state.container);
    if (!native) {
        return failure(Stage::write, ErrorCode::unsupported, state.container.clr_offset,
                       "the native header is not ReadyToRun's");
    }
    if ((native->flags & ready_to_run_flags::stripped_il_bodies) != 0) {
        return failure(Stage::write, ErrorCode::unsupported, no_offset,
                       "the IL bodies were stripped: only the native code is left");
    }
    pe::Headers headers = pe::Headers::read(state.container.image);
    const bool dll = (headers.coff.characteristics & pe::characteristics::dll) != 0;
    const bool neutral = (native->flags & ready_to_run_flags::platform_neutral_source) != 0;
    headers.coff.machine = neutral ? static_cast<std::uint16_t>(pe::Machine::i386)
                                   : processor_of(headers.coff.machine);
    const bool wide = !neutral && headers.is_pe32_plus();
    set_kind(headers, wide, dll);
    headers.coff.pointer_to_symbol_table = 0;
    headers.coff.number_of_symbols = 0;
    headers.middle.section_alignment = section_alignment;
    headers.middle.file_alignment = file_alignment;
    headers.middle.size_of_headers = headers_size;
    headers.start.size_of_uninitialized_data = 0;
    headers.start.base_of_code = section_alignment;
    headers.start.address_of_entry_point = 0;
    headers.number_of_rva_and_sizes = pe::directory_count;
    headers.directories.resize(pe::directory_count);
    headers.extra = {};
    constexpr std::uint32_t data = flags::initialized_data | flags::read;
    headers.sections = {
        section(".text", section_alignment, flags::code | flags::execute | flags::read)};
    if (has_resources) headers.sections.push_back(section(".rsrc", 0, data));
    if (!wide) headers.sections.push_back(section(".reloc", 0, data | flags::discardable));
    headers.coff.number_of_sections = static_cast<std::uint16_t>(headers.sections.size());
    if (headers.end() > headers_size) {
        return failure(Stage::write, ErrorCode::unsupported, headers.sections_offset(),
                       "the DOS stub leaves no room for the headers");
    }
    return headers;
}

void plan_start_up(const pe::Headers& headers, Layout& layout) {
    if (!needs_start_up(headers)) return;
    constexpr std::uint32_t text = fresh_sections::text;
    const auto reloc = static_cast<std::uint32_t>(headers.sections.size() - 1);
    const ByteSpan empty(zeros);
    layout.add_new(ClaimKind::import_address, text, empty.first(slots_size), 8);
    layout.add_new(ClaimKind::import_descriptors, text, empty, 4);
    layout.add_new(ClaimKind::entry_thunk, text, empty.first(thunk_size), 4, 2);
    layout.add_new(ClaimKind::relocations, reloc, empty.first(relocations_size), 4);
}

Status write_start_up(Layout& layout, pe::Headers& headers, MutableByteSpan out) {
    if (!needs_start_up(headers)) return {};
    const Block& slots = *layout.find(ClaimKind::import_address);
    const Block& table = *layout.find(ClaimKind::import_descriptors);
    const Block& jump = *layout.find(ClaimKind::entry_thunk);
    const Block& fixups = *layout.find(ClaimKind::relocations);
    const bool dll = (headers.coff.characteristics & pe::characteristics::dll) != 0;

    pe::ImportFunction function;
    function.lookup = function.address = table.rva + hint_name_at;
    function.name = bytes_of(dll ? "_CorDllMain" : "_CorExeMain");
    function.hint_name = {table.offset + hint_name_at, hint_name_size};
    pe::ImportedDll imported;
    imported.descriptor.import_lookup_table = table.rva + lookup_at;
    imported.descriptor.name = table.rva + dll_name_at;
    imported.descriptor.import_address_table = slots.rva;
    imported.name = bytes_of(dll_name);
    imported.name_range = {table.offset + dll_name_at, dll_name.size() + 1};
    imported.function_count = 1;
    imported.lookup = {table.offset + lookup_at, slots_size};
    imported.address = {slots.offset, slots_size};
    pe::Imports imports;
    imports.functions.push_back(function);
    imports.dlls.push_back(imported);
    imports.descriptors = {table.offset, descriptors_size};
    TRY_DO(pe::emit(imports, out));

    pe::EntryThunk thunk;
    thunk.offset = jump.offset;
    thunk.rva = jump.rva;
    thunk.slot_rva = slots.rva;
    thunk.image_base = headers.image_base;
    TRY_DO(pe::emit(thunk, out));

    const pe::EntryThunk::Fixup fixup = thunk.fixups().items[0];
    pe::Relocations relocations;
    relocations.blocks.push_back({fixup.rva & ~0xFFFU, relocations_size, fixups.offset, 0, 2});
    relocations.entries.push_back(
        {static_cast<std::uint16_t>(std::uint32_t{fixup.type} << 12U | (fixup.rva & 0xFFFU))});
    relocations.entries.push_back({});
    TRY_DO(pe::emit(relocations, out));

    const auto set = [&](pe::Directory which, std::uint32_t rva, std::uint32_t size) {
        headers.directories[static_cast<std::size_t>(which)] = {rva, size};
    };
    set(pe::Directory::import_table, table.rva, imports_size);
    set(pe::Directory::import_address_table, slots.rva, slots_size);
    set(pe::Directory::base_relocation, fixups.rva, relocations_size);
    headers.start.address_of_entry_point = jump.rva;
    return {};
}

}  // namespace clrkit::rebuild
