// The builder of malformed images starts from a well-formed one: runtimes run it, and builder and
// library agree on the widths of columns, which each works out for itself.
#include "support/catch.h"
#include "support/environment.h"
#include "support/opened.h"
#include "support/process.h"

using namespace clrkit;
using namespace clrkit::test;

TEST_CASE("the builder's minimal image opens without a word") {
    const Opened opened = open(minimal());
    require_minimal(opened);
    CHECK(opened.diagnostics.empty());
}

TEST_CASE("the builder's minimal image is closed: every byte of it is accounted for") {
    const Opened opened = open(minimal());
    require_minimal(opened);
    SaveOptions all;
    all.emit = Emit::all;
    CHECK(opened.module->save_to_memory(all).has_value());
    check_kept(opened);
}

TEST_CASE("the builder's minimal PDB opens without a word") {
    const Opened opened = open(minimal_pdb());
    REQUIRE_FALSE(opened.error.has_value());
    CHECK(opened.diagnostics.empty());
    CHECK(opened.metadata.pdb().present);
    CHECK(opened.metadata.rows(Table::Document) == 1);
    CHECK(opened.metadata.rows(Table::MethodDebugInformation) == 1);
}

TEST_CASE("mono runs the builder's minimal image") {
    const auto mono = program("mono");
    if (!mono) SKIP_TEST("no mono");
    const TemporaryFolder folder;
    for (const bool plus : {false, true}) {
        ImageSpec image = minimal();
        image.pe.pe32_plus = plus;
        image.pe.machine = plus ? 0x8664 : 0x14C;
        const Outcome outcome =
            run({mono->string(), folder.write("minimal.exe", build(image)).string()});
        CHECK(outcome.output == "minimal\n");
        CHECK(outcome.exit_code == 42);
    }
}

TEST_CASE("dotnet runs the builder's minimal image") {
    const auto dotnet = program("dotnet");
    if (!dotnet) SKIP_TEST("no dotnet");
    const TemporaryFolder folder;
    const std::string config = (testdata() / "bin" / "net.runtimeconfig.json").string();
    for (const bool plus : {false, true}) {
        ImageSpec image = minimal();
        image.pe.pe32_plus = plus;
        image.pe.machine = plus ? 0x8664 : 0x14C;
        const Outcome outcome = run({dotnet->string(), "exec", "--runtimeconfig", config,
                                     folder.write("minimal.dll", build(image)).string()});
        CHECK(outcome.output == "minimal\n");
        CHECK(outcome.exit_code == 42);
    }
}

namespace {

/// CHECKs every column of every table: kind for kind, the library computes the same width.
void check_widths(const TablesSpec& tables) {
    const Bytes stream = tables.encode();
    Tables parsed;
    TableParseOptions options;
    REQUIRE(parsed.parse(stream, options).has_value());
    for (std::size_t i = 0; i < table_slots; ++i) {
        const auto table = static_cast<Table>(i);
        if (!schema::known(table)) continue;
        INFO("table " << i);
        const TableLayout& layout = parsed.layout(table);
        const int id = static_cast<int>(i);
        REQUIRE(layout.row_size == tables.row_size(id));
        for (unsigned column = 0; column < layout.column_count; ++column) {
            REQUIRE(layout.columns[column].width ==
                    tables.column_width(id, static_cast<int>(column)));
        }
    }
}

TablesSpec every_table() {
    TablesSpec tables;
    for (int id = 0; id <= 0x37; ++id) {
        if (id <= 0x2C || id >= 0x30) tables.declared_rows[id] = 1;
    }
    return tables;
}

}  // namespace

TEST_CASE("builder and library agree on every column's width around every limit") {
    // 16 bits for a row number, less the tag bits of the coded indexes.
    for (const std::uint32_t limit : {1U << 11U, 1U << 13U, 1U << 14U, 1U << 15U, 1U << 16U}) {
        for (int grown = 0; grown <= 0x37; ++grown) {
            for (const std::uint32_t count : {limit - 1, limit}) {
                INFO("table " << grown << " of " << count << " rows");
                TablesSpec tables = every_table();
                if (!tables.declared_rows.contains(grown)) continue;
                tables.declared_rows[grown] = count;
                check_widths(tables);
            }
        }
    }
}

TEST_CASE("builder and library agree on widths for every combination of heap sizes") {
    for (std::uint8_t bits = 0; bits < 8; ++bits) {
        TablesSpec tables = every_table();
        tables.heap_sizes = bits;
        check_widths(tables);
    }
}

TEST_CASE("builder and library agree where a row's cells are") {
    const ImageSpec image = minimal();
    const Opened opened = open(image);
    require_minimal(opened);
    const TablesSpec& tables = image.metadata.tables;
    for (const auto& [id, rows] : tables.rows) {
        for (std::uint32_t rid = 1; rid <= rows.size(); ++rid) {
            for (unsigned column = 0; column < rows[rid - 1].size(); ++column) {
                const auto table = static_cast<Table>(id);
                CHECK(opened.metadata.tables().cell_offset(table, rid, column) ==
                      tables.cell_offset(id, rid, static_cast<int>(column)));
                CHECK(opened.metadata.cell(table, rid, column) == rows[rid - 1][column]);
            }
        }
    }
}
