// Permission sets of declarative security (ECMA-335 II.22.11, and the runtimes' own form): either a
// list of security attributes behind a '.', or XML in UTF-16, whose bytes nobody converts.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/error.h>
#include <clrkit/dotnet/attributes/custom_attribute.h>
#include <clrkit/dotnet/attributes/enum_types.h>
#include <clrkit/dotnet/signatures/contexts.h>
#include <clrkit/dotnet/signatures/transcode.h>

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

namespace clrkit {

/// One attribute of a binary set.
struct PermissionAttribute {
    /// As reflection writes it, as a rule with its assembly. In the blob.
    BlobText type_name;
    /// The named arguments as bytes, without their count.
    ByteSpan arguments;
    std::uint32_t named_count = 0;
    /// Its nodes in `PermissionSet::nodes`; none when the arguments did not decode.
    std::uint32_t first_node = 0;
    std::uint32_t end_node = 0;
    /// Why the arguments did not decode: the others may well have.
    AttributeFault fault = AttributeFault::none;
};
static_assert(std::is_trivially_copyable_v<PermissionAttribute>);

/// A permission set that was read. Views of the blob; meant to be read into again and again.
struct PermissionSet {
    enum class Form : std::uint8_t {
        empty,      // no bytes at all
        xml,        // `raw` as it stands, well-formed or not
        binary,     // `attributes`
        malformed,  // begins as a binary one and breaks off
    };
    Form form = Form::empty;
    std::vector<PermissionAttribute> attributes;
    /// The named arguments of all attributes: see `CustomAttribute::nodes`.
    std::vector<AttributeNode> nodes;
    /// What stands behind the last attribute.
    ByteSpan trailing;
    /// The whole blob.
    ByteSpan raw;
};

/// The first byte of a binary set.
inline constexpr std::uint8_t binary_permission_set = '.';

/// Reads a permission set of `metadata`; what does not decode is reported
/// (`permission_set_malformed`, `attribute_unresolved`). Errors: `out_of_memory`.
CLRKIT_API Status read_permission_set(ByteSpan blob, const Metadata& metadata,
                                      const EnumLookup& enums, const BlobReadContext& read,
                                      PermissionSet& into);

/// Writes a permission set: a binary one decoded and encoded where all of it decodes, else copied raw
/// with the diagnostic `permission_set_malformed` or `attribute_unresolved`; any other as it is.
/// Builds nothing, allocates nothing.
CLRKIT_API Transcoding transcode_permission_set(ByteSpan blob, const Metadata& metadata,
                                                const EnumLookup& enums,
                                                const BlobReadContext& read,
                                                const BlobWriteContext& write);

/// Writes binary permission sets: `begin`, then every attribute. Whether the bytes were written,
/// `output.failed()` says.
class PermissionSetWriter {
public:
    explicit PermissionSetWriter(const BlobWriteContext& context) : context_(&context) {}

    CLRKIT_API void begin(std::uint32_t attribute_count) const;
    /// `arguments` holds that many named arguments and nothing else: written with a
    /// CustomAttributeWriter over a buffer of their own, since their size stands in front of them.
    CLRKIT_API void attribute(std::string_view type_name, std::uint32_t named_count,
                              const WriteBuffer& arguments) const;

private:
    const BlobWriteContext* context_;
};
static_assert(sizeof(PermissionSetWriter) <= 16 &&
              std::is_trivially_copyable_v<PermissionSetWriter>);

}  // namespace clrkit
