// What blobs are built in, beside what else a program would use: a fresh vector, one that is used
// again, a monotonic resource on the stack. Every case here is one a blob of real metadata meets.
#include "cases.h"
#include "measure.h"

#include <clrkit/core/buffers/write_buffer.h>
#include <clrkit/core/bytes/reader.h>
#include <clrkit/core/bytes/segmented_reader.h>

#include <array>
#include <memory_resource>
#include <new>
#include <string>
#include <vector>

namespace clrkit::bench {
namespace {

using Scratch = std::array<std::uint8_t, 256>;
constexpr std::size_t no_bytes = 0;
constexpr std::size_t one_byte = 1;
constexpr std::size_t spill = 2048;
constexpr std::size_t much = std::size_t{200} << 10U;

/// volatile: what the cases write is not known when they are compiled.
std::array<std::uint8_t, spill> source() {
    volatile std::uint8_t unknown = 7;
    const std::uint8_t value = unknown;
    std::array<std::uint8_t, spill> bytes;
    bytes.fill(value);
    return bytes;
}

void write(WriteBuffer& to, ByteSpan from) { (void)to.bytes(from); }
void write(WriteBuffer& to, std::uint8_t value) { (void)to.u8(value); }
template <class Vector>
void write(Vector& to, ByteSpan from) {
    to.insert(to.end(), from.begin(), from.end());
}
template <class Vector>
void write(Vector& to, std::uint8_t value) {
    to.push_back(value);
}

/// `size` bytes in the way of the table in README.md: one alone, few at once, many in pieces of 64.
template <class Target>
void write_all(Target& to, ByteSpan bytes, std::size_t size) {
    if (size == no_bytes) return;
    if (size == one_byte) {
        write(to, bytes[0]);
    } else if (size <= spill) {
        write(to, bytes.first(size));
    } else {
        for (std::size_t done = 0; done < size; done += 64) write(to, bytes.first(64));
    }
}

template <std::size_t size>
void write_buffer(benchmark::State& state) {
    const auto bytes = source();
    const Costs costs(state);
    for (auto _ : state) {
        Scratch scratch;
        WriteBuffer buffer(scratch);
        write_all(buffer, bytes, size);
        benchmark::DoNotOptimize(buffer.bytes_written());
    }
}

template <std::size_t size>
void fresh_vector(benchmark::State& state) {
    const auto bytes = source();
    const Costs costs(state);
    for (auto _ : state) {
        std::vector<std::uint8_t> vector;
        write_all(vector, bytes, size);
        benchmark::DoNotOptimize(vector.data());
    }
}

template <std::size_t size>
void recycled_vector(benchmark::State& state) {
    const auto bytes = source();
    std::vector<std::uint8_t> vector;
    write_all(vector, bytes, size);
    const Costs costs(state);
    for (auto _ : state) {
        vector.clear();
        write_all(vector, bytes, size);
        benchmark::DoNotOptimize(vector.data());
    }
}

template <std::size_t size>
void pmr_vector(benchmark::State& state) {
    const auto bytes = source();
    const Costs costs(state);
    for (auto _ : state) {
        Scratch scratch;
        std::pmr::monotonic_buffer_resource memory(scratch.data(), scratch.size());
        std::pmr::vector<std::uint8_t> vector(&memory);
        write_all(vector, bytes, size);
        benchmark::DoNotOptimize(vector.data());
    }
}

void to_vector(benchmark::State& state) {
    const auto bytes = source();
    const Costs costs(state);
    for (auto _ : state) {
        Scratch scratch;
        WriteBuffer buffer(scratch);
        write(buffer, bytes[0]);
        benchmark::DoNotOptimize(buffer.to_vector().data());
    }
}

/// The bytes in one span, or cut in the middle of every 64-bit number.
std::vector<ByteSpan> spans_of(ByteSpan bytes, bool cut) {
    if (!cut) return {bytes};
    std::vector<ByteSpan> spans{bytes.first(4)};
    for (std::size_t at = 4; at < bytes.size(); at += 8) {
        spans.push_back(slice_clamped(bytes, at, 8));
    }
    return spans;
}

void read_spans(benchmark::State& state, bool cut) {
    const auto bytes = source();
    const std::vector<ByteSpan> spans = spans_of(bytes, cut);
    const Costs costs(state);
    for (auto _ : state) {
        SegmentedReader reader(spans);
        std::uint64_t total = 0;
        for (std::size_t i = 0; i < spill / 8; ++i) total += reader.u64();
        benchmark::DoNotOptimize(total);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(spill / 8));
}

void read_plain(benchmark::State& state) {
    const auto bytes = source();
    const Costs costs(state);
    for (auto _ : state) {
        ByteReader reader(bytes);
        std::uint64_t total = 0;
        for (std::size_t i = 0; i < spill / 8; ++i) total += reader.u64();
        benchmark::DoNotOptimize(total);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(spill / 8));
}

void rent(benchmark::State& state, std::size_t size) {
    SegmentPool& pool = SegmentPool::shared();
    const Costs costs(state);
    for (auto _ : state) {
        const MutableByteSpan block = pool.rent(size);
        benchmark::DoNotOptimize(block.data());
        pool.give_back(block);
    }
}

void allocate(benchmark::State& state, std::size_t size) {
    const Costs costs(state);
    for (auto _ : state) {
        void* block = ::operator new(size);
        benchmark::DoNotOptimize(block);
        ::operator delete(block);
    }
}

template <class Run>
void add(const std::string& name, Run run) {
    benchmark::RegisterBenchmark(("buffers: " + name).c_str(), run)
        ->ComputeStatistics("min", least);
}

template <std::size_t size>
void add_write(const std::string& name) {
    add(name + "/WriteBuffer", write_buffer<size>);
    add(name + "/fresh vector", fresh_vector<size>);
    add(name + "/recycled vector", recycled_vector<size>);
    add(name + "/pmr monotonic", pmr_vector<size>);
}

}  // namespace

void register_buffer_cases() {
    add_write<no_bytes>("construct");
    add_write<one_byte>("1 byte");
    add("1 byte to vector/WriteBuffer", to_vector);
    add_write<spill>("2 KB in one write");
    add_write<much>("200 KB in 64 B writes");
    add("2 KB of u64/contiguous", read_plain);
    add("2 KB of u64/one span", [](auto& state) { read_spans(state, false); });
    add("2 KB of u64/each in two spans", [](auto& state) { read_spans(state, true); });
    for (const std::size_t size : {std::size_t{24}, std::size_t{4096}}) {
        const std::string name = "rent and give back " + std::to_string(size) + " B";
        add(name + "/pool", [size](auto& state) { rent(state, size); });
        add(name + "/new and delete", [size](auto& state) { allocate(state, size); });
    }
}

}  // namespace clrkit::bench
