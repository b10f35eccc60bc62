// The answer on the wire: what the helper writes is what the client reads, and nothing else is read.
#include "support/catch.h"

#include <clrkit/core/native/facts.h>

#include <random>

using namespace clrkit;
using namespace clrkit::native;

namespace {

std::string all_bytes() {
    std::string text;
    for (int byte = 0; byte < 256; ++byte) text += static_cast<char>(byte);
    return text;
}

Facts full() {
    Facts facts;
    facts.reader = "LIEF 0.9.0";
    facts.machine = 0x8664;
    facts.pe32_plus = true;
    facts.characteristics = 0x2022;
    facts.time_stamp = 0xFFFFFFFF;
    facts.entry_point = 0x2050;
    facts.image_base = 0xFFFFFFFFFFFF0000;
    facts.section_alignment = 0x2000;
    facts.file_alignment = 0x200;
    facts.size_of_image = 0x8000;
    facts.size_of_headers = 0x400;
    facts.checksum = 7;
    facts.subsystem = 3;
    facts.dll_characteristics = 0x8540;
    facts.directories = {{1, 2}, {0, 0}, {0xFFFFFFFF, 0xFFFFFFFF}};
    facts.sections = {3, {{".text", 0x2000, 1, 2, 3, 4}, {all_bytes(), 5, 6, 7, 8, 9}}};
    facts.rich = RichHeader{0x12345678, {2, {{258, 31329, 1}, {65535, 65535, 0xFFFFFFFF}}}};
    facts.imports = {1, {{"mscoree.dll", {2, {{"_CorExeMain", 1}, {"", 42}}}}}};
    facts.imported_functions = 2;
    facts.exports = Exports{"test.dll", {1, {{"F", 1, 0x2222, false}, {"K.F", 2, 0, true}}}};
    facts.exports->functions.count = 2;
    facts.tls = Tls{1, 2, 3, 4, {2, {5, 6}}};
    facts.load_configuration = LoadConfiguration{72, 0x14000B010};
    facts.relocation_blocks = 1;
    facts.relocations = 22;
    facts.certificate = true;
    facts.signature_parsed = true;
    facts.debug = {4, {{2, 1, 2, 3, 4}}};
    return facts;
}

bool is_answer(std::string_view text) { return from_json(text).has_value(); }

/// `text` with the first `what` in it replaced.
std::string with(std::string text, std::string_view what, std::string_view by) {
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), by);
}

}  // namespace

TEST_CASE("native answer: all of it comes back") {
    const std::string line = to_json(full());
    CHECK(line.back() == '\n');
    CHECK(line.find('\n') == line.size() - 1);
    const auto answer = from_json(line);
    REQUIRE(answer.has_value());
    REQUIRE(answer->has_value());
    const Facts& facts = **answer;
    CHECK(to_json(facts) == line);
    CHECK(facts.reader == "LIEF 0.9.0");
    CHECK(facts.image_base == 0xFFFFFFFFFFFF0000);
    REQUIRE(facts.directories.size() == 3);
    CHECK(facts.directories[2].size == 0xFFFFFFFF);
    CHECK(facts.sections.count == 3);
    REQUIRE(facts.sections.items.size() == 2);
    CHECK(facts.sections.items[1].name == all_bytes());
    REQUIRE(facts.exports.has_value());
    CHECK(facts.exports->functions.items[1].forwarded);
    REQUIRE(facts.imports.items.size() == 1);
    CHECK(facts.imports.items[0].functions.items[0].name == "_CorExeMain");
    CHECK(facts.imports.items[0].functions.items[1].ordinal_or_hint == 42);
    CHECK(facts.load_configuration->security_cookie == 0x14000B010);
}

TEST_CASE("native answer: parts that a file lacks are missing, not empty") {
    const auto answer = from_json(to_json(Facts{}));
    REQUIRE((answer && *answer));
    CHECK(!(*answer)->rich);
    CHECK(!(*answer)->exports);
    CHECK(!(*answer)->tls);
    CHECK(!(*answer)->load_configuration);
}

TEST_CASE("native answer: a refusal comes back with its reason") {
    const auto answer = from_json(to_json(std::unexpected(Refused{"not a PE \"file\" \xFF"})));
    REQUIRE(answer.has_value());
    REQUIRE(!answer->has_value());
    CHECK(answer->error().why == "not a PE \"file\" \xFF");
}

TEST_CASE("native answer: lists and names are cut, counts stay") {
    Facts facts = full();
    const ImportedFunction function{std::string(5000, 'x'), 1};
    facts.imports.items[0].functions = {100'000, std::vector(20'000, function)};
    const std::string line = to_json(facts);
    CHECK(line.size() < longest_answer);
    const auto answer = from_json(line);
    REQUIRE((answer && *answer));
    const auto& functions = (*answer)->imports.items[0].functions;
    CHECK(functions.count == 100'000);
    CHECK(!functions.items.empty());
    CHECK(functions.items.size() < 20'000);
    CHECK(functions.items[0].name == std::string(1024, 'x'));
}

TEST_CASE("native answer: what is none is not taken for one") {
    const std::string good = to_json(full());
    REQUIRE(is_answer(good));
    CHECK(!is_answer(""));
    CHECK(!is_answer("\n"));
    CHECK(!is_answer("hello"));
    CHECK(!is_answer("{}"));
    CHECK(!is_answer("[]"));
    CHECK(!is_answer("1"));
    CHECK(!is_answer(good + good));
    CHECK(!is_answer(std::string_view(good).substr(0, good.size() / 2)));
    CHECK(!is_answer("\xFF" + good));
    CHECK(!is_answer(with(good, "\"schema\":1", "\"schema\":2")));
    CHECK(!is_answer(with(good, "\"schema\":1,", "")));
    CHECK(!is_answer(with(good, "\"machine\":", "\"engine\":")));
    CHECK(!is_answer(with(good, "\"machine\":34404", "\"machine\":\"34404\"")));
    CHECK(!is_answer(with(good, "\"machine\":34404", "\"machine\":-1")));
    CHECK(!is_answer(with(good, "\"machine\":34404", "\"machine\":1.5")));
    CHECK(!is_answer(with(good, "\"machine\":34404", "\"machine\":4294967296")));
    CHECK(!is_answer(with(good, "\"pe32_plus\":true", "\"pe32_plus\":1")));
    CHECK(!is_answer(with(good, "\".text\"", "\"\\u0100\"")));
    CHECK(!is_answer(with(good, "\".text\"", "\"\\ud83d\\ude00\"")));
    CHECK(!is_answer(with(good, "\"count\":4", "\"count\":0")));
    CHECK(!is_answer("{\"schema\":1,\"error\":[]}"));
    CHECK(!is_answer(std::string(100'000, '[')));
    CHECK(!is_answer("{\"schema\":1,\"sections\":" + std::string(100'000, '[')));
}

TEST_CASE("native answer: damage anywhere is survived") {
    const std::string good = to_json(full());
    std::mt19937 random(20260719);
    std::size_t taken = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string bad = good;
        for (int i = 0; i < 3; ++i) bad[random() % bad.size()] = static_cast<char>(random());
        taken += is_answer(bad) ? 1U : 0U;
    }
    CHECK(taken < 20'000);
}
