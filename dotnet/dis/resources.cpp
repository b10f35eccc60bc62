// Manifest resources (ECMA-335 II.6.2.2): the assembler reads embedded ones from files beside the text.
#include <clrkit/core/bytes/endian.h>
#include <clrkit/dotnet/dis/flag_words.h>
#include <clrkit/dotnet/dis/parts.h>
#include <clrkit/dotnet/dis/resource_files.h>

#include <algorithm>

namespace clrkit::dis {
namespace {

/// A file beside the text and nowhere else, on any system, which no shell or tool looks at by itself.
bool is_file_name(std::string_view name) {
    constexpr std::size_t longest = 200;
    return !name.empty() && name.size() <= longest && name.front() != '.' && name.back() != '.' &&
           name.back() != ' ' && std::ranges::all_of(name, [](char c) {
               return c == ' ' || c == '-' || c == '_' || c == '.' || (c >= '0' && c <= '9') ||
                      (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
           });
}

}  // namespace

std::optional<ByteSpan> embedded_resource(const Module& module, std::uint32_t rid) {
    const auto& clr = module.container().clr;
    const ByteSpan all = module.image().from(clr.resources.rva);
    const std::uint64_t offset =
        module.metadata().cell(Table::ManifestResource, rid, col::ManifestResource::Offset);
    const auto size = slice(all, offset, 4);
    if (clr.resources.rva == 0 || !size) return std::nullopt;
    return slice(all, offset + 4, load_le<std::uint32_t>(size->data()));
}

std::string resource_file(const IlSource& source, std::uint32_t rid) {
    if (source.for_mono()) {
        const std::string_view name =
            source.metadata.string(Table::ManifestResource, rid, col::ManifestResource::Name);
        const bool safe = is_embedded(source.metadata, rid) && is_file_name(name);
        return safe ? std::string(name) : std::string();
    }
    std::string name = source.options.resource_prefix;
    append_number(name, rid);
    return name + ".bin";
}

bool is_embedded(const Metadata& metadata, std::uint32_t rid) {
    return metadata.token(Table::ManifestResource, rid, col::ManifestResource::Implementation)
               .rid() == 0;
}

void print_resources(IlSource& source) {
    constexpr FlagWord visibility[] = {{7, 1, "public"}, {7, 2, "private"}};
    const Metadata& metadata = source.metadata;
    for (std::uint32_t rid = 1; rid <= metadata.rows(Table::ManifestResource); ++rid) {
        if (source.text.exhausted()) return;
        const Token row(Table::ManifestResource, rid);
        const bool embedded = is_embedded(metadata, rid);
        const bool unnameable = source.for_mono() && resource_file(source, rid).empty();
        const bool missing = unnameable || (embedded && !embedded_resource(source.module, rid));
        if (missing) source.gap(unnameable ? GapKind::resource_name : GapKind::resource, row);
        std::string& line = source.text.begin_line();
        line += missing ? "// .mresource " : ".mresource ";
        source.token_comment(line, row);
        if (append_words(line, metadata.cell(row.table(), rid, col::ManifestResource::Flags),
                         visibility, source.options.dialect) != 0) {
            source.gap(GapKind::flags, row);
        }
        IlSource::type_name(line, {},
                            metadata.string(row.table(), rid, col::ManifestResource::Name));
        if (embedded && !source.for_mono()) {
            line += " as ";
            IlSource::type_name(line, {}, resource_file(source, rid));
        }
        source.text.end_line();
        if (missing) continue;
        source.text.open_block();
        const Token where = metadata.token(row.table(), rid, col::ManifestResource::Implementation);
        std::string text;
        if (where.table() == Table::AssemblyRef && metadata.tables().has(where)) {
            text = ".assembly extern ";
            IlSource::type_name(text, {}, source.aliases[where.rid() - 1]);
        } else if (where.table() == Table::File && metadata.tables().has(where)) {
            text = ".file ";
            IlSource::type_name(text, {},
                                metadata.string(Table::File, where.rid(), col::File::Name));
            text += " at ";
            append_number(text, metadata.cell(row.table(), rid, col::ManifestResource::Offset));
        } else if (!embedded) {
            source.gap(GapKind::implementation, row);
        }
        if (!text.empty()) source.text.line(text);
        source.text.close_block();
    }
}

}  // namespace clrkit::dis
