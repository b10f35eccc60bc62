// Source text of images, for tests.
#pragma once

#include "support/opened.h"

#include <clrkit/dotnet/dis/disassembler.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace clrkit::test {

/// What was printed of a module, and what could not be.
struct Text {
    std::string text;
    dis::Gaps gaps;

    bool has(std::string_view part) const { return text.find(part) != std::string::npos; }
};

/// With a folder, the embedded resources are written there under the names that the text has for them.
inline Text text_of(const Module& module, const dis::DisassemblyOptions& options = {},
                    const std::filesystem::path& folder = {}) {
    Text result;
    auto take = [&](std::string_view piece) { result.text += piece; };
    const dis::TextTarget target(take);
    auto disassembler = dis::Disassembler::create(module, options, target);
    if (!disassembler) return result;
    disassembler->module();
    result.gaps = disassembler->gaps();
    if (folder.empty()) return result;
    for (const dis::ResourceFile& resource : disassembler->resources()) {
        std::ofstream(folder / resource.name, std::ios::binary) << std::string_view(
            reinterpret_cast<const char*>(resource.bytes.data()), resource.bytes.size());
    }
    return result;
}

inline Text text_of(const ImageSpec& image, const dis::DisassemblyOptions& options = {}) {
    const Opened opened = open(image);
    if (!opened.module) return {};
    return text_of(*opened.module, options);
}

/// minimal() with another body of Main.
inline ImageSpec with_body(const Bytes& body) {
    ImageSpec image = minimal();
    image.metadata.tables.row(table::MethodDef, minimal_rows::main)[0] = image.area.add(body);
    return image;
}

}  // namespace clrkit::test
