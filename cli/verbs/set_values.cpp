// Reading the values of `set`.
#include "verbs/set_values.h"

#include "frame/nearest.h"

#include <clrkit/core/pe/format.h>

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>

namespace clrkit::cli {
namespace {

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// Takes exactly `digits` decimal digits off the front; nothing when they are not there.
std::optional<int> take_digits(std::string_view& text, std::size_t digits) {
    const auto number = parse_number(text.substr(0, digits));
    if (text.size() < digits || !number) return std::nullopt;
    text.remove_prefix(digits);
    return static_cast<int>(*number);
}

bool take(std::string_view& text, char c) {
    if (!text.starts_with(c)) return false;
    text.remove_prefix(1);
    return true;
}

/// "Z", "+02:00" or nothing: minutes that the clock is ahead of UTC.
std::optional<int> take_zone(std::string_view& text) {
    if (text.empty() || take(text, 'Z')) return 0;
    const int sign = text[0] == '-' ? -1 : 1;
    if (!take(text, '+') && !take(text, '-')) return std::nullopt;
    const auto hours = take_digits(text, 2);
    (void)take(text, ':');
    const auto minutes = text.empty() ? std::optional<int>(0) : take_digits(text, 2);
    if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
    return sign * (*hours * 60 + *minutes);
}

/// Seconds since 1970 of a date by ISO 8601.
std::optional<std::int64_t> parse_iso(std::string_view text) {
    const auto year = take_digits(text, 4);
    if (!year || !take(text, '-')) return std::nullopt;
    const auto month = take_digits(text, 2);
    if (!month || !take(text, '-')) return std::nullopt;
    const auto day = take_digits(text, 2);
    if (!day) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(*year),
                                           std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok()) return std::nullopt;
    std::int64_t seconds = std::chrono::sys_days(date).time_since_epoch() / std::chrono::seconds(1);
    if (text.empty()) return seconds;
    if (!take(text, 'T') && !take(text, ' ')) return std::nullopt;
    const auto hour = take_digits(text, 2);
    if (!hour || *hour > 23 || !take(text, ':')) return std::nullopt;
    const auto minute = take_digits(text, 2);
    const auto second = take(text, ':') ? take_digits(text, 2) : std::optional<int>(0);
    if (!minute || *minute > 59 || !second || *second > 59) return std::nullopt;
    const auto zone = take_zone(text);
    if (!zone || !text.empty()) return std::nullopt;
    const std::int64_t minutes = std::int64_t{*hour} * 60 + *minute - *zone;
    return seconds + minutes * 60 + *second;
}

struct NamedFlag {
    std::string_view name;
    std::uint32_t bit;
};

constexpr std::array plain_flags{
    NamedFlag{"ilonly", pe::clr_flags::il_only},
    NamedFlag{"strongnamesigned", pe::clr_flags::strong_name_signed},
    NamedFlag{"trackdebugdata", pe::clr_flags::track_debug_data},
};

/// The two bits that together say what 32 bits are to the image (corhdr.h, COR_SET_32BIT_*).
std::uint32_t assign_32bit(std::uint32_t flags, bool preferred, bool on) {
    constexpr std::uint32_t both = pe::clr_flags::required_32bit | pe::clr_flags::preferred_32bit;
    const std::uint32_t meant = preferred ? both : pe::clr_flags::required_32bit;
    if (on) return (flags & ~both) | meant;
    // Off: unless the image is the other of the two.
    const bool other = (flags & both) == (preferred ? pe::clr_flags::required_32bit : both);
    return other ? flags : flags & ~both;
}

}  // namespace

Usage<Version> parse_version(std::string_view text) {
    std::array<std::uint16_t, 4> parts{};
    std::string_view rest = text;
    for (std::size_t i = 0; i < parts.size() && (i == 0 || !rest.empty()); ++i) {
        const std::size_t end = std::min(rest.find('.'), rest.size());
        const auto number = parse_number(rest.substr(0, end));
        const bool dot_at_end = end + 1 == rest.size();
        if (!number || *number > 65535 || dot_at_end) {
            return misuse(quoted(text) + " is no version: up to four numbers from 0 to 65535");
        }
        parts[i] = static_cast<std::uint16_t>(*number);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (!rest.empty()) return misuse(quoted(text) + " is no version: it has more than four parts");
    return Version{parts[0], parts[1], parts[2], parts[3]};
}

Usage<Guid> parse_guid(std::string_view text) {
    const auto bad = [&] { return misuse(quoted(text) + " is no GUID"); };
    std::string_view rest = text;
    if (rest.starts_with('{') && rest.ends_with('}')) rest = rest.substr(1, rest.size() - 2);
    if (rest.size() != 36) return bad();
    std::array<std::uint8_t, 16> written{};
    std::size_t at = 0;
    for (std::size_t i = 0; i < rest.size();) {
        const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash && rest[i] != '-') return bad();
        if (dash) {
            ++i;
            continue;
        }
        const int high = hex_digit(rest[i]);
        const int low = hex_digit(rest[i + 1]);
        if (high < 0 || low < 0) return bad();
        written[at++] = static_cast<std::uint8_t>(high * 16 + low);
        i += 2;
    }
    // The first three groups are little-endian numbers.
    std::reverse(written.begin(), written.begin() + 4);
    std::swap(written[4], written[5]);
    std::swap(written[6], written[7]);
    return written;
}

Usage<Guid> random_guid() {
    Guid guid{};
    if (getrandom(guid.data(), guid.size(), 0) != static_cast<ssize_t>(guid.size())) {
        return misuse("the system gives no random numbers");
    }
    guid[7] = static_cast<std::uint8_t>((guid[7] & 0x0FU) | 0x40U);
    guid[8] = static_cast<std::uint8_t>((guid[8] & 0x3FU) | 0x80U);
    return guid;
}

Usage<std::uint32_t> parse_time(std::string_view text) {
    if (text == "now") return static_cast<std::uint32_t>(std::time(nullptr));
    std::optional<std::int64_t> seconds = parse_iso(text);
    if (const auto number = parse_number(text); number && *number <= 0xFFFFFFFF) {
        seconds = static_cast<std::int64_t>(*number);
    }
    if (!seconds) {
        return misuse(quoted(text) +
                      " is no time: seconds since 1970, now, or 2024-05-01T12:00:00Z");
    }
    if (*seconds < 0 || *seconds > 0xFFFFFFFF) {
        return misuse(quoted(text) + " is out of range: a PE file holds times from 1970 to 2106");
    }
    return static_cast<std::uint32_t>(*seconds);
}

Usage<bool> parse_switch(std::string_view text) {
    if (text == "on") return true;
    if (text == "off") return false;
    return misuse(quoted(text) + " is neither on nor off");
}

Usage<std::uint32_t> assign_flag(std::uint32_t flags, std::string_view assignment) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string_view::npos) {
        return misuse("--flag takes NAME=on or NAME=off, not " + quoted(assignment));
    }
    const std::string_view name = assignment.substr(0, equals);
    const auto on = parse_switch(assignment.substr(equals + 1));
    if (!on) return std::unexpected(on.error());
    if (name == "32bitreq" || name == "32bitpref") {
        return assign_32bit(flags, name == "32bitpref", *on);
    }
    for (const NamedFlag& flag : plain_flags) {
        if (flag.name == name) return *on ? flags | flag.bit : flags & ~flag.bit;
    }
    Nearest nearest(name);
    for (const NamedFlag& flag : plain_flags) nearest.offer(flag.name);
    for (const char* other : {"32bitreq", "32bitpref"}) nearest.offer(other);
    return misuse("no flag " + quoted(name),
                  nearest.best().empty()
                      ? "ilonly, 32bitreq, 32bitpref, strongnamesigned, trackdebugdata"
                      : "did you mean " + nearest.best() + "?");
}

}  // namespace clrkit::cli
