// JSON as it is printed, value after value; nothing is kept. Text from files goes through `name`,
// which stays lossless and valid whatever the bytes are. See docs/cli.md, "JSON".
#pragma once

#include "frame/sink.h"

#include <clrkit/core/bytes/span.h>
#include <clrkit/dotnet/metadata/tokens.h>

#include <concepts>
#include <cstdint>
#include <memory>
#include <string_view>

namespace clrkit::cli {

class Json {
public:
    explicit Json(Sink& out);
    ~Json();
    Json(const Json&) = delete;
    Json& operator=(const Json&) = delete;

    // Values: an element of an array, or what follows a key.
    void begin_object();
    void end_object();
    void begin_array();
    void end_array();
    void key(std::string_view name);
    /// Our own text: UTF-8.
    void text(std::string_view value);
    void number(std::uint64_t value);
    void signed_number(std::int64_t value);
    /// What JSON has no number for is text: "NaN", "Infinity", "-Infinity".
    void real(double value);
    void boolean(bool value);
    void null();

    // Members of an object.
    void begin_object(std::string_view name);
    void begin_array(std::string_view name);
    void text(std::string_view name, std::string_view value);
    void null(std::string_view name);
    void member(std::string_view name, bool value);
    void member(std::string_view name, std::unsigned_integral auto value) {
        number_member(name, value);
    }
    /// "0x06000001".
    void member(std::string_view name, Token value);
    /// Hexadecimal digits, cut at `longest_printed` bytes; then NAME_size tells how many there are.
    void bytes(std::string_view name, ByteSpan value);
    /// Text that somebody else wrote. Where it is not UTF-8, what is wrong becomes U+FFFD and
    /// NAME_bytes holds all bytes in hexadecimal. Longer than `longest_printed` bytes it is cut,
    /// and NAME_size tells how long it is.
    void name(std::string_view name, std::string_view value);

private:
    void number_member(std::string_view name, std::uint64_t value);

    struct Writer;
    std::unique_ptr<Writer> writer_;
};

}  // namespace clrkit::cli
