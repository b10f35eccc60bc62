// Paths from rows and from texts.
#include <clrkit/core/bytes/hash.h>
#include <clrkit/dotnet/attributes/type_path.h>
#include <clrkit/dotnet/signatures/type_name.h>

#include <algorithm>

namespace clrkit {

std::uint64_t TypePath::hash() const {
    std::uint64_t value = count;
    for (std::uint32_t i = 0; i < count; ++i) {
        value = hash_text(parts[i].name, hash_text(parts[i].name_space, value));
    }
    return value;
}

std::string_view bounded_name(const Metadata& metadata, std::uint32_t offset, bool& valid) {
    const ByteSpan bytes = slice_clamped(metadata.strings().bytes(), offset, TypePath::longest + 1);
    const void* end = bytes.empty() ? nullptr : std::memchr(bytes.data(), 0, bytes.size());
    const auto* text = reinterpret_cast<const char*>(bytes.data());
    if (end != nullptr) {
        return {text, static_cast<std::size_t>(static_cast<const char*>(end) - text)};
    }
    if (bytes.size() > TypePath::longest) valid = false;
    return {text, bytes.size()};
}

bool path_of_reference(const Metadata& metadata, std::uint32_t type_ref, TypePath& path,
                       Token& scope) {
    path.clear();
    bool valid = true;
    for (scope = Token(Table::TypeRef, type_ref); scope.table() == Table::TypeRef;
         scope = metadata.token(Table::TypeRef, scope.rid(), col::TypeRef::ResolutionScope)) {
        if (!metadata.tables().has(scope)) return false;
        const auto name = [&](unsigned column) {
            return bounded_name(metadata, metadata.cell(Table::TypeRef, scope.rid(), column),
                                valid);
        };
        if (!path.add({name(col::TypeRef::TypeNamespace), name(col::TypeRef::TypeName)}) || !valid)
            return false;
    }
    return true;
}

namespace {

/// Removes the escapes of one name of a chain: in place where there is none, else into `room`.
bool unescape(std::string_view& name, UnescapedNames& room, std::size_t& used) {
    if (name.find('\\') == std::string_view::npos) return true;
    const std::size_t start = used;
    for (std::size_t at = 0; at < name.size(); ++at) {
        if (name[at] == '\\') ++at;
        if (at == name.size() || used == room.size()) return false;
        room[used] = name[at];
        ++used;
    }
    name = {room.data() + start, used - start};
    return true;
}

}  // namespace

bool path_of_name(std::string_view name, UnescapedNames& room, TypePath& path) {
    path.clear();
    std::size_t used = 0;
    for (std::size_t at = 0; at <= name.size();) {
        const std::size_t end = std::min(find_unescaped(name, '+', at), name.size());
        TypePath::Part part{{}, name.substr(at, end - at)};
        if (part.name.size() > TypePath::longest || !unescape(part.name, room, used)) return false;
        // Only a top-level type has a namespace; a nested one may well have a dot in its name.
        const std::size_t dot = at == 0 ? part.name.rfind('.') : std::string_view::npos;
        if (dot != std::string_view::npos) {
            part = {part.name.substr(0, dot), part.name.substr(dot + 1)};
        }
        if (!path.add(part)) return false;
        at = end + 1;
    }
    std::reverse(path.parts.begin(), path.parts.begin() + path.count);
    return true;
}

bool is_named(const Metadata& metadata, Token type, std::string_view name_space,
              std::string_view name) {
    if (!metadata.tables().has(type)) return false;
    const auto is = [&](unsigned column, std::string_view text) {
        return metadata.strings().equals(metadata.cell(type.table(), type.rid(), column), text);
    };
    switch (type.table()) {
        case Table::TypeRef:
            return is(col::TypeRef::TypeName, name) && is(col::TypeRef::TypeNamespace, name_space);
        case Table::TypeDef:
            return is(col::TypeDef::TypeName, name) && is(col::TypeDef::TypeNamespace, name_space);
        default: return false;
    }
}

}  // namespace clrkit
