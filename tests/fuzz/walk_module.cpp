#include "check.h"
#include "walk.h"

#include <clrkit/dotnet/cil/body_extent.h>
#include <clrkit/dotnet/module/coverage.h>
#include <clrkit/dotnet/module/signature.h>
#include <clrkit/dotnet/strong_name/openssl_crypto.h>
#include <clrkit/dotnet/verify/loader_rules.h>

namespace clrkit::fuzz {
namespace {

/// Members visited through their owners; lists of malformed images overlap.
constexpr std::uint64_t visits = 20'000;

void walk_members(const Module& module) {
    Budget budget(visits);
    std::uint64_t sum = 0;
    for (const TypeDef type : module.types()) {
        sum += type.flags() + type.extends().value() + type.name().size();
        if (!budget.spend(1)) break;
        for (const Field field : type.fields()) {
            sum += field.flags() + field.signature().size();
            if (!budget.spend(1)) break;
        }
        for (const MethodDef method : type.methods()) {
            sum += method.signature().size() + method.flags() + method.impl_flags();
            for (const Param param : method.params()) {
                sum += param.flags();
                sum += param.sequence();
                if (!budget.spend(1)) break;
            }
            if (!budget.spend(1)) break;
        }
    }
    sink = sum;
}

void walk_bodies(const Module& module) {
    std::uint64_t sum = 0;
    for (const MethodDef method : module.methods()) {
        const ByteSpan bytes = module.image().from(method.rva());
        const auto extent = cil::measure_body(bytes, method.rva() % 4);
        if (!extent) continue;
        require(extent->size <= bytes.size(), "a body that can be measured is there");
        sum += touch(bytes.first(static_cast<std::size_t>(extent->size)));
    }
    sink = sum;
}

void check_coverage(const Module& module) {
    const auto covered = cover(module.state(), limits());
    require(covered.has_value(), "coverage is computed");
    const Coverage& coverage = *covered;
    std::uint64_t position = 0;
    for (const pe::Claim& claim : coverage.claims) {
        require(claim.size != 0 && fits(module.bytes().size(), claim.offset, claim.size),
                "a claim lies in the file");
        require(claim.offset <= position, "every byte is claimed");
        position = std::max(position, claim.end());
        (void)pe::name_of(claim.kind);
    }
    require(position == module.bytes().size(), "the whole file is claimed");
    (void)name_of(coverage.reason);
}

void check_rules(const Module& module) {
    const auto findings = check_loader_rules(module.state(), limits());
    if (!findings) return;
    require(findings->list.size() <= loader_rule_count * LoaderFindings::listed_at_most,
            "the list of findings is bounded");
    require(findings->list.size() <= findings->errors() + findings->warnings(),
            "every finding is counted");
    for (const Finding& finding : findings->list) {
        require(finding.code != nullptr && finding.text != nullptr, "a finding says what is wrong");
    }
}

}  // namespace

void walk_module(const Module& module) {
    walk_members(module);
    walk_bodies(module);
    check_coverage(module);
    check_rules(module);
    sink = module.target_framework().size() + module.name().size() + module.assembly_name().size() +
           module.assembly_version().major + (module.mvid() ? 1U : 0U);
    for (const Crypto* crypto : {static_cast<const Crypto*>(nullptr), &openssl_crypto()}) {
        const auto state = check_signature(module.container(), module.metadata(), crypto);
        if (state) sink = state->range.size + touch(as_bytes(strong_name::name_of(state->state)));
    }
}

}  // namespace clrkit::fuzz
