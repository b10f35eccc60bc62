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

/// Malformed images let streams share bytes; changing one would then change another unseen.
bool shared_by_streams(const Metadata& metadata, std::uint64_t offset, std::uint64_t size) {
    int holders = 0;
    auto cursor = metadata.root().streams();
    while (const auto stream = cursor.next()) {
        if (stream->content.empty()) continue;
        const std::uint64_t start = metadata.offset_in_file(stream->content.data());
        if (offset < start + stream->content.size() && start < offset + size) ++holders;
    }
    return holders > 1;
}

template <class T>
Status overwrite_number(ModuleState& state, std::uint64_t offset, T value) {
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

}  // namespace

Status Module::set_cell(Token row, unsigned column, std::uint32_t value) {
    const Tables& tables = metadata().tables();
    if (!tables.has(row)) return refuse(ErrorCode::no_such_row, nullptr, row);
    const TableLayout& layout = tables.layout(row.table());
    if (column >= layout.column_count) return refuse(ErrorCode::no_such_column, nullptr, row);
    const std::uint8_t width = layout.columns[column].width;
    if (width < 4 && value >> (8U * width) != 0) {
        return refuse(ErrorCode::value_too_wide, "the column is narrower", row);
    }
    if (container().has_native_code() && !ready_to_run_allows(metadata(), row, column, value)) {
        return refuse(ErrorCode::ready_to_run_refuses, nullptr, row);
    }
    const std::uint64_t offset = metadata().offset_in_file(tables.bytes().data()) +
                                 tables.cell_offset(row.table(), row.rid(), column);
    if (shared_by_streams(metadata(), offset, width)) {
        return refuse(ErrorCode::unsupported, "another stream shares these bytes", row);
    }
    std::array<std::uint8_t, 4> bytes{};
    store_le(bytes.data(), value);
    return state_->overwrite(offset, ByteSpan(bytes).first(width));
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
    if (shared_by_streams(metadata(), offset, mvid.size())) {
        return refuse(ErrorCode::unsupported, "another stream shares these bytes");
    }
    const auto copy = container().mvid_copy(*this->mvid());
    TRY_DO(state_->overwrite(offset, mvid));
    return copy ? state_->overwrite(*copy, mvid) : Status{};
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
        if (container().has_native_code() &&
            !ready_to_run_allows(metadata(), assembly, column, value)) {
            return refuse(ErrorCode::ready_to_run_refuses, nullptr, assembly);
        }
    }
    for (const auto& [column, value] : parts) TRY_DO(set_cell(assembly, column, value));
    return {};
}

Status Module::set_clr_flags(std::uint32_t flags) {
    const std::uint32_t changed = flags ^ container().clr_flags();
    if (container().has_native_code() && (changed & ~pe::clr_flags::strong_name_signed) != 0) {
        return refuse(ErrorCode::ready_to_run_refuses, "the native code was made for these flags");
    }
    return overwrite_number(*state_, container().clr_offset + offsetof(pe::ClrHeader, flags),
                            flags);
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
