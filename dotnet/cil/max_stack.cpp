// A walk along the flow of control, with a list of places still to go to.
#include <clrkit/core/bytes/reader.h>
#include <clrkit/core/try.h>
#include <clrkit/dotnet/cil/max_stack.h>
#include <clrkit/dotnet/signatures/element_type.h>
#include <clrkit/dotnet/signatures/walk.h>

#include <algorithm>

namespace clrkit::cil {
namespace {

constexpr std::uint16_t opcode_calli = 0x29;
constexpr std::uint16_t opcode_newobj = 0x73;
std::unexpected<Error> unbalanced(const char* note) {
    return failure(Stage::cil, ErrorCode::stack_unbalanced, no_offset, note);
}

/// What a call takes from the stack and leaves on it.
struct CallEffect {
    std::uint32_t pops = 0;
    std::uint32_t pushes = 0;
};

/// By the kind in the lowest bits (II.23.2.1 to 23.2.3): no field, locals, property, instantiation.
bool is_method(std::uint8_t convention) {
    const unsigned kind = convention & calling_convention::mask;
    return kind < calling_convention::field || kind == calling_convention::unmanaged ||
           kind == calling_convention::native_vararg;
}

std::optional<CallEffect> effect_of(ByteSpan signature, std::uint16_t opcode) {
    ByteReader reader(signature);
    const std::uint8_t convention = reader.u8();
    if (!is_method(convention)) return std::nullopt;
    if ((convention & calling_convention::generic) != 0) (void)reader.compressed();
    CallEffect effect;
    effect.pops = reader.compressed();
    std::uint8_t element = reader.u8();
    while (element == static_cast<std::uint8_t>(ElementType::modreq) ||
           element == static_cast<std::uint8_t>(ElementType::modopt)) {
        (void)reader.compressed();
        element = reader.u8();
    }
    if (!reader.ok() || effect.pops > signature.size()) return std::nullopt;
    effect.pushes = element == static_cast<std::uint8_t>(ElementType::void_) ? 0 : 1;
    if (opcode == opcode_newobj) {
        effect.pushes = 1;
        return effect;
    }
    const bool implicit_this = (convention & calling_convention::has_this) != 0 &&
                               (convention & calling_convention::explicit_this) == 0;
    if (implicit_this) ++effect.pops;
    if (opcode == opcode_calli) ++effect.pops;
    return effect;
}

ByteSpan signature_in(const Metadata& metadata, Token token, unsigned column) {
    if (token.rid() == 0 || token.rid() > metadata.rows(token.table())) return {};
    return metadata.blob(token.table(), token.rid(), column);
}

/// The signature of what a call's token names, whatever stands there; empty where there is no such
/// row.
ByteSpan signature_of(const Metadata& metadata, Token token) {
    if (token.table() == Table::MethodSpec) {
        if (token.rid() == 0 || token.rid() > metadata.rows(Table::MethodSpec)) return {};
        token = metadata.token(Table::MethodSpec, token.rid(), col::MethodSpec::Method);
    }
    switch (token.table()) {
        case Table::MethodDef: return signature_in(metadata, token, col::MethodDef::Signature);
        case Table::MemberRef: return signature_in(metadata, token, col::MemberRef::Signature);
        case Table::StandAloneSig:
            return signature_in(metadata, token, col::StandAloneSig::Signature);
        default: return {};
    }
}

Result<CallEffect> call_effect(const Metadata& metadata, Instruction instruction) {
    const std::uint32_t token = instruction.operand;
    const ByteSpan signature = signature_of(metadata, Token(token));
    if (signature.empty()) {
        return failure(Stage::cil, ErrorCode::no_such_row, no_offset, "what is called", token);
    }
    const auto effect = effect_of(signature, instruction.opcode);
    if (!effect) {
        return failure(Stage::cil, ErrorCode::signature_malformed, no_offset, "what is called",
                       token);
    }
    return *effect;
}

}  // namespace

Status StackDepth::seed(Label at, std::int32_t depth) {
    if (at >= depths_.size()) return unbalanced("control runs off the end of the code");
    if (depths_[at] == depth) return {};
    if (depths_[at] >= 0) return unbalanced("an instruction is reached at two depths");
    depths_[at] = depth;
    pending_.push_back(at);
    return {};
}

Status StackDepth::branch(const Body& body, Instruction instruction, std::int32_t depth) {
    const OperandKind kind = operand_of(instruction.opcode);
    if (is_branch(kind)) return seed(instruction.operand, depth);
    if (kind != OperandKind::switch_) return {};
    for (const Label target : body.switch_targets(instruction.operand)) TRY_DO(seed(target, depth));
    return {};
}

/// Goes on until control branches away or what comes next was reached before. Returns where that is.
Result<Label> StackDepth::follow_from(const Body& body, const Metadata& metadata, Label at) {
    for (std::int32_t depth = depths_[at];;) {
        const Instruction instruction = body.instructions()[at];
        const Opcode* const opcode = find_opcode(instruction.opcode);
        if (opcode == nullptr) return unbalanced("an undefined opcode");
        std::int64_t pops = int{opcode->pops};
        std::int64_t pushes = int{opcode->pushes};
        if (opcode->flow == Flow::call && opcode->pops == opcode_table::varies) {
            TRY(const CallEffect effect, call_effect(metadata, instruction));
            pops = effect.pops;
            pushes = effect.pushes;
        } else if (opcode->pops < 0) {
            pops = depth;  // ret, leave, endfinally: whatever is there
        }
        if (pops > depth) return unbalanced("an instruction takes more than there is");
        depth += static_cast<std::int32_t>(pushes - pops);
        deepest_ = std::max(deepest_, depth);
        TRY_DO(branch(body, instruction, depth));
        ++at;
        if (opcode->ends_flow()) return at;
        if (at >= depths_.size()) return unbalanced("control runs off the end of the code");
        if (depths_[at] == depth) return at;
        if (depths_[at] >= 0) return unbalanced("an instruction is reached at two depths");
        depths_[at] = depth;
    }
}

/// Goes everywhere, and into the handlers of the try blocks on the way.
Status StackDepth::follow(const Body& body, const Metadata& metadata) {
    while (!pending_.empty()) {
        const Label begin = pending_.back();
        pending_.pop_back();
        TRY(const Label end, follow_from(body, metadata, begin));
        Status seeded;
        tries_.enter(begin, end, [&](std::uint32_t clause) {
            if (seeded) seeded = seed_handler(body.clauses()[clause]);
        });
        TRY_DO(std::move(seeded));
    }
    return {};
}

Status StackDepth::seed_handler(const ExceptionClause& clause) {
    const bool gets_object = (clause.flags & 6U) == 0;  // catch and filter
    if (gets_object) deepest_ = std::max(deepest_, 1);
    if (clause.is_filter()) TRY_DO(seed(clause.class_or_filter, 1));
    return seed(clause.handler_begin, gets_object ? 1 : 0);
}

Result<std::uint16_t> StackDepth::compute(const Body& body, const Metadata& metadata) {
    if (body.opaque()) {
        return failure(Stage::cil, ErrorCode::body_opaque, no_offset, name_of(body.why_opaque()));
    }
    depths_.assign(body.size(), -1);
    tries_.clear();
    for (const ExceptionClause& clause : body.clauses()) {
        if (clause.try_begin > clause.try_end || clause.try_end > body.size()) {
            return failure(Stage::cil, ErrorCode::label_outside, no_offset, "an exception clause");
        }
        tries_.add(clause.try_begin, clause.try_end);
    }
    tries_.prepare();
    pending_.clear();
    deepest_ = 0;
    if (body.size() == 0) return std::uint16_t{0};
    TRY_DO(seed(0, 0));
    TRY_DO(follow(body, metadata));
    if (deepest_ > 0xFFFF) {
        return failure(Stage::cil, ErrorCode::value_too_wide, no_offset, "the stack's depth");
    }
    return static_cast<std::uint16_t>(deepest_);
}

Result<std::uint16_t> compute_max_stack(const Body& body, const Metadata& metadata) {
    StackDepth depth;
    return depth.compute(body, metadata);
}

Status raise_max_stack(Body& body, const Metadata& metadata, StackDepth& depth) {
    TRY(const std::uint16_t needed, depth.compute(body, metadata));
    body.header().max_stack = std::max(body.header().max_stack, needed);
    return {};
}

}  // namespace clrkit::cil
