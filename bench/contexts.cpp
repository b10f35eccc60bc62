// What value-type contexts are worth: every signature of an assembly decoded and encoded anew, once
// through contexts on the stack into one buffer, once the way object-oriented toolkits do it, with a
// context, a sink and an output on the heap for each blob.
#include "cases.h"
#include "measure.h"

#include <clrkit/dotnet/model/module.h>
#include <clrkit/dotnet/signatures/transcode.h>
#include <clrkit/dotnet/signatures/walk.h>

#include <array>
#include <memory>
#include <utility>
#include <vector>

namespace clrkit::bench {
namespace {

struct Blob {
    ByteSpan bytes;
    BlobKind kind;
};

/// The blobs of every signature column, in table order.
std::vector<Blob> signatures(const Metadata& metadata) {
    std::vector<Blob> blobs;
    for (std::size_t slot = 0; slot < table_slots; ++slot) {
        const auto table = static_cast<Table>(slot);
        const auto columns = metadata.tables().spec(table).all_columns();
        for (unsigned column = 0; column < columns.size(); ++column) {
            if (columns[column].kind != ColumnKind::blob || !is_signature(columns[column].blob()))
                continue;
            for (std::uint32_t rid = 1; rid <= metadata.rows(table); ++rid) {
                blobs.push_back({metadata.blob(table, rid, column), columns[column].blob()});
            }
        }
    }
    return blobs;
}

void by_value(benchmark::State& state, const std::vector<Blob>& blobs) {
    std::array<std::uint8_t, 1024> scratch;
    const Costs costs(state);
    for (auto _ : state) {
        for (const Blob& blob : blobs) {
            WriteBuffer output(scratch);
            benchmark::DoNotOptimize(transcode_signature(blob.bytes, blob.kind, BlobReadContext{},
                                                         BlobWriteContext{output, {}}));
            benchmark::DoNotOptimize(output.contiguous().data());
        }
    }
}

class Sink {
public:
    virtual ~Sink() = default;
    virtual void byte(std::uint8_t value) = 0;
};
class VectorSink final : public Sink {
public:
    void byte(std::uint8_t value) override { bytes.push_back(value); }
    std::vector<std::uint8_t> bytes;
};

/// What a heap-allocated context of the usual kind holds.
struct HeapContext {
    std::unique_ptr<VectorSink> sink = std::make_unique<VectorSink>();
    std::shared_ptr<Diagnostics> diagnostics;
    TokenEncoder tokens;
};

struct HeapTranscriber : SignatureVisitor {
    Sink& out;
    const TokenEncoder& tokens;

    HeapTranscriber(Sink& sink, const TokenEncoder& encoder) : out(sink), tokens(encoder) {}
    void compressed(std::uint32_t value) {
        std::array<std::uint8_t, 4> bytes;
        const std::uint32_t size = write_compressed(bytes.data(), value);
        for (std::uint32_t i = 0; i < size; ++i) out.byte(bytes[i]);
    }
    void header(std::uint8_t convention) { out.byte(convention); }
    void count(std::uint32_t value) { compressed(value); }
    void element(ElementType type) { out.byte(static_cast<std::uint8_t>(type)); }
    void generic_kind(ElementType type) { out.byte(static_cast<std::uint8_t>(type)); }
    void token(std::uint32_t encoded) { compressed(tokens.encoded(encoded)); }
    void number(std::uint32_t value) { compressed(value); }
    void shape(ByteSpan bytes) {
        for (const std::uint8_t byte : bytes) out.byte(byte);
    }
};

void on_the_heap(benchmark::State& state, const std::vector<Blob>& blobs) {
    const auto diagnostics = std::make_shared<Diagnostics>();
    const Costs costs(state);
    for (auto _ : state) {
        for (const Blob& blob : blobs) {
            const auto context = std::make_unique<HeapContext>();
            context->diagnostics = diagnostics;
            ByteReader reader(blob.bytes);
            HeapTranscriber out(*context->sink, context->tokens);
            SignatureWalker walker(reader, out, Limits{}.depth);
            benchmark::DoNotOptimize(walker.walk(blob.kind));
            out.shape(reader.rest());
            benchmark::DoNotOptimize(context->sink->bytes.data());
        }
    }
}

template <class Run>
void add(const std::string& name, const Input& input, Run run) {
    add_case(name, input, [run](benchmark::State& state, const Input& file) {
        const auto module = Module::from_bytes(file.bytes);
        const std::vector<Blob> blobs = signatures(module->metadata());
        run(state, blobs);
        state.counters["per_blob"] = benchmark::Counter(
            static_cast<double>(blobs.size()),
            benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
        state.counters["blobs"] = static_cast<double>(blobs.size());
    });
}

}  // namespace

void register_context_cases() {
    for (const Input& input : inputs()) {
        add("signatures, contexts by value", input, by_value);
        add("signatures, contexts on the heap", input, on_the_heap);
    }
}

}  // namespace clrkit::bench
