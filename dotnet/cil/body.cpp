// Decoding. One walk over the code finds where instructions begin and counts them, a second one writes
// them down, and a branch becomes a label by counting the bits before its target. Code that does not
// decode from end to end is walked over as control goes.
#include <clrkit/dotnet/cil/body.h>
#include <clrkit/dotnet/cil/body_format.h>
#include <clrkit/dotnet/cil/walk.h>

#include <algorithm>
#include <bit>

namespace clrkit::cil {
namespace {

/// Room for most bodies at once, so that growing costs a handful of allocations.
constexpr std::size_t usual = 1024;

/// Keeps what is there: clearing first would fill all of it with zeros again.
template <class T>
void resize(std::vector<T>& vector, std::size_t size) {
    if (vector.capacity() < size) vector.reserve(std::bit_ceil(std::max(size, usual)));
    vector.resize(size);
}

/// The operand of an instruction that is no branch, switch or eight bytes wide.
std::uint32_t plain_operand(const std::uint8_t* at, OperandKind kind) {
    switch (operand_size(kind)) {
        case 0: return 0;
        case 1:
            return kind == OperandKind::i1
                       ? static_cast<std::uint32_t>(static_cast<std::int8_t>(*at))
                       : *at;
        case 2: return load_le<std::uint16_t>(at);
        default: return load_le<std::uint32_t>(at);
    }
}

void report_at(const BodyReadContext& context, ErrorCode code, std::uint64_t offset,
               const char* note) {
    const std::uint64_t place =
        context.file_offset == no_offset ? no_offset : context.file_offset + offset;
    report(context.diagnostics, Stage::cil, code, place, note, context.owner.value());
}

}  // namespace

void Body::clear() {
    extent_ = {};
    raw_ = {};
    alignment_ = 0;
    opaque_ = Opaque::no;
    header_ = {};
    instructions_.clear();
    offsets_.clear();
    wide_.clear();
    targets_.clear();
    regions_.clear();
    clauses_.clear();
    sections_.clear();
}

bool Body::fail(const BodyReadContext& context, Opaque why, std::uint64_t offset) {
    opaque_ = why;
    clauses_.clear();
    sections_.clear();
    report_at(context, ErrorCode::body_opaque, offset, name_of(why));
    return false;
}

bool Body::read(ByteSpan bytes, const BodyReadContext& context) {
    opaque_ = Opaque::no;
    raw_ = {};
    header_ = {};
    alignment_ = context.alignment;
    regions_.clear();
    const auto extent = measure_body(bytes, context.alignment);
    const auto to_code = extent ? extent : measure_code(bytes);
    extent_ = to_code.value_or(BodyExtent{});
    if (extent) raw_ = bytes.first(static_cast<std::size_t>(extent->size));
    if (to_code) read_header(bytes);
    const ByteSpan code =
        to_code ? bytes.subspan(extent_.header_size, extent_.code_size) : ByteSpan{};
    std::uint32_t fault = 0;
    const Opaque code_fault = sweep(code, context.offsets, fault);
    if (!extent) return fail(context, Opaque::extent, 0);
    if (extent_.fat && extent_.header_size < fat_header) return fail(context, Opaque::header, 0);
    if (code_fault == Opaque::no && read_sections(bytes)) return true;
    if (reached_.find(bytes, extent_, alignment_)) {
        read_reached(code, context);
        return read_sections(bytes);
    }
    if (code_fault == Opaque::no) return fail(context, Opaque::clause, extent_.code_end());
    return fail(context, code_fault, std::uint64_t{extent_.header_size} + fault);
}

void Body::read_header(ByteSpan bytes) {
    if (!extent_.fat) return;
    const auto flags = load_le<std::uint16_t>(bytes.data());
    header_.fat = true;
    header_.init_locals = (flags & flag_init_locals) != 0;
    header_.other_flags = flags & flags_unknown;
    header_.max_stack = load_le<std::uint16_t>(bytes.data() + 2);
    header_.locals = load_le<std::uint32_t>(bytes.data() + 8);
    if (extent_.header_size > fat_header) {
        header_.tail = bytes.subspan(fat_header, extent_.header_size - fat_header);
    }
}

/// Marks and counts what `walk_all` visits, and makes room for it.
template <class WalkAll>
void Body::number(ByteSpan code, bool offsets, WalkAll walk_all) {
    const std::size_t words = code.size() / 64 + 1;
    if (starts_.capacity() < words) starts_.reserve(std::bit_ceil(std::max(words, usual)));
    starts_.assign(words, 0);
    Counts counts;
    walk_all([&](OperandKind kind, std::uint32_t start, std::uint32_t operand) {
        starts_[start / 64] |= std::uint64_t{1} << start % 64;
        ++counts.instructions;
        if (kind == OperandKind::switch_) {
            counts.targets += 1 + load_le<std::uint32_t>(code.data() + operand);
        } else if (is_wide(kind)) {
            ++counts.wide;
        }
    });
    resize(ranks_, words);
    std::uint32_t before = 0;
    for (std::size_t i = 0; i < words; ++i) {
        ranks_[i] = before;
        before += static_cast<std::uint32_t>(std::popcount(starts_[i]));
    }
    resize(instructions_, counts.instructions);
    resize(targets_, counts.targets);
    resize(wide_, counts.wide);
    offsets_.resize(offsets ? counts.instructions : 0);
}

/// Writes down what was numbered. Returns the offset of the first branch that does not land, else the
/// code's size. An undefined kind is a raw region; then `operand` is where it ends.
template <class WalkAll>
std::uint32_t Body::write_down(ByteSpan code, bool offsets, WalkAll walk_all) {
    Counts done;
    auto stray = static_cast<std::uint32_t>(code.size());
    walk_all([&](OperandKind kind, std::uint32_t start, std::uint32_t operand) {
        const std::uint8_t* const at = code.data() + operand;
        if (offsets) offsets_[done.instructions] = start;
        Instruction& to = instructions_[done.instructions++];
        if (kind == OperandKind::undefined) {
            to = {raw_region, 0, static_cast<std::uint32_t>(regions_.size())};
            regions_.push_back(code.subspan(start, operand - start));
            return;
        }
        to = {opcode_at(code, start), 0, 0};
        bool lands = true;
        if (is_branch(kind)) {
            for_each_target(code, kind, operand,
                            [&](std::int64_t target) { lands = read_branch(to, target); });
        } else if (kind == OperandKind::switch_) {
            to.operand = done.targets;
            targets_[done.targets++] = load_le<std::uint32_t>(at);
            for_each_target(code, kind, operand, [&](std::int64_t target) {
                Label& label = targets_[done.targets++];
                label = static_cast<Label>(target);
                if (target < 0 || !label_at(static_cast<std::uint64_t>(target), label))
                    lands = false;
            });
        } else if (is_wide(kind)) {
            to.operand = done.wide;
            wide_[done.wide++] = load_le<std::uint64_t>(at);
        } else {
            to.operand = plain_operand(at, kind);
        }
        if (!lands) stray = std::min(stray, start);
    });
    return stray;
}

/// Decodes from the first byte to the last. `fault` is the offset of the first instruction that is none,
/// else of the first branch that does not land.
Opaque Body::sweep(ByteSpan code, bool offsets, std::uint32_t& fault) {
    std::uint32_t end = 0;
    number(code, offsets, [&](auto visit) { end = walk(code, visit); });
    fault = write_down(code, offsets, [&](auto visit) { walk(code.first(end), visit); });
    if (end != code.size()) {
        fault = end;
        return Opaque::undefined_opcode_or_cut_operand;
    }
    return fault == end ? Opaque::no : Opaque::branch;
}

/// Decodes what `reached_` has found, where every branch lands.
void Body::read_reached(ByteSpan code, const BodyReadContext& context) {
    const auto walk_all = [&](auto visit) {
        reached_.for_each_piece([&](std::uint32_t start, std::uint32_t size, bool instruction) {
            const MeasuredInstruction at = instruction ? measure_instruction(code, start)
                                                       : MeasuredInstruction{{}, start + size, 0};
            visit(at.kind, start, at.operand);
        });
    };
    number(code, context.offsets, walk_all);
    (void)write_down(code, context.offsets, walk_all);
    const ByteSpan first = regions_.empty() ? code.first(0) : regions_.front();
    report_at(context, ErrorCode::code_not_reached,
              extent_.header_size + static_cast<std::uint64_t>(first.data() - code.data()),
              nullptr);
}

bool Body::label_at(std::uint64_t offset, Label& label) const {
    if (offset >= extent_.code_size) return false;
    const std::uint64_t word = starts_[static_cast<std::size_t>(offset / 64)];
    const std::uint64_t bit = std::uint64_t{1} << offset % 64;
    if ((word & bit) == 0) return false;
    label = ranks_[static_cast<std::size_t>(offset / 64)] +
            static_cast<std::uint32_t>(std::popcount(word & (bit - 1)));
    return true;
}

bool Body::label_or_end(std::uint64_t offset, Label& label) const {
    if (offset != extent_.code_size) return label_at(offset, label);
    label = size();
    return true;
}

bool Body::read_branch(Instruction& to, std::int64_t target) const {
    if (target >= 0 && label_at(static_cast<std::uint64_t>(target), to.operand)) return true;
    to.flags |= instruction_flags::offset_operand;
    to.operand = static_cast<std::uint32_t>(target);
    return false;
}

bool Body::add_clause(const Clause& clause) {
    ExceptionClause to{clause.flags, 0, 0, 0, 0, clause.class_or_filter};
    if (!label_at(clause.try_offset, to.try_begin) ||
        !label_or_end(std::uint64_t{clause.try_offset} + clause.try_length, to.try_end) ||
        !label_at(clause.handler_offset, to.handler_begin) ||
        !label_or_end(std::uint64_t{clause.handler_offset} + clause.handler_length,
                      to.handler_end) ||
        (clause.is_filter() && !label_at(clause.class_or_filter, to.class_or_filter))) {
        return false;
    }
    clauses_.push_back(to);
    return true;
}

/// The chain of sections of a measured body. False where a clause does not land.
bool Body::read_sections(ByteSpan bytes) {
    clauses_.clear();
    sections_.clear();
    bool more = extent_.has_sections;
    for (std::uint64_t end = extent_.code_end(); more;) {
        const auto section = measure_section(bytes, end, alignment_);
        if (!section) return false;
        const std::uint8_t* const at = bytes.data() + section->offset;
        BodySection to;
        to.kind = at[0] & 0x3FU;
        to.fat = section->fat;
        to.padding_size = static_cast<std::uint8_t>(section->offset - end);
        std::copy(at - to.padding_size, at, to.padding.begin());
        if (to.is_exceptions()) {
            const std::uint32_t declared =
                section->fat ? load_le<std::uint32_t>(at) >> 8U : std::uint32_t{at[1]};
            to.excess = static_cast<std::uint8_t>(declared % clause_size(section->fat));
            if (!to.fat) to.reserved = load_le<std::uint16_t>(at + 2);
            to.clauses = section->clauses;
            for (std::uint32_t i = 0; i < section->clauses; ++i) {
                if (!add_clause(read_clause(bytes, *section, i))) return false;
            }
        } else {
            to.bytes = bytes.subspan(static_cast<std::size_t>(section->offset),
                                     static_cast<std::size_t>(section->size));
        }
        sections_.push_back(to);
        end = section->offset + section->size;
        more = section->more;
    }
    return true;
}

}  // namespace clrkit::cil
