// The course of a writing verb, and its report: for people on standard error, as JSON on standard
// output.
#include "frame/writing.h"

#include "frame/text.h"

#include <clrkit/dotnet/strong_name/openssl_crypto.h>

#include <algorithm>
#include <array>

namespace clrkit::cli {
namespace {

const char* name_of(Change::Reason reason) {
    constexpr std::array names{"edit", "checksum", "signature", "signature flag", "certificate"};
    return names[static_cast<std::size_t>(reason)];
}

/// In the order of the file; ranges with one reason that touch or overlap become one.
std::vector<Change> joined(std::vector<Change> changes) {
    std::ranges::stable_sort(changes, {}, &Change::offset);
    std::vector<Change> out;
    for (const Change& change : changes) {
        if (!out.empty() && out.back().reason == change.reason &&
            out.back().offset + out.back().size >= change.offset) {
            const std::uint64_t end =
                std::max(out.back().offset + out.back().size, change.offset + change.size);
            out.back().size = end - out.back().offset;
        } else {
            out.push_back(change);
        }
    }
    return out;
}

/// What was written, in a few words.
std::string summary(const Job& job, const SaveReport& report) {
    if (report.bytes_written == 0) return "left as it is, nothing to change";
    std::string text = std::to_string(report.bytes_written) + " bytes";
    if (job.arguments().verb().name == "rewrite" && job.arguments().has("emit")) {
        text += ", every part written anew";
    } else if (report.changes.empty()) {
        text += ", the same as before";
    }
    return text;
}

void report_text(Job& job, const SaveReport& report, const std::vector<Deed>& deeds) {
    if (job.arguments().has("quiet")) return;
    Sink& out = job.notes();
    const std::vector<Change> changes = joined(report.changes);
    out.write(shown(job.input().path));
    if (!job.output().in_place) out.print(" -> {}", shown(job.output().path));
    out.print(": {}\n", summary(job, report));
    for (const Deed& deed : deeds) {
        out.print("  {} {} -> {}\n", deed.what, shown(deed.from), shown(deed.to));
    }
    for (const Change& change : changes) {
        out.print("  {} byte{} at offset 0x{:x}: {}\n", change.size, change.size == 1 ? "" : "s",
                  change.offset, name_of(change.reason));
    }
    if (report.certificate_removed) {
        out.write("  the Authenticode signature no longer holds and was removed\n");
    }
    if (report.invalid_signature_kept) {
        out.write("  the strong-name signature was invalid already and stays as it is\n");
    }
}

void report_json(Job& job, const SaveReport& report, const std::vector<Deed>& deeds) {
    Json& out = job.json();
    out.name("output", job.output().path);
    out.member("bytes_written", report.bytes_written);
    out.begin_array("edits");
    for (const Deed& deed : deeds) {
        out.begin_object();
        out.text("what", deed.what);
        out.name("from", deed.from);
        out.name("to", deed.to);
        out.end_object();
    }
    out.end_array();
    out.begin_array("changes");
    for (const Change& change : joined(report.changes)) {
        out.begin_object();
        out.member("offset", change.offset);
        out.member("size", change.size);
        out.text("reason", name_of(change.reason));
        out.end_object();
    }
    out.end_array();
    out.member("certificate_removed", report.certificate_removed);
    out.member("invalid_signature_kept", report.invalid_signature_kept);
}

}  // namespace

int run_edits(const Arguments& arguments, const EditAction& edit, const SaveOptions& options,
              const CheckAction& check) {
    if (arguments.has("drop-signature") && arguments.has("public-sign")) {
        return refuse({"only one of --drop-signature and --public-sign is possible", {}},
                      &arguments.verb());
    }
    const auto plan = plan_outputs(arguments);
    if (!plan) return refuse(plan.error(), &arguments.verb());
    SaveOptions save = options;
    save.crypto = &openssl_crypto();
    return run_batch(arguments, *plan, [&](Job& job) {
        auto module = job.open();
        if (!module) return;
        std::vector<Deed> deeds;
        if (!edit(job, *module, deeds)) return;
        if (check && !check(job, *module, job.settled(*module, save))) return;
        const auto report = job.save(*module, save);
        if (!report) return;
        if (job.wants_json()) report_json(job, *report, deeds);
        report_text(job, *report, deeds);
    });
}

}  // namespace clrkit::cli
