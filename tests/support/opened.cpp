#include "support/opened.h"

#include "support/catch.h"

#include <clrkit/core/pe/certificates.h>
#include <clrkit/core/pe/debug_directory.h>
#include <clrkit/core/pe/imports.h>
#include <clrkit/core/pe/relocations.h>
#include <clrkit/core/pe/resources.h>
#include <clrkit/core/pe/rich_header.h>
#include <clrkit/dotnet/metadata/indexes.h>
#include <clrkit/dotnet/module/coverage.h>

#include <algorithm>

namespace clrkit::test {
namespace {

Opened hold(const Bytes& bytes) {
    Opened opened;
    opened.storage = std::make_unique<std::uint8_t[]>(bytes.size());
    std::copy(bytes.begin(), bytes.end(), opened.storage.get());
    opened.bytes = {opened.storage.get(), bytes.size()};
    return opened;
}

}  // namespace

std::uint64_t Opened::reported_at(ErrorCode code) const {
    const auto& kept = diagnostics.kept();
    const auto found = std::ranges::find(kept, code, &Error::code);
    return found == kept.end() ? no_offset : found->offset;
}

Opened open(const Bytes& bytes, Eyes eyes) {
    Opened opened = hold(bytes);
    OpenOptions options;
    options.eyes = eyes;
    options.diagnostics = &opened.diagnostics;
    auto module = Module::from_bytes(opened.bytes, options);
    if (!module) {
        opened.error = module.error();
        return opened;
    }
    opened.module = std::move(*module);
    opened.container = opened.module->container();
    opened.metadata = opened.module->metadata();
    return opened;
}

Opened open(const ImageSpec& spec, Eyes eyes) { return open(build(spec), eyes); }

Opened open(const MetadataSpec& spec, Eyes eyes) {
    Opened opened = hold(spec.encode());
    opened.container = Container::of_metadata(opened.bytes);
    MetadataOptions options;
    options.eyes = eyes;
    options.diagnostics = &opened.diagnostics;
    const auto metadata = Metadata::parse(opened.bytes, 0, options);
    if (metadata) {
        opened.metadata = *metadata;
    } else {
        opened.error = metadata.error();
    }
    return opened;
}

void check_minimal(const Opened& opened) {
    using namespace minimal_rows;
    const Metadata& metadata = opened.metadata;
    CHECK(metadata.rows(Table::TypeDef) >= 2);
    CHECK(metadata.string(Table::TypeDef, program, col::TypeDef::TypeName) == "Program");
    CHECK(metadata.string(Table::TypeDef, program, col::TypeDef::TypeNamespace) == "Minimal");
    CHECK(metadata.string(Table::MethodDef, main, col::MethodDef::Name) == "Main");
    CHECK(metadata.blob(Table::MethodDef, main, col::MethodDef::Signature).size() == 3);
    CHECK(metadata.string(Table::MemberRef, write_line, col::MemberRef::Name) == "WriteLine");
    CHECK(metadata.string(Table::TypeRef, console_ref, col::TypeRef::TypeName) == "Console");
    CHECK(metadata.user_strings().at(1).size() == 2 * 7 + 1);
    const ByteSpan body = opened.at(metadata.cell(Table::MethodDef, main, col::MethodDef::RVA));
    REQUIRE(body.size() >= 14);
    CHECK(body[0] == (13 << 2 | 2));
    CHECK(body[13] == 0x2A);
}

void require_minimal(const Opened& opened) {
    if (opened.error) FAIL(render(*opened.error));
    check_minimal(opened);
}

namespace {

/// True when a save gives the bytes back; writing every part anew may also be refused.
bool saves_the_same(const Opened& opened, Emit emit) {
    SaveOptions options;
    options.emit = emit;
    const auto saved = opened.module->save_to_memory(options);
    if (!saved) return emit == Emit::all && saved.error().code == ErrorCode::not_closed;
    return std::ranges::equal(saved->bytes, opened.bytes);
}

}  // namespace

void check_kept(const Opened& opened) {
    REQUIRE(opened.module.has_value());
    CHECK(saves_the_same(opened, Emit::edited));
    CHECK(saves_the_same(opened, Emit::all));
}

void check_survives(const Opened& opened) {
    walk(opened);
    if (!opened.error) {
        if (opened.module) check_kept(opened);
        return;
    }
    CHECK(opened.error->code != ErrorCode::none);
    CHECK(opened.error->stage != Stage::io);
    CHECK_FALSE(render(*opened.error).empty());
}

void require_opened(const Opened& opened) {
    if (opened.error) FAIL(render(*opened.error));
    check_kept(opened);
}

void require_kept(const Opened& opened) {
    require_minimal(opened);
    check_kept(opened);
}

void check_refused(const Opened& opened, Stage stage, ErrorCode code, std::uint64_t offset) {
    REQUIRE(opened.error.has_value());
    CHECK(std::string(name_of(opened.error->code)) == name_of(code));
    CHECK(opened.error->stage == stage);
    CHECK(opened.error->offset == offset);
}

// ------------------------------------------------------------------------------------------- walk

namespace {

std::uint64_t sum(ByteSpan bytes) {
    std::uint64_t total = bytes.size();
    for (const std::uint8_t byte : bytes) total += byte;
    return total;
}

std::uint64_t sum(std::string_view text) {
    return sum(ByteSpan(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

/// Reads at most a little of a view: many rows may share one long range.
std::uint64_t glance(ByteSpan bytes) {
    return sum(bytes.first(std::min<std::size_t>(bytes.size(), 64)));
}

std::uint64_t walk_image(const pe::Image& image) {
    std::uint64_t total = image.image_base() + image.optional_middle().size_of_image;
    for (const pe::SectionHeader& section : image.sections()) {
        total += sum(section.name_view()) + sum(image.from(section.virtual_address));
        total += image.raw_offset(section) + image.raw_size(section);
    }
    for (std::uint8_t i = 0; i < pe::directory_count; ++i) {
        const auto which = static_cast<pe::Directory>(i);
        const pe::DataDirectory directory = image.directory(which);
        total += sum(image.from(directory.rva)) + image.directory_offset(which).value_or(0);
        if (const auto range = image.range(directory.rva, directory.size)) total += sum(*range);
        total += image.rva_of(directory.rva).value_or(0);
    }
    return total;
}

std::uint64_t walk_cell(const Metadata& metadata, Table table, std::uint32_t rid, unsigned column) {
    const ColumnSpec& spec = metadata.tables().spec(table).columns[column];
    const std::uint32_t value = metadata.cell(table, rid, column);
    std::uint64_t total = value + metadata.tables().cell_offset(table, rid, column);
    switch (spec.kind) {
        case ColumnKind::string: {
            const std::string_view text = metadata.strings().at(value);
            total += sum(text.substr(0, 64));
            break;
        }
        case ColumnKind::guid:
            if (const auto guid = metadata.guids().at(value)) total += sum(*guid);
            break;
        case ColumnKind::blob: total += glance(metadata.blobs().at(value)); break;
        case ColumnKind::list: {
            const RowRange range = metadata.list(table, rid, column);
            total += range.size();
            if (!range.empty()) total += metadata.through(spec.table(), range.first);
            break;
        }
        case ColumnKind::row:
        case ColumnKind::coded: {
            const Token target = metadata.token(table, rid, column);
            total += target.value();
            if (metadata.tables().has(target))
                total += metadata.cell(target.table(), target.rid(), 0);
            break;
        }
        default: break;
    }
    return total;
}

std::uint64_t walk_metadata(const Metadata& metadata) {
    std::uint64_t total = sum(metadata.root().version()) + metadata.root().flags();
    auto cursor = metadata.root().streams();
    while (const auto stream = cursor.next()) total += sum(stream->name) + sum(stream->content);
    for (std::size_t i = 0; i < table_slots; ++i) {
        const auto table = static_cast<Table>(i);
        if (!schema::known(table)) continue;
        const unsigned columns = metadata.tables().spec(table).column_count;
        const std::uint8_t key = metadata.tables().spec(table).sort_column;
        for (std::uint32_t rid = 1; rid <= metadata.rows(table); ++rid) {
            for (unsigned column = 0; column < columns; ++column) {
                total += walk_cell(metadata, table, rid, column);
            }
        }
        if (key == TableSpec::no_sort) continue;
        for (const std::uint32_t rid : {std::uint32_t{1}, metadata.rows(table)}) {
            total += metadata.find(table, metadata.cell(table, rid, key)).size();
        }
    }
    const auto literals = static_cast<std::uint32_t>(metadata.user_strings().bytes().size());
    for (std::uint32_t at = 1; at < literals;) {
        const BlobEntry entry = metadata.user_strings().entry(at);
        total += sum(entry.content);
        at += entry.prefix + static_cast<std::uint32_t>(entry.content.size());
    }
    for (const std::uint32_t outside : {literals, literals + 1, 0xFFFFFFFFU}) {
        total += metadata.strings().at(outside).size() + metadata.blobs().at(outside).size() +
                 metadata.user_strings().at(outside).size();
    }
    return total;
}

std::uint64_t walk_directories(const pe::Image& image) {
    std::uint64_t total = 0;
    Diagnostics diagnostics;
    for (const auto& entry : pe::DebugDirectory::read(image, &diagnostics).entries) {
        total += sum(entry.data);
        if (const auto view = pe::code_view(entry)) total += sum(view->path);
        if (const auto pdb = pe::embedded_pdb(entry)) total += sum(pdb->deflated);
        if (const auto hash = pe::pdb_checksum(entry)) total += sum(hash->checksum);
    }
    const auto resources = pe::Resources::read(image, &diagnostics);
    for (const auto& leaf : resources.leaves) total += sum(leaf.data);
    for (const auto& name : resources.names) total += sum(name.units);
    const auto imports = pe::Imports::read(image, &diagnostics);
    for (const auto& dll : imports.dlls) total += sum(dll.name);
    for (const auto& function : imports.functions) total += sum(function.name);
    for (const auto& entry : pe::Certificates::read(image, &diagnostics).entries) {
        total += sum(entry.data);
    }
    total += pe::Relocations::read(image, &diagnostics).entries.size();
    if (const auto rich = pe::RichHeader::read(image)) total += rich->entries.size();
    for (const Error& fault : diagnostics.kept()) total += render(fault).size();
    return total;
}

std::uint64_t walk_module(const Module& module) {
    std::uint64_t total = module.name().size() + module.assembly_name().size() +
                          module.assembly_version().major + module.target_framework().size();
    for (const TypeDef type : module.types()) {
        total += type.flags() + type.extends().value() + type.name().size();
        for (const Field field : type.fields()) total += field.flags() + field.signature().size();
        for (const MethodDef method : type.methods()) {
            total +=
                method.flags() + method.impl_flags() + glance(module.image().from(method.rva()));
            for (const Param param : method.params()) total += param.sequence();
        }
    }
    const auto indexes = Indexes::build(module.metadata());
    if (indexes) {
        for (const TypeDef type : module.types()) {
            total += indexes->encloser(type.rid) + indexes->attribute_rows(type.token()).size() +
                     indexes->type(type.name_space(), type.name());
        }
        for (const MethodDef method : module.methods()) total += indexes->owner(method.token());
    }
    const auto coverage = cover(module.state());
    return total + (coverage ? coverage->claims.size() : 0);
}

}  // namespace

std::uint64_t walk(const Opened& opened) {
    std::uint64_t total = 0;
    for (const Error& fault : opened.diagnostics.kept()) total += render(fault).size();
    if (opened.error) return total + render(*opened.error).size();
    total += walk_metadata(opened.metadata);
    if (opened.module) {
        total += walk_image(opened.container.image) + walk_directories(opened.container.image) +
                 walk_module(*opened.module);
    }
    return total;
}

}  // namespace clrkit::test
