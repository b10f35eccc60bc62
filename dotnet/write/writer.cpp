// The rebuild pipeline: coverage, then strings, blobs and bodies, which do not depend on each other,
// then tables, layout, image.
#include <clrkit/core/door.h>
#include <clrkit/core/pe/certificates.h>
#include <clrkit/core/pe/debug_directory.h>
#include <clrkit/core/try.h>
#include <clrkit/dotnet/write/rebuild/image.h>
#include <clrkit/dotnet/write/writer.h>

#include <algorithm>
#include <thread>

namespace clrkit {
namespace {

using rebuild::Parts;

/// From this much metadata and code on a second thread pays for its start.
constexpr std::size_t two_threads_from = std::size_t{512} << 10U;

Status build_names(const Metadata& metadata, const RebuildOptions& options, std::uint64_t budget,
                   Region& region, Parts& parts) {
    rebuild::BlobOptions blobs;
    blobs.budget = budget;
    blobs.depth = options.limits.depth;
    blobs.diagnostics = options.diagnostics;
    blobs.reassemble = options.reassemble;
    EnumTable own;
    if (options.reassemble) {
        TRY(own, EnumTable::build(metadata, options.limits));
        blobs.enums = {&own, options.enums};
    }
    TRY(parts.strings, rebuild::build_strings(metadata, region));
    TRY(parts.guids, rebuild::build_guids(metadata, region));
    TRY(parts.blobs, rebuild::build_blobs(metadata, blobs, region));
    return {};
}

/// True where what pins the image may be dropped with the caller's leave.
bool may_drop(PinReason reason, const RebuildOptions& options) {
    return options.trust_layout && reason == PinReason::unaccounted_bytes;
}

/// What every byte of the image is; `not_closed` where that does not allow a new layout.
Result<Coverage> closed_coverage(const ModuleState& state, const RebuildOptions& options,
                                 bool strip) {
    return at_the_door(Stage::write, [&]() -> Result<Coverage> {
        TRY(Coverage coverage,
            cover(state, options.limits, strip ? NativeCode::stripped : NativeCode::counts));
        if (coverage.closed() || may_drop(coverage.reason, options)) return coverage;
        return failure(Stage::write, ErrorCode::not_closed,
                       coverage.where.offset != 0 ? coverage.where.offset : no_offset,
                       name_of(coverage.reason));
    });
}

/// Whether a PDB beside the image holds old offsets now that code has moved. Refuses where the image
/// itself holds such offsets.
Result<bool> leaves_symbols_stale(const ModuleState& state, const Limits& limits) {
    const auto debug = pe::DebugDirectory::read(state.container.image, nullptr, limits);
    if (debug.find(pe::DebugType::embedded_portable_pdb) != nullptr ||
        state.metadata.rows(Table::MethodDebugInformation) != 0) {
        return failure(Stage::write, ErrorCode::unsupported, no_offset,
                       "the image embeds its PDB, which holds offsets of code that would move");
    }
    return debug.find(pe::DebugType::code_view) != nullptr;
}

/// `faults` is a sink of its own: these bodies have a thread of their own.
rebuild::BodyOptions body_options(const RebuildOptions& options, std::uint64_t budget,
                                  Diagnostics& faults) {
    return {budget, options.reassemble, options.forms,
            options.diagnostics != nullptr ? &faults : nullptr};
}

/// Runs `first` on a thread of its own where that pays, beside `second`; else one after the other.
template <class First, class Second>
void in_two_threads(bool pays, First first, Second second) {
    std::thread thread;
    if (pays) {
        thread = std::thread(first);
    } else {
        first();
    }
    second();
    if (thread.joinable()) thread.join();
}

std::uint64_t sum_of(const Coverage& coverage, pe::ClaimKind kind) {
    std::uint64_t sum = 0;
    for (const pe::Claim& claim : coverage.claims) {
        if (claim.kind == kind) sum += claim.size;
    }
    return sum;
}

void report_sizes(const ModuleState& state, const Coverage& coverage, const Parts& parts,
                  std::uint64_t output, RebuildReport& report) {
    const Metadata& metadata = state.metadata;
    report.file = {state.bytes.size(), output, 1};
    report.strings = {metadata.strings().bytes().size(), parts.strings.bytes.size(),
                      parts.strings.entries};
    report.blobs = {metadata.blobs().bytes().size(), parts.blobs.bytes.size(), parts.blobs.entries};
    report.guids = {metadata.guids().bytes().size(), parts.guids.bytes.size(), parts.guids.entries};
    report.literals = {metadata.user_strings().bytes().size(), parts.bodies.literals.size(),
                       parts.bodies.literal_entries};
    report.tables = {metadata.tables().bytes().size(), parts.tables.bytes.size(), 0};
    report.bodies = {sum_of(coverage, pe::ClaimKind::method_body), parts.bodies.bytes.size(),
                     parts.bodies.bodies};
    report.discarded_runs = coverage.discarded_runs;
    report.discarded_bytes = coverage.discarded_bytes;
    report.unaccounted_bytes_dropped = coverage.unaccounted_bytes;
    report.blobs_pinned = parts.blobs.pinned;
    report.signatures = parts.blobs.signatures;
    report.attributes = parts.blobs.attributes;
    report.marshalling = parts.blobs.marshalling;
    report.permission_sets = parts.blobs.permission_sets;
    report.constants = parts.blobs.constants;
    report.decoded_bodies = parts.bodies.counts;
    report.literal_pin = parts.bodies.pin;
    report.literal_pin_method = parts.bodies.pinned_by;
}

}  // namespace

Result<RebuiltImage> Writer::rebuild(const ModuleState& state, const RebuildOptions& options) {
    return at_the_door(Stage::write, [&]() -> Result<RebuiltImage> {
        const bool strip = options.strip_ready_to_run && state.container.has_native_code();
        const std::size_t size = state.bytes.size();
        const std::uint64_t budget = options.limits.output_budget(size);
        // Address space, not memory: only what is used is ever touched.
        const std::size_t room = size * 16 + (std::size_t{64} << 20U);
        if (!names_.reserve(room) || !code_.reserve(room) || !output_.reserve(room)) {
            return failure(Stage::write, ErrorCode::out_of_memory);
        }
        Diagnostics faults;
        const rebuild::BodyOptions for_bodies = body_options(options, budget, faults);
        Parts parts;
        Result<Coverage> covered;
        Status names;
        Result<rebuild::NewBodies> bodies;
        in_two_threads(
            size >= two_threads_from,
            [&] {
                covered = closed_coverage(state, options, strip);
                if (!covered) return;
                names = at_the_door(Stage::write, [&] {
                    return build_names(state.metadata, options, budget, names_, parts);
                });
            },
            [&] {
                bodies = at_the_door(Stage::write, [&] {
                    return rebuild::build_bodies(state, for_bodies, code_, tools_);
                });
            });
        if (options.diagnostics != nullptr) options.diagnostics->add(faults);
        TRY(const Coverage coverage, std::move(covered));
        TRY(const SignatureDecision signature,
            settle_signature(state, options.stale_signature, options.crypto));
        TRY_DO(names);
        TRY(parts.bodies, std::move(bodies));
        bool symbols_stale = false;
        if (parts.bodies.code_moved) {
            TRY(symbols_stale, leaves_symbols_stale(state, options.limits));
        }
        TRY(parts.tables, rebuild::lay_out_tables(state.metadata, parts.strings, parts.guids,
                                                  parts.blobs, output_));
        TRY(const ByteSpan image, rebuild::write_image(state, coverage, parts, signature,
                                                       options.limits, strip, output_));
        RebuiltImage result{image, {}};
        report_sizes(state, coverage, parts, image.size(), result.report);
        result.report.ready_to_run_stripped = strip;
        result.report.symbols_stale = symbols_stale;
        result.report.invalid_signature_kept = signature.invalid_kept;
        result.report.certificate_removed = !pe::Certificates::read(state.container.image).empty();
        return result;
    });
}

Result<RebuildReport> Writer::rebuild_to(const std::string& path, const ModuleState& state,
                                         const RebuildOptions& options) {
    TRY(RebuiltImage rebuilt, rebuild(state, options));
    TRY_DO(write_file(path, {&rebuilt.bytes, 1}, options.output));
    return rebuilt.report;
}

}  // namespace clrkit
