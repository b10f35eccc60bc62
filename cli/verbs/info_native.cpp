// Names from native tables are bytes of an unknown encoding; they go through the same escapes as all
// text from files.
#include "verbs/info_native.h"

#include "frame/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace clrkit::cli {
namespace {

using native::Facts;
using native::Listed;

/// Counts what a listing leaves out: at the user's wish, or because the helper's answer is bounded.
class Remainder {
public:
    Remainder(Job& job, std::string_view what) : job_(job), what_(what) {}

    /// How many entries of a list to show.
    template <class Item>
    std::size_t shown_of(const Listed<Item>& list) {
        const auto count = static_cast<std::size_t>(
            std::min<std::uint64_t>(list.items.size(), listing_limit(job_.arguments())));
        limited_ += list.items.size() - count;
        missing_ += list.count - list.items.size();
        return count;
    }
    /// The part of a list to show.
    template <class Item>
    std::span<const Item> shown_part(const Listed<Item>& list) {
        return std::span(list.items).first(shown_of(list));
    }
    void say() {
        job_.note_left_out(limited_, what_);
        if (missing_ == 0) return;
        job_.notes().print("clrkit: {}: {} {} for which the native reader's answer had no room\n",
                           shown(job_.input().path), missing_, what_);
    }

private:
    Job& job_;
    std::string_view what_;
    std::uint64_t limited_ = 0;
    std::uint64_t missing_ = 0;
};

std::string version_text(std::uint32_t high, std::uint32_t low) {
    return fmt::format("{}.{}.{}.{}", high >> 16U, high & 0xFFFFU, low >> 16U, low & 0xFFFFU);
}

// ----------------------------------------------------------------------------------------- as text

void line(Sink& out, std::string_view label, std::string_view text) {
    out.print("  {}{:{}}{}\n", bold(label, colors().out), "", 16 - label.size(), text);
}

std::string plural(std::uint64_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void print_header(Sink& out, const Facts& facts) {
    line(out, "native view", "as " + shown(facts.reader) + " sees it");
    line(out, "header",
         fmt::format("machine 0x{:04X}, {}, flags 0x{:04X}, subsystem {}, DLL flags 0x{:04X}",
                     facts.machine, facts.pe32_plus ? "PE32+" : "PE32", facts.characteristics,
                     facts.subsystem, facts.dll_characteristics));
    line(out, "image",
         fmt::format("base 0x{:X}, {} bytes, headers {} bytes, aligned to 0x{:X}, in the file to "
                     "0x{:X}",
                     facts.image_base, facts.size_of_image, facts.size_of_headers,
                     facts.section_alignment, facts.file_alignment));
    line(out, "native entry",
         facts.entry_point == 0 ? "none" : fmt::format("RVA 0x{:X}", facts.entry_point));
    line(out, "checksum", facts.checksum == 0 ? "none" : fmt::format("0x{:08X}", facts.checksum));
}

/// Below a line, one level further in.
void entry(Sink& out, std::string_view text) { out.print("{:20}{}\n", "", text); }

void print_sections(Job& job, const Facts& facts) {
    Remainder rest(job, "sections");
    std::string_view label = "sections";
    for (const native::Section& section : rest.shown_part(facts.sections)) {
        line(job.out(), std::exchange(label, {}),
             fmt::format("{:<8} {} bytes at RVA 0x{:X}, {} at offset 0x{:X}, flags 0x{:08X}",
                         shown(section.name), section.virtual_size, section.rva, section.size,
                         section.offset, section.characteristics));
    }
    rest.say();
}

void print_imports(Job& job, const Facts& facts) {
    Remainder rest(job, "imported DLLs");
    Remainder rest_of_functions(job, "imported functions");
    std::string_view label = "imports";
    for (const native::ImportedDll& dll : rest.shown_part(facts.imports)) {
        line(job.out(), std::exchange(label, {}),
             fmt::format("{}, {}", shown(dll.name), plural(dll.functions.count, "function")));
        for (const auto& function : rest_of_functions.shown_part(dll.functions)) {
            entry(job.out(), function.name.empty() ? fmt::format("#{}", function.ordinal_or_hint)
                                                   : shown(function.name));
        }
    }
    rest.say();
    rest_of_functions.say();
}

void print_exports(Job& job, const native::Exports& exports) {
    line(job.out(), "exports",
         fmt::format("{}, {}", shown(exports.name), plural(exports.functions.count, "function")));
    Remainder rest(job, "exported functions");
    for (const auto& function : rest.shown_part(exports.functions)) {
        const std::string place =
            function.forwarded ? "forwarded" : fmt::format("RVA 0x{:X}", function.rva);
        entry(job.out(), fmt::format("#{} {}, {}", function.ordinal, shown(function.name), place));
    }
    rest.say();
}

void print_rich(Job& job, const native::RichHeader& rich) {
    line(job.out(), "Rich header",
         fmt::format("key 0x{:08X}, {}", rich.key, plural(rich.tools.count, "tool")));
    Remainder rest(job, "tools");
    for (const native::RichTool& tool : rest.shown_part(rich.tools)) {
        entry(job.out(), fmt::format("product {}, build {}: {}", tool.product, tool.build,
                                     plural(tool.count, "object")));
    }
    rest.say();
}

std::string load_configuration_text(const native::LoadConfiguration& configuration) {
    std::string text = fmt::format("{} bytes", configuration.size);
    if (configuration.security_cookie)
        text += fmt::format(", security cookie at 0x{:X}", *configuration.security_cookie);
    return text;
}

void print_parts(Job& job, const Facts& facts) {
    Sink& out = job.out();
    if (facts.tls) {
        line(out, "TLS",
             fmt::format("data 0x{:X} to 0x{:X}, index at 0x{:X}, {}", facts.tls->data_begin,
                         facts.tls->data_end, facts.tls->index,
                         plural(facts.tls->callbacks.count, "callback")));
    }
    if (facts.load_configuration) {
        line(out, "load config", load_configuration_text(*facts.load_configuration));
    }
    line(out, "relocations",
         facts.relocations == 0 ? "none"
                                : fmt::format("{} in {}", facts.relocations,
                                              plural(facts.relocation_blocks, "block")));
    Remainder rest(job, "debug entries");
    std::string_view label = "debug entries";
    for (const native::DebugEntry& debug : rest.shown_part(facts.debug)) {
        line(out, std::exchange(label, {}),
             fmt::format("type {}, {} bytes at RVA 0x{:X}, offset 0x{:X}", debug.type, debug.size,
                         debug.rva, debug.offset));
    }
    rest.say();
    std::string certificate = "none";
    if (facts.certificate)
        certificate = facts.signature_parsed ? "a signature" : "a table without a known signature";
    line(out, "certificate", certificate);
}

void print_version(Job& job, const pe::VersionInfo& version) {
    if (version.fixed) {
        line(job.out(), "version info",
             fmt::format(
                 "file {}, product {}",
                 version_text(version.fixed->file_version_high, version.fixed->file_version_low),
                 version_text(version.fixed->product_version_high,
                              version.fixed->product_version_low)));
    } else {
        line(job.out(), "version info", "without its fixed part");
    }
    const std::uint64_t most =
        std::min<std::uint64_t>(version.strings.size(), listing_limit(job.arguments()));
    for (const pe::VersionString& string :
         std::span(version.strings).first(static_cast<std::size_t>(most))) {
        entry(job.out(), fmt::format("{}: {}", shown(utf8_from_utf16(string.key)),
                                     shown(utf8_from_utf16(string.value))));
    }
    job.note_left_out(version.strings.size() - most, "version strings");
}

// ----------------------------------------------------------------------------------------- as JSON

/// An array of objects, of which `members` writes one each, and NAME_count: how many there are.
template <class Item, class Members>
void write_list(Json& out, std::string_view name, const Listed<Item>& list, Remainder& rest,
                Members members) {
    out.begin_array(name);
    for (const Item& item : rest.shown_part(list)) {
        out.begin_object();
        members(item);
        out.end_object();
    }
    out.end_array();
    out.member(fmt::format("{}_count", name), list.count);
}
template <class Item, class Members>
void write_list(Job& job, std::string_view name, const Listed<Item>& list, std::string_view what,
                Members members) {
    Remainder rest(job, what);
    write_list(job.json(), name, list, rest, members);
    rest.say();
}

void write_header(Json& out, const Facts& facts) {
    out.name("reader", facts.reader);
    out.text("machine", fmt::format("0x{:04X}", facts.machine));
    out.member("pe32_plus", facts.pe32_plus);
    out.member("characteristics", facts.characteristics);
    out.member("timestamp", facts.time_stamp);
    out.member("entry_point", facts.entry_point);
    out.member("image_base", facts.image_base);
    out.member("section_alignment", facts.section_alignment);
    out.member("file_alignment", facts.file_alignment);
    out.member("size_of_image", facts.size_of_image);
    out.member("size_of_headers", facts.size_of_headers);
    out.member("checksum", facts.checksum);
    out.member("subsystem", facts.subsystem);
    out.member("dll_characteristics", facts.dll_characteristics);
    out.begin_array("directories");
    for (const native::Directory& directory : facts.directories) {
        out.begin_object();
        out.member("rva", directory.rva);
        out.member("size", directory.size);
        out.end_object();
    }
    out.end_array();
}

void write_imports(Job& job, const Facts& facts) {
    Json& out = job.json();
    Remainder rest(job, "imported functions");
    write_list(job, "imports", facts.imports, "imported DLLs", [&](const auto& dll) {
        out.name("name", dll.name);
        write_list(
            out, "functions", dll.functions, rest, [&](const native::ImportedFunction& function) {
                if (!function.name.empty()) out.name("name", function.name);
                out.member(function.name.empty() ? "ordinal" : "hint", function.ordinal_or_hint);
            });
    });
    rest.say();
    if (!facts.exports) return;
    out.begin_object("exports");
    out.name("name", facts.exports->name);
    write_list(job, "functions", facts.exports->functions, "exported functions",
               [&](const native::ExportedFunction& function) {
                   out.name("name", function.name);
                   out.member("ordinal", function.ordinal);
                   out.member("rva", function.rva);
                   out.member("forwarded", function.forwarded);
               });
    out.end_object();
}

void write_tls(Job& job, const native::Tls& tls) {
    Json& out = job.json();
    out.begin_object("tls");
    out.member("data_begin", tls.data_begin);
    out.member("data_end", tls.data_end);
    out.member("index", tls.index);
    out.member("callback_table", tls.callback_table);
    write_list(job, "callbacks", tls.callbacks, "TLS callbacks",
               [&](std::uint64_t address) { out.member("address", address); });
    out.end_object();
}

void write_parts(Job& job, const Facts& facts) {
    Json& out = job.json();
    if (facts.rich) {
        out.begin_object("rich");
        out.member("key", facts.rich->key);
        write_list(job, "tools", facts.rich->tools, "tools", [&](const auto& tool) {
            out.member("product", tool.product);
            out.member("build", tool.build);
            out.member("count", tool.count);
        });
        out.end_object();
    }
    if (facts.tls) write_tls(job, *facts.tls);
    if (facts.load_configuration) {
        out.begin_object("load_configuration");
        out.member("size", facts.load_configuration->size);
        if (const auto cookie = facts.load_configuration->security_cookie)
            out.member("security_cookie", *cookie);
        out.end_object();
    }
    out.member("relocation_blocks", facts.relocation_blocks);
    out.member("relocations", facts.relocations);
    write_list(job, "debug", facts.debug, "debug entries", [&](const native::DebugEntry& entry) {
        out.member("type", entry.type);
        out.member("timestamp", entry.time_stamp);
        out.member("size", entry.size);
        out.member("rva", entry.rva);
        out.member("offset", entry.offset);
    });
    out.member("certificate", facts.certificate);
    out.member("signature_parsed", facts.signature_parsed);
}

void write_facts(Job& job, const Facts& facts) {
    Json& out = job.json();
    out.begin_object("native");
    write_header(out, facts);
    write_list(job, "sections", facts.sections, "sections", [&](const native::Section& section) {
        out.name("name", section.name);
        out.member("rva", section.rva);
        out.member("virtual_size", section.virtual_size);
        out.member("offset", section.offset);
        out.member("size", section.size);
        out.member("characteristics", section.characteristics);
    });
    write_imports(job, facts);
    write_parts(job, facts);
    out.end_object();
}

void write_version_table(Json& out, const pe::VersionInfo& version,
                         const pe::VersionStrings& table) {
    out.begin_object();
    out.name("language", utf8_from_utf16(table.key));
    out.begin_array("strings");
    for (const pe::VersionString& string : version.strings_of(table)) {
        out.begin_object();
        out.name("key", utf8_from_utf16(string.key));
        out.name("value", utf8_from_utf16(string.value));
        out.end_object();
    }
    out.end_array();
    out.end_object();
}

/// Not limited: a version resource has at most 64 KiB.
void write_version(Json& out, const pe::VersionInfo& version) {
    out.begin_object("version_info");
    if (version.fixed) {
        const pe::FixedFileInfo& fixed = *version.fixed;
        out.text("file_version", version_text(fixed.file_version_high, fixed.file_version_low));
        out.text("product_version",
                 version_text(fixed.product_version_high, fixed.product_version_low));
        out.member("file_flags", std::uint32_t{fixed.file_flags});
        out.member("file_os", std::uint32_t{fixed.file_os});
        out.member("file_type", std::uint32_t{fixed.file_type});
    }
    out.begin_array("tables");
    for (const auto& table : version.tables) write_version_table(out, version, table);
    out.end_array();
    out.begin_array("translations");
    for (const pe::VersionTranslation& translation : version.translations) {
        out.begin_object();
        out.member("language", translation.language);
        out.member("code_page", translation.code_page);
        out.end_object();
    }
    out.end_array();
    out.member("complete", version.complete);
    out.end_object();
}

}  // namespace

NativeView gather_native(const Module& module) {
    NativeView view{native::ask(module.bytes()), std::nullopt};
    const pe::Resources resources = pe::Resources::read(module.image());
    if (const auto* leaf = resources.find(pe::resource_type::version))
        view.version = pe::VersionInfo::read(*leaf);
    return view;
}

void print_native(Job& job, const NativeView& view) {
    if (view.facts) {
        print_header(job.out(), *view.facts);
        print_sections(job, *view.facts);
        print_imports(job, *view.facts);
        if (view.facts->exports) print_exports(job, *view.facts->exports);
        if (view.facts->rich) print_rich(job, *view.facts->rich);
        print_parts(job, *view.facts);
    }
    if (view.version) print_version(job, *view.version);
}

void write_native(Job& job, const NativeView& view) {
    if (view.facts) write_facts(job, *view.facts);
    if (view.version) write_version(job.json(), *view.version);
}

}  // namespace clrkit::cli
