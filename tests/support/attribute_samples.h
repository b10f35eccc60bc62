// Images with attributes, and what becomes of a blob that is copied: for the tests of attributes.
#pragma once

#include "support/image_builder.h"
#include "support/opened.h"

#include <clrkit/core/diagnostics.h>
#include <clrkit/dotnet/attributes/custom_attribute.h>
#include <clrkit/dotnet/attributes/enum_set.h>
#include <clrkit/dotnet/attributes/enum_types.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace clrkit::test {

/// The bytes one after the other.
Bytes joined(std::initializer_list<Bytes> parts);
/// A text with its length in front, as blobs have it.
Bytes ser_string(std::string_view text);

/// The signature of an instance constructor with these parameters.
Bytes constructor_of(std::initializer_list<Bytes> parameters);
/// A parameter of a class or value type; `encoded` is a TypeDefOrRefOrSpecEncoded value.
Bytes class_type(std::uint32_t encoded);
Bytes value_type(std::uint32_t encoded);

/// Adds an enum and returns its TypeDef row. It stands at the top, or in `enclosing`.
std::uint32_t add_enum(ImageSpec& image, std::string_view name_space, std::string_view name,
                       ElementType underlying, std::uint32_t enclosing = 0);
/// Adds a TypeRef and returns its row.
std::uint32_t add_type_ref(ImageSpec& image, std::uint32_t scope, std::string_view name_space,
                           std::string_view name);
/// Adds an AssemblyRef and returns its row.
std::uint32_t add_assembly_ref(ImageSpec& image, std::string_view name);
/// Sets the name of the image's assembly.
void name_assembly(ImageSpec& image, std::string_view name);
/// Adds an attribute on Program whose constructor is a MemberRef with that signature; its row.
std::uint32_t add_attribute(ImageSpec& image, const Bytes& signature, const Bytes& blob);

/// What became of a blob.
struct Copied {
    Transcoding result = Transcoding::raw;
    Bytes bytes;
    Diagnostics diagnostics;

    bool reported(ErrorCode code) const { return diagnostics.count(code) != 0; }
};

/// Runs a transcoder: `transcode(read, write)`.
template <class Transcode>
Copied transcoded(Transcode transcode, std::uint32_t depth = Limits{}.depth) {
    Copied copy;
    std::array<std::uint8_t, 256> scratch;
    WriteBuffer output(scratch);
    const BlobReadContext read{.diagnostics = &copy.diagnostics,
                               .owner = Token(Table::CustomAttribute, 1),
                               .depth = depth};
    const BlobWriteContext write{output, {}};
    copy.result = transcode(read, write);
    copy.bytes = output.to_vector();
    return copy;
}
/// Copies the blob of an attribute.
Copied copied(const Opened& opened, std::uint32_t attribute, const EnumLookup& enums = {});
/// Copies an attribute of an image of its own, without help for enums.
Copied copied(const Bytes& signature, const Bytes& blob);

/// CHECKs that a blob came through as it was, decoded, without a word.
void check_same(const Copied& copy, const Bytes& blob);
/// CHECKs that a blob came through as it was, undecoded, and that this was reported.
void check_raw(const Copied& copy, const Bytes& blob,
               ErrorCode code = ErrorCode::attribute_malformed);

/// An attribute that was read, with what its views lie in.
struct ReadAttribute {
    Opened opened;
    CustomAttribute attribute;
    Diagnostics diagnostics;
};
ReadAttribute read_attribute(const ImageSpec& image, std::uint32_t attribute);
ReadAttribute read_attribute(const Bytes& signature, const Bytes& blob);

}  // namespace clrkit::test
