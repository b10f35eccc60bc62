// Rebuilds what can be: the fresh image opens, is closed, says the same in every row, and rebuilding it
// once more changes nothing.
#include "check.h"

#include <clrkit/dotnet/cil/body_extent.h>
#include <clrkit/dotnet/model/module.h>
#include <clrkit/dotnet/module/coverage.h>
#include <clrkit/dotnet/write/writer.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace {

using namespace clrkit;
using fuzz::require;

/// Names are compared up to so many bytes: thousands of rows may share one long name.
constexpr std::size_t compared = 256;

bool same_name(const Metadata& a, const Metadata& b, std::uint32_t left, std::uint32_t right) {
    const auto start = [](const Metadata& metadata, std::uint32_t offset) {
        const ByteSpan all = slice_clamped(metadata.strings().bytes(), offset, compared);
        const auto end = std::ranges::find(all, std::uint8_t{0});
        return all.first(static_cast<std::size_t>(end - all.begin()));
    };
    return std::ranges::equal(start(a, left), start(b, right));
}

/// A column that says where something is, not what it is.
bool is_place(Table table, unsigned column) {
    return (table == Table::MethodDef && column == col::MethodDef::RVA) ||
           (table == Table::FieldRVA && column == col::FieldRVA::RVA);
}

bool same_cell(const Metadata& a, const Metadata& b, Table table, std::uint32_t rid,
               unsigned column) {
    const std::uint32_t left = a.cell(table, rid, column);
    const std::uint32_t right = b.cell(table, rid, column);
    switch (a.tables().spec(table).columns[column].kind) {
        case ColumnKind::string: return same_name(a, b, left, right);
        case ColumnKind::guid: return a.guids().at(left) == b.guids().at(right);
        case ColumnKind::blob: return a.blobs().at(left).empty() == b.blobs().at(right).empty();
        default: return left == right || is_place(table, column);
    }
}

void check_rows(const Metadata& a, const Metadata& b) {
    for (std::size_t slot = 0; slot < table_slots; ++slot) {
        const auto table = static_cast<Table>(slot);
        if (!schema::known(table)) continue;
        require(a.rows(table) == b.rows(table), "a rebuilt table has as many rows");
        const unsigned columns = a.tables().layout(table).column_count;
        for (std::uint32_t rid = 1; rid <= a.rows(table); ++rid) {
            for (unsigned column = 0; column < columns; ++column) {
                require(same_cell(a, b, table, rid, column), "a rebuilt cell says the same");
            }
        }
    }
}

void check_bodies(const Module& a, const Module& b) {
    for (const MethodDef method : a.methods()) {
        const std::uint32_t left = method.rva();
        const std::uint32_t right = b.method(method.rid).rva();
        require((left == 0) == (right == 0), "a method keeps its body");
        if (left == 0) continue;
        const auto before = cil::measure_body(a.image().from(left), left % 4);
        const auto after = cil::measure_body(b.image().from(right), right % 4);
        require(before && after && before->code_size == after->code_size &&
                    before->has_sections == after->has_sections,
                "a rebuilt body is as long");
    }
}

/// Attributes that say something else than their shortest form make a difference between the two.
void check_reassembled(Writer& writer, const Module& module, RebuildOptions options) {
    options.reassemble = true;
    const auto image = writer.rebuild(module.state(), options);
    require(image.has_value() || image.error().code == ErrorCode::output_budget ||
                image.error().code == ErrorCode::limit_reached,
            "what is rebuilt is reassembled");
    if (!image) return;
    const std::vector<std::uint8_t> first(image->bytes.begin(), image->bytes.end());
    const auto reassembled = Module::from_bytes(first);
    require(reassembled.has_value(), "what was reassembled opens");
    const auto again = writer.rebuild(reassembled->state(), options);
    require(again && std::ranges::equal(again->bytes, first),
            "what was reassembled is reassembled the same");
}

void print(const Error& error) {
    if (fuzz::verbose()) std::fprintf(stderr, "refused: %s\n", render(error).c_str());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto module = Module::from_bytes({data, size});
    if (!module) return 0;
    static Writer writer;
    RebuildOptions options;
    options.stale_signature = StaleSignature::public_sign;
    options.strip_ready_to_run = true;
    options.limits = fuzz::limits();
    for (const bool trust : {false, true}) {
        options.trust_layout = trust;
        const auto image = writer.rebuild(module->state(), options);
        if (!image) {
            print(image.error());
            continue;
        }
        const std::vector<std::uint8_t> first(image->bytes.begin(), image->bytes.end());
        const auto rebuilt = Module::from_bytes(first);
        require(rebuilt.has_value(), "what was rebuilt opens");
        check_rows(module->metadata(), rebuilt->metadata());
        check_bodies(*module, *rebuilt);
        const auto coverage = cover(rebuilt->state(), options.limits);
        require(coverage && coverage->closed(), "what was rebuilt is closed");
        const auto again = writer.rebuild(rebuilt->state(), options);
        require(again && std::ranges::equal(again->bytes, first),
                "what was rebuilt is rebuilt the same");
        check_reassembled(writer, *module, options);
    }
    return 0;
}
