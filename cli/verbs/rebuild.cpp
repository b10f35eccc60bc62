// clrkit rewrite --rebuild, and its report: for people on standard error, as JSON on standard output.
#include "verbs/rebuild.h"

#include "frame/batch.h"
#include "frame/references.h"
#include "frame/text.h"
#include "verbs/second_reader.h"

#include <clrkit/core/io/output_file.h>
#include <clrkit/dotnet/strong_name/openssl_crypto.h>
#include <clrkit/dotnet/write/writer.h>

#include <algorithm>
#include <array>
#include <utility>

namespace clrkit::cli {
namespace {

using Part = std::pair<const char*, SizeChange RebuildReport::*>;
constexpr std::array parts{
    Part{"strings", &RebuildReport::strings}, Part{"blobs", &RebuildReport::blobs},
    Part{"guids", &RebuildReport::guids},     Part{"literals", &RebuildReport::literals},
    Part{"tables", &RebuildReport::tables},   Part{"bodies", &RebuildReport::bodies},
};

/// What is decoded and encoded anew: blobs, bodies.
struct Decoded {
    const char* name;  // in JSON
    const char* text;
    rebuild::BlobCounts RebuildReport::* counts;
};
constexpr std::array decoded{
    Decoded{"decoded_signatures", "signatures", &RebuildReport::signatures},
    Decoded{"decoded_attributes", "attributes", &RebuildReport::attributes},
    Decoded{"decoded_marshalling", "marshalling descriptors", &RebuildReport::marshalling},
    Decoded{"decoded_permission_sets", "permission sets", &RebuildReport::permission_sets},
    Decoded{"decoded_constants", "constants", &RebuildReport::constants},
    Decoded{"decoded_bodies", "method bodies", &RebuildReport::decoded_bodies},
};

void report_text(Job& job, const RebuildReport& report) {
    if (job.arguments().has("quiet")) return;
    Sink& out = job.notes();
    out.write(shown(job.input().path));
    if (!job.output().in_place) out.print(" -> {}", shown(job.output().path));
    out.print(": rebuilt, {} -> {} bytes\n", report.file.before, report.file.after);
    for (const auto& [name, part] : parts) {
        const SizeChange& size = report.*part;
        out.print("  {:<9}{:>10} -> {:>10} bytes\n", name, size.before, size.after);
    }
    if (report.discarded_runs != 0) {
        out.print("  dropped: {} bodies that no method refers to ({} bytes)\n",
                  report.discarded_runs, report.discarded_bytes);
    }
    if (report.ready_to_run_stripped) out.write("  dropped: the ReadyToRun code\n");
    if (report.unaccounted_bytes_dropped != 0) {
        out.print("  dropped: {} bytes that belong to nothing managed\n",
                  report.unaccounted_bytes_dropped);
    }
    if (report.literal_pin != rebuild::LiteralPin::none) {
        out.print("  kept raw: #US, since {}\n", rebuild::name_of(report.literal_pin));
    }
    if (report.blobs_pinned) {
        out.write("  kept raw: #Blob, since debug tables in the image hold offsets into it\n");
    }
    for (const Decoded& kind : decoded) {
        const rebuild::BlobCounts& counts = report.*kind.counts;
        if (counts.raw == 0) continue;
        out.print("  kept raw: {} {} that do not decode, the first of row 0x{:08X}\n", counts.raw,
                  kind.text, counts.first_raw.value());
    }
    const rebuild::BlobCounts& bodies = report.decoded_bodies;
    if (bodies.changed != 0) {
        out.print("  {} of {} method bodies took other forms\n", bodies.changed, bodies.decoded);
    }
    if (report.symbols_stale) {
        out.write("  a PDB beside the image no longer fits: offsets in the code have moved\n");
    }
    if (report.certificate_removed) {
        out.write("  the Authenticode signature no longer holds and was removed\n");
    }
    if (report.invalid_signature_kept) {
        out.write("  the strong-name signature was invalid already and stays as it is\n");
    }
}

void report_json(Job& job, const RebuildReport& report, bool stays) {
    Json& out = job.json();
    out.name("output", job.output().path);
    out.member("bytes_before", report.file.before);
    out.member("bytes_written", stays ? 0 : report.file.after);
    for (const auto& [name, part] : parts) {
        const SizeChange& size = report.*part;
        out.begin_object(name);
        out.member("before", size.before);
        out.member("after", size.after);
        out.member("entries", size.entries);
        out.end_object();
    }
    for (const Decoded& kind : decoded) {
        const rebuild::BlobCounts& counts = report.*kind.counts;
        if (counts.decoded + counts.raw == 0) continue;
        out.begin_object(kind.name);
        out.member("decoded", counts.decoded);
        out.member("changed", counts.changed);
        out.member("raw", counts.raw);
        if (counts.raw != 0) out.member("first_raw", counts.first_raw);
        out.end_object();
    }
    out.member("discarded_bodies", report.discarded_runs);
    out.member("discarded_bytes", report.discarded_bytes);
    out.member("unaccounted_bytes_dropped", report.unaccounted_bytes_dropped);
    out.member("ready_to_run_stripped", report.ready_to_run_stripped);
    if (report.literal_pin != rebuild::LiteralPin::none) {
        out.text("literals_kept_because", rebuild::name_of(report.literal_pin));
        if (report.literal_pin_method != 0) {
            out.member("literals_kept_by", Token(Table::MethodDef, report.literal_pin_method));
        }
    }
    out.member("blobs_kept", report.blobs_pinned);
    out.member("symbols_stale", report.symbols_stale);
    out.member("certificate_removed", report.certificate_removed);
    out.member("invalid_signature_kept", report.invalid_signature_kept);
}

/// What the command line and the file have to say to a rebuild.
RebuildOptions options_of(const Job& job, const Module& module, const References& references) {
    const SaveOptions settled = job.settled(module, {});
    RebuildOptions options;
    options.output = settled.output;
    options.stale_signature = settled.stale_signature;
    options.crypto = &openssl_crypto();
    options.strip_ready_to_run = job.arguments().has("strip-r2r");
    options.trust_layout = job.arguments().has("trust-layout");
    options.reassemble = job.arguments().has("reassemble");
    if (job.arguments().has("optimize")) options.forms = cil::Forms::optimize;
    if (job.arguments().has("expand")) options.forms = cil::Forms::expand;
    options.enums = references.enums();
    return options;
}

/// False when it failed, which was said.
bool write_rebuilt(Job& job, ByteSpan bytes, const OutputOptions& options) {
    if (!job.make_folders()) return false;
    const auto written = write_file(job.output().path, {&bytes, 1}, options);
    if (!written) job.fail(written.error());
    return written.has_value();
}

void rebuild_one(Job& job, const References& references) {
    // One a worker: after its first file it asks the system for next to nothing.
    thread_local Writer writer;
    const auto module = job.open();
    if (!module) return;
    const RebuildOptions options = options_of(job, *module, references);
    const auto rebuilt = writer.rebuild(module->state(), options);
    if (!rebuilt) {
        const bool native =
            rebuilt.error().code == ErrorCode::not_closed && module->container().has_native_code();
        if (native) {
            job.fail(render(rebuilt.error()), "pass --strip-r2r to drop the native code");
        } else {
            job.fail(rebuilt.error());
        }
        return;
    }
    if (job.arguments().has("check") && !second_reader_agrees(job, rebuilt->bytes)) return;
    const bool stays = job.output().in_place && std::ranges::equal(rebuilt->bytes, module->bytes());
    if (!stays && !write_rebuilt(job, rebuilt->bytes, options.output)) return;
    if (job.wants_json()) report_json(job, rebuilt->report, stays);
    if (!stays) {
        report_text(job, rebuilt->report);
    } else if (!job.arguments().has("quiet")) {
        job.notes().print("{}: left as it is, nothing to change\n", shown(job.input().path));
    }
}

}  // namespace

int run_rebuilds(const Arguments& arguments) {
    if (arguments.has("emit")) {
        const std::string how = arguments.has("rebuild") ? "--rebuild" : "--reassemble";
        return refuse({how + " and --emit do not go together", {}}, &arguments.verb());
    }
    if (arguments.has("drop-signature") && arguments.has("public-sign")) {
        return refuse({"only one of --drop-signature and --public-sign is possible", {}},
                      &arguments.verb());
    }
    if (arguments.has("optimize") && arguments.has("expand")) {
        return refuse({"only one of --optimize and --expand is possible", {}}, &arguments.verb());
    }
    for (const char* option : {"optimize", "expand", "ref"}) {
        if (!arguments.has(option) || arguments.has("reassemble")) continue;
        return refuse({"--" + std::string(option) + " is for --reassemble", {}}, &arguments.verb());
    }
    const auto plan = plan_outputs(arguments);
    if (!plan) return refuse(plan.error(), &arguments.verb());
    const auto references = References::open(arguments);
    if (!references) return refuse(references.error(), &arguments.verb());
    return run_batch(arguments, *plan, [&](Job& job) { rebuild_one(job, *references); });
}

}  // namespace clrkit::cli
