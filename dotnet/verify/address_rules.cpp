// PE07: the addresses in the tables, which CoreCLR checks when it first goes there.
#include <clrkit/core/bytes/reader.h>
#include <clrkit/dotnet/cil/body_extent.h>
#include <clrkit/dotnet/signatures/field_size.h>
#include <clrkit/dotnet/verify/loader_checks.h>

#include <algorithm>
#include <cstddef>

namespace clrkit::verify {
namespace {

constexpr std::uint32_t code_type_mask = 0x0003;  // MethodImplAttributes.CodeTypeMask
constexpr std::uint32_t code_type_native = 0x0001;
constexpr std::uint32_t fat_header = 12;

std::uint64_t cell_offset(const LoaderChecker& checker, Table table, std::uint32_t rid,
                          unsigned column) {
    const Tables& tables = checker.state.metadata.tables();
    return checker.state.metadata.offset_in_file(tables.bytes().data()) +
           tables.cell_offset(table, rid, column);
}

/// Bodies may overlap and share their exception tables; what they measure together is bounded.
Status check_bodies(LoaderChecker& checker) {
    const Tables& tables = checker.state.metadata.tables();
    const ColumnView rvas = tables.column(Table::MethodDef, col::MethodDef::RVA);
    const ColumnView flags = tables.column(Table::MethodDef, col::MethodDef::ImplFlags);
    const std::uint64_t budget = checker.limits.output_budget(checker.image.bytes().size());
    std::uint64_t measured = 0;
    std::uint32_t previous = 0;
    for (std::uint32_t rid = 1; rid <= rvas.rows(); ++rid) {
        const std::uint32_t rva = rvas[rid];
        const bool native = (flags[rid] & code_type_mask) == code_type_native;
        if (rva == 0 || rva == previous || native) continue;
        previous = rva;
        const ByteSpan bytes = checker.view.from(rva);
        const auto extent = cil::measure_body(bytes, rva % 4);
        const auto report = [&](const char* text) {
            checker.error(LoaderRule::method_body,
                          cell_offset(checker, Table::MethodDef, rid, col::MethodDef::RVA), text,
                          Token(Table::MethodDef, rid).value());
        };
        if (bytes.empty()) {
            report("the body lies in no section");
        } else if (!extent) {
            report("the body's header makes no sense, or the body passes its section");
        } else if (extent->fat && extent->header_size < fat_header) {
            report("the body's header is too small");
        }
        measured += extent ? extent->size : 0;
        if (measured > budget) {
            return failure(Stage::cil, ErrorCode::limit_reached, no_offset,
                           "method bodies overlap too much", Token(Table::MethodDef, rid).value());
        }
    }
    return {};
}

/// Nobody refuses such a field: whoever reads it gets other bytes, or ends the process.
void check_field_data(LoaderChecker& checker) {
    const Metadata& metadata = checker.state.metadata;
    const ColumnView rvas = metadata.tables().column(Table::FieldRVA, col::FieldRVA::RVA);
    const ColumnView fields = metadata.tables().column(Table::FieldRVA, col::FieldRVA::Field);
    const std::uint32_t pointer_size = checker.image.is_pe32_plus() ? 8 : 4;
    for (std::uint32_t rid = 1; rid <= rvas.rows(); ++rid) {
        const auto size = field_data_size(metadata, fields[rid], pointer_size);
        const RangeFault fault = checker.view.check(rvas[rid], size.value_or(0));
        if (fault == RangeFault::none) continue;
        const pe::SectionHeader* section = checker.view.section_of(rvas[rid]);
        const bool in_memory = fault == RangeFault::raw_data;
        // An image with a writable section is copied to memory; others are read in place, as the file is.
        if (in_memory && (section->characteristics & pe::section_flags::write) != 0) continue;
        checker.warn(LoaderRule::field_data,
                     cell_offset(checker, Table::FieldRVA, rid, col::FieldRVA::RVA),
                     in_memory ? "the data passes the raw data of a read-only section"
                               : "the data lies outside every section",
                     Token(Table::Field, fields[rid]).value());
    }
}

void check_resources(LoaderChecker& checker) {
    const Metadata& metadata = checker.state.metadata;
    const pe::DataDirectory directory = checker.clr.resources;
    const ByteSpan block = slice_clamped(checker.view.from(directory.rva), 0, directory.size);
    for (std::uint32_t rid = 1; rid <= metadata.rows(Table::ManifestResource); ++rid) {
        const Token where =
            metadata.token(Table::ManifestResource, rid, col::ManifestResource::Implementation);
        if (where.rid() != 0) continue;
        const auto offset =
            metadata.cell(Table::ManifestResource, rid, col::ManifestResource::Offset);
        ByteReader reader(tail(block, offset));
        (void)reader.bytes(reader.u32());
        if (reader.ok()) continue;
        checker.error(
            LoaderRule::resource,
            cell_offset(checker, Table::ManifestResource, rid, col::ManifestResource::Offset),
            "the resource lies outside the resources", Token(Table::ManifestResource, rid).value());
    }
}

}  // namespace

Status check_addresses(LoaderChecker& checker) {
    check_field_data(checker);
    check_resources(checker);
    return check_bodies(checker);
}

}  // namespace clrkit::verify
