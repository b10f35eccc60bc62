// clrkit info: what a file is.
#include "frame/batch.h"
#include "frame/references.h"
#include "frame/text.h"
#include "verbs/info_attributes.h"
#include "verbs/info_facts.h"
#include "verbs/info_native.h"
#include "verbs/info_sizes.h"

#include <clrkit/dotnet/module/coverage.h>

#include <fmt/format.h>

#include <utility>

namespace clrkit::cli {
namespace {

constexpr std::array options{
    Option{"size", 's', OptionKind::flag, {}, "what the bytes are: by kind, table and section"},
    Option{"coverage",
           0,
           OptionKind::flag,
           {},
           "whether every byte is accounted for, so that parts may move (reads the whole file)"},
    Option{"native",
           0,
           OptionKind::flag,
           {},
           "the native view: headers, imports, exports, Rich header, Win32 version info"},
    Option{"diagnostics", 'd', OptionKind::flag, {}, "list the faults that were tolerated"},
    ref_option,
};

// ----------------------------------------------------------------------------------------- as text

void line(Sink& out, std::string_view label, std::string_view text) {
    if (text.empty()) return;
    out.print("  {}{:{}}{}\n", bold(label, colors().out), "", 16 - label.size(), text);
}

std::string kind_text(const Facts& facts) {
    std::string kind(facts.form);
    if (!facts.assembly) kind = "netmodule";
    if (facts.reference_assembly) kind += ", reference assembly";
    if (facts.assembly && !facts.assembly->culture.empty()) kind += ", satellite";
    return kind;
}

std::string platform_text(const Module& module, const Facts& facts) {
    std::string text = facts.platform;
    if (!facts.system.empty()) text += ", " + std::string(facts.system);
    text += module.image().is_pe32_plus() ? " (PE32+" : " (PE32";
    if (facts.large_addresses && !module.image().is_pe32_plus()) text += ", large addresses";
    return text + ")";
}

std::string flags_text(const Module& module, const Facts& facts) {
    std::string text = fmt::format("0x{:X}", module.container().clr_flags());
    for (const std::string_view flag : facts.flags) text += " " + std::string(flag);
    return text;
}

std::string entry_point_text(const Facts& facts) {
    if (facts.entry_point == 0) return {};
    if (facts.entry_point_is_rva)
        return fmt::format("native code at RVA 0x{:X}", facts.entry_point);
    return fmt::format("0x{:08X} {}", facts.entry_point, shown(facts.entry_point_name));
}

std::string debug_text(const pe::DebugEntry& entry) {
    if (const auto view = pe::code_view(entry)) {
        const std::string_view path(reinterpret_cast<const char*>(view->path.data()),
                                    view->path.size());
        return fmt::format("CodeView {}, {}, age {}", shown(path), guid_text(view->guid),
                           view->age);
    }
    if (const auto checksum = pe::pdb_checksum(entry)) {
        return fmt::format("PDB checksum {} {}", shown(checksum->algorithm),
                           hex(checksum->checksum));
    }
    if (const auto embedded = pe::embedded_pdb(entry)) {
        return fmt::format("embedded Portable PDB, {} bytes, {} uncompressed",
                           embedded->deflated.size(), embedded->uncompressed_size);
    }
    if (entry.type() == pe::DebugType::reproducible) return "reproducible";
    return fmt::format("type {}, {} bytes", std::uint32_t{entry.header.type}, entry.data.size());
}

std::string time_stamp_text(const Module& module, const Facts& facts) {
    const std::uint32_t stamp = module.image().coff().time_date_stamp;
    const std::string number = fmt::format("0x{:08X}", stamp);
    if (facts.reproducible) return number + " (a hash)";
    return stamp == 0 ? number : number + " " + time_text(stamp);
}

std::string coverage_text(const Coverage& coverage) {
    if (coverage.closed()) return "closed: every byte is accounted for";
    std::string text = fmt::format("pinned: {}", name_of(coverage.reason));
    if (!coverage.where.empty()) {
        text +=
            fmt::format(", {} bytes at offset 0x{:X}", coverage.where.size, coverage.where.offset);
    } else if (coverage.where.offset != 0) {
        text += fmt::format(" at offset 0x{:X}", coverage.where.offset);
    }
    return text;
}

void print_references(Job& job, const Module& module) {
    const std::uint32_t count = module.metadata().rows(Table::AssemblyRef);
    const std::uint64_t limit = listing_limit(job.arguments());
    for (std::uint32_t rid = 1; rid <= count && rid <= limit; ++rid) {
        line(job.out(), rid == 1 ? "references" : "", text_of(reference_identity(module, rid)));
    }
    if (count > limit) job.note_left_out(count - limit, "references");
}

void print_diagnostics(Job& job) {
    const Diagnostics& faults = job.diagnostics();
    if (faults.empty()) return;
    line(job.out(), "faults",
         fmt::format("{} tolerated{}", faults.total(),
                     job.arguments().has("diagnostics") ? "" : " (--diagnostics lists them)"));
    if (!job.arguments().has("diagnostics")) return;
    std::uint64_t listed = 0;
    for (const Error& fault : faults.kept()) {
        if (listed++ >= listing_limit(job.arguments())) break;
        job.out().print("    {}\n", shown(render(fault)));
    }
    job.note_left_out(faults.total() - std::min(faults.total(), listed), "faults");
}

void print_text(Job& job, const Module& module, const Facts& facts, const Coverage* coverage,
                const EnumResolver& enums) {
    Sink& out = job.out();
    out.print("{}\n", bold(shown(job.input().path), colors().out));
    if (facts.assembly) line(out, "assembly", text_of(*facts.assembly));
    const auto mvid = module.mvid();
    line(out, "module", shown(module.name()) + (mvid ? ", MVID " + guid_text(*mvid) : ""));
    line(out, "kind", kind_text(facts));
    line(out, "framework", shown(facts.target_framework));
    line(out, "metadata", shown(module.metadata().root().version()));
    line(out, "platform", platform_text(module, facts));
    line(out, "flags", flags_text(module, facts));
    line(out, "native code", facts.native_code);
    line(out, "strong name", facts.strong_name);
    line(out, "entry point", entry_point_text(facts));
    line(out, "timestamp", time_stamp_text(module, facts));
    for (const pe::DebugEntry& entry : facts.debug.entries) {
        line(out, &entry == facts.debug.entries.data() ? "debug" : "", debug_text(entry));
    }
    if (facts.certificate_bytes != 0) {
        line(out, "Authenticode", fmt::format("certificate of {} bytes", facts.certificate_bytes));
    }
    line(out, "size",
         fmt::format("{} bytes, types {}, methods {}, fields {}", module.bytes().size(),
                     module.metadata().rows(Table::TypeDef),
                     module.metadata().rows(Table::MethodDef),
                     module.metadata().rows(Table::Field)));
    print_references(job, module);
    const char* label = "attributes";
    for (const std::string& attribute : attribute_lines(job, module, enums)) {
        line(out, std::exchange(label, ""), attribute);
    }
    if (coverage != nullptr) line(out, "layout", coverage_text(*coverage));
    if (job.arguments().has("size")) print_sizes(out, module, *coverage);
    print_diagnostics(job);
}

// ----------------------------------------------------------------------------------------- as JSON

void write_identity(Json& out, const Identity& identity) {
    out.name("name", identity.name);
    out.text("version", text_of(identity.version));
    out.name("culture", identity.culture.empty() ? "neutral" : identity.culture);
    if (identity.public_key_token.empty()) {
        out.null("public_key_token");
    } else {
        out.text("public_key_token", identity.public_key_token);
    }
}

void write_debug(Json& out, const pe::DebugEntry& entry) {
    out.begin_object();
    out.member("type", std::uint32_t{entry.header.type});
    if (const auto view = pe::code_view(entry)) {
        out.text("kind", "codeview");
        out.name("path", {reinterpret_cast<const char*>(view->path.data()), view->path.size()});
        out.text("guid", guid_text(view->guid));
        out.member("age", view->age);
    } else if (const auto checksum = pe::pdb_checksum(entry)) {
        out.text("kind", "pdb_checksum");
        out.name("algorithm", checksum->algorithm);
        out.bytes("checksum", checksum->checksum);
    } else if (const auto embedded = pe::embedded_pdb(entry)) {
        out.text("kind", "embedded_pdb");
        out.member("bytes", embedded->deflated.size());
        out.member("uncompressed_bytes", embedded->uncompressed_size);
    } else {
        out.text("kind", entry.type() == pe::DebugType::reproducible ? "reproducible" : "other");
        out.member("bytes", entry.data.size());
    }
    out.end_object();
}

void write_references(Job& job, const Module& module) {
    Json& out = job.json();
    const std::uint32_t count = module.metadata().rows(Table::AssemblyRef);
    const std::uint64_t limit = listing_limit(job.arguments());
    out.begin_array("references");
    for (std::uint32_t rid = 1; rid <= count && rid <= limit; ++rid) {
        out.begin_object();
        out.member("token", Token(Table::AssemblyRef, rid));
        write_identity(out, reference_identity(module, rid));
        out.end_object();
    }
    out.end_array();
    if (count > limit) job.note_left_out(count - limit, "references");
}

void write_diagnostics(Job& job) {
    Json& out = job.json();
    const Diagnostics& faults = job.diagnostics();
    out.member("faults", faults.total());
    if (!job.arguments().has("diagnostics")) return;
    out.begin_array("fault_list");
    std::uint64_t listed = 0;
    for (const Error& fault : faults.kept()) {
        if (listed++ >= listing_limit(job.arguments())) break;
        out.begin_object();
        out.text("code", clrkit::name_of(fault.code));
        out.text("message", render(fault));
        if (fault.offset != no_offset) out.member("offset", fault.offset);
        if (fault.token != 0) out.member("token", Token(fault.token));
        out.end_object();
    }
    out.end_array();
    job.note_left_out(faults.total() - std::min(faults.total(), listed), "faults");
}

void write_platform(Json& out, const Module& module, const Facts& facts) {
    out.text("platform", facts.platform);
    out.text("machine", fmt::format("0x{:04X}", facts.machine));
    if (!facts.system.empty()) out.text("system", facts.system);
    out.member("pe32_plus", module.image().is_pe32_plus());
    out.member("large_addresses", facts.large_addresses);
    out.text("flags", fmt::format("0x{:08X}", module.container().clr_flags()));
    out.begin_array("flag_names");
    for (const std::string_view flag : facts.flags) out.text(flag);
    out.end_array();
    out.text("strong_name", facts.strong_name);
    out.member("ready_to_run", facts.ready_to_run);
    out.member("mixed_mode", facts.mixed_mode);
    if (!facts.native_code.empty()) out.text("native_code", facts.native_code);
    if (facts.entry_point != 0 && facts.entry_point_is_rva) {
        out.member("entry_point_rva", facts.entry_point);
    } else if (facts.entry_point != 0) {
        out.member("entry_point", Token(facts.entry_point));
        out.name("entry_point_name", facts.entry_point_name);
    }
}

void write_coverage(Json& out, const Coverage& coverage) {
    out.begin_object("layout");
    out.member("closed", coverage.closed());
    if (!coverage.closed()) out.text("reason", name_of(coverage.reason));
    if (!coverage.closed() && coverage.where.offset != 0) {
        out.member("offset", coverage.where.offset);
        out.member("size", coverage.where.size);
    }
    out.end_object();
}

void write_json(Job& job, const Module& module, const Facts& facts, const Coverage* coverage,
                const EnumResolver& enums) {
    Json& out = job.json();
    out.text("kind", facts.assembly ? "assembly" : "netmodule");
    out.text("form", facts.form);
    out.member("reference_assembly", facts.reference_assembly);
    if (facts.assembly) write_identity(out, *facts.assembly);
    out.name("module", module.name());
    if (const auto mvid = module.mvid()) out.text("mvid", guid_text(*mvid));
    if (!facts.target_framework.empty()) out.name("target_framework", facts.target_framework);
    out.name("metadata_version", module.metadata().root().version());
    write_platform(out, module, facts);
    out.member("timestamp", std::uint32_t{module.image().coff().time_date_stamp});
    out.member("reproducible", facts.reproducible);
    out.begin_array("debug");
    for (const pe::DebugEntry& entry : facts.debug.entries) write_debug(out, entry);
    out.end_array();
    out.member("certificates", facts.certificates);
    out.member("bytes", module.bytes().size());
    out.member("types", module.metadata().rows(Table::TypeDef));
    out.member("methods", module.metadata().rows(Table::MethodDef));
    out.member("fields", module.metadata().rows(Table::Field));
    write_references(job, module);
    write_attributes(job, module, enums);
    if (coverage != nullptr) write_coverage(out, *coverage);
    if (job.arguments().has("size")) write_sizes(out, module, *coverage);
    write_diagnostics(job);
}

void describe(Job& job, const References& references) {
    const auto module = job.open();
    if (!module) return;
    const Facts facts = gather(*module);
    std::optional<Coverage> coverage;
    if (job.arguments().has("size") || job.arguments().has("coverage")) {
        auto covered = cover(module->state());
        if (!covered) {
            job.fail(covered.error());
            return;
        }
        coverage = std::move(*covered);
    }
    std::optional<NativeView> native;
    if (job.arguments().has("native")) native = gather_native(*module);
    if (job.wants_json()) {
        write_json(job, *module, facts, coverage ? &*coverage : nullptr, references.enums());
        if (native) write_native(job, *native);
    } else {
        print_text(job, *module, facts, coverage ? &*coverage : nullptr, references.enums());
        if (native) print_native(job, *native);
    }
    if (native && !native->facts)
        job.fail(native->facts.error().sentence, native->facts.error().hint);
}

int run(const Arguments& arguments) {
    const auto inputs = find_inputs(arguments);
    if (!inputs) return refuse(inputs.error(), &arguments.verb());
    const auto references = References::open(arguments);
    if (!references) return refuse(references.error(), &arguments.verb());
    return run_batch(arguments, *inputs, [&](Job& job) { describe(job, *references); }, "\n");
}

}  // namespace

extern constinit const Verb info_verb;
constinit const Verb info_verb{
    "info",
    "what a file is: identity, platform, strong name, debug data, references, attributes, sizes",
    "INPUT...",
    {{{"clrkit info App.dll", "identity, platform, strong name, references"},
      {"clrkit info --size --coverage App.dll", "and what its bytes are"},
      {"clrkit info -r --jsonl bin | jq .name", "one JSON object a file, of a whole folder"}}},
    options,
    takes_inputs | takes_listing | takes_json,
    run,
    {},
};

}  // namespace clrkit::cli
