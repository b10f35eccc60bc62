// Encoding. Sizes first, as branches need them, then one pass that writes; both take the form of an
// instruction from the same function.
#include <clrkit/core/try.h>
#include <clrkit/dotnet/cil/assembler.h>
#include <clrkit/dotnet/cil/body_format.h>
#include <clrkit/dotnet/cil/forms.h>
#include <clrkit/dotnet/cil/walk.h>

#include <algorithm>
#include <cassert>
#include <cstring>

namespace clrkit::cil {
namespace {

constexpr std::uint16_t opcode_localloc = 0xFE0F;
constexpr std::uint32_t long_branch_size = 5;
constexpr std::uint64_t largest_code = 0x7FFFFFFF;

std::unexpected<Error> too_wide(const char* note) {
    return failure(Stage::cil, ErrorCode::value_too_wide, no_offset, note);
}
std::unexpected<Error> outside(const char* note) {
    return failure(Stage::cil, ErrorCode::label_outside, no_offset, note);
}

std::optional<Instruction> other_form(Instruction instruction, Forms forms) {
    switch (forms) {
        case Forms::keep: return fitting(instruction);
        case Forms::optimize: {
            const auto result = fitting(shortest(instruction));
            if (!result) return result;
            return Instruction{short_branch(result->opcode), result->flags, result->operand};
        }
        case Forms::expand: return fitting(longest(instruction));
    }
    return std::nullopt;
}

/// The form in which an instruction is written; of branches the one to begin with.
struct Form {
    std::uint16_t opcode;
    OperandKind kind;
    bool fits = true;  // else no form takes the operand
    std::uint32_t operand;
};

/// By value, and most of them from here: a call for each would cost half as much as writing it.
inline Form form_of(Instruction instruction, Forms forms) {
    const OperandKind kind = operand_of(instruction.opcode);
    const bool may_change = forms != Forms::keep && has_other_forms(instruction.opcode);
    if (!may_change && !is_narrow(kind)) {
        return {instruction.opcode, kind, true, instruction.operand};
    }
    const auto other = other_form(instruction, forms);
    if (!other) return {instruction.opcode, kind, false, 0};
    return {other->opcode, operand_of(other->opcode), true, other->operand};
}

/// Of a raw region nothing is an opcode.
std::uint32_t opcode_size(std::uint16_t opcode) {
    if (opcode <= 0xFF) return 1;
    return opcode == raw_region ? 0 : 2;
}

std::uint32_t mapped(const BodyWriteContext& context, std::uint32_t token) {
    const Token old(token);
    if (context.tokens == nullptr || old.rid() == 0) return token;
    if (static_cast<std::size_t>(old.table()) >= table_slots) return token;
    return Token(old.table(), context.tokens->row(old.table(), old.rid())).value();
}

std::uint8_t* write_opcode(std::uint8_t* to, std::uint16_t opcode) {
    if (opcode > 0xFF) *to++ = two_byte_prefix;
    *to++ = static_cast<std::uint8_t>(opcode);
    return to;
}

template <class T>
std::uint8_t* write_le(std::uint8_t* to, T value) {
    store_le(to, value);
    return to + sizeof(T);
}

bool has_localloc(const Body& body) {
    return std::ranges::any_of(body.instructions(), [](const Instruction& instruction) {
        return instruction.opcode == opcode_localloc;
    });
}

std::uint32_t padding_to_four(std::uint64_t place) {
    return static_cast<std::uint32_t>((4 - place % 4) % 4);
}

std::uint8_t* write_padding(std::uint8_t* to, const BodySection* from, std::uint32_t size) {
    if (from != nullptr && from->padding_size == size) {
        std::copy_n(from->padding.begin(), size, to);
    } else {
        std::fill_n(to, size, std::uint8_t{0});
    }
    return to + size;
}

}  // namespace

Result<AssembledBody> Assembler::copy(const Body& body, const BodyWriteContext& context) {
    offsets_.clear();
    const ByteSpan raw = body.raw();
    if (raw.empty()) {
        return failure(Stage::cil, ErrorCode::body_unreadable, no_offset,
                       name_of(body.why_opaque()));
    }
    if (context.tokens != nullptr) {
        return failure(Stage::cil, ErrorCode::body_opaque, no_offset, name_of(body.why_opaque()));
    }
    const BodyExtent& extent = body.extent();
    AssembledBody result{0, extent.header_size, extent.code_size, false};
    if (!extent.has_sections || context.alignment == body.alignment()) {
        result.size = raw.size();
        if (!context.output.bytes(raw)) return failure(Stage::cil, ErrorCode::out_of_memory);
        return result;
    }
    // The sections keep their distances: the first one is aligned before and after.
    const std::uint64_t head = extent.code_end();
    const std::uint64_t old = head + padding_to_four(head + body.alignment());
    const std::uint32_t padding = padding_to_four(head + context.alignment);
    const ByteSpan sections = raw.subspan(static_cast<std::size_t>(old));
    result.size = head + padding + sections.size();
    const MutableByteSpan room = context.output.reserve(static_cast<std::size_t>(result.size));
    if (room.data() == nullptr) return failure(Stage::cil, ErrorCode::out_of_memory);
    std::uint8_t* to = std::copy_n(raw.begin(), static_cast<std::size_t>(head), room.data());
    to = std::fill_n(to, padding, std::uint8_t{0});
    std::ranges::copy(sections, to);
    context.output.commit(static_cast<std::size_t>(result.size));
    return result;
}

/// What an instruction whose operand is an index of the body has behind its opcode and a fixed operand.
Result<std::uint64_t> Assembler::pooled_size(const Body& body, Instruction instruction) {
    if (!body.has_pooled(instruction)) {
        return outside("an operand that is no index of this body: of another one?");
    }
    if (instruction.opcode == raw_region) return body.raw_region_bytes(instruction.operand).size();
    const auto targets = body.switch_targets(instruction.operand);
    if (operand_of(instruction.opcode) != OperandKind::switch_) return std::uint64_t{0};
    const auto inside = [&](Label target) { return target < body.size(); };
    if (!std::ranges::all_of(targets, inside)) return outside("a switch leads out of the body");
    return std::uint64_t{targets.size()} * 4;
}

/// Offsets of all instructions in the form in which they are written.
Status Assembler::lay_out(const Body& body, Forms forms) {
    const auto instructions = body.instructions();
    const std::size_t count = instructions.size();
    if (count > Body::most_instructions) return too_wide("too many instructions");
    offsets_.resize(count + 1);
    branches_.clear();
    std::uint64_t offset = 0;
    for (std::size_t i = 0; i < count; ++i) {
        offsets_[i] = static_cast<std::uint32_t>(offset);
        const Form form = form_of(instructions[i], forms);
        if (!form.fits) return too_wide("the number of an argument or local, or an alignment");
        offset += opcode_size(form.opcode) + operand_size(form.kind);
        if (is_branch(form.kind)) {
            if (form.operand >= count) return outside("a branch leads out of the body");
            if (form.kind == OperandKind::short_branch) {
                branches_.push_back({static_cast<Label>(i), form.operand});
            }
        } else if (is_pooled(form.opcode)) {
            TRY(const std::uint64_t more, pooled_size(body, instructions[i]));
            offset += more;
        } else if (form.kind == OperandKind::undefined) {
            return failure(Stage::cil, ErrorCode::unsupported, no_offset, "an undefined opcode");
        }
        if (offset > largest_code) return too_wide("more than 2 GiB of code");
    }
    offsets_[count] = static_cast<std::uint32_t>(offset);
    if (!widen_branches(offsets_, branches_, widened_) || offsets_.back() > largest_code) {
        return too_wide("more than 2 GiB of code");
    }
    return {};
}

/// What a section of clauses says its size is.
std::uint64_t Assembler::declared_size(const Section& section) {
    const bool kept = section.from != nullptr && section.from->fat == section.fat;
    return std::uint64_t{section.clauses} * clause_size(section.fat) +
           (kept ? section.from->excess : section_header);
}

bool Assembler::fits_small(const Body& body, const Section& section) const {
    const std::uint32_t excess =
        section.from != nullptr && !section.from->fat ? section.from->excess : section_header;
    if (std::uint64_t{section.clauses} * small_clause + excess > largest_small_section)
        return false;
    const auto clauses = std::span(body.clauses()).subspan(section.first, section.clauses);
    return std::ranges::all_of(clauses, [&](const ExceptionClause& clause) {
        return clause.flags <= 0xFFFF && offsets_[clause.try_begin] <= 0xFFFF &&
               offsets_[clause.try_end] - offsets_[clause.try_begin] <= 0xFF &&
               offsets_[clause.handler_begin] <= 0xFFFF &&
               offsets_[clause.handler_end] - offsets_[clause.handler_begin] <= 0xFF;
    });
}

/// What a section of another kind says of itself has to be so: its bytes are written as they are.
Status Assembler::check_section(const BodySection& section) {
    if (section.is_exceptions()) {
        if (section.excess < clause_size(section.fat)) return {};
        return too_wide("a data section whose excess holds a clause");
    }
    const auto measured = measure_section(section.bytes, 0, 0);
    if (measured && measured->size == section.bytes.size() &&
        (section.bytes[0] & section_kind) == section.kind) {
        return {};
    }
    return too_wide("a data section whose bytes are of another kind or size");
}

/// Which section each clause goes into, and in which form.
Status Assembler::plan_sections(const Body& body, Forms forms) {
    sections_.clear();
    const auto count = static_cast<std::uint32_t>(body.clauses().size());
    for (const ExceptionClause& clause : body.clauses()) {
        const Label end = body.size();
        // What begins at the end is empty and leads out of the code; so do edits leave a clause whose
        // last instructions they removed.
        if (clause.try_begin >= end || clause.try_end > end || clause.try_begin > clause.try_end ||
            clause.handler_begin >= end || clause.handler_end > end ||
            clause.handler_begin > clause.handler_end ||
            (clause.is_filter() && clause.class_or_filter >= end)) {
            return outside("an exception clause does not begin in the code, or ends outside it");
        }
    }
    std::uint32_t used = 0;
    for (const BodySection& from : body.sections()) {
        TRY_DO(check_section(from));
        Section section{&from, used, 0, from.fat, 0, from.bytes.size()};
        if (from.is_exceptions()) {
            section.clauses = std::min(from.clauses, count - used);
            used += section.clauses;
            // One that has lost all its clauses goes; one that never had any stays.
            if (section.clauses == 0 && (from.clauses != 0 || forms == Forms::optimize)) continue;
        }
        sections_.push_back(section);
    }
    if (used != count) {
        const auto last = std::find_if(sections_.rbegin(), sections_.rend(),
                                       [](const Section& at) { return at.from->is_exceptions(); });
        if (last != sections_.rend()) {
            last->clauses = count - last->first;
        } else {
            sections_.push_back({nullptr, used, count - used, false, 0, 0});
        }
    }
    if (sections_.size() > sections_at_most) return too_wide("more than 256 data sections");
    for (Section& section : sections_) {
        if (section.from != nullptr && !section.from->is_exceptions()) continue;
        const bool small = fits_small(body, section);
        section.fat = !small || forms == Forms::expand || (section.fat && forms == Forms::keep);
        section.size = section_header + std::uint64_t{section.clauses} * clause_size(section.fat);
        if (declared_size(section) > largest_fat_section) return too_wide("exception clauses");
    }
    return {};
}

bool Assembler::wants_fat_header(const Body& body, Forms forms) const {
    const BodyHeader& header = body.header();
    const bool plain = header.max_stack <= tiny_max_stack && header.locals == 0 &&
                       header.other_flags == 0 && header.tail.empty() && sections_.empty() &&
                       offsets_.back() < tiny_code_below;
    if (!plain || forms == Forms::expand) return true;
    if (forms == Forms::keep) return header.fat || header.init_locals;
    // Without locals it is only the memory of localloc that the flag is about.
    return header.init_locals && has_localloc(body);
}

/// Returns where the last section ends.
std::uint64_t Assembler::place_sections(std::uint64_t end, std::uint32_t alignment) {
    for (Section& section : sections_) {
        section.padding = padding_to_four(end + alignment);
        end += section.padding + section.size;
    }
    return end;
}

bool Assembler::is_reformed(const Body& body, std::uint32_t header_size) const {
    const BodyExtent& old = body.extent();
    if (header_size != old.header_size || offsets_.back() != old.code_size) return true;
    if (sections_.size() != body.sections().size()) return true;
    return std::ranges::any_of(sections_, [](const Section& section) {
        return section.from == nullptr || section.fat != section.from->fat ||
               (section.from->is_exceptions() && section.clauses != section.from->clauses);
    });
}

std::uint8_t* Assembler::write_header(std::uint8_t* to, const Body& body,
                                      const BodyWriteContext& context, bool fat) const {
    const std::uint32_t code_size = offsets_.back();
    if (!fat) {
        *to++ = static_cast<std::uint8_t>(code_size << 2U | format_tiny);
        return to;
    }
    const BodyHeader& header = body.header();
    const std::size_t size = fat_header + header.tail.size();
    const unsigned flags = format_fat | (sections_.empty() ? 0U : flag_more_sections) |
                           (header.init_locals ? flag_init_locals : 0U) |
                           (header.other_flags & flags_unknown) |
                           static_cast<unsigned>(size / 4) << 12U;
    to = write_le(to, static_cast<std::uint16_t>(flags));
    to = write_le(to, header.max_stack);
    to = write_le(to, code_size);
    to = write_le(to, mapped(context, header.locals));
    return std::ranges::copy(header.tail, to).out;
}

std::uint8_t* Assembler::write_code(std::uint8_t* to, const Body& body,
                                    const BodyWriteContext& context, Forms forms) const {
    const auto instructions = body.instructions();
    for (std::size_t i = 0; i < instructions.size(); ++i) {
        const Form form = form_of(instructions[i], forms);
        if (is_branch(form.kind)) {
            const std::uint32_t distance = offsets_[form.operand] - offsets_[i + 1];
            if (offsets_[i + 1] - offsets_[i] == long_branch_size) {
                to = write_opcode(to, long_branch(form.opcode));
                to = write_le(to, distance);
            } else {
                to = write_opcode(to, form.opcode);
                *to++ = static_cast<std::uint8_t>(distance);
            }
            continue;
        }
        if (form.opcode == raw_region) {
            to = std::ranges::copy(body.raw_region_bytes(form.operand), to).out;
            continue;
        }
        to = write_opcode(to, form.opcode);
        if (form.kind == OperandKind::switch_) {
            const auto targets = body.switch_targets(form.operand);
            to = write_le(to, static_cast<std::uint32_t>(targets.size()));
            for (const Label target : targets)
                to = write_le(to, offsets_[target] - offsets_[i + 1]);
        } else if (is_token(form.kind)) {
            to = write_le(to, mapped(context, form.operand));
        } else {
            switch (operand_size(form.kind)) {
                case 0: break;
                case 1: *to++ = static_cast<std::uint8_t>(form.operand); break;
                case 2: to = write_le(to, static_cast<std::uint16_t>(form.operand)); break;
                case 4: to = write_le(to, form.operand); break;
                default: to = write_le(to, body.wide(form.operand)); break;
            }
        }
    }
    return to;
}

std::uint8_t* Assembler::write_clause(std::uint8_t* to, const ExceptionClause& clause,
                                      const BodyWriteContext& context, bool fat) const {
    const std::uint32_t try_begin = offsets_[clause.try_begin];
    const std::uint32_t try_size = offsets_[clause.try_end] - try_begin;
    const std::uint32_t handler_begin = offsets_[clause.handler_begin];
    const std::uint32_t handler_size = offsets_[clause.handler_end] - handler_begin;
    if (fat) {
        for (const std::uint32_t value :
             {clause.flags, try_begin, try_size, handler_begin, handler_size}) {
            to = write_le(to, value);
        }
    } else {
        to = write_le(to, static_cast<std::uint16_t>(clause.flags));
        to = write_le(to, static_cast<std::uint16_t>(try_begin));
        *to++ = static_cast<std::uint8_t>(try_size);
        to = write_le(to, static_cast<std::uint16_t>(handler_begin));
        *to++ = static_cast<std::uint8_t>(handler_size);
    }
    if (clause.is_filter()) return write_le(to, offsets_[clause.class_or_filter]);
    const bool typed = (clause.flags & 7U) == 0;
    return write_le(to, typed ? mapped(context, clause.class_or_filter) : clause.class_or_filter);
}

std::uint8_t* Assembler::write_section(std::uint8_t* to, const Body& body,
                                       const BodyWriteContext& context, const Section& section,
                                       bool more) const {
    to = write_padding(to, section.from, section.padding);
    const std::uint8_t more_bit = more ? section_more : std::uint8_t{0};
    if (section.from != nullptr && !section.from->is_exceptions()) {
        std::uint8_t* const end = std::ranges::copy(section.from->bytes, to).out;
        *to = static_cast<std::uint8_t>((*to & (section_kind | section_fat)) | more_bit);
        return end;
    }
    const BodySection fresh;
    const BodySection& from = section.from != nullptr ? *section.from : fresh;
    const bool kept = from.fat == section.fat;
    const std::uint64_t declared = declared_size(section);
    const unsigned kind = section_exceptions | more_bit | (section.fat ? section_fat : 0U);
    if (section.fat) {
        to = write_le(to, kind | static_cast<std::uint32_t>(declared) << 8U);
    } else {
        *to++ = static_cast<std::uint8_t>(kind);
        *to++ = static_cast<std::uint8_t>(declared);
        to = write_le(to, kept ? from.reserved : std::uint16_t{0});
    }
    for (std::uint32_t i = 0; i < section.clauses; ++i) {
        to = write_clause(to, body.clauses()[section.first + i], context, section.fat);
    }
    return to;
}

Result<AssembledBody> Assembler::write(const Body& body, const BodyWriteContext& context,
                                       Forms forms) {
    if (body.opaque()) return copy(body, context);
    if (body.header().tail.size() > most_fat_header - fat_header ||
        body.header().tail.size() % 4 != 0) {
        return too_wide("the header");
    }
    TRY_DO(lay_out(body, forms));
    TRY_DO(plan_sections(body, forms));
    const bool fat = wants_fat_header(body, forms);
    AssembledBody result;
    result.code_size = offsets_.back();
    result.header_size =
        fat ? fat_header + static_cast<std::uint32_t>(body.header().tail.size()) : 1;
    result.size =
        place_sections(std::uint64_t{result.header_size} + result.code_size, context.alignment);
    result.reformed = is_reformed(body, result.header_size);
    const MutableByteSpan room = context.output.reserve(static_cast<std::size_t>(result.size));
    if (room.data() == nullptr) return failure(Stage::cil, ErrorCode::out_of_memory);
    std::uint8_t* to = write_header(room.data(), body, context, fat);
    to = write_code(to, body, context, forms);
    for (const Section& section : sections_) {
        to = write_section(to, body, context, section, &section != &sections_.back());
    }
    assert(to == room.data() + result.size);
    context.output.commit(static_cast<std::size_t>(result.size));
    return result;
}

void Assembler::moved_offsets(const Body& body, std::vector<MovedOffset>& to) const {
    to.clear();
    const auto before = body.old_offsets();
    if (before.size() + 1 != offsets_.size()) return;
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (before[i] != Body::no_old_offset) to.push_back({before[i], offsets_[i]});
    }
}

}  // namespace clrkit::cil
