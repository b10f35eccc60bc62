// One pass over the bodies: copy and sweep, or decode and encode, and give every literal its new token
// on the way. Where a literal turns out to be pinned, the pass is done again without touching any.
#include <clrkit/core/bytes/compressed.h>
#include <clrkit/core/try.h>
#include <clrkit/dotnet/write/rebuild/bodies.h>
#include <clrkit/dotnet/write/rebuild/content_table.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace clrkit::rebuild {
namespace {

using cil::BodyExtent;
using cil::OperandKind;

constexpr std::uint32_t literal_token = 0x70000000;
constexpr std::uint32_t largest_literal = 0x00FFFFFF;

std::unexpected<Error> full() { return failure(Stage::write, ErrorCode::out_of_memory); }

/// The new #US heap while it grows.
class Literals {
public:
    Literals(const BlobHeap& heap, Region& region) : heap_(heap), region_(region) {}

    /// Finds the entries of the old heap. `broken` is set where it is no sequence of entries.
    Status begin(bool& broken);
    /// The new token of an old one; 0 when the old one is no entry's.
    std::uint32_t map(std::uint32_t token);
    ByteSpan finish();
    std::uint32_t entries() const { return entries_; }

private:
    const BlobHeap& heap_;
    Region& region_;
    OffsetMap offsets_;
    ContentTable contents_;
    MutableByteSpan out_;
    std::uint32_t used_ = 1;
    std::uint32_t entries_ = 0;
};

Status Literals::begin(bool& broken) {
    const ByteSpan bytes = heap_.bytes();
    if (!offsets_.begin(region_, bytes.size())) return full();
    std::uint64_t at = bytes.empty() ? 0 : 1;
    while (at < bytes.size()) {
        const BlobEntry entry = heap_.entry(static_cast<std::uint32_t>(at));
        if (!entry.valid) {
            broken = true;
            break;
        }
        offsets_.mark(at);
        at += entry.prefix + entry.content.size();
    }
    if (!offsets_.seal(region_) || !contents_.begin(region_, offsets_.size())) return full();
    out_ = region_.take(bytes.size() + 8);  // shortest forms of what was there: never longer
    if (out_.data() == nullptr) return full();
    out_[0] = 0;
    return {};
}

std::uint32_t Literals::map(std::uint32_t token) {
    const std::uint32_t offset = token & largest_literal;
    if (token >> 24U != literal_token >> 24U || !offsets_.contains(offset)) return 0;
    std::uint32_t& value = offsets_[offset];
    if (value != OffsetMap::free) return literal_token | value;
    const ByteSpan content = heap_.at(offset);
    const auto content_at = [&](std::uint32_t at) {
        ByteReader reader(out_.subspan(at));
        return reader.bytes(reader.compressed());
    };
    if (const std::uint32_t* known = contents_.find(content, content_at)) {
        value = *known;
        return literal_token | value;
    }
    value = used_;
    contents_.insert(value);
    used_ += write_compressed(out_.data() + used_, static_cast<std::uint32_t>(content.size()));
    std::ranges::copy(content, out_.data() + used_);
    used_ += static_cast<std::uint32_t>(content.size());
    ++entries_;
    return literal_token | value;
}

ByteSpan Literals::finish() {
    while (used_ % 4 != 0) out_[used_++] = 0;
    return out_.first(used_);
}

/// True when the module may ask for metadata by token number at run time.
bool resolves_tokens(const Metadata& metadata) {
    constexpr std::array<std::string_view, 6> names{"ResolveString", "ResolveMember",
                                                    "ResolveMethod", "ResolveField",
                                                    "ResolveType",   "ResolveSignature"};
    const ColumnView parents = metadata.tables().column(Table::MemberRef, col::MemberRef::Class);
    for (std::uint32_t rid = 1; rid <= parents.rows(); ++rid) {
        const Token type = decode(CodedIndex::MemberRefParent, parents[rid]);
        if (type.table() != Table::TypeRef) continue;
        const auto name = metadata.string(Table::MemberRef, rid, col::MemberRef::Name);
        if (!name.starts_with("Resolve") || std::ranges::find(names, name) == names.end()) continue;
        const auto owner = metadata.string(Table::TypeRef, type.rid(), col::TypeRef::TypeName);
        if (owner == "Module" || owner == "ModuleHandle") return true;
    }
    return false;
}

class Builder {
public:
    Builder(const ModuleState& state, const BodyOptions& options, Region& region, BodyTools& tools)
        : state_(state),
          image_(state.container.image),
          rvas_(state.metadata.tables().column(Table::MethodDef, col::MethodDef::RVA)),
          literals_(state.metadata.user_strings(), region),
          options_(options),
          region_(region),
          tools_(tools),
          faults_(options.diagnostics) {}

    Result<NewBodies> build() {
        TRY_DO(find_bodies());
        bool broken = false;
        TRY_DO(literals_.begin(broken));
        if (broken) pin(LiteralPin::broken_heap, 0);
        if (resolves_tokens(state_.metadata)) pin(LiteralPin::resolves_tokens, 0);
        TRY_DO(write_bodies());
        if (result_.pin != LiteralPin::none && touched_) {
            faults_ = nullptr;  // were reported
            TRY_DO(write_bodies());
        }
        const bool pinned = result_.pin != LiteralPin::none;
        const ByteSpan old = state_.metadata.user_strings().bytes();
        result_.literals = pinned || old.empty() ? old : literals_.finish();
        result_.literal_entries = literals_.entries();
        return result_;
    }

private:
    void pin(LiteralPin reason, std::uint32_t method) {
        if (result_.pin != LiteralPin::none) return;
        result_.pin = reason;
        result_.pinned_by = method;
    }
    Status find_bodies();
    Status write_bodies();
    Result<std::uint32_t> write_body(std::uint32_t method, ByteSpan bytes, std::uint32_t alignment);
    bool decode(std::uint32_t method, ByteSpan bytes, std::uint32_t alignment);
    void map_literals(std::uint32_t method);
    Result<std::uint32_t> assemble();
    std::uint32_t copy(std::uint32_t method, ByteSpan bytes, std::uint32_t alignment);
    void align() {
        while (used_ % 4 != 0) out_[used_++] = 0;
    }

    const ModuleState& state_;
    const pe::Image& image_;
    ColumnView rvas_;
    Literals literals_;
    const BodyOptions& options_;
    Region& region_;
    BodyTools& tools_;
    Diagnostics* faults_;
    NewBodies result_;
    MutableByteSpan out_;
    std::size_t used_ = 0;
    bool touched_ = false;  // a literal's token was changed
};

/// Marks every body and takes room for all of them.
Status Builder::find_bodies() {
    if (!result_.places.begin(region_, state_.bytes.size())) return full();
    std::uint64_t capacity = 0;
    for (std::uint32_t rid = 1; rid <= rvas_.rows(); ++rid) {
        if (rvas_[rid] == 0) continue;
        const ByteSpan bytes = image_.from(rvas_[rid]);
        const auto extent = cil::measure_body(bytes, rvas_[rid] % 4);
        if (!extent) {
            return failure(Stage::cil, ErrorCode::body_unreadable, no_offset, nullptr,
                           Token(Table::MethodDef, rid).value());
        }
        const std::uint64_t offset = image_.offset_in_file(bytes);
        if (result_.places.contains(offset)) continue;
        result_.places.mark(offset);
        capacity += extent->size + 8;  // alignment, before and inside
        if (options_.forms == cil::Forms::expand) capacity += extent->size * 4 + 24;
    }
    if (capacity > std::min<std::uint64_t>(options_.budget, UINT32_MAX)) {
        return failure(Stage::write, ErrorCode::output_budget, no_offset, "method bodies");
    }
    out_ = region_.take(static_cast<std::size_t>(capacity));
    if (out_.data() == nullptr || !result_.places.seal(region_)) return full();
    return {};
}

Status Builder::write_bodies() {
    used_ = 0;
    result_.bodies = 0;
    result_.counts = {};
    std::ranges::fill(result_.places.values(), OffsetMap::free);
    for (std::uint32_t rid = 1; rid <= rvas_.rows(); ++rid) {
        const std::uint32_t rva = rvas_[rid];
        if (rva == 0) continue;
        const ByteSpan bytes = image_.from(rva);
        std::uint32_t& place = result_.places[image_.offset_in_file(bytes)];
        if (place != OffsetMap::free) continue;
        ++result_.bodies;
        TRY(place, write_body(rid, bytes, rva % 4));
    }
    result_.bytes = out_.first(used_);
    return {};
}

/// Writes one body to the end of the output. Returns where it begins.
Result<std::uint32_t> Builder::write_body(std::uint32_t method, ByteSpan bytes,
                                          std::uint32_t alignment) {
    if (!options_.reassemble || !decode(method, bytes, alignment)) {
        return copy(method, bytes, alignment);
    }
    if (result_.pin == LiteralPin::none) map_literals(method);
    return assemble();
}

bool Builder::decode(std::uint32_t method, ByteSpan bytes, std::uint32_t alignment) {
    const Token token(Table::MethodDef, method);
    cil::BodyReadContext context;
    context.diagnostics = faults_;
    context.file_offset = image_.offset_in_file(bytes);
    context.owner = token;
    context.alignment = static_cast<std::uint8_t>(alignment);
    // Bytes that nobody runs may be there for a decryptor: such a body is not taken apart.
    if (!tools_.body.read(bytes, context) || tools_.body.has_raw_regions()) {
        if (result_.counts.raw++ == 0) result_.counts.first_raw = token;
        return false;
    }
    ++result_.counts.decoded;
    // As in a copied body: what was between the parts is not worth keeping.
    for (cil::BodySection& section : tools_.body.sections()) section.padding = {};
    return true;
}

void Builder::map_literals(std::uint32_t method) {
    for (cil::Instruction& instruction : tools_.body.instructions()) {
        if (cil::operand_of(instruction.opcode) != OperandKind::string) continue;
        const std::uint32_t token = literals_.map(instruction.operand);
        if (token == 0) return pin(LiteralPin::odd_literal, method);
        instruction.operand = token;
        touched_ = true;
    }
}

/// Encodes the body that was decoded. A fat one begins at a multiple of four, and whether it is fat is
/// known afterwards.
Result<std::uint32_t> Builder::assemble() {
    const std::size_t begin = used_;
    align();
    WriteBuffer output(out_.subspan(used_));
    TRY(const cil::AssembledBody made,
        tools_.assembler.write(tools_.body, {output}, options_.forms));
    if (output.spilled())
        return failure(Stage::write, ErrorCode::output_budget, no_offset, "bodies");
    const auto size = static_cast<std::size_t>(made.size);
    if (made.reformed) ++result_.counts.changed;
    // Nothing was edited: all forms became shorter, or longer, and what moved ends elsewhere.
    if (made.code_size != tools_.body.extent().code_size) result_.code_moved = true;
    if (made.header_size == 1) {
        std::memmove(out_.data() + begin, out_.data() + used_, size);
        used_ = begin;
    }
    const auto place = static_cast<std::uint32_t>(used_);
    used_ += size;
    return place;
}

/// Copies one body to the end of the output, its data sections aligned for their new place.
std::uint32_t Builder::copy(std::uint32_t method, ByteSpan bytes, std::uint32_t alignment) {
    if ((bytes[0] & 0x03U) == 0x03U) align();
    const auto place = static_cast<std::uint32_t>(used_);
    const BodyExtent extent = *cil::measure_body(bytes, alignment);
    std::uint8_t* const to = out_.data() + used_;
    const std::uint64_t head = extent.has_sections ? extent.code_end() : extent.size;
    std::memcpy(to, bytes.data(), head);
    used_ += head;
    if (extent.has_sections) {
        const std::uint64_t sections = (head + alignment + 3) / 4 * 4 - alignment;
        align();
        std::memcpy(out_.data() + used_, bytes.data() + sections, extent.size - sections);
        used_ += extent.size - sections;
    }
    if (result_.pin != LiteralPin::none) return place;
    std::uint8_t* const code = to + extent.header_size;
    const cil::Opaque opaque =
        tools_.scanner.scan(bytes, extent, alignment, [&](OperandKind kind, std::uint32_t operand) {
            if (kind != OperandKind::string) return;
            const std::uint32_t token = literals_.map(load_le<std::uint32_t>(code + operand));
            if (token == 0) {
                pin(LiteralPin::odd_literal, method);
                return;
            }
            store_le(code + operand, token);
            touched_ = true;
        });
    if (opaque != cil::Opaque::no) pin(LiteralPin::opaque_body, method);
    return place;
}

}  // namespace

const char* name_of(LiteralPin pin) {
    constexpr std::array<const char*, 5> names{
        "rebuilt", "a body cannot be swept over", "the module resolves tokens at run time",
        "a literal's token points between entries", "the heap is not a sequence of entries"};
    return names[static_cast<std::size_t>(pin)];
}

Result<NewBodies> build_bodies(const ModuleState& state, const BodyOptions& options, Region& region,
                               BodyTools& tools) {
    return Builder(state, options, region, tools).build();
}

}  // namespace clrkit::rebuild
