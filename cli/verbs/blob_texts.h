// What the blobs of a module mean, as text and as JSON. Keeps its memory from row to row.
#pragma once

#include "frame/json.h"

#include <clrkit/dotnet/attributes/custom_attribute.h>
#include <clrkit/dotnet/attributes/permission_set.h>
#include <clrkit/dotnet/metadata/indexes.h>
#include <clrkit/dotnet/metadata/metadata.h>
#include <clrkit/dotnet/signatures/print_signature.h>

#include <optional>
#include <string>

namespace clrkit::cli {

class BlobTexts {
public:
    enum class Wanted : std::uint8_t {
        many,  // of whole tables: look-ups are worth an index
        few,   // of the assembly itself, and names without the assemblies they are in
    };
    /// `metadata` must outlive this, and so must what `enums` knows.
    BlobTexts(const Metadata& metadata, const EnumResolver& enums, Wanted wanted);
    BlobTexts(const BlobTexts&) = delete;
    BlobTexts& operator=(const BlobTexts&) = delete;

    /// The text of the blob in a cell; empty where its bytes are all there is to say.
    std::string text(Token row, unsigned column);
    /// The type of an attribute (a row of CustomAttribute) and its arguments.
    std::string attribute(std::uint32_t rid);
    /// A type or member: `int32 Ns.Type::Name`.
    std::string member(Token token);
    /// Adds the same to an object.
    void write_attribute(Json& out, std::uint32_t rid);
    /// Adds to an object what is decoded of the blob in a cell.
    void write(Json& out, Token row, unsigned column);

private:
    Token type_of(std::uint32_t attribute) const;
    const CustomAttribute& read_attribute(std::uint32_t rid);
    void know_own_enums();

    const Metadata& metadata_;
    std::optional<Indexes> indexes_;
    std::optional<EnumTable> own_enums_;  // made for the first attribute
    EnumLookup enums_;
    std::optional<SignaturePrinter> printer_;
    CustomAttribute attribute_;
    PermissionSet permissions_;
};

}  // namespace clrkit::cli
