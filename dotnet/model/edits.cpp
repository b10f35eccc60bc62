// Edits in place: each overwrites one field of fixed width and nothing else.
#include <clrkit/core/try.h>
#include <clrkit/dotnet/model/module.h>
#include <clrkit/dotnet/module/r2r_rules.h>

#include <array>
#include <cstddef>

namespace clrkit {
namespace {

std::unexpected<Error> refuse(ErrorCode code, const char* note, Token token = {}) {
    return failure(Stage::edit, code, no_offset, note, token.value());
}

/// Malformed images let streams share bytes with one another or with headers; changing one would
/// then change another unseen.
Status require_unshared(const ModuleState& state, std::uint64_t offset, std::uint64_t size,
                        Token token = {}) {
    if (state.holders(offset, size) <= 1) return {};
    return refuse(ErrorCode::unsupported, "another stream or a header shares these bytes", token);
}

template <class T>
Status overwrite_number(ModuleState& state, std::uint64_t offset, T value) {
    TRY_DO(require_unshared(state, offset, sizeof value));
    std::array<std::uint8_t, sizeof(T)> bytes{};
    store_le(bytes.data(), value);
    return state.overwrite(offset, bytes);
}

/// Cells of GUID columns that hold `index`.
std::uint32_t users_of_guid(const Metadata& metadata, std::uint32_t index) {
    std::uint32_t users = 0;
    for (std::size_t slot = 0; slot < table_slots; ++slot) {
        const auto table = static_cast<Table>(slot);
        const auto columns = metadata.tables().spec(table).all_columns();
        for (unsigned i = 0; i < columns.size(); ++i) {
            if (columns[i].kind != ColumnKind::guid) continue;
            const ColumnView view = metadata.tables().column(table, i);
            for (std::uint32_t rid = 1; rid <= view.rows(); ++rid)
                users += view[rid] == index ? 1U : 0U;
        }
    }
    return users;
}

/// The place of a cell that may be set to `value`.
struct CellPlace {
    std::uint64_t offset;
    std::uint8_t width;
};

Result<CellPlace> settable_cell(const ModuleState& state, Token row, unsigned column,
                                std::uint32_t value) {
    const Metadata& metadata = state.metadata;
    const Tables& tables = metadata.tables();
    if (!tables.has(row)) return refuse(ErrorCode::no_such_row, nullptr, row);
    const TableLayout& layout = tables.layout(row.table());
    if (column >= layout.column_count) return refuse(ErrorCode::no_such_column, nullptr, row);
    const std::uint8_t width = layout.columns[column].width;
    if (width < 4 && value >> (8U * width) != 0) {
        return refuse(ErrorCode::value_too_wide, "the column is narrower", row);
    }
    if (state.container.has_native_code() && !ready_to_run_allows(metadata, row, column, value)) {
        return refuse(ErrorCode::ready_to_run_refuses, nullptr, row);
    }
    const std::uint64_t offset = metadata.offset_in_file(tables.bytes().data()) +
                                 tables.cell_offset(row.table(), row.rid(), column);
    TRY_DO(require_unshared(state, offset, width, row));
    return CellPlace{offset, width};
}

}  // namespace

Status Module::set_cell(Token row, unsigned column, std::uint32_t value) {
    TRY(const CellPlace place, settable_cell(*state_, row, column, value));
    std::array<std::uint8_t, 4> bytes{};
    store_le(bytes.data(), value);
    return state_->overwrite(place.offset, ByteSpan(bytes).first(place.width));
}

Status Module::set_mvid(const Guid& mvid) {
    const std::uint32_t index = metadata().cell(Table::Module, 1, col::Module::Mvid);
    if (!metadata().guids().at(index)) {
        return refuse(ErrorCode::unsupported, "the module has no MVID to overwrite");
    }
    if (users_of_guid(metadata(), index) != 1) {
        return refuse(ErrorCode::unsupported, "another column shares the MVID's bytes");
    }
    if (container().has_native_code() && this->mvid() != mvid) {
        return refuse(ErrorCode::ready_to_run_refuses, "other images may name the MVID");
    }
    const std::uint64_t offset = metadata().offset_in_file(metadata().guids().bytes().data()) +
                                 (std::uint64_t{index} - 1) * 16;
    TRY_DO(require_unshared(*state_, offset, mvid.size()));
    const std::uint64_t copy = container().mvid_copy(*this->mvid()).value_or(no_offset);
    const bool has_copy = copy != no_offset && state_->holders(copy, mvid.size()) == 0;
    TRY_DO(state_->overwrite(offset, mvid));
    return has_copy ? state_->overwrite(copy, mvid) : Status{};
}

Status Module::set_assembly_version(const Version& version) {
    const Token assembly{Table::Assembly, 1};
    if (!has_assembly())
        return refuse(ErrorCode::no_such_row, "a netmodule has no version", assembly);
    const std::array parts{
        std::pair{col::Assembly::MajorVersion, version.major},
        std::pair{col::Assembly::MinorVersion, version.minor},
        std::pair{col::Assembly::BuildNumber, version.build},
        std::pair{col::Assembly::RevisionNumber, version.revision},
    };
    for (const auto& [column, value] : parts) {
        TRY_DO(settable_cell(*state_, assembly, column, value));  // all or none
    }
    for (const auto& [column, value] : parts) TRY_DO(set_cell(assembly, column, value));
    return {};
}

Status Module::set_clr_flags(std::uint32_t flags) {
    const std::uint32_t changed = flags ^ container().clr_flags();
    if (container().has_native_code() && (changed & ~pe::clr_flags::strong_name_signed) != 0) {
        return refuse(ErrorCode::ready_to_run_refuses, "the native code was made for these flags");
    }
    TRY_DO(
        overwrite_number(*state_, container().clr_offset + offsetof(pe::ClrHeader, flags), flags));
    state_->container.clr.flags = flags;  // of which the container holds a copy
    return {};
}

Status Module::set_timestamp(std::uint32_t seconds) {
    return overwrite_number(
        *state_, image().coff_offset() + offsetof(pe::CoffHeader, time_date_stamp), seconds);
}

Status Module::set_characteristics(std::uint16_t flags) {
    return overwrite_number(
        *state_, image().coff_offset() + offsetof(pe::CoffHeader, characteristics), flags);
}

}  // namespace clrkit
