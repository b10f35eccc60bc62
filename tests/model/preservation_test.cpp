// What a write keeps, on every assembly that this machine has: an unedited save, emission of every
// part, and one changed cell in every column.
#include "support/catch.h"
#include "support/real_files.h"

#include <clrkit/dotnet/model/module.h>
#include <clrkit/dotnet/module/coverage.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <random>
#include <string>

using namespace clrkit;

namespace {

/// Opens every file of every set and hands it to `check`; files that do not open are counted.
template <class Check>
std::map<std::string, int> for_every_module(Check check) {
    std::map<std::string, int> refused;
    for (const test::FileSet& set : test::real_files()) {
        int opened = 0;
        for (const auto& path : set.files) {
            auto module = Module::open(path.string());
            if (!module) {
                ++refused[set.name + ": " + name_of(module.error().code)];
                continue;
            }
            ++opened;
            INFO(path);
            check(*module, path);
        }
        std::printf("  %s: %d of %zu opened\n", set.name.c_str(), opened, set.files.size());
    }
    for (const auto& [reason, count] : refused) std::printf("  %5d %s\n", count, reason.c_str());
    return refused;
}

bool equal(ByteSpan a, ByteSpan b) { return std::ranges::equal(a, b); }

}  // namespace

TEST_CASE("An unedited save is byte-identical, for every image that opens") {
    for_every_module([](const Module& module, const auto&) {
        const auto saved = module.save_to_memory();
        REQUIRE(saved);
        CHECK(equal(saved->bytes, module.bytes()));
        CHECK(saved->report.changes.empty());
    });
}

TEST_CASE("Emitting every part from its parsed form gives the same bytes, for every closed image") {
    std::map<std::string, int> pinned;
    int closed = 0;
    for_every_module([&](const Module& module, const auto&) {
        SaveOptions options;
        options.emit = Emit::all;
        const auto saved = module.save_to_memory(options);
        const Coverage coverage = cover(module.state()).value();
        CHECK(saved.has_value() == coverage.closed());
        if (!saved) {
            CHECK(saved.error().code == ErrorCode::not_closed);
            ++pinned[name_of(coverage.reason)];
            return;
        }
        ++closed;
        CHECK(equal(saved->bytes, module.bytes()));
    });
    std::printf("  %d closed\n", closed);
    for (const auto& [reason, count] : pinned)
        std::printf("  %5d pinned: %s\n", count, reason.c_str());
    CHECK(closed > 0);
}

TEST_CASE("Every byte of an image lies in a claim") {
    for_every_module([](const Module& module, const auto&) {
        const Coverage coverage = cover(module.state()).value();
        std::uint64_t covered = 0;
        for (const pe::Claim& claim : coverage.claims) {
            REQUIRE(claim.offset <= covered);
            covered = std::max(covered, claim.end());
        }
        CHECK(covered == module.bytes().size());
    });
}

namespace {

/// Marks the ranges that may differ after an edit.
class Mask {
public:
    explicit Mask(std::size_t size) : allowed_(size, false) {}
    void allow(std::uint64_t offset, std::uint64_t size) {
        for (std::uint64_t i = offset; i < std::min<std::uint64_t>(offset + size, allowed_.size());
             ++i) {
            allowed_[i] = true;
        }
    }
    bool holds(std::uint64_t offset) const { return allowed_[offset]; }

private:
    std::vector<bool> allowed_;
};

/// Bytes that an edit makes stale and a save may therefore change.
void allow_consequences(Mask& mask, const Module& module) {
    const pe::Image& image = module.image();
    mask.allow(image.optional_offset() + 64, 4);  // CheckSum
    if (const auto entry = image.directory_offset(pe::Directory::certificate))
        mask.allow(*entry, 8);
    const pe::DataDirectory certificate = image.directory(pe::Directory::certificate);
    mask.allow(certificate.rva, certificate.size);  // an offset, for this directory
    const pe::DataDirectory signature = module.container().clr.strong_name_signature;
    if (const auto offset = image.offset_of(signature.rva)) mask.allow(*offset, signature.size);
    mask.allow(module.container().clr_offset + 16, 4);  // Flags
}

struct Cell {
    Token row;
    unsigned column;
    std::uint32_t value;
    std::uint64_t offset;
    std::uint8_t width;
};

/// Changes a random row's cell in every column of every table; counts refusals.
std::vector<Cell> change_every_column(Module& module, std::map<std::string, int>& refused) {
    std::mt19937 random(42);  // NOLINT(cert-msc51-cpp): the same on every run
    std::vector<Cell> changed;
    for (std::size_t slot = 0; slot < table_slots; ++slot) {
        const auto table = static_cast<Table>(slot);
        const TableLayout layout = module.metadata().tables().layout(table);
        if (layout.rows == 0) continue;
        for (unsigned column = 0; column < layout.column_count; ++column) {
            const Token row(table, 1 + static_cast<std::uint32_t>(random()) % layout.rows);
            const std::uint8_t width = layout.columns[column].width;
            const std::uint32_t mask = width == 4 ? 0xFFFFFFFF : (1U << (8U * width)) - 1;
            const std::uint32_t before = module.metadata().cell(table, row.rid(), column);
            const std::uint32_t value =
                (before ^ (1 + static_cast<std::uint32_t>(random()) % mask)) & mask;
            const Status status = module.set_cell(row, column, value);
            if (!status) {
                ++refused[name_of(status.error().code)];
                continue;
            }
            const Tables& tables = module.metadata().tables();
            changed.push_back({row, column, value,
                               module.metadata().offset_in_file(tables.bytes().data()) +
                                   tables.cell_offset(table, row.rid(), column),
                               width});
        }
    }
    return changed;
}

}  // namespace

TEST_CASE("A changed cell changes its own bytes and what they make stale, nothing else") {
    std::map<std::string, int> refused;
    std::size_t cells = 0;
    for_every_module([&](Module& module, const auto&) {
        const std::vector<std::uint8_t> before(module.bytes().begin(), module.bytes().end());
        const std::vector<Cell> changed = change_every_column(module, refused);
        cells += changed.size();
        if (changed.empty()) return;
        SaveOptions options;
        options.stale_signature = StaleSignature::drop;
        const auto saved = module.save_to_memory(options);
        REQUIRE(saved);
        REQUIRE(saved->bytes.size() <= before.size());
        Mask mask(before.size());
        allow_consequences(mask, module);
        for (const Cell& cell : changed) mask.allow(cell.offset, cell.width);
        std::size_t outside = 0;
        for (std::size_t i = 0; i < saved->bytes.size(); ++i) {
            if (saved->bytes[i] != before[i] && !mask.holds(i)) ++outside;
        }
        CHECK(outside == 0);
        const auto reopened = Module::from_bytes(saved->bytes);
        for (const Cell& cell : changed) {
            CHECK_FALSE(std::equal(
                saved->bytes.begin() + static_cast<std::ptrdiff_t>(cell.offset),
                saved->bytes.begin() + static_cast<std::ptrdiff_t>(cell.offset + cell.width),
                before.begin() + static_cast<std::ptrdiff_t>(cell.offset)));
            if (reopened) {
                CHECK(reopened->metadata().cell(cell.row.table(), cell.row.rid(), cell.column) ==
                      cell.value);
            }
        }
    });
    std::printf("  %zu cells changed\n", cells);
    for (const auto& [reason, count] : refused)
        std::printf("  %5d refused: %s\n", count, reason.c_str());
    CHECK(cells > 0);
}

TEST_CASE("A save does not change the module: saving twice gives the same bytes") {
    const auto sets = test::real_files();
    for (const auto& path : sets.front().files) {
        auto module = Module::open(path.string());
        if (!module) continue;
        INFO(path);
        REQUIRE(module->set_timestamp(0x12345678));
        SaveOptions options;
        options.stale_signature = StaleSignature::drop;
        const auto first = module->save_to_memory(options);
        const auto second = module->save_to_memory(options);
        REQUIRE(first);
        REQUIRE(second);
        CHECK(equal(first->bytes, second->bytes));
    }
}
