// What holds the metadata: a PE file, a PE image in memory layout, or nothing but metadata (a
// Portable PDB). The one place that reads data directory 14 and the CLR header.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/diagnostics.h>
#include <clrkit/core/error.h>
#include <clrkit/core/pe/image.h>

#include <cstdint>
#include <optional>

namespace clrkit {

enum class ContainerKind : std::uint8_t { pe_file, pe_memory, bare_metadata };

struct Container {
    ContainerKind kind = ContainerKind::bare_metadata;
    ByteSpan file;
    /// Meaningless for bare metadata.
    pe::Image image;
    /// A copy; fields that the file ends before are zero.
    pe::ClrHeader clr{};
    /// Offsets in the file.
    std::uint64_t clr_offset = 0;
    std::uint64_t metadata_offset = 0;
    /// From the metadata root to where its section ends; the directory's size is not trusted.
    ByteSpan metadata;

    bool is_image() const { return kind != ContainerKind::bare_metadata; }
    std::uint32_t clr_flags() const { return clr.flags; }
    /// Offset in the file of the copy of the MVID that compilers put into the section .mvid of
    /// reference assemblies, for build tools to find without reading metadata; nothing where there is
    /// none. `mvid` is the Module row's.
    CLRKIT_API std::optional<std::uint64_t> mvid_copy(ByteSpan mvid) const;
    bool has_native_code() const { return clr.managed_native_header.rva != 0; }

    /// Finds the metadata of a PE image. Tries the file's layout, then the layout of memory.
    /// Errors say what the file is instead: `native_image`, `app_host`, `single_file_bundle`,
    /// `portable_pdb`, `windows_pdb`, `elf_image`, `not_pe`, ...
    CLRKIT_API static Result<Container> open_image(ByteSpan file,
                                                   Diagnostics* diagnostics = nullptr);
    /// Bare metadata that fills `file`.
    CLRKIT_API static Container of_metadata(ByteSpan file);
};

}  // namespace clrkit
