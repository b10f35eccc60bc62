// Saving: which bytes go out, and what an edit makes stale.
#include <clrkit/core/door.h>
#include <clrkit/core/pe/certificates.h>
#include <clrkit/core/pe/checksum.h>
#include <clrkit/core/try.h>
#include <clrkit/dotnet/write/emit_image.h>
#include <clrkit/dotnet/write/patched_bytes.h>
#include <clrkit/dotnet/write/save.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace clrkit {
namespace {

/// What is to be written. The spans of `parts` point into `emitted`, `patched` and the module.
struct Plan {
    Pages emitted;
    PatchedBytes patched{ByteSpan{}};
    std::vector<ByteSpan> parts;
    SaveReport report;
};

void changed(Plan& plan, std::uint64_t offset, std::uint64_t size, Change::Reason reason) {
    plan.report.changes.push_back({offset, size, reason});
}

Status renew_signature(const ModuleState& state, const SaveOptions& options, Plan& plan) {
    TRY(const SignatureDecision decision,
        settle_signature(state, options.stale_signature, options.crypto));
    plan.report.invalid_signature_kept = decision.invalid_kept;
    if (!decision.zero) return {};
    plan.patched.zero(decision.range.offset, decision.range.size);
    changed(plan, decision.range.offset, decision.range.size, Change::Reason::signature);
    if (decision.flags != state.container.clr_flags()) {
        const std::uint64_t at = state.container.clr_offset + offsetof(pe::ClrHeader, flags);
        plan.patched.put(at, decision.flags);
        changed(plan, at, sizeof decision.flags, Change::Reason::signature_flag);
    }
    return {};
}

/// True when no header, no section and no stream has bytes in the range.
bool outside_parts(const ModuleState& state, pe::FileRange range) {
    const pe::Image& image = state.container.image;
    if (state.holders(range.offset, range.size) != 0) return false;
    return std::ranges::none_of(image.sections(), [&](const pe::SectionHeader& section) {
        const std::uint64_t start = image.raw_offset(section);
        return range.offset < start + image.raw_size(section) && start < range.end();
    });
}

/// An Authenticode signature covers every byte: it goes, with its directory entry.
void remove_certificate(const ModuleState& state, Plan& plan) {
    const pe::Certificates certificates = pe::Certificates::read(state.container.image);
    const auto entry = state.container.image.directory_offset(pe::Directory::certificate);
    if (certificates.empty() || !entry) return;
    plan.patched.put(*entry, std::uint64_t{0});
    changed(plan, *entry, 8, Change::Reason::certificate);
    plan.report.certificate_removed = true;
    // A malformed entry may lead into what the image needs: then the entry alone goes.
    if (!outside_parts(state, certificates.table)) return;
    if (certificates.at_end) {
        plan.patched.truncate(certificates.table.offset);
    } else {
        plan.patched.zero(certificates.table.offset, certificates.table.size);
    }
    changed(plan, certificates.table.offset, certificates.table.size, Change::Reason::certificate);
}

/// A zero checksum means that nobody computed one; it stays zero.
void renew_checksum(const ModuleState& state, Plan& plan) {
    const pe::Image& image = state.container.image;
    const std::uint64_t at = pe::checksum_offset(image);
    if (image.optional_middle().check_sum == 0) return;
    plan.patched.put(at, pe::checksum(plan.patched.parts(), at));
    changed(plan, at, 4, Change::Reason::checksum);
}

Status prepare(const ModuleState& state, const SaveOptions& options, Plan& plan) {
    ByteSpan base = state.bytes;
    if (options.emit == Emit::all) {
        TRY(plan.emitted, emit_image(state, options.limits));
        base = plan.emitted.first(base.size());
    }
    plan.patched = PatchedBytes(base);
    if (state.edited()) {
        for (const Edit& edit : state.edits)
            changed(plan, edit.offset, edit.size, Change::Reason::edit);
        TRY_DO(renew_signature(state, options, plan));
        remove_certificate(state, plan);
        renew_checksum(state, plan);
    }
    plan.parts = plan.patched.parts();
    plan.report.bytes_written = plan.patched.size();
    return {};
}

}  // namespace

Result<SaveReport> save(const ModuleState& state, const std::string& path,
                        const SaveOptions& options) {
    return at_the_door(Stage::write, [&]() -> Result<SaveReport> {
        Plan plan;
        TRY_DO(prepare(state, options, plan));
        TRY_DO(write_file(path, plan.parts, options.output));
        return std::move(plan.report);
    });
}

Result<SavedImage> save_to_memory(const ModuleState& state, const SaveOptions& options) {
    return at_the_door(Stage::write, [&]() -> Result<SavedImage> {
        Plan plan;
        TRY_DO(prepare(state, options, plan));
        const auto size = static_cast<std::size_t>(plan.patched.size());
        SavedImage saved{Pages(size), {}, std::move(plan.report)};
        if (saved.memory.data() == nullptr) return failure(Stage::write, ErrorCode::out_of_memory);
        std::uint8_t* at = saved.memory.data();
        for (const ByteSpan part : plan.parts) at = std::ranges::copy(part, at).out;
        saved.bytes = saved.memory.first(size);
        return saved;
    });
}

}  // namespace clrkit
