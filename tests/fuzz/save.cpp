// Saves: an unedited one gives the bytes back; after edits, chosen by the last bytes of the input, the
// file differs where the report says and nowhere else, and reads as it was set.
#include "check.h"

#include <clrkit/dotnet/model/module.h>
#include <clrkit/dotnet/strong_name/openssl_crypto.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace {

using namespace clrkit;
using fuzz::require;

/// Numbers out of the last bytes of the input, so that a mutation there is another set of edits.
class Script {
public:
    explicit Script(ByteSpan bytes) : rest_(bytes.last(std::min<std::size_t>(bytes.size(), 64))) {}

    std::uint32_t next() {
        std::uint32_t value = 0;
        for (int i = 0; i < 4; ++i) value = value << 8U | byte();
        return value;
    }
    std::uint32_t below(std::uint32_t bound) { return bound == 0 ? 0 : next() % bound; }
    std::uint8_t byte() {
        if (rest_.empty()) {
            // Behind the end, numbers that depend on all before.
            state_ = state_ * 6364136223846793005U + 1442695040888963407U;
            return static_cast<std::uint8_t>(state_ >> 56U);
        }
        const std::uint8_t value = rest_.back();
        rest_ = rest_.first(rest_.size() - 1);
        state_ = state_ * 31 + value;
        return value;
    }

private:
    ByteSpan rest_;
    std::uint64_t state_ = 1;
};

Status set_some_cell(Module& module, Script& script) {
    const Tables& tables = module.metadata().tables();
    auto slot = static_cast<std::uint32_t>(script.byte() % table_slots);
    for (std::size_t tried = 0; tried < table_slots; ++tried, slot = (slot + 1) % table_slots) {
        const auto table = static_cast<Table>(slot);
        const TableLayout& layout = tables.layout(table);
        if (layout.rows == 0 || layout.column_count == 0) continue;
        const Token row{table, 1 + script.below(layout.rows)};
        const unsigned column = script.byte() % layout.column_count;
        const std::uint8_t width = layout.columns[column].width;
        const std::uint32_t value = script.next() >> (32U - 8U * width);
        const Status set = module.set_cell(row, column, value);
        require(!set || tables.cell(table, row.rid(), column) == value, "a cell reads as set");
        return set;
    }
    return {};
}

Status edit(Module& module, Script& script) {
    switch (script.byte() % 8) {
        case 0: {
            Guid mvid;
            for (std::uint8_t& byte : mvid) byte = script.byte();
            const Status set = module.set_mvid(mvid);
            require(!set || module.mvid() == mvid, "the MVID reads as set");
            return set;
        }
        case 1: {
            const auto part = [&] { return static_cast<std::uint16_t>(script.next()); };
            const Version version{part(), part(), part(), part()};
            const Status set = module.set_assembly_version(version);
            require(!set || module.assembly_version() == version, "the version reads as set");
            return set;
        }
        case 2: {
            const std::uint32_t flags = module.container().clr_flags() ^ 1U << script.below(17);
            const Status set = module.set_clr_flags(flags);
            require(!set || module.container().clr_flags() == flags, "the CLR flags read as set");
            return set;
        }
        case 3: {
            const std::uint32_t seconds = script.next();
            const Status set = module.set_timestamp(seconds);
            require(!set || module.image().coff().time_date_stamp == seconds,
                    "the time stamp reads as set");
            return set;
        }
        case 4: {
            const auto flags = static_cast<std::uint16_t>(script.next());
            const Status set = module.set_characteristics(flags);
            require(!set || module.image().coff().characteristics == flags,
                    "the characteristics read as set");
            return set;
        }
        case 5: {
            // Rows, columns and values that need not be.
            return module.set_cell(Token(script.next() & 0x3F00001FU), script.byte() % 12,
                                   script.next());
        }
        default: return set_some_cell(module, script);
    }
}

bool same_cells(const Metadata& a, const Metadata& b) {
    for (std::size_t slot = 0; slot < table_slots; ++slot) {
        const auto table = static_cast<Table>(slot);
        const TableLayout& layout = a.tables().layout(table);
        if (layout.rows != b.rows(table)) return false;
        for (unsigned column = 0; column < layout.column_count; ++column) {
            const ColumnView left = a.tables().column(table, column);
            const ColumnView right = b.tables().column(table, column);
            for (std::uint32_t rid = 1; rid <= layout.rows; ++rid) {
                if (left[rid] != right[rid]) return false;
            }
        }
    }
    return true;
}

/// True when equal; else says on the standard error where they begin to differ.
bool equal(ByteSpan a, ByteSpan b) {
    const auto [left, right] = std::ranges::mismatch(a, b);
    if (left == a.end() && right == b.end()) return true;
    std::fprintf(stderr, "%zu and %zu bytes, different from 0x%zx on\n", a.size(), b.size(),
                 static_cast<std::size_t>(left - a.begin()));
    return false;
}

void print(const SaveReport& report) {
    for (const Change& change : report.changes) {
        std::fprintf(stderr, "changed for reason %d: 0x%llx, %llu bytes\n",
                     static_cast<int>(change.reason),
                     static_cast<unsigned long long>(change.offset),
                     static_cast<unsigned long long>(change.size));
    }
}

/// The output differs from the input where the report says so and nowhere else.
void check_report(const Module& module, const SavedImage& saved) {
    const ByteSpan before = module.state().original;
    std::vector<bool> reported(before.size(), false);
    for (const Change& change : saved.report.changes) {
        require(fits(before.size(), change.offset, change.size), "a change lies in the file");
        for (std::uint64_t i = 0; i < change.size; ++i) {
            reported[static_cast<std::size_t>(change.offset + i)] = true;
        }
    }
    require(saved.bytes.size() == saved.report.bytes_written, "as much is written as reported");
    require(saved.bytes.size() <= before.size(), "an edit in place adds nothing");
    for (std::size_t i = 0; i < before.size(); ++i) {
        const bool differs = i >= saved.bytes.size() || before[i] != saved.bytes[i];
        require(!differs || reported[i], "every difference is reported");
    }
}

void save_edited(const Module& module, const SaveOptions& options) {
    const auto saved = module.save_to_memory(options);
    if (!saved) {
        const bool refused = saved.error().code == ErrorCode::signature_would_go_stale ||
                             saved.error().code == ErrorCode::unsupported;
        require(refused, "only a signature stands against a save");
        require(options.stale_signature == StaleSignature::refuse ||
                    saved.error().code != ErrorCode::signature_would_go_stale,
                "a signature that may go stale is no reason to refuse");
        return;
    }
    if (fuzz::verbose()) print(saved->report);
    check_report(module, *saved);
    const auto reopened = Module::from_bytes(saved->bytes);
    require(reopened.has_value(), "what was saved opens");
    require(same_cells(module.metadata(), reopened->metadata()), "every cell reads as saved");
    require(reopened->mvid() == module.mvid(), "the MVID reads as saved");
    const std::uint32_t flag = pe::clr_flags::strong_name_signed;
    require((reopened->container().clr_flags() | flag) == (module.container().clr_flags() | flag),
            "the CLR flags read as saved");
    require(reopened->image().coff().time_date_stamp == module.image().coff().time_date_stamp &&
                reopened->image().coff().characteristics == module.image().coff().characteristics,
            "the COFF header reads as saved");
    SaveOptions all = options;
    all.emit = Emit::all;
    const auto emitted = module.save_to_memory(all);
    require(emitted.has_value() || emitted.error().code == ErrorCode::not_closed,
            "a closed image is emitted");
    require(!emitted || equal(emitted->bytes, saved->bytes),
            "an edited image is emitted as it is saved");
}

void save_unedited(const Module& module) {
    SaveOptions options;
    options.limits = fuzz::limits();
    for (const Emit emit : {Emit::edited, Emit::all}) {
        options.emit = emit;
        const auto saved = module.save_to_memory(options);
        if (!saved) {
            require(emit == Emit::all && saved.error().code == ErrorCode::not_closed,
                    "an unedited module is saved");
            continue;
        }
        require(equal(saved->bytes, module.bytes()), "an unedited save is identical");
        require(saved->report.changes.empty(), "an unedited save reports no change");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteSpan bytes{data, size};
    auto module = Module::from_bytes(bytes);
    if (!module) return 0;
    save_unedited(*module);

    Script script(bytes);
    std::vector<std::uint8_t> before(bytes.begin(), bytes.end());
    for (int count = 1 + script.byte() % 8; count != 0; --count) {
        if (edit(*module, script)) {
            std::ranges::copy(module->bytes(), before.begin());
        } else {
            require(std::ranges::equal(module->bytes(), before), "an edit happens whole or not");
        }
    }
    require(module->state().original.data() == data, "the input is not touched");
    for (const StaleSignature policy :
         {StaleSignature::refuse, StaleSignature::drop, StaleSignature::public_sign}) {
        SaveOptions options;
        options.limits = fuzz::limits();
        options.stale_signature = policy;
        options.crypto = script.byte() % 2 == 0 ? &openssl_crypto() : nullptr;
        save_edited(*module, options);
    }
    return 0;
}
