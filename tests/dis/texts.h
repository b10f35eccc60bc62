// Source text of images, for tests.
#pragma once

#include "support/opened.h"

#include <clrkit/dotnet/dis/disassembler.h>

#include <string>

namespace clrkit::test {

/// What was printed of a module, and what could not be.
struct Text {
    std::string text;
    dis::Gaps gaps;

    bool has(std::string_view part) const { return text.find(part) != std::string::npos; }
};

inline Text text_of(const Module& module, const dis::DisassemblyOptions& options = {}) {
    Text result;
    auto take = [&](std::string_view piece) { result.text += piece; };
    const dis::TextTarget target(take);
    auto disassembler = dis::Disassembler::create(module, options, target);
    if (!disassembler) return result;
    disassembler->module();
    result.gaps = disassembler->gaps();
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
