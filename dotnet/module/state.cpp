// Parsing and overwriting a module's bytes.
#include <clrkit/core/door.h>
#include <clrkit/core/try.h>
#include <clrkit/dotnet/module/state.h>

#include <algorithm>
#include <cstring>

namespace clrkit {

Status ModuleState::parse(Diagnostics* diagnostics) {
    TRY(container, Container::open_image(bytes, diagnostics));
    MetadataOptions options;
    options.eyes = eyes;
    options.diagnostics = diagnostics;
    TRY(metadata, Metadata::parse(container.metadata, container.metadata_offset, options));
    return {};
}

unsigned ModuleState::holders(std::uint64_t offset, std::uint64_t size) const {
    unsigned count = 0;
    const auto hold = [&](std::uint64_t from, std::uint64_t length) {
        if (offset < from + length && from < offset + size) ++count;
    };
    hold(0, container.image.headers_end());
    hold(container.clr_offset, sizeof(pe::ClrHeader));
    const MetadataRoot& root = metadata.root();
    auto cursor = root.streams();
    while (const auto stream = cursor.next()) {
        if (stream->content.empty()) continue;
        hold(metadata.offset_in_file(stream->content.data()), stream->content.size());
    }
    hold(root.file_offset(), cursor.position());
    return count;
}

Status ModuleState::overwrite(std::uint64_t offset, ByteSpan value) {
    if (!fits(bytes.size(), offset, value.size())) {
        return failure(Stage::edit, ErrorCode::data_unreadable, offset);
    }
    const ByteSpan present = bytes.subspan(static_cast<std::size_t>(offset), value.size());
    if (std::ranges::equal(present, value)) return {};
    if (private_copy.data() == nullptr) {
        Pages copy(bytes.size());
        if (copy.data() == nullptr) return failure(Stage::edit, ErrorCode::out_of_memory);
        std::ranges::copy(original, copy.data());
        private_copy = std::move(copy);
        bytes = private_copy.first(original.size());
        TRY_DO(parse(nullptr));
    }
    return at_the_door(Stage::edit, [&]() -> Status {
        edits.push_back({offset, static_cast<std::uint32_t>(value.size())});
        std::ranges::copy(value, private_copy.data() + offset);
        return {};
    });
}

}  // namespace clrkit
