// What went wrong, as a value: 24 trivially copyable bytes, no text of its own. Names, paths and
// hints are added where it is printed (`render`).
#pragma once

#include <clrkit/core/api.h>

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <type_traits>

namespace clrkit {

/// Where in the pipeline a fault was met.
// clang-format off
enum class Stage : std::uint8_t { io, pe, clr, metadata, tables, heaps, signature, cil, resources,
                                  strong_name, edit, write };
// clang-format on

/// One row per code in error.cpp: its name, its sentence, its hint.
enum class ErrorCode : std::uint16_t {
    none,
    // io
    io_open,
    io_read,
    io_write,
    io_changed,
    is_folder,
    not_a_file,
    output_exists,
    output_is_folder,
    out_of_memory,
    // what the file is instead of a .NET image
    empty_file,
    not_pe,
    native_image,
    app_host,
    single_file_bundle,
    portable_pdb,
    windows_pdb,
    elf_image,
    // PE
    pe_truncated,
    pe_bad_signature,
    pe_bad_magic,
    pe_optional_header_small,
    pe_sections_truncated,
    pe_sections_clamped,
    pe_section_unbacked,
    pe_directory_outside,
    pe_range_overflow,
    pe_bad_entry,
    // CLR header and metadata root
    clr_header_outside,
    clr_header_small,
    metadata_outside,
    metadata_bad_signature,
    metadata_truncated,
    stream_outside,
    stream_name_unterminated,
    stream_duplicate,
    no_table_stream,
    refused_by_runtime,
    // tables and heaps
    table_stream_truncated,
    table_unknown,
    table_clamped,
    table_too_large,
    no_such_row,
    no_such_column,
    heap_unterminated,
    heap_index_outside,
    // blobs
    signature_malformed,
    attribute_malformed,
    attribute_unresolved,
    marshalling_malformed,
    permission_set_malformed,
    constant_malformed,
    blob_not_canonical,
    // bodies, data
    body_unreadable,
    body_opaque,
    code_not_reached,
    label_outside,
    stack_unbalanced,
    data_unreadable,
    // writing
    value_too_wide,
    not_closed,
    signature_would_go_stale,
    ready_to_run_refuses,
    certificate_removed,
    unsupported,
    output_budget,
    limit_reached,
    bad_key,
    hash_failed,
    count_  // number of codes
};

/// No file offset is known.
inline constexpr std::uint64_t no_offset = ~std::uint64_t{0};

/// A fault: code, place and an optional static note. Also what `Diagnostics` keeps.
struct Error {
    ErrorCode code = ErrorCode::none;
    Stage stage = Stage::io;
    /// The metadata token concerned, or for `Stage::io` the value of errno; 0 when neither applies.
    std::uint32_t token = 0;
    /// Byte offset in the file, or `no_offset`.
    std::uint64_t offset = no_offset;
    /// A string literal that says more, or null. Never owned, never freed.
    const char* note = nullptr;
};
static_assert(sizeof(Error) == 24 && std::is_trivially_copyable_v<Error>);

template <class T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

/// Short for `std::unexpected(Error{...})`.
inline std::unexpected<Error> failure(Stage stage, ErrorCode code, std::uint64_t offset = no_offset,
                                      const char* note = nullptr, std::uint32_t token = 0) {
    return std::unexpected(Error{code, stage, token, offset, note});
}

/// The code's name as printed in JSON, such as "metadata_outside".
CLRKIT_API const char* name_of(ErrorCode code);
/// What to do about it, or null.
CLRKIT_API const char* hint_for(ErrorCode code);
/// One sentence without the file's name: "metadata root at 0x210: the signature is not BSJB".
CLRKIT_API std::string render(const Error& error);
/// `subject: sentence`, where the subject is the path or name of what was read or written.
CLRKIT_API std::string render(const Error& error, std::string_view subject);

}  // namespace clrkit
