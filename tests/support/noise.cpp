#include "support/noise.h"

#include <clrkit/core/bytes/compressed.h>
#include <clrkit/dotnet/cil/scan.h>
#include <clrkit/dotnet/write/rebuild/cells.h>
#include <clrkit/dotnet/write/rebuild/image.h>
#include <clrkit/dotnet/write/rebuild/strings.h>
#include <clrkit/dotnet/write/stale_signature.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

namespace clrkit::test {

namespace {

namespace rb = clrkit::rebuild;

constexpr std::size_t past_narrow = 0x10100;

/// A heap whose entries are written in a random order, each with junk before it.
class NoisyHeap {
public:
    NoisyHeap(const Noise& noise, Region& region, std::uint64_t range)
        : random_(noise.seed), region_(region), wide_(noise.wide) {
        ensure(heap_.offsets.begin(region, range));
    }
    void mark(std::uint32_t old) { heap_.offsets.mark(old); }
    /// Appends every marked entry; `append(old)` writes it, `junk(n)` something nobody refers to.
    template <class Append, class Junk>
    rb::NewHeap build(Bytes start, bool counted, Append append_entry, Junk junk) {
        ensure(heap_.offsets.seal(region_));
        std::vector<std::uint32_t> order;
        heap_.offsets.for_each(
            [&](std::uint64_t old) { order.push_back(static_cast<std::uint32_t>(old)); });
        std::ranges::shuffle(order, random_);
        Bytes out = std::move(start);
        for (const std::uint32_t old : order) {
            test::append(out, junk(static_cast<std::uint32_t>(random_())));
            heap_.offsets[old] =
                static_cast<std::uint32_t>(counted ? out.size() / 16 + 1 : out.size());
            test::append(out, append_entry(old));
        }
        while (wide_ && out.size() < (counted ? past_narrow * 16 : past_narrow)) {
            test::append(out, junk(static_cast<std::uint32_t>(random_())));
        }
        while (out.size() % 4 != 0) out.push_back(0);
        const MutableByteSpan kept = region_.take(out.size());
        ensure(kept.data() != nullptr);
        std::ranges::copy(out, kept.begin());
        heap_.bytes = kept;
        heap_.entries = static_cast<std::uint32_t>(counted ? out.size() / 16 : order.size());
        return heap_;
    }

private:
    static void ensure(bool there) {
        if (!there) throw std::bad_alloc();
    }

    std::mt19937 random_;
    Region& region_;
    rb::NewHeap heap_;
    bool wide_;
};

Bytes to_bytes(ByteSpan span) { return {span.begin(), span.end()}; }

Bytes blob_entry(ByteSpan content) {
    Bytes entry = compressed(static_cast<std::uint32_t>(content.size()));
    append(entry, to_bytes(content));
    return entry;
}

Bytes junk_text(std::uint32_t number) { return bytes_of("junk" + std::to_string(number) + '\0'); }

template <class Mark>
void mark_cells(const Metadata& metadata, ColumnKind kind, Mark mark) {
    (void)rb::for_each_cell(metadata, kind, [&](rb::Cell cell) -> Status {
        if (cell.value != 0) mark(cell.value);
        return {};
    });
}

rb::NewHeap noisy_strings(const Metadata& metadata, const Noise& noise, Region& region) {
    NoisyHeap heap(noise, region, metadata.strings().bytes().size());
    mark_cells(metadata, ColumnKind::string, [&](std::uint32_t old) { heap.mark(old); });
    return heap.build(
        {0}, false,
        [&](std::uint32_t old) { return bytes_of(std::string(metadata.strings().at(old)) + '\0'); },
        junk_text);
}

rb::NewBlobs noisy_blobs(const Metadata& metadata, const Noise& noise, Region& region) {
    NoisyHeap heap(noise, region, metadata.blobs().bytes().size());
    mark_cells(metadata, ColumnKind::blob, [&](std::uint32_t old) { heap.mark(old); });
    const rb::NewHeap built = heap.build(
        {0}, false, [&](std::uint32_t old) { return blob_entry(metadata.blobs().at(old)); },
        [](std::uint32_t number) { return blob_entry(junk_text(number)); });
    rb::NewBlobs result;
    result.bytes = built.bytes;
    result.entries = built.entries;
    result.offsets.fill(built.offsets);
    return result;
}

rb::NewHeap noisy_guids(const Metadata& metadata, const Noise& noise, Region& region) {
    NoisyHeap heap(noise, region, metadata.guids().count() + std::uint64_t{1});
    mark_cells(metadata, ColumnKind::guid, [&](std::uint32_t old) { heap.mark(old); });
    return heap.build(
        {}, true, [&](std::uint32_t old) { return to_bytes(*metadata.guids().at(old)); },
        [](std::uint32_t number) {
            Bytes guid = little_endian(number, 8);
            guid.resize(16);
            return guid;
        });
}

/// Literals in a random order with junk between, and bodies with zeros between.
rb::NewBodies noisy_bodies(const ModuleState& state, const Noise& noise, Region& region) {
    const BlobHeap& old_literals = state.metadata.user_strings();
    const pe::Image& image = state.container.image;
    const ColumnView rvas = state.metadata.tables().column(Table::MethodDef, col::MethodDef::RVA);
    NoisyHeap heap(noise, region, old_literals.bytes().size());
    rb::NewBodies result;
    (void)result.places.begin(region, state.bytes.size());
    cil::Scanner scanner;
    const auto scan = [&](std::uint32_t rva, const auto& visit) {
        const ByteSpan bytes = image.from(rva);
        (void)scanner.scan(bytes, *cil::measure_body(bytes, rva % 4), rva % 4, visit);
    };
    for (std::uint32_t rid = 1; rid <= rvas.rows(); ++rid) {
        if (rvas[rid] == 0) continue;
        const ByteSpan bytes = image.from(rvas[rid]);
        result.places.mark(image.offset_in_file(bytes));
        const cil::BodyExtent extent = *cil::measure_body(bytes, rvas[rid] % 4);
        scan(rvas[rid], [&](cil::OperandKind kind, std::uint32_t operand) {
            if (kind != cil::OperandKind::string) return;
            heap.mark(load_le<std::uint32_t>(bytes.data() + extent.header_size + operand) &
                      0xFFFFFFU);
        });
    }
    const rb::NewHeap literals = heap.build(
        {0}, false, [&](std::uint32_t old) { return blob_entry(old_literals.at(old)); },
        [](std::uint32_t number) { return blob_entry(junk_text(number)); });
    (void)result.places.seal(region);
    Bytes out;
    for (std::uint32_t rid = 1; rid <= rvas.rows(); ++rid) {
        if (rvas[rid] == 0) continue;
        const ByteSpan bytes = image.from(rvas[rid]);
        std::uint32_t& place = result.places[image.offset_in_file(bytes)];
        if (place != OffsetMap::free) continue;
        out.insert(out.end(), 12, 0);
        while (out.size() % 4 != 0) out.push_back(0);
        const cil::BodyExtent extent = *cil::measure_body(bytes, rvas[rid] % 4);
        const std::size_t start = out.size();
        place = static_cast<std::uint32_t>(start);
        // A rebuilt module's bodies are aligned already: their sections need no other padding.
        append(out, to_bytes(bytes.first(static_cast<std::size_t>(extent.size))));
        scan(rvas[rid], [&](cil::OperandKind kind, std::uint32_t operand) {
            if (kind != cil::OperandKind::string) return;
            std::uint8_t* const at = out.data() + start + extent.header_size + operand;
            store_le(at, 0x70000000U | literals.map(load_le<std::uint32_t>(at) & 0xFFFFFFU));
        });
    }
    const MutableByteSpan kept = region.take(out.size());
    std::ranges::copy(out, kept.begin());
    result.bytes = kept;
    result.literals = old_literals.bytes().empty() ? ByteSpan{} : literals.bytes;
    return result;
}

}  // namespace

Bytes with_noise(const Module& module, const Noise& noise) {
    const ModuleState& state = module.state();
    const auto coverage = cover(state);
    Region region;
    if (!coverage || !coverage->closed() ||
        !region.reserve(module.bytes().size() * 16 + (64U << 20U))) {
        return {};
    }
    rb::Parts parts;
    parts.strings = noisy_strings(state.metadata, noise, region);
    parts.blobs = noisy_blobs(state.metadata, noise, region);
    parts.guids = noisy_guids(state.metadata, noise, region);
    parts.bodies = noisy_bodies(state, noise, region);
    auto tables =
        rb::lay_out_tables(state.metadata, parts.strings, parts.guids, parts.blobs, region);
    if (!tables) return {};
    parts.tables = *tables;
    SignatureDecision signature;
    signature.flags = state.container.clr_flags();
    const auto image = rb::write_image(state, *coverage, parts, signature, Limits{}, false, region);
    if (!image) return {};
    return to_bytes(*image);
}

}  // namespace clrkit::test
