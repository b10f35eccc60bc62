// The one file that includes RapidJSON: its streaming writer, behind a stream that is a Sink.
#include "frame/json.h"

#include "frame/text.h"

#include <rapidjson/writer.h>
#include <cmath>

#include <algorithm>
#include <cstdio>
#include <string>

namespace clrkit::cli {
namespace {

struct Stream {
    using Ch = char;
    Sink* out;
    // The writer's names, not ours. NOLINTBEGIN(readability-identifier-naming)
    void Put(char c) const { out->put(c); }
    void Flush() const {}
    // NOLINTEND(readability-identifier-naming)
};

rapidjson::SizeType size_of(std::string_view text) {
    return static_cast<rapidjson::SizeType>(text.size());
}

/// The text with U+FFFD for every byte that belongs to no character.
std::string mended(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        std::uint32_t code = 0;
        const std::size_t size = utf8_character(text, code);
        out += size != 0 ? text.substr(0, size) : std::string_view("\xEF\xBF\xBD");
        text.remove_prefix(size != 0 ? size : 1);
    }
    return out;
}

/// A JSON string in which everything that acts on a terminal is escaped, not only what JSON asks for.
std::string quoted(std::string_view text) {
    std::string out = "\"";
    char escape[16];
    while (!text.empty()) {
        std::uint32_t code = 0;
        const std::size_t size = std::max<std::size_t>(1, utf8_character(text, code));
        if (code == '"' || code == '\\') {
            out += '\\';
            out += text[0];
        } else if (!is_dangerous(code)) {
            out += text.substr(0, size);
        } else if (code < 0x10000) {
            std::snprintf(escape, sizeof escape, "\\u%04x", code);
            out += escape;
        } else {
            std::snprintf(escape, sizeof escape, "\\u%04x\\u%04x",
                          0xD800 + ((code - 0x10000) >> 10U), 0xDC00 + (code & 0x3FFU));
            out += escape;
        }
        text.remove_prefix(size);
    }
    return out + '"';
}

/// Cut, but not inside a character.
std::string_view cut(std::string_view text) {
    if (text.size() <= longest_printed) return text;
    std::size_t end = longest_printed;
    while (end > longest_printed - 3 && (static_cast<std::uint8_t>(text[end]) & 0xC0U) == 0x80)
        --end;
    return text.substr(0, end);
}

}  // namespace

struct Json::Writer {
    explicit Writer(Sink& out) : stream{&out}, json(stream) {}
    Stream stream;
    rapidjson::Writer<Stream> json;
};

Json::Json(Sink& out) : writer_(std::make_unique<Writer>(out)) {}
Json::~Json() = default;

void Json::begin_object() { writer_->json.StartObject(); }
void Json::end_object() { writer_->json.EndObject(); }
void Json::begin_array() { writer_->json.StartArray(); }
void Json::end_array() { writer_->json.EndArray(); }
void Json::key(std::string_view name) {
    writer_->json.Key(name.empty() ? "" : name.data(), size_of(name));
}
void Json::text(std::string_view value) {
    writer_->json.String(value.empty() ? "" : value.data(), size_of(value));
}
void Json::number(std::uint64_t value) { writer_->json.Uint64(value); }
void Json::signed_number(std::int64_t value) { writer_->json.Int64(value); }
void Json::real(double value) {
    if (std::isfinite(value)) {
        writer_->json.Double(value);
    } else if (std::isnan(value)) {
        text("NaN");
    } else {
        text(value > 0 ? "Infinity" : "-Infinity");
    }
}
void Json::boolean(bool value) { writer_->json.Bool(value); }
void Json::null() { writer_->json.Null(); }

void Json::begin_object(std::string_view name) {
    key(name);
    begin_object();
}

void Json::begin_array(std::string_view name) {
    key(name);
    begin_array();
}

void Json::text(std::string_view name, std::string_view value) {
    key(name);
    text(value);
}

void Json::null(std::string_view name) {
    key(name);
    null();
}

void Json::member(std::string_view name, bool value) {
    key(name);
    boolean(value);
}

void Json::number_member(std::string_view name, std::uint64_t value) {
    key(name);
    number(value);
}

void Json::member(std::string_view name, Token value) {
    char token[16];
    std::snprintf(token, sizeof token, "0x%08X", value.value());
    text(name, token);
}

void Json::bytes(std::string_view name, ByteSpan value) {
    text(name, hex(value));
    if (value.size() > longest_printed) {
        number_member(std::string(name) + "_size", value.size());
    }
}

void Json::name(std::string_view name, std::string_view value) {
    const std::string_view part = cut(value);
    const bool whole = is_utf8(part);
    const std::string value_text = quoted(whole ? std::string(part) : mended(part));
    key(name);
    writer_->json.RawValue(value_text.data(), value_text.size(), rapidjson::kStringType);
    if (!whole) {
        const ByteSpan raw(reinterpret_cast<const std::uint8_t*>(part.data()), part.size());
        text(std::string(name) + "_bytes", hex(raw));
    }
    if (part.size() != value.size()) number_member(std::string(name) + "_size", value.size());
}

}  // namespace clrkit::cli
