// The order in which the loader's rules are checked, and the list of what they find.
#include <clrkit/core/door.h>
#include <clrkit/core/try.h>
#include <clrkit/dotnet/module/ready_to_run.h>
#include <clrkit/dotnet/verify/loader_checks.h>

#include <algorithm>
#include <string_view>

namespace clrkit {
namespace verify {
namespace {

/// True when the native header is one that CoreCLR takes for that of ReadyToRun code.
bool has_ready_to_run(const LoaderView& view, const pe::ClrHeader& clr) {
    const pe::DataDirectory where = clr.managed_native_header;
    constexpr std::uint32_t signature = 0x00525452;  // "RTR"
    constexpr std::uint32_t header_size = 16;
    if (where.rva == 0 || where.size < header_size) return false;
    if (view.check(where.rva, where.size) != RangeFault::none) return false;
    return load_le<std::uint32_t>(view.from(where.rva).data()) == signature;
}

}  // namespace

LoaderChecker::LoaderChecker(const ModuleState& of, const Limits& budget)
    : state(of),
      image(of.container.image),
      clr(of.container.clr),
      limits(budget),
      view(of.container.image) {
    ready_to_run = has_ready_to_run(view, clr);
    const std::uint16_t machine = image.coff().machine;
    foreign = ready_to_run && processor_of(machine) != machine;
    const bool says_il_only = (clr.flags & pe::clr_flags::il_only) != 0;
    il_only = says_il_only || ready_to_run;
    plain_il = says_il_only && !ready_to_run;
    unversioned = clr.major_runtime_version == 0 && clr.minor_runtime_version == 0;
}

void LoaderChecker::report(LoaderRule rule, Severity severity, std::uint64_t offset,
                           const char* text, std::uint32_t token) {
    LoaderFindings::Count& count = findings.counts[static_cast<std::size_t>(rule)];
    if (count.errors + count.warnings < LoaderFindings::listed_at_most) {
        findings.list.push_back({info_of(rule).code, severity, offset, token, text});
    }
    ++(severity == Severity::error ? count.errors : count.warnings);
}

bool LoaderChecker::require_range(LoaderRule rule, Severity severity, std::uint32_t rva,
                                  std::uint64_t size, std::uint64_t offset, std::uint32_t token) {
    switch (view.check(rva, size)) {
        case RangeFault::none: return true;
        case RangeFault::no_section:
            report(rule, severity, offset, "it lies in no section", token);
            break;
        case RangeFault::memory:
            report(rule, severity, offset, "it runs past its section's VirtualSize", token);
            break;
        case RangeFault::raw_data:
            report(rule, severity, offset, "it runs past its section's raw data", token);
            break;
    }
    return false;
}

namespace {

Result<LoaderFindings> check(const ModuleState& state, const Limits& limits) {
    if (!state.container.is_image()) {
        return failure(Stage::pe, ErrorCode::unsupported, no_offset, "bare metadata has no image");
    }
    LoaderChecker checker(state, limits);
    check_headers(checker);
    check_sections(checker);
    check_directories(checker);
    if (check_clr_header(checker)) {
        check_il_only(checker);
        check_metadata(checker);
        TRY_DO(check_addresses(checker));
    }
    std::ranges::stable_sort(checker.findings.list, {},
                             [](const Finding& finding) { return std::string_view(finding.code); });
    return std::move(checker.findings);
}

}  // namespace
}  // namespace verify

std::uint64_t LoaderFindings::errors() const {
    std::uint64_t sum = 0;
    for (const Count& each : counts) sum += each.errors;
    return sum;
}

std::uint64_t LoaderFindings::warnings() const {
    std::uint64_t sum = 0;
    for (const Count& each : counts) sum += each.warnings;
    return sum;
}

Result<LoaderFindings> check_loader_rules(const ModuleState& state, const Limits& limits) {
    return at_the_door(Stage::pe, [&] { return verify::check(state, limits); });
}

}  // namespace clrkit
