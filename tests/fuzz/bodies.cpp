// One method body: what decodes is encoded as it was, means the same in short and long forms, and takes
// edits; what does not is kept. Every reader agrees on which of the two it is.
#include "check.h"

#include "support/image_builder.h"

#include <clrkit/dotnet/cil/assembler.h>
#include <clrkit/dotnet/cil/forms.h>
#include <clrkit/dotnet/cil/max_stack.h>
#include <clrkit/dotnet/model/module.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace {

using namespace clrkit;
using namespace clrkit::cil;
using fuzz::require;
using Bytes = std::vector<std::uint8_t>;

std::optional<Bytes> written(const Body& body, std::uint8_t alignment, Forms forms) {
    std::array<std::uint8_t, 256> scratch;
    WriteBuffer output(scratch);
    Assembler assembler;
    const auto made = assembler.write(body, {output, nullptr, alignment}, forms);
    if (!made) return std::nullopt;
    Bytes bytes = output.to_vector();
    require(bytes.size() == made->size, "the size is what was written");
    std::vector<MovedOffset> moved;
    assembler.moved_offsets(body, moved);
    const auto descending = [](const MovedOffset& a, const MovedOffset& b) {
        return a.before >= b.before || a.after > b.after;
    };
    require(std::ranges::adjacent_find(moved, descending) == moved.end(), "code keeps its order");
    return bytes;
}

/// Indexes into a body's pools differ once it was edited; what they lead to does not.
bool same_instructions(const Body& a, const Body& b) {
    const auto same = [&](const Instruction& left, const Instruction& right) {
        const OperandKind kind = operand_of(left.opcode);
        if (!is_wide(kind) && kind != OperandKind::switch_) return longest(left) == longest(right);
        return left.opcode == right.opcode &&
               (is_wide(kind) ? a.wide(left.operand) == b.wide(right.operand)
                              : std::ranges::equal(a.switch_targets(left.operand),
                                                   b.switch_targets(right.operand)));
    };
    return std::ranges::equal(a.instructions(), b.instructions(), same);
}

/// Both forms decode to the same and are, in that form, as short or long as they get.
void change_forms(const Body& body) {
    for (const Forms forms : {Forms::optimize, Forms::expand}) {
        const auto bytes = written(body, 0, forms);
        require(bytes.has_value(), "what decodes is encoded in any form");
        Body again;
        const bool decodes = again.read(*bytes, {});
        // Junk that moved may look like code now, or code around it like junk.
        if (body.has_raw_regions()) continue;
        require(decodes && same_instructions(body, again), "another form means the same");
        require(body.clauses() == again.clauses(), "another form protects the same");
        require(written(again, 0, forms) == bytes, "once in a form, a body stays as it is");
    }
}

/// Takes numbers from the input; zeros when it has no more.
struct Numbers {
    ByteSpan bytes;
    std::uint8_t next() {
        if (bytes.empty()) return 0;
        const std::uint8_t value = bytes.front();
        bytes = bytes.subspan(1);
        return value;
    }
};

/// Edits in one splice; the body that they make is encoded, or has a label that leads nowhere.
void edit(Body& body, Numbers numbers) {
    std::vector<Splice> edits;
    std::array<std::array<Instruction, 2>, 4> inserted{};
    Label at = 0;
    std::int64_t growth = 0;
    for (auto& instructions : inserted) {
        at += numbers.next() % 8U;
        const std::uint32_t removed = numbers.next() % 4U;
        if (at > body.size() || removed > body.size() - at) break;
        const std::uint8_t target = numbers.next();
        instructions[0] = {0x2B, 0, target < 128 ? Label{target} : local_label(1)};
        const std::span<const Instruction> all(instructions.data(), numbers.next() % 3U);
        edits.push_back({at, removed, all, target % 2 == 0});
        growth += static_cast<std::int64_t>(all.size()) - removed;
        at += removed;
    }
    const Bytes before = written(body, 0, Forms::keep).value_or(Bytes{});
    const std::uint32_t size = body.size();
    if (!body.splice(edits)) {
        require(written(body, 0, Forms::keep) == before, "a refused edit changes nothing");
        return;
    }
    require(body.size() == size + growth, "an edit inserts and removes what it says");
    const auto bytes = written(body, 0, Forms::keep);
    if (!bytes || body.has_raw_regions()) return;
    Body again;
    require(again.read(*bytes, {}), "an edited body decodes");
    require(same_instructions(body, again), "an edited body says what was edited");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // Alignment, the number of bytes for edits, these, the body.
    if (size < 2 || size - 2 < data[1]) return 0;
    const ByteSpan bytes{data + 2 + data[1], size - 2 - data[1]};
    Diagnostics diagnostics;
    BodyReadContext context;
    context.diagnostics = &diagnostics;
    context.alignment = data[0] % 4;
    context.offsets = true;
    Body body;
    const bool decoded = body.read(bytes, context);
    require(decoded == !body.opaque(), "a body decodes or says why not");
    require(diagnostics.total() == (decoded && !body.has_raw_regions() ? 0 : 1),
            "what does not decode is reported once");
    static const Bytes image = test::build(test::minimal());
    static const auto module = Module::from_bytes(image);
    StackDepth depth;
    fuzz::sink = depth.compute(body, module->metadata()).value_or(0);
    if (body.why_opaque() == Opaque::extent) return 0;
    Scanner scanner;
    const Opaque swept =
        scanner.scan(bytes, body.extent(), context.alignment, [](OperandKind, std::uint32_t) {});
    const bool plain = decoded && !body.has_raw_regions();
    if (body.why_opaque() != Opaque::header) {
        require(plain == (swept == Opaque::no), "a sweep and a body see the same");
    }
    const auto same = written(body, context.alignment, Forms::keep);
    require(same && std::ranges::equal(*same, body.raw()), "forms are kept");
    if (!decoded) return 0;
    change_forms(body);
    edit(body, {{data + 2, data[1]}});
    return 0;
}
