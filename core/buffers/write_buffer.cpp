// The ways that leave the current segment: whatever may be refused is rented before a field changes.
#include <clrkit/core/buffers/write_buffer.h>

#include <algorithm>
#include <array>

namespace clrkit {

/// Stands at the begin of a rented block; the arrays of spans and of capacities follow it. Entry 0 is
/// the scratch, the last one the current segment, whose span is brought up to date when it ends.
struct WriteBuffer::Table {
    std::size_t block_size;
    std::uint32_t count;
    std::uint32_t capacity;

    ByteSpan* spans() { return reinterpret_cast<ByteSpan*>(this + 1); }
    std::size_t* capacities() { return reinterpret_cast<std::size_t*>(spans() + capacity); }
    MutableByteSpan block() { return {reinterpret_cast<std::uint8_t*>(this), block_size}; }
    /// The whole of an entry, as it was lent or rented.
    MutableByteSpan memory(std::uint32_t index) {
        return {const_cast<std::uint8_t*>(spans()[index].data()), capacities()[index]};
    }

    /// A table with room for at least `entries`, or null when the pool refuses.
    static Table* rent(SegmentPool& pool, std::uint32_t entries) {
        constexpr std::size_t entry_size = sizeof(ByteSpan) + sizeof(std::size_t);
        const MutableByteSpan block = pool.rent(sizeof(Table) + entries * entry_size);
        if (block.data() == nullptr) return nullptr;
        const auto capacity =
            static_cast<std::uint32_t>((block.size() - sizeof(Table)) / entry_size);
        return new (block.data()) Table{block.size(), 0, capacity};
    }
    void add(ByteSpan span, std::size_t capacity_of_span) {
        new (spans() + count) ByteSpan(span);
        new (capacities() + count) std::size_t(capacity_of_span);
        ++count;
    }
};

namespace {

constexpr std::size_t smallest_segment = 4096;
constexpr std::size_t largest_segment = std::size_t{1} << 20U;
constexpr std::uint32_t first_entries = 8;

}  // namespace

/// As much again as was written, so that the number of segments grows with the logarithm.
MutableByteSpan WriteBuffer::rent_segment(std::size_t least) {
    const auto written = static_cast<std::size_t>(bytes_written());
    const std::size_t size = std::clamp(written, smallest_segment, largest_segment);
    return pool_->rent(std::max(size, least));
}

/// Makes sure that the table takes one more entry; false when the pool refuses.
bool WriteBuffer::make_table_room() {
    if (table_ != nullptr && table_->count < table_->capacity) return true;
    const std::uint32_t entries = table_ == nullptr ? first_entries : table_->capacity * 2;
    Table* larger = Table::rent(*pool_, entries);
    if (larger == nullptr) return false;
    if (table_ == nullptr) {
        larger->add(current_, static_cast<std::size_t>(end_ - current_.data()));
    } else {
        for (std::uint32_t i = 0; i < table_->count; ++i) {
            larger->add(table_->spans()[i], table_->capacities()[i]);
        }
        pool_->give_back(table_->block());
    }
    table_ = larger;
    return true;
}

/// A segment that `begin_segment` can enter, or null data; nothing that can be seen has changed.
MutableByteSpan WriteBuffer::next_segment(std::size_t least) {
    const MutableByteSpan segment = rent_segment(least);
    if (segment.data() == nullptr) return {};
    if (make_table_room()) return segment;
    pool_->give_back(segment);
    return {};
}

void WriteBuffer::begin_segment(MutableByteSpan segment) {
    const std::size_t used = current_size();
    if (used == 0 && table_->count > 1) {
        // Reserved and nothing of it kept: no reader shall meet an empty span.
        pool_->give_back(table_->memory(--table_->count));
    } else {
        table_->spans()[table_->count - 1] = {current_.data(), used};
        flushed_ += used;
    }
    table_->add({segment.data(), 0}, segment.size());
    current_ = {segment.data(), 0};
    cursor_ = segment.data();
    end_ = segment.data() + segment.size();
}

bool WriteBuffer::bytes_slow(ByteSpan from) {
    if (from.empty()) return true;
    const std::size_t head = std::min(room(), from.size());
    const ByteSpan rest = from.subspan(head);
    const MutableByteSpan segment = next_segment(rest.size());
    if (segment.data() == nullptr) return refused();
    if (head != 0) std::memcpy(cursor_, from.data(), head);
    cursor_ += head;
    begin_segment(segment);
    std::memcpy(cursor_, rest.data(), rest.size());
    cursor_ += rest.size();
    return true;
}

bool WriteBuffer::integer_slow(std::uint64_t value, std::size_t size) {
    std::array<std::uint8_t, sizeof value> stored;
    store_le(stored.data(), value);
    return bytes_slow(ByteSpan(stored).first(size));
}

bool WriteBuffer::compressed_slow(std::uint32_t value) {
    if (value > largest_compressed) return refused();
    std::array<std::uint8_t, 4> form;
    if (room() >= form.size()) {
        cursor_ += write_compressed(cursor_, value);
        return true;
    }
    return bytes(ByteSpan(form).first(write_compressed(form.data(), value)));
}

MutableByteSpan WriteBuffer::reserve_slow(std::size_t size) {
    const MutableByteSpan segment = next_segment(size);
    if (segment.data() == nullptr) {
        failed_ = true;
        return {};
    }
    begin_segment(segment);
    return {cursor_, size};
}

WriteBuffer::Segments WriteBuffer::segments() const {
    current_ = {current_.data(), current_size()};
    if (table_ == nullptr) return {*this, {&current_, current_.empty() ? 0U : 1U}};
    const ByteSpan* first = table_->spans();
    std::size_t count = table_->count;
    table_->spans()[count - 1] = current_;
    if (current_.empty()) --count;
    if (count != 0 && first->empty()) return {*this, {first + 1, count - 1}};
    return {*this, {first, count}};
}

bool WriteBuffer::copy_to(MutableByteSpan to) const {
    if (to.size() < bytes_written()) return false;
    std::uint8_t* at = to.data();
    for (const ByteSpan segment : segments()) {
        std::memcpy(at, segment.data(), segment.size());
        at += segment.size();
    }
    return true;
}

std::vector<std::uint8_t> WriteBuffer::to_vector() const {
    if (!spilled()) return {current_.data(), current_.data() + current_size()};
    std::vector<std::uint8_t> all;
    all.reserve(static_cast<std::size_t>(bytes_written()));
    for (const ByteSpan segment : segments()) {
        all.insert(all.end(), segment.begin(), segment.end());
    }
    return all;
}

/// Afterwards the buffer stands on its scratch, empty.
void WriteBuffer::give_back_all() {
    const MutableByteSpan scratch = table_->memory(0);
    for (std::uint32_t i = 1; i < table_->count; ++i) pool_->give_back(table_->memory(i));
    pool_->give_back(table_->block());
    table_ = nullptr;
    cursor_ = scratch.data();
    end_ = scratch.data() + scratch.size();
    current_ = {scratch.data(), 0};
    flushed_ = 0;
}

}  // namespace clrkit
