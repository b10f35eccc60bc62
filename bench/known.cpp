// The cases that toolkits of this kind are usually compared by: an assembly read whole, and read and
// written anew.
#include "cases.h"
#include "measure.h"

#include <clrkit/dotnet/model/module.h>
#include <clrkit/dotnet/signatures/transcode.h>
#include <clrkit/dotnet/signatures/walk.h>
#include <clrkit/dotnet/write/writer.h>

namespace clrkit::bench {
namespace {

/// Everything an assembly says but the code: every cell, every name, every signature.
std::uint64_t read_all(const Metadata& metadata) {
    std::uint64_t sum = 0;
    for (std::size_t slot = 0; slot < table_slots; ++slot) {
        const auto table = static_cast<Table>(slot);
        const auto columns = metadata.tables().spec(table).all_columns();
        for (unsigned i = 0; i < columns.size(); ++i) {
            const ColumnView cells = metadata.tables().column(table, i);
            for (std::uint32_t rid = 1; rid <= cells.rows(); ++rid) {
                const std::uint32_t value = cells[rid];
                if (columns[i].kind == ColumnKind::string) {
                    sum += metadata.strings().at(value).size();
                } else if (columns[i].kind == ColumnKind::blob) {
                    const ByteSpan blob = metadata.blobs().at(value);
                    sum += blob.size();
                    if (!is_signature(columns[i].blob())) continue;
                    ByteReader reader(blob);
                    SignatureVisitor nobody;
                    SignatureWalker walker(reader, nobody, Limits{}.depth);
                    sum += static_cast<std::uint64_t>(walker.walk(columns[i].blob()));
                } else {
                    sum += value;
                }
            }
        }
    }
    return sum;
}

void read(benchmark::State& state, const Input& input) {
    const Costs costs(state);
    for (auto _ : state) {
        const auto module = Module::from_bytes(input.bytes);
        benchmark::DoNotOptimize(read_all(module->metadata()));
    }
}

void read_and_write(benchmark::State& state, const Input& input, bool reassemble) {
    RebuildOptions options;
    options.stale_signature = StaleSignature::public_sign;
    options.strip_ready_to_run = true;
    options.reassemble = reassemble;
    Writer writer;
    const auto run = [&] {
        const auto module = Module::from_bytes(input.bytes);
        if (!writer.rebuild(module->state(), options)) state.SkipWithError("refused");
    };
    run();
    const Costs costs(state);
    for (auto _ : state) run();
}

}  // namespace

void register_known_cases() {
    for (const Input& input : known_inputs()) {
        add_case("read", input, read);
        add_case("read and rebuild", input,
                 [](auto& state, const Input& file) { read_and_write(state, file, false); });
        add_case("read and reassemble", input,
                 [](auto& state, const Input& file) { read_and_write(state, file, true); });
    }
}

}  // namespace clrkit::bench
