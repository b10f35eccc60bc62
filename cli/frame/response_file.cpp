// Reading words and paths from files.
#include "frame/response_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace clrkit::cli {
namespace {

/// A list of paths has no reason to be longer; /dev/zero has.
constexpr std::size_t largest_text = std::size_t{256} << 20U;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Reads the rest of a quoted part, whose opening quote stands before `at`. False when it has no end.
bool read_quoted(std::string_view text, std::size_t& at, char quote, std::string& word) {
    for (; at < text.size(); ++at) {
        char c = text[at];
        if (c == quote) {
            ++at;
            return true;
        }
        const char next = at + 1 < text.size() ? text[at + 1] : '\0';
        if (quote == '"' && c == '\\' && (next == '"' || next == '\\')) {
            c = next;
            ++at;
        }
        word += c;
    }
    return false;
}

}  // namespace

Usage<std::string> read_text(const std::string& path) {
    const bool standard = path == "-";
    const int from = standard ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
    std::string text;
    ssize_t got = from < 0 ? -1 : 0;
    std::array<char, 65536> buffer;
    while (from >= 0 && text.size() <= largest_text) {
        got = read(from, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    const int problem = errno;
    if (from >= 0 && !standard) close(from);
    if (got < 0) return misuse(path + ": cannot be read: " + std::strerror(problem));
    if (text.size() > largest_text) return misuse(path + ": is too long for a list");
    return text;
}

Usage<std::vector<std::string>> split_words(std::string_view text) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at < text.size();) {
        if (is_blank(text[at])) {
            ++at;
            continue;
        }
        if (text[at] == '#') {
            at = std::min(text.find('\n', at), text.size());
            continue;
        }
        std::string word;
        while (at < text.size() && !is_blank(text[at])) {
            const char c = text[at++];
            if (c != '"' && c != '\'') {
                word += c;
            } else if (!read_quoted(text, at, c, word)) {
                return misuse("a quote has no end");
            }
        }
        words.push_back(std::move(word));
    }
    return words;
}

std::vector<std::string> split_paths(std::string_view text) {
    const bool by_nul = text.find('\0') != std::string_view::npos;
    std::vector<std::string> paths;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(by_nul ? '\0' : '\n'), text.size());
        std::string_view path = text.substr(0, end);
        if (!by_nul && path.ends_with('\r')) path.remove_suffix(1);
        if (!path.empty()) paths.emplace_back(path);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return paths;
}

Usage<void> expand_words(std::span<const char* const> words, std::vector<std::string>& before,
                         std::vector<std::string>& behind) {
    bool operands_only = false;
    const auto add = [&](std::string word) {
        if (!operands_only && word == "--") {
            operands_only = true;
        } else {
            (operands_only ? behind : before).push_back(std::move(word));
        }
    };
    for (const char* word : words) {
        if (operands_only || word[0] != '@' || word[1] == '\0') {
            add(word);
            continue;
        }
        const std::string path = word + 1;
        auto text = read_text(path);
        if (!text) {
            return misuse(
                text.error().sentence,
                "@FILE is a response file; ./@FILE is an input; behind -- an @ means nothing");
        }
        auto inner = split_words(*text);
        if (!inner) return misuse(path + ": " + inner.error().sentence);
        for (std::string& part : *inner) {
            if (!operands_only && part.size() > 1 && part[0] == '@') {
                return misuse(
                    fmt::format("{}: a response file cannot name another ({})", path, part));
            }
            add(std::move(part));
        }
    }
    return {};
}

}  // namespace clrkit::cli
