// What a check of an image found wrong: one value of fixed size, no text of its own.
#pragma once

#include <clrkit/core/error.h>

#include <cstdint>

namespace clrkit {

enum class Severity : std::uint8_t {
    /// Loads where it is asked for most; a tool, another runtime or the standard objects.
    warning,
    /// A loader refuses the image, or the part of it that is concerned.
    error,
};

/// A broken rule and where.
struct Finding {
    /// The rule's code, such as "PE0107". Never null.
    const char* code = nullptr;
    Severity severity = Severity::error;
    /// Byte offset in the file of the field or part concerned; `no_offset` for the image as a whole.
    std::uint64_t offset = no_offset;
    /// The metadata token concerned; 0 when there is none.
    std::uint32_t token = 0;
    /// What is wrong there: a string literal, one clause without a full stop. Never null.
    const char* text = nullptr;
};

}  // namespace clrkit
