// clrkit dump: the structures of a file as they stand, from the headers down to one row.
#include "frame/references.h"
#include "frame/text.h"
#include "verbs/blob_texts.h"
#include "verbs/dump_rows.h"

#include <clrkit/core/pe/headers.h>

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

namespace clrkit::cli {
namespace {

using enum OptionKind;

constexpr std::array options{
    Option{"table", 't', list, "NAME|N", "the rows of a table; may be repeated"},
    Option{"heap", 0, list, "NAME", "the entries of a heap: strings, us, blob, guid"},
    Option{"token", 0, list, "TOKEN", "one row, or a literal (0x70000001); may be repeated"},
    Option{"raw", 0, flag, {}, "stored numbers and bytes only, nothing looked up"},
    ref_option,
};

// --------------------------------------------------------------------------------------- overview

/// A named number of a header, as wide as it stands in the file.
struct Field {
    const char* name;
    std::uint64_t value;
    int bytes;
};

template <class T>
Field field(const char* name, const Le<T>& value) {
    return {name, T{value}, sizeof(T)};
}

std::vector<Field> coff_fields(const pe::CoffHeader& coff) {
    return {field("machine", coff.machine),
            field("number_of_sections", coff.number_of_sections),
            field("time_date_stamp", coff.time_date_stamp),
            field("pointer_to_symbol_table", coff.pointer_to_symbol_table),
            field("number_of_symbols", coff.number_of_symbols),
            field("size_of_optional_header", coff.size_of_optional_header),
            field("characteristics", coff.characteristics)};
}

std::vector<Field> optional_fields(const pe::Headers& headers) {
    const pe::OptionalHeaderStart& start = headers.start;
    const pe::OptionalHeaderMiddle& middle = headers.middle;
    const int word = headers.is_pe32_plus() ? 8 : 4;
    std::vector<Field> fields{
        field("magic", start.magic),
        {"major_linker_version", start.major_linker_version, 1},
        {"minor_linker_version", start.minor_linker_version, 1},
        field("size_of_code", start.size_of_code),
        field("size_of_initialized_data", start.size_of_initialized_data),
        field("size_of_uninitialized_data", start.size_of_uninitialized_data),
        field("address_of_entry_point", start.address_of_entry_point),
        field("base_of_code", start.base_of_code),
    };
    if (!headers.is_pe32_plus()) fields.push_back({"base_of_data", headers.base_of_data, 4});
    const std::vector<Field> rest{
        {"image_base", headers.image_base, word},
        field("section_alignment", middle.section_alignment),
        field("file_alignment", middle.file_alignment),
        field("major_operating_system_version", middle.major_operating_system_version),
        field("minor_operating_system_version", middle.minor_operating_system_version),
        field("major_image_version", middle.major_image_version),
        field("minor_image_version", middle.minor_image_version),
        field("major_subsystem_version", middle.major_subsystem_version),
        field("minor_subsystem_version", middle.minor_subsystem_version),
        field("win32_version_value", middle.win32_version_value),
        field("size_of_image", middle.size_of_image),
        field("size_of_headers", middle.size_of_headers),
        field("check_sum", middle.check_sum),
        field("subsystem", middle.subsystem),
        field("dll_characteristics", middle.dll_characteristics),
        {"size_of_stack_reserve", headers.size_of_stack_reserve, word},
        {"size_of_stack_commit", headers.size_of_stack_commit, word},
        {"size_of_heap_reserve", headers.size_of_heap_reserve, word},
        {"size_of_heap_commit", headers.size_of_heap_commit, word},
        {"loader_flags", headers.loader_flags, 4},
        {"number_of_rva_and_sizes", headers.number_of_rva_and_sizes, 4},
    };
    fields.insert(fields.end(), rest.begin(), rest.end());
    return fields;
}

std::vector<Field> clr_fields(const pe::ClrHeader& clr) {
    std::vector<Field> fields{field("size", clr.size),
                              field("major_runtime_version", clr.major_runtime_version),
                              field("minor_runtime_version", clr.minor_runtime_version),
                              field("flags", clr.flags), field("entry_point", clr.entry_point)};
    const auto directory = [&](const char* rva, const char* size, const pe::DataDirectory& entry) {
        fields.push_back(field(rva, entry.rva));
        fields.push_back(field(size, entry.size));
    };
    directory("metadata_rva", "metadata_size", clr.metadata);
    directory("resources_rva", "resources_size", clr.resources);
    directory("strong_name_signature_rva", "strong_name_signature_size", clr.strong_name_signature);
    directory("code_manager_table_rva", "code_manager_table_size", clr.code_manager_table);
    directory("vtable_fixups_rva", "vtable_fixups_size", clr.vtable_fixups);
    directory("export_address_table_jumps_rva", "export_address_table_jumps_size",
              clr.export_address_table_jumps);
    directory("managed_native_header_rva", "managed_native_header_size", clr.managed_native_header);
    return fields;
}

constexpr std::array directory_names{
    "export_table",   "import_table", "resource",   "exception", "certificate", "relocation",
    "debug",          "architecture", "global_ptr", "tls",       "load_config", "bound_import",
    "import_address", "delay_import", "clr_header", "reserved",
};
static_assert(directory_names.size() == pe::directory_count);

/// Prints an overview as text or as JSON, part by part: both in one place, so that they say the same.
class Overview {
public:
    Overview(Job& job, const Module& module)
        : job_(job), module_(module), json_(job.wants_json() ? &job.json() : nullptr) {}

    void print() {
        const pe::Headers headers = pe::Headers::read(module_.image());
        fields("coff_header", module_.image().coff_offset(), coff_fields(headers.coff));
        fields("optional_header", module_.image().optional_offset(), optional_fields(headers));
        directories(headers);
        sections();
        fields("clr_header", module_.container().clr_offset, clr_fields(module_.container().clr));
        streams();
        tables();
    }

private:
    void head(std::string_view name, std::uint64_t offset) {
        job_.out().print("{}\n",
                         bold(fmt::format("{} at offset 0x{:X}", name, offset), colors().out));
    }

    void fields(const char* name, std::uint64_t offset, const std::vector<Field>& all) {
        if (json_ != nullptr) {
            json_->begin_object(name);
            json_->member("offset", offset);
            for (const Field& one : all) json_->member(one.name, one.value);
            json_->end_object();
            return;
        }
        head(name, offset);
        for (const Field& one : all) {
            job_.out().print("  {:<32}0x{:0{}X}\n", one.name, one.value, 2 * one.bytes);
        }
    }

    void directories(const pe::Headers& headers) {
        if (json_ != nullptr) json_->begin_array("directories");
        if (json_ == nullptr) head("directories", module_.image().directories_offset());
        for (std::size_t i = 0; i < headers.directories.size(); ++i) {
            const pe::DataDirectory& entry = headers.directories[i];
            if (entry.empty()) continue;
            if (json_ == nullptr) {
                job_.out().print("  {:<16}RVA 0x{:08X}  size 0x{:X}\n", directory_names[i],
                                 std::uint32_t{entry.rva}, std::uint32_t{entry.size});
                continue;
            }
            json_->begin_object();
            json_->text("name", directory_names[i]);
            json_->member("rva", std::uint32_t{entry.rva});
            json_->member("size", std::uint32_t{entry.size});
            json_->end_object();
        }
        if (json_ != nullptr) json_->end_array();
    }

    void sections() {
        if (json_ != nullptr) json_->begin_array("sections");
        if (json_ == nullptr) head("sections", module_.image().sections_offset());
        for (const pe::SectionHeader& section : module_.image().sections()) {
            const std::vector<Field> numbers{
                field("virtual_address", section.virtual_address),
                field("virtual_size", section.virtual_size),
                field("pointer_to_raw_data", section.pointer_to_raw_data),
                field("size_of_raw_data", section.size_of_raw_data),
                field("characteristics", section.characteristics)};
            if (json_ == nullptr) {
                job_.out().print(
                    "  {:<10}RVA 0x{:08X}  virtual size 0x{:X}  raw 0x{:X}  raw size "
                    "0x{:X}  flags 0x{:08X}\n",
                    shown(section.name_view()), numbers[0].value, numbers[1].value,
                    numbers[2].value, numbers[3].value, numbers[4].value);
                continue;
            }
            json_->begin_object();
            json_->name("name", section.name_view());
            for (const Field& one : numbers) json_->member(one.name, one.value);
            json_->end_object();
        }
        if (json_ != nullptr) json_->end_array();
    }

    void streams() {
        const MetadataRoot& root = module_.metadata().root();
        if (json_ != nullptr) {
            json_->begin_object("metadata_root");
            json_->member("offset", root.file_offset());
            json_->name("version", root.version());
            json_->begin_array("streams");
        } else {
            head("metadata_root", root.file_offset());
            job_.out().print("  version {}\n", shown(root.version()));
        }
        auto cursor = root.streams();
        while (const auto stream = cursor.next()) {
            if (json_ == nullptr) {
                job_.out().print("  {:<10}offset 0x{:X}, 0x{:X} in the file, {} bytes{}\n",
                                 shown(stream->name), stream->offset,
                                 root.file_offset() + stream->offset, stream->size,
                                 stream->whole ? "" : " (runs past the metadata)");
                continue;
            }
            json_->begin_object();
            json_->name("name", stream->name);
            json_->member("offset", root.file_offset() + stream->offset);
            json_->member("size", stream->size);
            json_->member("whole", stream->whole);
            json_->end_object();
        }
        if (json_ != nullptr) {
            json_->end_array();
            json_->end_object();
        }
    }

    void tables() {
        const Metadata& metadata = module_.metadata();
        const Tables& all = metadata.tables();
        if (json_ != nullptr) json_->begin_array("tables");
        if (json_ == nullptr) head("tables", metadata.offset_in_file(all.bytes().data()));
        for (std::size_t slot = 0; slot < table_slots; ++slot) {
            const auto table = static_cast<Table>(slot);
            const TableLayout& layout = all.layout(table);
            if (layout.declared == 0 || !schema::known(table)) continue;
            const std::uint64_t offset =
                layout.rows == 0 ? 0 : metadata.offset_in_file(layout.first);
            const std::string_view name = all.spec(table).name;
            if (json_ == nullptr) {
                job_.out().print(
                    "  0x{:02X} {:<24}{:>8} rows of {:>2} bytes at 0x{:X}{}{}\n", slot, name,
                    layout.rows, layout.row_size, offset, all.says_sorted(table) ? ", sorted" : "",
                    layout.declared != layout.rows ? fmt::format(" ({} declared)", layout.declared)
                                                   : "");
                continue;
            }
            json_->begin_object();
            json_->text("name", name);
            json_->member("number", slot);
            json_->member("rows", layout.rows);
            json_->member("declared_rows", layout.declared);
            json_->member("row_size", layout.row_size);
            json_->member("offset", offset);
            json_->member("sorted", all.says_sorted(table));
            json_->end_object();
        }
        if (json_ != nullptr) json_->end_array();
    }

    Job& job_;
    const Module& module_;
    Json* json_;
};

// ------------------------------------------------------------------------------------------ asked

/// What the options ask for, checked before the first file is opened.
struct Wishes {
    std::vector<Table> tables;
    std::vector<Heap> heaps;
    std::vector<Token> tokens;
    bool any() const { return !tables.empty() || !heaps.empty() || !tokens.empty(); }
};

template <class T>
Usage<void> read_list(std::span<const std::string> texts, Usage<T> (*read)(std::string_view),
                      std::vector<T>& to) {
    for (const std::string& text : texts) {
        auto value = read(text);
        if (!value) return std::unexpected(value.error());
        to.push_back(*value);
    }
    return {};
}

Usage<Wishes> read_wishes(const Arguments& arguments) {
    Wishes wishes;
    auto good = read_list(arguments.list("table"), parse_table, wishes.tables);
    if (good) good = read_list(arguments.list("heap"), parse_heap, wishes.heaps);
    if (good) good = read_list(arguments.list("token"), parse_token, wishes.tokens);
    if (!good) return std::unexpected(good.error());
    return wishes;
}

/// The parts under one name: an array in JSON, one after the other as text.
template <class T, class Each>
void each_of(Job& job, const char* name, const std::vector<T>& wished, Each each) {
    if (wished.empty()) return;
    if (job.wants_json()) job.json().begin_array(name);
    for (const T& one : wished) each(one);
    if (job.wants_json()) job.json().end_array();
}

void dump(Job& job, const Wishes& wishes, const References& references) {
    const auto module = job.open();
    if (!module) return;
    std::optional<BlobTexts> meanings;
    if (!job.arguments().has("raw") && !(wishes.tables.empty() && wishes.tokens.empty())) {
        meanings.emplace(module->metadata(), references.enums(), BlobTexts::Wanted::many);
    }
    BlobTexts* const texts = meanings ? &*meanings : nullptr;
    if (!job.wants_json()) job.out().print("{}\n", bold(shown(job.input().path), colors().out));
    if (!wishes.any()) Overview(job, *module).print();
    each_of(job, "tables", wishes.tables,
            [&](Table table) { dump_table(job, *module, table, texts); });
    each_of(job, "heaps", wishes.heaps, [&](Heap heap) { dump_heap(job, *module, heap); });
    each_of(job, "tokens", wishes.tokens, [&](Token token) {
        if (dump_token(job, *module, token, texts)) return;
        job.answer_no();
        job.notes().write(
            complaint(fmt::format("{}: there is no 0x{:08X}", job.input().path, token.value())));
    });
}

int run(const Arguments& arguments) {
    const auto wishes = read_wishes(arguments);
    if (!wishes) return refuse(wishes.error(), &arguments.verb());
    const auto inputs = find_inputs(arguments);
    if (!inputs) return refuse(inputs.error(), &arguments.verb());
    const auto references = References::open(arguments);
    if (!references) return refuse(references.error(), &arguments.verb());
    return run_batch(arguments, *inputs, [&](Job& job) { dump(job, *wishes, *references); }, "\n");
}

}  // namespace

extern constinit const Verb dump_verb;
constinit const Verb dump_verb{
    "dump",
    "the structures of a file: headers, streams, tables, heaps, single rows",
    "INPUT...",
    {{{"clrkit dump App.dll", "headers, sections, streams and which tables there are"},
      {"clrkit dump --table TypeDef --limit 20 App.dll", "rows with what they refer to"},
      {"clrkit dump --token 0x06000001 App.dll", "one row"}}},
    options,
    takes_inputs | takes_listing | takes_json,
    run,
    {},
};

}  // namespace clrkit::cli
