// Opens the bytes as everything they might be, through everybody's eyes, and walks what opens.
#include "check.h"
#include "walk.h"

#include <clrkit/core/diagnostics.h>

#include <cstddef>

namespace {

using namespace clrkit;

void look_at(const Diagnostics& diagnostics) {
    std::size_t left = 20;
    for (const Error& fault : diagnostics.kept()) {
        fuzz::require(!render(fault).empty(), "every fault has a sentence");
        if (--left == 0) break;
    }
}

void open_module(ByteSpan bytes, Eyes eyes) {
    Diagnostics diagnostics;
    OpenOptions options;
    options.eyes = eyes;
    options.diagnostics = &diagnostics;
    const auto module = Module::from_bytes(bytes, options);
    look_at(diagnostics);
    if (!module) {
        fuzz::require(!render(module.error(), "file").empty(), "every error has a sentence");
        return;
    }
    fuzz::walk_metadata(module->metadata());
    fuzz::walk_module(*module);
}

void open_metadata(ByteSpan bytes, Eyes eyes) {
    const Container container = Container::of_metadata(bytes);
    Diagnostics diagnostics;
    MetadataOptions options;
    options.eyes = eyes;
    options.diagnostics = &diagnostics;
    const auto metadata = Metadata::parse(container.metadata, container.metadata_offset, options);
    if (metadata) fuzz::walk_metadata(*metadata);
    look_at(diagnostics);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteSpan bytes{data, size};
    Diagnostics diagnostics;
    if (const auto image = pe::Image::parse(bytes, &diagnostics)) fuzz::walk_image(*image);
    look_at(diagnostics);
    for (const Eyes eyes : {Eyes::clr, Eyes::mono, Eyes::strict}) {
        open_module(bytes, eyes);
        open_metadata(bytes, eyes);
    }
    return 0;
}
