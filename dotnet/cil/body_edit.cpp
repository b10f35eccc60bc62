// Building and editing bodies. An edit makes a table of new labels by old ones and goes once over
// everything that holds a label.
#include <clrkit/core/try.h>
#include <clrkit/dotnet/cil/body.h>

#include <algorithm>
#include <utility>

namespace clrkit::cil {
namespace {

std::unexpected<Error> outside(const char* note) {
    return failure(Stage::cil, ErrorCode::label_outside, no_offset, note);
}

constexpr Label local_bit = local_label(0);
constexpr Label unset = 0xFFFFFFFF;

bool is_prefix(std::uint16_t opcode) {
    const Opcode* const found = find_opcode(opcode);
    return found != nullptr && found->flow == Flow::prefix;
}

}  // namespace

bool Body::has_pooled(Instruction instruction) const {
    const std::uint32_t index = instruction.operand;
    if (instruction.opcode == raw_region) return index < regions_.size();
    const OperandKind kind = operand_of(instruction.opcode);
    if (is_wide(kind)) return index < wide_.size();
    if (kind != OperandKind::switch_) return true;
    return index < targets_.size() && targets_[index] < targets_.size() - index;
}

std::span<const Label> Body::switch_targets(std::uint32_t operand) const {
    if (operand >= targets_.size()) return {};
    const std::uint32_t count = targets_[operand];
    if (count > targets_.size() - operand - 1) return {};
    return std::span(targets_).subspan(std::size_t{operand} + 1, count);
}

std::span<Label> Body::switch_targets(std::uint32_t operand) {
    const auto targets = std::as_const(*this).switch_targets(operand);
    if (targets.empty()) return {};
    return std::span(targets_).subspan(std::size_t{operand} + 1, targets.size());
}

Label Body::append(std::uint16_t opcode, std::uint32_t operand) {
    if (offsets_.size() == instructions_.size() && !offsets_.empty()) {
        offsets_.push_back(no_old_offset);
    }
    instructions_.push_back({opcode, 0, operand});
    return size() - 1;
}

std::uint32_t Body::add_wide(std::uint64_t value) {
    wide_.push_back(value);
    return static_cast<std::uint32_t>(wide_.size() - 1);
}

std::uint32_t Body::add_switch(std::span<const Label> targets) {
    const auto operand = static_cast<std::uint32_t>(targets_.size());
    targets_.push_back(static_cast<std::uint32_t>(targets.size()));
    targets_.insert(targets_.end(), targets.begin(), targets.end());
    return operand;
}

Label Body::with_prefixes(Label at) const {
    if (at >= size()) return at;
    while (at != 0 && is_prefix(instructions_[at - 1].opcode)) --at;
    return at;
}

/// Nothing is changed yet: an edit is made whole or not at all.
Status Body::check_edits(std::span<const Splice> edits) const {
    std::uint64_t grown = size();
    std::uint64_t free = 0;  // from here on nothing was edited
    for (const Splice& edit : edits) {
        if (edit.at < free) return outside("edits overlap, or are not in order");
        if (!fits(size(), edit.at, edit.removed))
            return outside("an edit past the last instruction");
        free = std::uint64_t{edit.at} + edit.removed;
        grown += edit.inserted.size();
        const auto known = [&](Label label) {
            return (label & local_bit) != 0 ? (label ^ local_bit) < edit.inserted.size()
                                            : label <= size();
        };
        for (const Instruction& instruction : edit.inserted) {
            if (!has_pooled(instruction)) {
                return outside("an inserted operand is no index of this body");
            }
            const OperandKind kind = operand_of(instruction.opcode);
            const bool sound = kind == OperandKind::switch_
                                   ? std::ranges::all_of(switch_targets(instruction.operand), known)
                                   : !is_branch(kind) || known(instruction.operand);
            if (!sound) return outside("an inserted branch leads out of the body");
        }
    }
    if (grown > most_instructions) return outside("too many instructions");
    return {};
}

/// Copies an instruction of old into the body in the making.
void Body::keep(Label old) {
    if (moved_[old] == unset) moved_[old] = static_cast<Label>(edited_.size());
    edited_.push_back(instructions_[old]);
    if (!offsets_.empty()) edited_offsets_.push_back(offsets_[old]);
}

/// Makes the list of instructions anew, with the labels they had, and notes in `moved_` where old
/// labels lead and in `places_` where each edit's insertion begins.
void Body::arrange(std::span<const Splice> edits) {
    moved_.assign(std::size_t{size()} + 1, unset);
    places_.clear();
    edited_.clear();
    edited_offsets_.clear();
    Label old = 0;
    Label seen = 0;      // so far looked at for prefixes
    Label prefixes = 0;  // where those that stand in front of `seen` begin
    const auto lead = [&](Label from, Label end) {
        const auto here = static_cast<Label>(edited_.size());
        for (; from < end; ++from) {
            if (moved_[from] == unset) moved_[from] = here;
        }
    };
    for (const Splice& edit : edits) {
        for (; seen < edit.at; ++seen) {
            if (!is_prefix(instructions_[seen].opcode)) prefixes = seen + 1;
        }
        const bool goes_in_front = edit.removed == 0 && edit.at < size();
        const Label at = goes_in_front ? std::max(prefixes, old) : edit.at;
        while (old < at) keep(old++);
        const Label end = at + std::max(edit.removed, 1U);
        if (edit.takes_labels) lead(at, end);
        places_.push_back(static_cast<Label>(edited_.size()));
        edited_.insert(edited_.end(), edit.inserted.begin(), edit.inserted.end());
        if (!offsets_.empty()) edited_offsets_.resize(edited_.size(), no_old_offset);
        old += edit.removed;
        if (edit.removed != 0) lead(at, end);
    }
    while (old < size()) keep(old++);
    lead(old, old + 1);
}

/// `base` is where the insertion begins that the label is from.
Label Body::new_label(Label old, Label base) const {
    if (old < moved_.size()) return moved_[old];
    return old != unset && (old & local_bit) != 0 ? base + (old ^ local_bit) : unset;
}

void Body::move_labels(std::span<const Splice> edits) {
    // Labels of switches once each, whoever uses them; local ones below, where their base is known.
    for (std::size_t at = 0; at < targets_.size();) {
        const std::size_t end = std::min(targets_.size(), at + 1 + targets_[at]);
        while (++at < end) {
            if ((targets_[at] & local_bit) == 0) targets_[at] = new_label(targets_[at], 0);
        }
    }
    std::size_t edit = 0;
    for (Label at = 0; at < edited_.size(); ++at) {
        while (edit + 1 < edits.size() && places_[edit + 1] <= at) ++edit;
        const Label base = edits.empty() ? 0 : places_[edit];
        Instruction& instruction = edited_[at];
        const OperandKind kind = operand_of(instruction.opcode);
        if (is_branch(kind)) {
            instruction.operand = new_label(instruction.operand, base);
        } else if (kind == OperandKind::switch_) {
            for (Label& label : switch_targets(instruction.operand)) {
                if ((label & local_bit) != 0) label = new_label(label, base);
            }
        }
    }
    for (ExceptionClause& clause : clauses_) {
        for (Label* label :
             {&clause.try_begin, &clause.try_end, &clause.handler_begin, &clause.handler_end}) {
            *label = new_label(*label, 0);
        }
        if (clause.is_filter()) clause.class_or_filter = new_label(clause.class_or_filter, 0);
    }
}

Status Body::splice(std::span<const Splice> edits) {
    if (opaque()) return failure(Stage::cil, ErrorCode::body_opaque, no_offset, name_of(opaque_));
    TRY_DO(check_edits(edits));
    arrange(edits);
    move_labels(edits);
    instructions_.swap(edited_);
    offsets_.swap(edited_offsets_);
    return {};
}

Status Body::insert(Label at, std::span<const Instruction> inserted, bool takes_labels) {
    const Splice edit{at, 0, inserted, takes_labels};
    return splice({&edit, 1});
}

Status Body::remove(Label at, std::uint32_t count) {
    const Splice edit{at, count, {}, true};
    return splice({&edit, 1});
}

}  // namespace clrkit::cil
