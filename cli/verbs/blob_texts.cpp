// One look at each kind of blob, by the schema's word for it.
#include "verbs/blob_texts.h"

#include "verbs/attribute_json.h"

#include <clrkit/dotnet/attributes/print_blobs.h>

namespace clrkit::cli {

BlobTexts::BlobTexts(const Metadata& metadata, const EnumResolver& enums, Wanted wanted)
    : metadata_(metadata) {
    enums_.elsewhere = enums;
    PrintOptions options;
    options.scopes = wanted == Wanted::many;
    if (wanted == Wanted::many) {
        // In a module made to have no index, owners are searched for one by one.
        if (auto indexes = Indexes::build(metadata)) {
            options.indexes = &indexes_.emplace(std::move(*indexes));
        }
    }
    printer_.emplace(metadata, options);
}

void BlobTexts::know_own_enums() {
    if (enums_.own != nullptr) return;
    auto own = EnumTable::build(metadata_);
    if (own) enums_.own = &own_enums_.emplace(std::move(*own));
}

const CustomAttribute& BlobTexts::read_attribute(std::uint32_t rid) {
    know_own_enums();
    const BlobReadContext context{nullptr, {Table::CustomAttribute, rid}};
    const auto constructor = AttributeConstructor::of(metadata_, rid);
    const ByteSpan blob = metadata_.blob(Table::CustomAttribute, rid, col::CustomAttribute::Value);
    if (!read_custom_attribute(blob, constructor, enums_, context, attribute_)) {
        attribute_.nodes.clear();
        attribute_.fault = AttributeFault::truncated;
    }
    return attribute_;
}

std::string BlobTexts::text(Token row, unsigned column) {
    const ColumnSpec& spec = metadata_.tables().spec(row.table()).columns[column];
    if (spec.kind != ColumnKind::blob) return {};
    const ByteSpan blob = metadata_.blob(row.table(), row.rid(), column);
    std::string text;
    if (is_signature(spec.blob())) {
        printer_->signature(text, blob, spec.blob());
        return text;
    }
    switch (spec.blob()) {
        case BlobKind::custom_attribute:
            print_arguments(metadata_, read_attribute(row.rid()), text);
            break;
        case BlobKind::marshalling: print_marshalling(read_marshalling(blob), text); break;
        case BlobKind::constant: print_constant(read_constant(metadata_, row.rid()), text); break;
        case BlobKind::permission_set: {
            know_own_enums();
            const BlobReadContext context{nullptr, row};
            if (read_permission_set(blob, metadata_, enums_, context, permissions_)) {
                print_permission_set(metadata_, permissions_, text);
            }
            break;
        }
        default: break;
    }
    return text;
}

std::string BlobTexts::member(Token token) {
    std::string text;
    printer_->member(text, token);
    return text;
}

Token BlobTexts::type_of(std::uint32_t attribute) const {
    const Token constructor =
        metadata_.token(Table::CustomAttribute, attribute, col::CustomAttribute::Type);
    if (constructor.table() == Table::MemberRef) {
        return metadata_.token(Table::MemberRef, constructor.rid(), col::MemberRef::Class);
    }
    if (constructor.table() != Table::MethodDef) return {};
    return printer_->owner_of(constructor);
}

std::string BlobTexts::attribute(std::uint32_t rid) {
    std::string text;
    printer_->type_reference(text, type_of(rid));
    const CustomAttribute& attribute = read_attribute(rid);
    if (!attribute.decoded()) text += ' ';
    print_arguments(metadata_, attribute, text);
    return text;
}

void BlobTexts::write_attribute(Json& out, std::uint32_t rid) {
    std::string type;
    printer_->type_reference(type, type_of(rid));
    out.member("token", Token(Table::CustomAttribute, rid));
    out.name("type", type);
    out.name("text", attribute(rid));
    write_arguments(out, metadata_, read_attribute(rid));
}

void BlobTexts::write(Json& out, Token row, unsigned column) {
    const std::string decoded = text(row, column);
    if (!decoded.empty()) out.name("text", decoded);
    const ColumnSpec& spec = metadata_.tables().spec(row.table()).columns[column];
    if (spec.kind == ColumnKind::blob && spec.blob() == BlobKind::custom_attribute) {
        write_arguments(out, metadata_, read_attribute(row.rid()));
    }
}

}  // namespace clrkit::cli
