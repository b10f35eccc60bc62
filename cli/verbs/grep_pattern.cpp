// POSIX expressions: the standard library's recurse once for every character of the text.
#include "verbs/grep_pattern.h"

#include "frame/nearest.h"

#include <clrkit/core/bytes/endian.h>

#include <regex.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>

namespace clrkit::cli {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_character(char a, char b) { return lower(a) == lower(b); }

/// Decimal with a sign, or 0x and hexadecimal digits, as an int64 or an uint64. `is_integer` says
/// whether it is written like one, also when 64 bits do not hold it.
std::optional<std::int64_t> parse_integer(std::string_view text, bool& is_integer) {
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    if (hex) text.remove_prefix(2);
    std::uint64_t value = 0;
    const auto [end, problem] =
        std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
    is_integer = problem != std::errc::invalid_argument && end == text.data() + text.size();
    constexpr std::uint64_t lowest = std::uint64_t{1} << 63U;
    if (!is_integer || problem != std::errc{} || (negative && value > lowest)) return std::nullopt;
    return std::bit_cast<std::int64_t>(negative ? 0 - value : value);
}

template <class Real>
std::optional<Real> parse_real(std::string_view text) {
    Real value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// Every NaN is what was wanted when one was.
template <class Real>
bool same_real(const std::optional<Real>& wanted, Real value) {
    return wanted && (*wanted == value || (std::isnan(*wanted) && std::isnan(value)));
}

/// Refuses a word that no opcode begins with: nothing could ever match.
Usage<void> check_opcode(std::string_view text) {
    Nearest nearest(text);
    for (const cil::Opcode& opcode : cil::opcode_table::rows) {
        if (std::ranges::equal(text, opcode.name.substr(0, text.size()), same_character)) return {};
        nearest.offer(opcode.name);
    }
    std::string hint = "with -E the pattern is a regular expression";
    if (!nearest.best().empty()) hint = "did you mean " + nearest.best() + "?";
    return misuse("no such opcode: '" + std::string(text) + "'", std::move(hint));
}

}  // namespace

struct Pattern::Expression {
    regex_t compiled{};
    bool good = false;

    Expression() = default;
    Expression(const Expression&) = delete;
    Expression& operator=(const Expression&) = delete;
    ~Expression() {
        if (good) regfree(&compiled);
    }
};

Pattern::Pattern() = default;
Pattern::~Pattern() = default;
Pattern::Pattern(Pattern&& other) noexcept = default;
Pattern& Pattern::operator=(Pattern&& other) noexcept = default;

Usage<Pattern> Pattern::read(const Arguments& arguments, PatternKind kind) {
    Pattern pattern;
    pattern.text_ = arguments.operands().front();
    pattern.whole_ = arguments.has("whole");
    pattern.any_case_ = arguments.has("ignore-case");
    if (auto good = pattern.read_numbers(kind == PatternKind::number); !good) {
        return std::unexpected(good.error());
    }
    if (arguments.has("regexp")) {
        if (auto good = pattern.compile(); !good) return std::unexpected(good.error());
    } else if (kind == PatternKind::opcode) {
        if (auto good = check_opcode(pattern.text_); !good) return std::unexpected(good.error());
    }
    return pattern;
}

Usage<void> Pattern::read_numbers(bool needs_one) {
    bool is_integer = false;
    integer_ = parse_integer(text_, is_integer);
    single_ = parse_real<float>(text_);
    double_ = parse_real<double>(text_);
    if (!needs_one) return {};
    if (is_integer && !integer_) {
        return misuse("'" + text_ + "' does not fit into 64 bits",
                      "with a dot or an exponent it is a floating-point number");
    }
    if (!integer_ && !double_) {
        return misuse("'" + text_ + "' is no number",
                      "--constants looks for a value: 42, 0x2A, 1.5");
    }
    return {};
}

Usage<void> Pattern::compile() {
    expression_ = std::make_unique<Expression>();
    const int flags = REG_EXTENDED | (whole_ ? 0 : REG_NOSUB) | (any_case_ ? REG_ICASE : 0);
    const int fault = regcomp(&expression_->compiled, text_.c_str(), flags);
    if (fault != 0) {
        std::array<char, 256> why{};
        regerror(fault, &expression_->compiled, why.data(), why.size());
        return misuse("'" + text_ + "' is no extended regular expression: " + why.data());
    }
    expression_->good = true;
    return {};
}

bool Pattern::matches(std::string_view text) const {
    if (expression_ != nullptr) {
        regmatch_t range{};  // REG_STARTEND: text with NULs, and without one behind it
        range.rm_so = 0;
        range.rm_eo = static_cast<regoff_t>(text.size());
        const bool found =
            regexec(&expression_->compiled, text.data() != nullptr ? text.data() : "", 1, &range,
                    REG_STARTEND) == 0;
        // POSIX takes the leftmost match, and of these the longest: all of the text if that is one.
        return found && (!whole_ || (range.rm_so == 0 &&
                                     static_cast<std::size_t>(range.rm_eo) == text.size()));
    }
    if (whole_) {
        return any_case_ ? std::ranges::equal(text, text_, same_character) : text == text_;
    }
    if (!any_case_) return text.find(text_) != std::string_view::npos;
    return !std::ranges::search(text, text_, same_character).empty() || text_.empty();
}

bool Pattern::names(std::string_view text) const {
    return expression_ != nullptr ? matches(text) : std::ranges::equal(text, text_, same_character);
}

bool Pattern::equals(std::int64_t value) const {
    // 0xFFFFFFFF is how people write the int32 -1.
    return integer_ && (*integer_ == value ||
                        (value < 0 && value >= INT32_MIN && *integer_ == (value & 0xFFFFFFFF)));
}

// 0.9 as a float is another number than as a double.
bool Pattern::equals(float value) const { return same_real(single_, value); }

bool Pattern::equals(double value) const { return same_real(double_, value); }

bool Pattern::equals(cil::OperandKind kind, ByteSpan operand) const {
    using cil::OperandKind;
    switch (kind) {
        case OperandKind::i1: return equals(std::int64_t{static_cast<std::int8_t>(operand[0])});
        case OperandKind::i4:
            return equals(
                std::int64_t{std::bit_cast<std::int32_t>(load_le<std::uint32_t>(operand.data()))});
        case OperandKind::i8:
            return equals(std::bit_cast<std::int64_t>(load_le<std::uint64_t>(operand.data())));
        case OperandKind::r4:
            return equals(std::bit_cast<float>(load_le<std::uint32_t>(operand.data())));
        case OperandKind::r8:
            return equals(std::bit_cast<double>(load_le<std::uint64_t>(operand.data())));
        default: return false;
    }
}

}  // namespace clrkit::cli
