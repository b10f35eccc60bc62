// Handles: a row of a module, as a value. They read straight from the tables and hold nothing; a
// handle is good as long as its Module lives, also when the Module is moved.
#pragma once

#include <clrkit/dotnet/module/state.h>

#include <cstdint>
#include <string_view>

namespace clrkit {

/// Iterates over the rows of a range as handles, through the pointer table where `#-` has one.
template <class Handle>
class HandleRange {
public:
    HandleRange(const ModuleState* state, RowRange rows) : state_(state), rows_(rows) {}

    class Iterator {
    public:
        Iterator(const ModuleState* state, std::uint32_t at) : state_(state), at_(at) {}
        Handle operator*() const {
            return Handle{state_, state_->metadata.through(Handle::table, at_)};
        }
        Iterator& operator++() {
            ++at_;
            return *this;
        }
        bool operator==(const Iterator& other) const { return at_ == other.at_; }

    private:
        const ModuleState* state_;
        std::uint32_t at_;
    };
    Iterator begin() const { return {state_, rows_.first}; }
    Iterator end() const { return {state_, rows_.end}; }
    std::uint32_t size() const { return rows_.size(); }
    bool empty() const { return rows_.empty(); }

private:
    const ModuleState* state_;
    RowRange rows_;
};

/// A field (ECMA-335 II.22.15).
struct Field {
    static constexpr Table table = Table::Field;
    const ModuleState* module;
    std::uint32_t rid;

    Token token() const { return {table, rid}; }
    std::uint16_t flags() const {
        return static_cast<std::uint16_t>(module->metadata.cell(table, rid, col::Field::Flags));
    }
    std::string_view name() const { return module->metadata.string(table, rid, col::Field::Name); }
    ByteSpan signature() const { return module->metadata.blob(table, rid, col::Field::Signature); }
};

/// A parameter row (ECMA-335 II.22.33). Sequence 0 is the return value; a parameter need not have one.
struct Param {
    static constexpr Table table = Table::Param;
    const ModuleState* module;
    std::uint32_t rid;

    Token token() const { return {table, rid}; }
    std::uint16_t flags() const {
        return static_cast<std::uint16_t>(module->metadata.cell(table, rid, col::Param::Flags));
    }
    std::uint16_t sequence() const {
        return static_cast<std::uint16_t>(module->metadata.cell(table, rid, col::Param::Sequence));
    }
    std::string_view name() const { return module->metadata.string(table, rid, col::Param::Name); }
};

/// A method (ECMA-335 II.22.26).
struct MethodDef {
    static constexpr Table table = Table::MethodDef;
    const ModuleState* module;
    std::uint32_t rid;

    Token token() const { return {table, rid}; }
    std::uint32_t rva() const { return module->metadata.cell(table, rid, col::MethodDef::RVA); }
    std::uint16_t flags() const {
        return static_cast<std::uint16_t>(module->metadata.cell(table, rid, col::MethodDef::Flags));
    }
    std::uint16_t impl_flags() const {
        return static_cast<std::uint16_t>(
            module->metadata.cell(table, rid, col::MethodDef::ImplFlags));
    }
    std::string_view name() const {
        return module->metadata.string(table, rid, col::MethodDef::Name);
    }
    ByteSpan signature() const {
        return module->metadata.blob(table, rid, col::MethodDef::Signature);
    }
    HandleRange<Param> params() const {
        return {module, module->metadata.list(table, rid, col::MethodDef::ParamList)};
    }
};

/// A type (ECMA-335 II.22.37). Row 1 is `<Module>`, the owner of global members.
struct TypeDef {
    static constexpr Table table = Table::TypeDef;
    const ModuleState* module;
    std::uint32_t rid;

    Token token() const { return {table, rid}; }
    std::uint32_t flags() const { return module->metadata.cell(table, rid, col::TypeDef::Flags); }
    std::string_view name() const {
        return module->metadata.string(table, rid, col::TypeDef::TypeName);
    }
    std::string_view name_space() const {
        return module->metadata.string(table, rid, col::TypeDef::TypeNamespace);
    }
    /// The base type: a TypeDef, TypeRef or TypeSpec; row 0 of one when there is none.
    Token extends() const { return module->metadata.token(table, rid, col::TypeDef::Extends); }
    HandleRange<Field> fields() const {
        return {module, module->metadata.list(table, rid, col::TypeDef::FieldList)};
    }
    HandleRange<MethodDef> methods() const {
        return {module, module->metadata.list(table, rid, col::TypeDef::MethodList)};
    }
};

}  // namespace clrkit
