// Opening a module, and what is said about it as a whole.
#include <clrkit/core/door.h>
#include <clrkit/core/try.h>
#include <clrkit/dotnet/attributes/assembly_attribute.h>
#include <clrkit/dotnet/model/module.h>

#include <new>
#include <utility>

namespace clrkit {

Result<Module> Module::parse(std::unique_ptr<ModuleState> state, const OpenOptions& options) {
    return at_the_door(Stage::metadata, [&]() -> Result<Module> {
        state->eyes = options.eyes;
        TRY_DO(state->parse(options.diagnostics));
        return Module(std::move(state));
    });
}

Result<Module> Module::open(const std::string& path, const OpenOptions& options) {
    std::unique_ptr<ModuleState> state(new (std::nothrow) ModuleState);
    if (!state) return failure(Stage::io, ErrorCode::out_of_memory);
    TRY(state->file, InputFile::open(path, options.input));
    state->bytes = state->original = state->file.bytes();
    return parse(std::move(state), options);
}

Result<Module> Module::from_bytes(ByteSpan bytes, const OpenOptions& options) {
    std::unique_ptr<ModuleState> state(new (std::nothrow) ModuleState);
    if (!state) return failure(Stage::io, ErrorCode::out_of_memory);
    state->bytes = state->original = bytes;
    return parse(std::move(state), options);
}

Version Module::assembly_version() const {
    const auto part = [&](unsigned column) {
        return static_cast<std::uint16_t>(metadata().cell(Table::Assembly, 1, column));
    };
    return {part(col::Assembly::MajorVersion), part(col::Assembly::MinorVersion),
            part(col::Assembly::BuildNumber), part(col::Assembly::RevisionNumber)};
}

std::string_view Module::target_framework() const {
    return string_argument(
        assembly_attribute(metadata(), "System.Runtime.Versioning", "TargetFrameworkAttribute"), 0);
}

}  // namespace clrkit
