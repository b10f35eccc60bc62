// The names of the kinds of claims, and what keeps a list of them free of repetition.
#include <clrkit/core/pe/claims.h>

#include <algorithm>
#include <array>
#include <tuple>

namespace clrkit::pe {

const char* name_of(ClaimKind kind) {
    static constexpr std::array names{
        "dos_header",
        "dos_stub",
        "pe_headers",
        "section_headers",
        "import_descriptors",
        "import_lookup",
        "import_address",
        "import_name",
        "entry_thunk",
        "relocations",
        "debug_entries",
        "debug_data",
        "resource_directory",
        "resource_name",
        "resource_data_entry",
        "resource_data",
        "certificate",
        "overlay",
        "clr_header",
        "metadata_root",
        "table_stream",
        "string_heap",
        "blob_heap",
        "guid_heap",
        "user_string_heap",
        "other_stream",
        "method_body",
        "field_data",
        "managed_resources",
        "strong_name_signature",
        "mvid_copy",
        "vtable_fixups",
        "native",
        "padding",
        "gap",
    };
    static_assert(names.size() == static_cast<std::size_t>(ClaimKind::count_));
    const auto index = static_cast<std::size_t>(kind);
    return index < names.size() ? names[index] : "unknown";
}

void drop_repeated_claims(std::vector<Claim>& claims, std::size_t first) {
    const auto begin = claims.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, claims.end(), [](const Claim& a, const Claim& b) {
        return std::tie(a.offset, b.size, a.kind, a.item) <
               std::tie(b.offset, a.size, b.kind, b.item);
    });
    const auto same = [](const Claim& a, const Claim& b) {
        return a.offset == b.offset && a.size == b.size && a.kind == b.kind;
    };
    claims.erase(std::unique(begin, claims.end(), same), claims.end());
}

}  // namespace clrkit::pe
