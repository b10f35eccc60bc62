// Deciding about a strong name that no longer holds.
#include <clrkit/core/try.h>
#include <clrkit/dotnet/module/signature.h>
#include <clrkit/dotnet/write/stale_signature.h>

namespace clrkit {
namespace {

/// The state of the strong name before anything was edited.
Result<strong_name::Signature> original_signature(const ModuleState& state, const Crypto* crypto) {
    TRY(const Container container, Container::open_image(state.original));
    TRY(const Metadata metadata, Metadata::parse(container.metadata, container.metadata_offset));
    return check_signature(container, metadata, crypto);
}

}  // namespace

Result<SignatureDecision> settle_signature(const ModuleState& state, StaleSignature wanted,
                                           const Crypto* crypto) {
    using strong_name::SignatureState;
    SignatureDecision decision;
    decision.flags = state.container.clr_flags();
    const auto before = original_signature(state, crypto);
    // A key or a signature that makes no sense cannot go stale.
    if (!before) return decision;
    decision.invalid_kept = before->state == SignatureState::invalid;
    if (before->state != SignatureState::valid && before->state != SignatureState::unchecked) {
        return decision;
    }
    if (wanted == StaleSignature::refuse) {
        return failure(Stage::strong_name, ErrorCode::signature_would_go_stale);
    }
    if (state.holders(before->range.offset, before->range.size) != 0) {
        return failure(Stage::strong_name, ErrorCode::unsupported, before->range.offset,
                       "headers or metadata stand where the signature is said to be");
    }
    decision.zero = true;
    decision.range = before->range;
    if (wanted == StaleSignature::drop) {
        decision.flags &= ~pe::clr_flags::strong_name_signed;
    } else {
        decision.flags |= pe::clr_flags::strong_name_signed;
    }
    return decision;
}

}  // namespace clrkit
