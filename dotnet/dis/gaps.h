// What a module says and its text does not: kept while the text is made, listed at its end.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/dotnet/dis/il_text.h>
#include <clrkit/dotnet/metadata/tokens.h>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace clrkit::dis {

/// Why something cannot be said; `text_of` has the sentence, docs/dis.md the explanation.
// clang-format off: sorted by what they are about
enum class GapKind : std::uint8_t {
    // names
    name_with_dot, name_not_utf8, name_too_long, reference_undefined, core_type_elsewhere,
    // rows
    flags, assembly_flags, implementation, table, attribute_parent, attribute, resource, data,
    data_size, data_behind, entry_point, nesting, version, exported_type, resource_name, file_hash,
    // types and members
    generic_parameters, layout, duplicate, base_type, field_flags, constant, marshalling, native_type,
    security, permission_set,
    parameter_rows, parameter_name, runtime_special, method_code_type, no_body, body_not_allowed,
    override_, accessor, event_accessors, event_type, pinvoke, signature,
    // bodies
    clause, token, vararg_call, string_, signalling_nan, locals, pinned, body,
    // the file
    machine, native_parts, runtime_version, clr_flags, text_limit,
    count_
};
// clang-format on
inline constexpr std::size_t gap_kinds = static_cast<std::size_t>(GapKind::count_);

CLRKIT_API std::string_view text_of(GapKind kind);

/// One thing that is missing in the text, or wrong there.
struct Gap {
    GapKind kind;
    Token token;
};

class Gaps {
public:
    /// Never fails: past a few thousand, gaps are counted only.
    void add(GapKind kind, Token token) {
        ++counts_[static_cast<std::size_t>(kind)];
        if (list_.size() < kept) list_.push_back({kind, token});
    }
    bool empty() const { return total() == 0; }
    std::uint64_t count(GapKind kind) const { return counts_[static_cast<std::size_t>(kind)]; }
    CLRKIT_API std::uint64_t total() const;
    std::span<const Gap> list() const { return list_; }
    /// Comment lines, one a kind, with the first tokens of each.
    CLRKIT_API void print(IlText& text) const;

private:
    static constexpr std::size_t kept = 4096;

    std::array<std::uint64_t, gap_kinds> counts_{};
    std::vector<Gap> list_;
};

}  // namespace clrkit::dis
