// Enums of several assemblies that are open at once, such as a program and what lies beside it.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/error.h>
#include <clrkit/core/limits.h>
#include <clrkit/dotnet/attributes/enum_types.h>
#include <clrkit/dotnet/metadata/metadata.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace clrkit {

/// Finds an enum by the assembly that a reference or a name says, and follows forwarders
/// (ExportedType rows) from there. Built in O(rows), immutable from then on and so shared by threads.
///
/// Assemblies are told apart by their simple names; where several have the same one, they have to
/// agree. A name without an assembly means the core library.
class EnumSet {
public:
    /// Forwarders followed in a row.
    static constexpr int forwarders_followed = 16;

    /// The metadata must outlive the set. Those without an Assembly row (net modules) are left out.
    /// Errors: those of `EnumTable::build`.
    CLRKIT_API static Result<EnumSet> build(std::span<const Metadata* const> assemblies,
                                            const Limits& limits = {});

    /// For an `EnumLookup`. The set must outlive it and stay where it is.
    EnumResolver resolver() const { return {this, by_reference, by_name}; }
    /// The table of one of the set's metadata; null when it is not in the set. O(assemblies).
    CLRKIT_API const EnumTable* table_of(const Metadata& metadata) const;

    /// The underlying type of the enum at `path` in the assembly of that simple name.
    CLRKIT_API std::optional<ElementType> find(std::string_view assembly,
                                               const TypePath& path) const;

private:
    struct Member {
        EnumTable enums;
        std::string_view name;
        /// Forwarding ExportedType rows by the type's full name: open addressing, 0 is free.
        std::vector<std::uint32_t> forwarders;
        /// The next member of the same name; 0 for none.
        std::uint32_t next = 0;
    };

    static std::optional<ElementType> by_reference(const void* set, const Metadata& metadata,
                                                   Token type);
    static std::optional<ElementType> by_name(const void* set, const Metadata& metadata,
                                              std::string_view name);

    Status add(const Metadata& metadata, const Limits& limits);
    Status index_forwarders(Member& member, std::uint64_t budget);
    void index_names();
    /// The first member of that name; null when there is none.
    const Member* member(std::string_view assembly) const;
    std::string_view forwarded_to(const Member& member, const TypePath::Part& type) const;

    std::vector<Member> members_;
    std::vector<std::uint32_t> names_;  // open addressing; 0 is free, else the member's number + 1
};

}  // namespace clrkit
