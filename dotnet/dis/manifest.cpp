// Assembly, module, files, exported types (ECMA-335 II.6). In the order of rows, so that the assembler
// gives every row its number again.
#include <clrkit/core/limits.h>
#include <clrkit/dotnet/dis/flag_words.h>
#include <clrkit/dotnet/dis/parts.h>

#include <array>
#include <vector>

namespace clrkit::dis {
namespace {

void print_version(IlSource& source, Token row, unsigned major) {
    std::string& line = source.text.begin_line();
    line += ".ver ";
    for (unsigned i = 0; i < 4; ++i) {
        const std::uint32_t part = source.metadata.cell(row.table(), row.rid(), major + i);
        if (part == 0xFFFF) source.gap(GapKind::version, row);
        if (i != 0) line += ':';
        append_number(line, part);
    }
    source.text.end_line();
}

void print_bytes(IlSource& source, const char* word, ByteSpan bytes) {
    if (bytes.empty()) return;
    std::string& line = source.text.begin_line();
    line += word;
    line += " = ";
    append_bytes(line, bytes, source.text.depth() + 1);
    source.text.end_line();
}

void print_culture(IlSource& source, std::string_view culture) {
    if (culture.empty()) return;
    std::string& line = source.text.begin_line();
    line += ".locale ";
    append_string(line, culture);
    source.text.end_line();
}

void append_assembly_flags(IlSource& source, std::string& to, std::uint32_t flags, Token row) {
    // The key says so, but to mono's assembler.
    const std::uint32_t has_key = source.for_mono() && row.table() == Table::Assembly ? 0 : 1;
    if ((append_words(to, flags, words::assembly, source.options.dialect) & ~has_key) != 0) {
        source.gap(GapKind::assembly_flags, row);
    }
}

void print_references(IlSource& source) {
    const Metadata& metadata = source.metadata;
    for (std::uint32_t rid = 1; rid <= metadata.rows(Table::AssemblyRef); ++rid) {
        if (source.text.exhausted()) return;
        const Token row(Table::AssemblyRef, rid);
        const auto flags = metadata.cell(Table::AssemblyRef, rid, col::AssemblyRef::Flags);
        const std::string_view name = metadata.string(row.table(), rid, col::AssemblyRef::Name);
        std::string& line = source.text.begin_line();
        line += ".assembly extern ";
        source.token_comment(line, row);
        append_assembly_flags(source, line, flags, row);
        IlSource::type_name(line, {}, name);
        if (source.aliases[rid - 1] != name) {
            line += " as ";
            IlSource::type_name(line, {}, source.aliases[rid - 1]);
        }
        source.text.end_line();
        source.text.open_block();
        const ByteSpan key = metadata.blob(row.table(), rid, col::AssemblyRef::PublicKeyOrToken);
        print_bytes(source, (flags & 1U) != 0 ? ".publickey" : ".publickeytoken", key);
        print_bytes(source, ".hash", metadata.blob(row.table(), rid, col::AssemblyRef::HashValue));
        print_culture(source, metadata.string(row.table(), rid, col::AssemblyRef::Culture));
        print_version(source, row, col::AssemblyRef::MajorVersion);
        print_attributes(source, row);
        source.text.close_block();
    }
}

void print_assembly(IlSource& source) {
    const Metadata& metadata = source.metadata;
    if (metadata.rows(Table::Assembly) == 0) return;
    const Token row(Table::Assembly, 1);
    std::string& line = source.text.begin_line();
    line += ".assembly ";
    append_assembly_flags(source, line, metadata.cell(Table::Assembly, 1, col::Assembly::Flags),
                          row);
    IlSource::type_name(line, {}, metadata.string(Table::Assembly, 1, col::Assembly::Name));
    source.text.end_line();
    source.text.open_block();
    print_attributes(source, row);
    print_security(source, row);
    print_bytes(source, ".publickey", metadata.blob(Table::Assembly, 1, col::Assembly::PublicKey));
    std::string& hash = source.text.begin_line();
    hash += ".hash algorithm 0x";
    append_hex(hash, metadata.cell(Table::Assembly, 1, col::Assembly::HashAlgId), 8);
    source.text.end_line();
    print_culture(source, metadata.string(Table::Assembly, 1, col::Assembly::Culture));
    print_version(source, row, col::Assembly::MajorVersion);
    source.text.close_block();
}

void print_module(IlSource& source) {
    std::string& line = source.text.begin_line();
    line += ".module ";
    IlSource::type_name(line, {}, source.module.name());
    source.text.end_line();
    print_attributes(source, Token(Table::Module, 1));
    const Metadata& metadata = source.metadata;
    for (std::uint32_t rid = 1; rid <= metadata.rows(Table::ModuleRef); ++rid) {
        if (source.text.exhausted()) return;
        std::string& reference = source.text.begin_line();
        reference += ".module extern ";
        IlSource::type_name(reference, {},
                            metadata.string(Table::ModuleRef, rid, col::ModuleRef::Name));
        source.text.end_line();
    }
}

void print_files(IlSource& source) {
    const Metadata& metadata = source.metadata;
    for (std::uint32_t rid = 1; rid <= metadata.rows(Table::File); ++rid) {
        if (source.text.exhausted()) return;
        const Token row(Table::File, rid);
        const ByteSpan hash = metadata.blob(Table::File, rid, col::File::HashValue);
        if (hash.empty() && source.for_mono()) {
            source.gap(GapKind::file_hash, row);
            continue;
        }
        std::string& line = source.text.begin_line();
        line += ".file ";
        source.token_comment(line, row);
        const std::uint32_t flags = metadata.cell(Table::File, rid, col::File::Flags);
        if (flags == 1) line += "nometadata ";
        if (flags > 1) source.gap(GapKind::flags, row);
        IlSource::type_name(line, {}, metadata.string(Table::File, rid, col::File::Name));
        if (source.module.container().clr.entry_point == row.value()) line += " .entrypoint";
        if (!hash.empty()) {
            line += " .hash = ";
            append_bytes(line, hash, source.text.depth() + 1);
        }
        source.text.end_line();
        print_attributes(source, row);
    }
}

class ExportedTypes {
public:
    explicit ExportedTypes(IlSource& source) : source_(source), metadata_(source.metadata) {}

    void print() {
        const std::uint32_t count = metadata_.rows(Table::ExportedType);
        for (std::uint32_t rid = 1; rid <= count && !source_.text.exhausted(); ++rid) {
            print_one(rid);
        }
    }

private:
    Token implementation(std::uint32_t rid) const {
        return metadata_.token(Table::ExportedType, rid, col::ExportedType::Implementation);
    }
    void append_name(std::string& to, std::uint32_t rid) const {
        IlSource::type_name(
            to, metadata_.string(Table::ExportedType, rid, col::ExportedType::TypeNamespace),
            metadata_.string(Table::ExportedType, rid, col::ExportedType::TypeName));
    }

    /// `Ns.Outer/Inner`. False where types enclose one another.
    bool append_path(std::string& to, std::uint32_t rid) const {
        std::vector<std::uint32_t> path;
        for (Token at(Table::ExportedType, rid); at.table() == Table::ExportedType;
             at = implementation(at.rid())) {
            if (path.size() == Limits{}.depth || !metadata_.tables().has(at)) return false;
            path.push_back(at.rid());
        }
        for (std::size_t i = path.size(); i-- != 0;) {
            if (to.size() > IlText::longest_line) return false;
            append_name(to, path[i]);
            if (i != 0) to += '/';
        }
        return true;
    }

    /// `.assembly extern X`, `.file X`, `.class extern Ns.Outer`.
    bool append_implementation(std::string& to, Token implementation) const {
        if (!metadata_.tables().has(implementation)) return false;
        switch (implementation.table()) {
            case Table::AssemblyRef:
                to += ".assembly extern ";
                IlSource::type_name(to, {}, source_.aliases[implementation.rid() - 1]);
                return true;
            case Table::File:
                to += ".file ";
                IlSource::type_name(
                    to, {}, metadata_.string(Table::File, implementation.rid(), col::File::Name));
                return true;
            case Table::ExportedType:
                to += ".class extern ";
                return append_path(to, implementation.rid());
            default: return false;
        }
    }

    void print_one(std::uint32_t rid) {
        const Token row(Table::ExportedType, rid);
        if (source_.for_mono() && implementation(rid).table() != Table::AssemblyRef) {
            return source_.gap(GapKind::exported_type, row);
        }
        std::string& line = source_.text.begin_line();
        line += ".class extern ";
        source_.token_comment(line, row);
        if (append_words(line, metadata_.cell(row.table(), rid, col::ExportedType::Flags),
                         words::exported_type, source_.options.dialect) != 0) {
            source_.gap(GapKind::flags, row);
        }
        append_name(line, rid);
        source_.text.end_line();
        source_.text.open_block();
        std::string where;
        if (append_implementation(where, implementation(rid))) {
            source_.text.line(where);
        } else {
            source_.gap(GapKind::implementation, row);
        }
        const std::uint32_t hint = metadata_.cell(row.table(), rid, col::ExportedType::TypeDefId);
        if (hint != 0 && Token(hint).table() == Table::TypeDef && !source_.for_mono()) {
            std::string& id = source_.text.begin_line();
            id += ".class 0x";
            append_hex(id, hint, 8);
            source_.text.end_line();
        }
        print_attributes(source_, row);
        source_.text.close_block();
    }

    IlSource& source_;
    const Metadata& metadata_;
};

}  // namespace

void print_manifest(IlSource& source) {
    print_references(source);
    print_assembly(source);
    const bool assembly = source.metadata.rows(Table::Assembly) != 0;
    if (source.for_mono() && assembly) print_foreign_types(source);
    print_files(source);
    print_module(source);
    ExportedTypes(source).print();
    print_resources(source);
}

}  // namespace clrkit::dis
