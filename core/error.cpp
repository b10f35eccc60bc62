// The text of every error code, and how an error becomes a sentence.
#include <clrkit/core/error.h>

#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace clrkit {
namespace {

struct Text {
    ErrorCode code;
    const char* name;
    const char* sentence;
    const char* hint;
};

// NOLINTNEXTLINE(readability-identifier-naming)
#define ROW(code, sentence, hint) \
    Text { ErrorCode::code, #code, sentence, hint }
constexpr std::array texts{
    ROW(none, "no error", nullptr),
    ROW(io_open, "cannot be opened", nullptr),
    ROW(io_read, "cannot be read", nullptr),
    ROW(io_write, "cannot be written", nullptr),
    ROW(io_changed, "changed while it was being read", "try again once nobody writes to it"),
    ROW(is_folder, "is a folder", "name a file, or pass -r to search the folder"),
    ROW(not_a_file, "is not a regular file", "copy what it gives to a file, and name that"),
    ROW(output_exists, "exists already", "pass -f to replace it"),
    ROW(output_is_folder, "is a folder", "name another output"),
    ROW(out_of_memory, "ran out of memory", nullptr),
    ROW(empty_file, "the file is empty", nullptr),
    ROW(not_pe, "not a PE file: it does not start with MZ", nullptr),
    ROW(native_image, "a native PE file: it has no CLR header", nullptr),
    ROW(app_host, "a .NET app host: native code that starts the .dll beside it",
        "pass the .dll beside it"),
    ROW(single_file_bundle, "a single-file bundle: the assemblies are packed inside it",
        "extract the assemblies first"),
    ROW(portable_pdb, "a Portable PDB, not an image", "pass the .dll or .exe it belongs to"),
    ROW(windows_pdb, "a Windows PDB, not an image", "pass the .dll or .exe it belongs to"),
    ROW(elf_image, "an ELF file, not a PE file", "if it is an app host, pass the .dll beside it"),
    ROW(pe_truncated, "the file ends inside the PE headers", nullptr),
    ROW(pe_bad_signature, "the PE signature is wrong", nullptr),
    ROW(pe_bad_magic, "the optional header's magic is neither PE32 nor PE32+", nullptr),
    ROW(pe_optional_header_small, "the optional header is too small for a CLR image", nullptr),
    ROW(pe_sections_truncated, "the file ends before the first section header", nullptr),
    ROW(pe_sections_clamped, "more section headers are declared than fit", nullptr),
    ROW(pe_section_unbacked, "the file ends inside a section's raw data", nullptr),
    ROW(pe_directory_outside, "a data directory lies outside the image", nullptr),
    ROW(pe_range_overflow, "a range wraps past 4 GiB", nullptr),
    ROW(pe_bad_entry, "an entry of a PE directory makes no sense", nullptr),
    ROW(clr_header_outside, "the CLR header lies outside the file", nullptr),
    ROW(clr_header_small, "the CLR header says it is smaller than 72 bytes", nullptr),
    ROW(metadata_outside, "the metadata lies outside the file", nullptr),
    ROW(metadata_bad_signature, "the metadata root does not start with BSJB",
        "the file may be encrypted or packed"),
    ROW(metadata_truncated, "the metadata ends too early", nullptr),
    ROW(stream_outside, "a metadata stream runs past the metadata", nullptr),
    ROW(stream_name_unterminated, "a metadata stream's name has no end", nullptr),
    ROW(stream_duplicate, "a metadata stream's name occurs twice", nullptr),
    ROW(no_table_stream, "the metadata has no table stream", nullptr),
    ROW(refused_by_runtime, "the runtime would refuse to load this", nullptr),
    ROW(table_stream_truncated, "the table stream ends inside its header", nullptr),
    ROW(table_unknown, "a table nobody knows has rows", nullptr),
    ROW(table_clamped, "a table declares more rows than the stream holds", nullptr),
    ROW(table_too_large, "the tables are larger than 4 GiB", nullptr),
    ROW(no_such_row, "there is no such row", nullptr),
    ROW(no_such_column, "there is no such column", nullptr),
    ROW(heap_unterminated, "the last entry of a heap has no end", nullptr),
    ROW(heap_index_outside, "an index points past its heap", nullptr),
    ROW(signature_malformed, "a signature cannot be decoded", nullptr),
    ROW(attribute_malformed, "the arguments of a custom attribute cannot be decoded", nullptr),
    ROW(attribute_unresolved, "the size of an enum among an attribute's arguments is not known",
        "name the folder of the assembly that defines it"),
    ROW(marshalling_malformed, "a marshalling descriptor cannot be decoded", nullptr),
    ROW(permission_set_malformed, "a permission set cannot be decoded", nullptr),
    ROW(constant_malformed, "a constant does not have the size of its type", nullptr),
    ROW(blob_not_canonical, "a blob is encoded in a longer form than needed", nullptr),
    ROW(body_unreadable, "the extent of a method body cannot be read", nullptr),
    ROW(body_opaque, "a method body cannot be decoded", nullptr),
    ROW(code_not_reached, "bytes that are no instructions stand where control never comes",
        nullptr),
    ROW(label_outside, "a place lies outside the method body", nullptr),
    ROW(stack_unbalanced, "the depth of the evaluation stack cannot be told", nullptr),
    ROW(data_unreadable, "data lies outside the file", nullptr),
    ROW(value_too_wide, "the value does not fit its field", nullptr),
    ROW(not_closed, "not every byte of the image is accounted for", nullptr),
    ROW(signature_would_go_stale, "the change would leave a valid strong-name signature stale",
        "pass --drop-signature or --public-sign"),
    ROW(ready_to_run_refuses, "ReadyToRun code in the image depends on this", nullptr),
    ROW(certificate_removed, "the Authenticode signature no longer holds and was removed", nullptr),
    ROW(unsupported, "not supported", nullptr),
    ROW(output_budget, "the output would exceed its budget", nullptr),
    ROW(limit_reached, "a limit on work was reached", nullptr),
    ROW(bad_key, "not a strong-name key", nullptr),
    ROW(hash_failed, "a hash could not be computed", nullptr),
};
#undef ROW
static_assert(texts.size() == static_cast<std::size_t>(ErrorCode::count_));

constexpr bool in_order() {
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (static_cast<std::size_t>(texts[i].code) != i) return false;
    }
    return true;
}
static_assert(in_order(), "one row per ErrorCode, in the order of the enumeration");

const Text& text_of(ErrorCode code) {
    const auto index = static_cast<std::size_t>(code);
    return texts[index < texts.size() ? index : 0];
}

}  // namespace

const char* name_of(ErrorCode code) { return text_of(code).name; }

const char* hint_for(ErrorCode code) { return text_of(code).hint; }

std::string render(const Error& error) {
    std::string out;
    char number[40];
    if (error.stage != Stage::io && error.token != 0) {
        std::snprintf(number, sizeof number, "0x%08" PRIx32 ": ", error.token);
        out += number;
    }
    out += text_of(error.code).sentence;
    if (error.note != nullptr) {
        out += " (";
        out += error.note;
        out += ')';
    }
    if (error.offset != no_offset) {
        std::snprintf(number, sizeof number, " at offset 0x%" PRIx64, error.offset);
        out += number;
    }
    if (error.stage == Stage::io && error.token != 0) {
        out += ": ";
        out += std::strerror(static_cast<int>(error.token));
    }
    return out;
}

std::string render(const Error& error, std::string_view subject) {
    std::string out{subject};
    out += ": ";
    out += render(error);
    return out;
}

}  // namespace clrkit
