// The tests' own table of metadata columns (ECMA-335 II.22, Portable PDB format v1.0) and the
// encoder of table streams. A column is u1, u2, u4, a heap, a coded index or the name of a table.
#include "support/image_builder.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace clrkit::test {
namespace {

struct TableText {
    int id;
    const char* name;
    const char* columns;
};

constexpr TableText table_texts[] = {
    {0x00, "Module", "u2 str guid guid guid"},
    {0x01, "TypeRef", "ResolutionScope str str"},
    {0x02, "TypeDef", "u4 str str TypeDefOrRef Field MethodDef"},
    {0x03, "FieldPtr", "Field"},
    {0x04, "Field", "u2 str blob"},
    {0x05, "MethodPtr", "MethodDef"},
    {0x06, "MethodDef", "u4 u2 u2 str blob Param"},
    {0x07, "ParamPtr", "Param"},
    {0x08, "Param", "u2 u2 str"},
    {0x09, "InterfaceImpl", "TypeDef TypeDefOrRef"},
    {0x0A, "MemberRef", "MemberRefParent str blob"},
    {0x0B, "Constant", "u1 u1 HasConstant blob"},
    {0x0C, "CustomAttribute", "HasCustomAttribute CustomAttributeType blob"},
    {0x0D, "FieldMarshal", "HasFieldMarshal blob"},
    {0x0E, "DeclSecurity", "u2 HasDeclSecurity blob"},
    {0x0F, "ClassLayout", "u2 u4 TypeDef"},
    {0x10, "FieldLayout", "u4 Field"},
    {0x11, "StandAloneSig", "blob"},
    {0x12, "EventMap", "TypeDef Event"},
    {0x13, "EventPtr", "Event"},
    {0x14, "Event", "u2 str TypeDefOrRef"},
    {0x15, "PropertyMap", "TypeDef Property"},
    {0x16, "PropertyPtr", "Property"},
    {0x17, "Property", "u2 str blob"},
    {0x18, "MethodSemantics", "u2 MethodDef HasSemantics"},
    {0x19, "MethodImpl", "TypeDef MethodDefOrRef MethodDefOrRef"},
    {0x1A, "ModuleRef", "str"},
    {0x1B, "TypeSpec", "blob"},
    {0x1C, "ImplMap", "u2 MemberForwarded str ModuleRef"},
    {0x1D, "FieldRVA", "u4 Field"},
    {0x1E, "EncLog", "u4 u4"},
    {0x1F, "EncMap", "u4"},
    {0x20, "Assembly", "u4 u2 u2 u2 u2 u4 blob str str"},
    {0x21, "AssemblyProcessor", "u4"},
    {0x22, "AssemblyOS", "u4 u4 u4"},
    {0x23, "AssemblyRef", "u2 u2 u2 u2 u4 blob str str blob"},
    {0x24, "AssemblyRefProcessor", "u4 AssemblyRef"},
    {0x25, "AssemblyRefOS", "u4 u4 u4 AssemblyRef"},
    {0x26, "File", "u4 str blob"},
    {0x27, "ExportedType", "u4 u4 str str Implementation"},
    {0x28, "ManifestResource", "u4 u4 str Implementation"},
    {0x29, "NestedClass", "TypeDef TypeDef"},
    {0x2A, "GenericParam", "u2 u2 TypeOrMethodDef str"},
    {0x2B, "MethodSpec", "MethodDefOrRef blob"},
    {0x2C, "GenericParamConstraint", "GenericParam TypeDefOrRef"},
    {0x30, "Document", "blob guid blob guid"},
    {0x31, "MethodDebugInformation", "Document blob"},
    {0x32, "LocalScope", "MethodDef ImportScope LocalVariable LocalConstant u4 u4"},
    {0x33, "LocalVariable", "u2 u2 str"},
    {0x34, "LocalConstant", "str blob"},
    {0x35, "ImportScope", "ImportScope blob"},
    {0x36, "StateMachineMethod", "MethodDef MethodDef"},
    {0x37, "CustomDebugInformation", "HasCustomDebugInformation guid blob"},
};

struct CodedText {
    const char* name;
    int tag_bits;
    const char* targets;  // by tag; "-" is a tag that means nothing
};

constexpr CodedText coded_texts[] = {
    {"TypeDefOrRef", 2, "TypeDef TypeRef TypeSpec"},
    {"HasConstant", 2, "Field Param Property"},
    {"HasCustomAttribute", 5,
     "MethodDef Field TypeRef TypeDef Param InterfaceImpl MemberRef Module DeclSecurity Property "
     "Event StandAloneSig ModuleRef TypeSpec Assembly AssemblyRef File ExportedType "
     "ManifestResource GenericParam GenericParamConstraint MethodSpec"},
    {"HasFieldMarshal", 1, "Field Param"},
    {"HasDeclSecurity", 2, "TypeDef MethodDef Assembly"},
    {"MemberRefParent", 3, "TypeDef TypeRef ModuleRef MethodDef TypeSpec"},
    {"HasSemantics", 1, "Event Property"},
    {"MethodDefOrRef", 1, "MethodDef MemberRef"},
    {"MemberForwarded", 1, "Field MethodDef"},
    {"Implementation", 2, "File AssemblyRef ExportedType"},
    {"CustomAttributeType", 3, "- - MethodDef MemberRef"},
    {"ResolutionScope", 2, "Module ModuleRef AssemblyRef TypeRef"},
    {"TypeOrMethodDef", 1, "TypeDef MethodDef"},
    {"HasCustomDebugInformation", 5,
     "MethodDef Field TypeRef TypeDef Param InterfaceImpl MemberRef Module DeclSecurity Property "
     "Event StandAloneSig ModuleRef TypeSpec Assembly AssemblyRef File ExportedType "
     "ManifestResource GenericParam GenericParamConstraint MethodSpec Document LocalScope "
     "LocalVariable LocalConstant ImportScope"},
};

std::vector<std::string> words(const char* text) {
    std::istringstream in(text);
    std::vector<std::string> out;
    for (std::string word; in >> word;) out.push_back(word);
    return out;
}

int table_named(std::string_view name) {
    for (const TableText& text : table_texts) {
        if (text.name == name) return text.id;
    }
    return -1;
}

const CodedText* coded_named(std::string_view name) {
    for (const CodedText& text : coded_texts) {
        if (text.name == name) return &text;
    }
    return nullptr;
}

const std::vector<std::string>& columns_of(int of) {
    static const std::map<int, std::vector<std::string>> all = [] {
        std::map<int, std::vector<std::string>> made;
        for (const TableText& text : table_texts) made[text.id] = words(text.columns);
        return made;
    }();
    static const std::vector<std::string> none;
    const auto found = all.find(of);
    return found == all.end() ? none : found->second;
}

/// The count that decides widths: what is declared, here or by the image a PDB belongs to.
std::uint32_t rows_for_width(const TablesSpec& spec, int of) {
    const auto referenced = spec.referenced_rows.find(of);
    return std::max(spec.row_count(of),
                    referenced == spec.referenced_rows.end() ? 0U : referenced->second);
}

}  // namespace

std::uint32_t coded(std::string_view kind, table::Id target, std::uint32_t rid) {
    const CodedText* text = coded_named(kind);
    if (text == nullptr) throw std::logic_error("no such coded index");
    const std::vector<std::string> targets = words(text->targets);
    for (std::size_t tag = 0; tag < targets.size(); ++tag) {
        if (table_named(targets[tag]) == target) {
            return rid << text->tag_bits | static_cast<std::uint32_t>(tag);
        }
    }
    throw std::logic_error("the coded index does not have that table");
}

std::uint32_t TablesSpec::add(table::Id to, Row row) {
    if (row.size() != columns_of(to).size()) throw std::logic_error("wrong number of columns");
    rows[to].push_back(std::move(row));
    return static_cast<std::uint32_t>(rows[to].size());
}

Row& TablesSpec::row(table::Id of, std::uint32_t rid) { return rows.at(of).at(rid - 1); }

std::uint32_t TablesSpec::row_count(int of) const {
    if (const auto declared = declared_rows.find(of); declared != declared_rows.end()) {
        return declared->second;
    }
    const auto real = rows.find(of);
    return real == rows.end() ? 0U : static_cast<std::uint32_t>(real->second.size());
}

int TablesSpec::column_width(int of, int column) const {
    if (const auto forced = widths.find({of, column}); forced != widths.end()) {
        return forced->second;
    }
    const std::string& kind = columns_of(of).at(static_cast<std::size_t>(column));
    const std::uint8_t sizes = heap_sizes.value_or(0);
    if (kind == "u1") return 1;
    if (kind == "u2") return 2;
    if (kind == "u4" || all_wide) return 4;
    if (kind == "str") return (sizes & 1) != 0 ? 4 : 2;
    if (kind == "guid") return (sizes & 2) != 0 ? 4 : 2;
    if (kind == "blob") return (sizes & 4) != 0 ? 4 : 2;
    if (const int target = table_named(kind); target >= 0) {
        return rows_for_width(*this, target) < 0x10000 ? 2 : 4;
    }
    const CodedText* text = coded_named(kind);
    if (text == nullptr) throw std::logic_error("no such kind of column");
    std::uint32_t most = 0;
    for (const std::string& target : words(text->targets)) {
        if (target != "-") most = std::max(most, rows_for_width(*this, table_named(target)));
    }
    return most < std::uint32_t{1} << (16 - text->tag_bits) ? 2 : 4;
}

int TablesSpec::row_size(int of) const {
    int size = 0;
    for (int i = 0; i < static_cast<int>(columns_of(of).size()); ++i) size += column_width(of, i);
    return size;
}

namespace {

std::uint64_t valid_mask(const TablesSpec& spec) {
    if (spec.valid) return *spec.valid;
    std::uint64_t mask = 0;
    for (const auto& [id, rows] : spec.rows) {
        if (!rows.empty()) mask |= std::uint64_t{1} << id;
    }
    for (const auto& [id, count] : spec.declared_rows) mask |= std::uint64_t{1} << id;
    return mask;
}

Bytes rows_of(const TablesSpec& spec, int of) {
    if (const auto raw = spec.raw_rows.find(of); raw != spec.raw_rows.end()) return raw->second;
    Bytes out;
    const auto rows = spec.rows.find(of);
    if (rows == spec.rows.end()) return out;
    std::vector<int> widths(columns_of(of).size());
    for (std::size_t i = 0; i < widths.size(); ++i) {
        widths[i] = spec.column_width(of, static_cast<int>(i));
    }
    for (const Row& row : rows->second) {
        for (std::size_t i = 0; i < row.size(); ++i) append(out, little_endian(row[i], widths[i]));
    }
    return out;
}

}  // namespace

std::uint32_t TablesSpec::rows_offset() const {
    std::uint32_t at = row_counts_offset();
    for (int id = 0; id < 64; ++id) at += (valid_mask(*this) >> id & 1U) != 0 ? 4U : 0U;
    return at + (extra_data ? 4U : 0U);
}

std::uint32_t TablesSpec::table_offset(int of) const {
    std::size_t at = rows_offset();
    for (int id = 0; id < of; ++id) at += rows_of(*this, id).size();
    return static_cast<std::uint32_t>(at);
}

std::uint32_t TablesSpec::cell_offset(int of, std::uint32_t rid, int column) const {
    std::uint32_t at = table_offset(of) + (rid - 1) * static_cast<std::uint32_t>(row_size(of));
    for (int i = 0; i < column; ++i) at += static_cast<std::uint32_t>(column_width(of, i));
    return at;
}

Bytes TablesSpec::encode() const {
    const std::uint64_t mask = valid_mask(*this);
    Bytes out = little_endian(reserved, 4);
    out.push_back(major_version);
    out.push_back(minor_version);
    out.push_back(static_cast<std::uint8_t>(heap_sizes.value_or(0) | (extra_data ? 0x40 : 0)));
    out.push_back(reserved2);
    append(out, little_endian(mask, 8));
    append(out, little_endian(sorted, 8));
    for (int id = 0; id < 64; ++id) {
        if ((mask >> id & 1U) != 0) append(out, little_endian(row_count(id), 4));
    }
    if (extra_data) append(out, little_endian(*extra_data, 4));
    for (int id = 0; id < 64; ++id) append(out, rows_of(*this, id));
    append(out, trailing);
    return out;
}

}  // namespace clrkit::test
