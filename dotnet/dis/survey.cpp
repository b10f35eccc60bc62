// What the assembler cannot keep of names and tables, found by walking the schema.
#include <clrkit/core/bytes/utf8.h>
#include <clrkit/dotnet/dis/parts.h>

#include <set>
#include <vector>

namespace clrkit::dis {
namespace {

constexpr std::size_t longest_name = 1023;

/// Tables of rows that have no syntax.
constexpr Table unsaid_tables[] = {
    Table::AssemblyProcessor, Table::AssemblyOS, Table::AssemblyRefProcessor,
    Table::AssemblyRefOS,     Table::EncLog,     Table::EncMap,
    Table::Document,
};

void look_at_names(IlSource& source) {
    for (std::size_t slot = 0; slot < table_slots; ++slot) {
        const auto table = static_cast<Table>(slot);
        if (!schema::known(table)) continue;
        const auto columns = source.metadata.tables().spec(table).all_columns();
        for (unsigned column = 0; column < columns.size(); ++column) {
            if (columns[column].kind != ColumnKind::string) continue;
            const ColumnView view = source.metadata.tables().column(table, column);
            NameBudget budget;
            for (std::uint32_t rid = 1; rid <= view.rows() && !budget.spent(); ++rid) {
                const std::string_view name = budget.name(source.metadata, table, rid, column);
                if (name.size() > longest_name) {
                    source.gap(GapKind::name_too_long, Token(table, rid));
                }
                if (!is_utf8(name)) source.gap(GapKind::name_not_utf8, Token(table, rid));
            }
        }
    }
}

void look_for_dots(IlSource& source, Table table, unsigned column) {
    NameBudget budget;
    for (std::uint32_t rid = 1; rid <= source.metadata.rows(table) && !budget.spent(); ++rid) {
        if (budget.name(source.metadata, table, rid, column).find('.') != std::string_view::npos) {
            source.gap(GapKind::name_with_dot, Token(table, rid));
        }
    }
}

/// References to this module's own types: the assembler needs a definition.
void look_at_references(IlSource& source) {
    const Metadata& metadata = source.metadata;
    NameBudget budget;
    for (std::uint32_t rid = 1; rid <= metadata.rows(Table::TypeRef); ++rid) {
        const Token scope = metadata.token(Table::TypeRef, rid, col::TypeRef::ResolutionScope);
        if (scope.table() != Table::Module) continue;
        const std::uint32_t own = source.indexes.type(
            budget.name(metadata, Table::TypeRef, rid, col::TypeRef::TypeNamespace),
            budget.name(metadata, Table::TypeRef, rid, col::TypeRef::TypeName));
        if (own == 0) source.gap(GapKind::reference_undefined, Token(Table::TypeRef, rid));
    }
}

/// Two members of one type with one name and signature.
void look_for_duplicates(IlSource& source, Table table, unsigned name, unsigned signature) {
    struct Key {
        std::uint32_t owner;
        std::uint32_t name;
        std::uint32_t signature;
        auto operator<=>(const Key&) const = default;
    };
    constexpr std::uint32_t access = 7;
    const Metadata& metadata = source.metadata;
    const unsigned flags =
        table == Table::Field ? unsigned{col::Field::Flags} : unsigned{col::MethodDef::Flags};
    std::set<Key> seen;
    for (std::uint32_t rid = 1; rid <= metadata.rows(table); ++rid) {
        // Of the private scope the token tells members apart, which mono's assembler cannot.
        if ((metadata.cell(table, rid, flags) & access) == 0 && !source.for_mono()) continue;
        const Key key{source.indexes.owner(Token(table, rid)), metadata.cell(table, rid, name),
                      metadata.cell(table, rid, signature)};
        if (!seen.insert(key).second) source.gap(GapKind::duplicate, Token(table, rid));
    }
}

}  // namespace

void survey(IlSource& source) {
    if (source.text.exhausted()) return source.gap(GapKind::text_limit, {});
    look_at_names(source);
    look_for_dots(source, Table::TypeDef, col::TypeDef::TypeName);
    look_for_dots(source, Table::TypeRef, col::TypeRef::TypeName);
    look_for_dots(source, Table::ExportedType, col::ExportedType::TypeName);
    look_at_references(source);
    look_for_duplicates(source, Table::Field, col::Field::Name, col::Field::Signature);
    look_for_duplicates(source, Table::MethodDef, col::MethodDef::Name, col::MethodDef::Signature);
    for (const Table table : unsaid_tables) {
        if (source.metadata.rows(table) != 0) source.gap(GapKind::table, Token(table, 1));
    }
}

}  // namespace clrkit::dis
