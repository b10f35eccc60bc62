// Floating-point numbers as IL assembler source has them: decimal where that reads back to the same
// bits, else their bytes.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

namespace clrkit::dis {

/// The shortest decimal number that reads back as this one, with a point or an exponent, so that it is
/// no integer. Finite numbers only.
void append_real_text(std::string& to, std::floating_point auto value) {
    std::array<char, 64> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    const std::string_view text(digits.data(), static_cast<std::size_t>(end - digits.data()));
    to += text;
    if (text.find_first_of(".e") == std::string_view::npos) to += ".0";
}

}  // namespace clrkit::dis
