// Module: one assembly or netmodule, opened, looked at, patched in place and saved.
//
//     auto module = clrkit::Module::open("App.dll");
//     for (auto type : module->types())
//         for (auto method : type.methods()) use(type.name(), method.name());
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/diagnostics.h>
#include <clrkit/core/io/input_file.h>
#include <clrkit/dotnet/model/handles.h>
#include <clrkit/dotnet/write/save.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace clrkit {

struct OpenOptions {
    InputPolicy input = InputPolicy::read;
    Eyes eyes = Eyes::clr;
    /// Where tolerated faults go; may be null.
    Diagnostics* diagnostics = nullptr;
};

struct Version {
    std::uint16_t major = 0;
    std::uint16_t minor = 0;
    std::uint16_t build = 0;
    std::uint16_t revision = 0;
    bool operator==(const Version&) const = default;
};

class Module {
public:
    /// Reads (or maps) and parses a file. Errors: those of `InputFile::open`, and of `from_bytes`.
    CLRKIT_API static Result<Module> open(const std::string& path, const OpenOptions& options = {});
    /// Parses `bytes`, which must outlive the module; they are never changed. One allocation of
    /// fixed size, whatever the size of the image. Errors name what the bytes are instead of a
    /// .NET image, or where the headers, the metadata root or the table stream break off.
    CLRKIT_API static Result<Module> from_bytes(ByteSpan bytes, const OpenOptions& options = {});

    const ModuleState& state() const { return *state_; }
    ByteSpan bytes() const { return state_->bytes; }
    const pe::Image& image() const { return state_->container.image; }
    const Container& container() const { return state_->container; }
    const Metadata& metadata() const { return state_->metadata; }

    /// The name in the Module row, such as "App.dll".
    std::string_view name() const { return metadata().string(Table::Module, 1, col::Module::Name); }
    std::optional<Guid> mvid() const {
        return metadata().guids().at(metadata().cell(Table::Module, 1, col::Module::Mvid));
    }
    /// True for an assembly, false for a netmodule.
    bool has_assembly() const { return metadata().rows(Table::Assembly) != 0; }
    std::string_view assembly_name() const {
        return metadata().string(Table::Assembly, 1, col::Assembly::Name);
    }
    CLRKIT_API Version assembly_version() const;

    HandleRange<TypeDef> types() const {
        return {state_.get(), {1, metadata().rows(Table::TypeDef) + 1}};
    }
    HandleRange<MethodDef> methods() const {
        return {state_.get(), {1, metadata().rows(Table::MethodDef) + 1}};
    }
    TypeDef type(std::uint32_t rid) const { return {state_.get(), rid}; }
    MethodDef method(std::uint32_t rid) const { return {state_.get(), rid}; }

    /// The name given to TargetFrameworkAttribute, such as ".NETCoreApp,Version=v10.0"; empty when
    /// the assembly has none. O(log rows).
    CLRKIT_API std::string_view target_framework() const;

    // Edits in place. Each overwrites exactly one field of a private copy of the bytes; handles see
    // it at once. Spans, strings and columns taken before the first edit go on showing the original.
    // Common errors: `no_such_row`, `no_such_column`, `value_too_wide`;
    // `ready_to_run_refuses` when native code in the image relies on the old value; `unsupported`
    // when another stream shares the bytes.

    /// The raw stored value of a cell: an index or coded index as it stands in the file.
    CLRKIT_API Status set_cell(Token row, unsigned column, std::uint32_t value);
    /// Overwrites the GUID that the Module row points to, and its copy in the section .mvid of a
    /// reference assembly. Error `unsupported` when it points to
    /// none, or when another column points to the same.
    CLRKIT_API Status set_mvid(const Guid& mvid);
    CLRKIT_API Status set_assembly_version(const Version& version);
    /// CLR header flags (ECMA-335 II.25.3.3.1).
    CLRKIT_API Status set_clr_flags(std::uint32_t flags);
    /// COFF TimeDateStamp.
    CLRKIT_API Status set_timestamp(std::uint32_t seconds);
    /// COFF Characteristics.
    CLRKIT_API Status set_characteristics(std::uint16_t flags);

    bool edited() const { return state_->edited(); }

    /// Writes the module to `path`; see SaveOptions. An unedited module is written byte for byte.
    /// The module is not changed. A failure leaves the target as it was.
    Result<SaveReport> save(const std::string& path, const SaveOptions& options = {}) const {
        return clrkit::save(*state_, path, options);
    }
    /// The same into memory.
    Result<SavedImage> save_to_memory(const SaveOptions& options = {}) const {
        return clrkit::save_to_memory(*state_, options);
    }

private:
    explicit Module(std::unique_ptr<ModuleState> state) : state_(std::move(state)) {}
    static Result<Module> parse(std::unique_ptr<ModuleState> state, const OpenOptions& options);

    std::unique_ptr<ModuleState> state_;
};

}  // namespace clrkit
