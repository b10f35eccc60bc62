// Which bodies there are: methods may share one, hostile ones overlap, and native code is none.
#include <clrkit/core/door.h>
#include <clrkit/dotnet/model/instructions.h>

#include <algorithm>

namespace clrkit {
namespace {

constexpr std::uint32_t code_type_mask = 0x0003;  // MethodImplAttributes.CodeTypeMask

/// Rows with a body of IL, ascending by RVA and, where methods share one, by row: the first counts.
std::vector<std::uint32_t> rows_by_rva(const ColumnView& rvas, const ColumnView& flags) {
    std::vector<std::uint32_t> rows;
    rows.reserve(rvas.rows());
    for (std::uint32_t rid = 1; rid <= rvas.rows(); ++rid) {
        const bool is_il = (flags[rid] & code_type_mask) == 0;
        if (rvas[rid] != 0 && is_il) rows.push_back(rid);
    }
    std::ranges::stable_sort(rows, {}, [&](std::uint32_t rid) { return rvas[rid]; });
    return rows;
}

}  // namespace

Result<Bodies> bodies_of(const ModuleState& state, const Limits& limits) {
    return at_the_door(Stage::cil, [&]() -> Result<Bodies> {
        const ColumnView rvas =
            state.metadata.tables().column(Table::MethodDef, col::MethodDef::RVA);
        const ColumnView flags =
            state.metadata.tables().column(Table::MethodDef, col::MethodDef::ImplFlags);
        Bodies bodies;
        std::uint64_t budget = limits.output_budget(state.bytes.size());
        std::uint32_t last = 0;
        for (const std::uint32_t rid : rows_by_rva(rvas, flags)) {
            const std::uint32_t rva = rvas[rid];
            if (rva == last) continue;
            last = rva;
            const ByteSpan bytes = state.container.image.from(rva);
            const auto extent = cil::measure_body(bytes, rva % 4);
            if (!extent) {
                ++bodies.unreadable;
                continue;
            }
            if (extent->size > budget) {
                return failure(Stage::cil, ErrorCode::output_budget, no_offset,
                               "bodies that overlap");
            }
            budget -= extent->size;
            bodies.all.push_back({Token(Table::MethodDef, rid), bytes, *extent, rva % 4});
        }
        std::ranges::sort(bodies.all, {}, [](const CodeOf& body) { return body.method.rid(); });
        return bodies;
    });
}

}  // namespace clrkit
