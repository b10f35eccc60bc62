// Every loader rule on an image that breaks it, and on images that break none.
#include "support/catch.h"
#include "support/environment.h"
#include "verify/broken_images.h"

#include <clrkit/dotnet/model/module.h>
#include <clrkit/dotnet/verify/loader_rules.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

using namespace clrkit;
using namespace clrkit::test;

namespace {

LoaderFindings check(const Bytes& bytes) {
    const auto module = Module::from_bytes(bytes);
    REQUIRE(module.has_value());
    auto findings = check_loader_rules(module->state());
    REQUIRE(findings.has_value());
    return std::move(*findings);
}

std::string listed(const LoaderFindings& findings) {
    std::string text;
    for (const Finding& each : findings.list) {
        text += std::string(each.code) + ": " + each.text + "\n";
    }
    return text;
}

void check_clean(const Bytes& bytes) {
    const LoaderFindings findings = check(bytes);
    INFO(listed(findings));
    CHECK(findings.list.empty());
    CHECK(findings.errors() == 0);
    CHECK(findings.warnings() == 0);
}

}  // namespace

TEST_CASE("An image without imports breaks no loader rule") { check_clean(build(minimal())); }

TEST_CASE("An image of 64 bits breaks no loader rule") {
    ImageSpec image = minimal();
    image.pe.pe32_plus = true;
    image.pe.machine = 0x8664;
    image.pe.characteristics = 0x0022;
    check_clean(build(image));
}

TEST_CASE("An image with the jump to mscoree breaks no loader rule") {
    check_clean(build(ThunkImage().image));
}

TEST_CASE("An image of 64 bits with the jump to mscoree breaks no loader rule") {
    check_clean(build(thunk_of_64_bits()));
}

TEST_CASE("A library breaks no loader rule") {
    ThunkImage thunk;
    thunk.image.pe.characteristics = 0x2102;
    thunk.image.clr.entry_point = 0;
    thunk.put_at(thunk.function_name + 2, bytes_of("_CorDllMain"));
    check_clean(build(thunk.image));
}

TEST_CASE("Field data in the zeros of a writable section breaks no loader rule") {
    ImageSpec image = minimal();
    SectionSpec data;
    data.data = Bytes(2, 0x11);
    data.virtual_size = 0x1000;
    data.characteristics = 0xC0000040;
    image.pe.sections.push_back(data);
    Heaps& heaps = image.metadata.heaps;
    const std::uint32_t field = image.metadata.tables.add(
        table::Field, {0x0116, heaps.string("data"), heaps.blob({0x06, 0x08})});
    image.metadata.tables.add(table::FieldRVA, {0x4800, field});
    check_clean(build(image));
}

TEST_CASE("Each broken image breaks its rule") {
    for (const BrokenImage& broken : broken_images()) {
        INFO(broken.name);
        const LoaderFindings findings = check(broken.bytes);
        INFO(listed(findings));
        const LoaderRuleInfo& rule = info_of(broken.rule);
        const auto found = std::ranges::find_if(findings.list, [&](const Finding& each) {
            return std::string_view(each.code) == rule.code && each.severity == broken.severity;
        });
        REQUIRE(found != findings.list.end());
        CHECK((found->offset < broken.bytes.size() || found->offset == no_offset));
        CHECK(found->text != nullptr);
        CHECK((broken.severity == Severity::error ? findings.errors() : findings.warnings()) != 0);
        if (broken.severity == Severity::warning) CHECK(findings.errors() == 0);
    }
}

TEST_CASE("Every loader rule has a broken image") {
    std::set<std::string> broken;
    for (const BrokenImage& each : broken_images()) broken.insert(info_of(each.rule).code);
    for (const LoaderRuleInfo& rule : loader_rules) {
        INFO(rule.code);
        CHECK(broken.contains(rule.code));
    }
}

TEST_CASE("docs/verify.md says what the rules say") {
    const auto page = testdata().parent_path() / "docs" / "verify.md";
    std::ifstream in(page);
    if (!in) SKIP_TEST("no docs beside testdata");
    std::vector<std::string> rows;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("| PE")) rows.push_back(line);
    }
    std::set<LoaderRule> errors;
    std::set<LoaderRule> warnings;
    for (const BrokenImage& each : broken_images()) {
        (each.severity == Severity::error ? errors : warnings).insert(each.rule);
    }
    REQUIRE(rows.size() == loader_rule_count);
    for (std::size_t i = 0; i < loader_rule_count; ++i) {
        const LoaderRuleInfo& rule = loader_rules[i];
        std::string severity = errors.contains(rule.rule) ? "error" : "";
        if (warnings.contains(rule.rule)) severity += severity.empty() ? "warning" : ", warning";
        CHECK(rows[i] == std::string("| ") + rule.code + " | " + severity + " | " + rule.sentence +
                             " | " + rule.source + " |");
    }
}

TEST_CASE("The findings of one rule are listed up to a bound and all counted") {
    ImageSpec image = minimal();
    const Row method = image.metadata.tables.row(table::MethodDef, 1);
    for (std::uint32_t i = 0; i < 100; ++i) {
        Row row = method;
        row[0] = 0x9000 + i;
        image.metadata.tables.add(table::MethodDef, row);
    }
    const LoaderFindings findings = check(build(image));
    CHECK(findings.list.size() == LoaderFindings::listed_at_most);
    CHECK(findings.count(LoaderRule::method_body).errors == 100);
    CHECK(findings.errors() == 100);
}

TEST_CASE("Findings carry place and token") {
    ImageSpec image = minimal();
    image.metadata.tables.row(table::MethodDef, 1)[0] = 0x9000;
    const LoaderFindings findings = check(build(image));
    REQUIRE(findings.list.size() == 1);
    const Finding& finding = findings.list.front();
    CHECK(finding.code == std::string_view("PE0701"));
    CHECK(finding.severity == Severity::error);
    CHECK(finding.token == token(table::MethodDef, 1));
    CHECK(finding.offset ==
          image.tables_offset() + image.metadata.tables.cell_offset(table::MethodDef, 1, 0));
}

TEST_CASE("Edits are checked as they are, not as the file was") {
    const Bytes bytes = build(minimal());
    auto module = Module::from_bytes(bytes);
    REQUIRE(module.has_value());
    REQUIRE(module->set_clr_flags(0x41).has_value());
    const auto findings = check_loader_rules(module->state());
    REQUIRE(findings.has_value());
    CHECK(findings->count(LoaderRule::clr_flags).errors == 1);
}

TEST_CASE("Bodies that share their exception tables are measured up to a budget") {
    ImageSpec image = minimal();
    Bytes body = fat_body(Bytes(0x4000, 0));
    const std::uint32_t rva = image.area.add(body);
    const Row method = image.metadata.tables.row(table::MethodDef, 1);
    for (std::uint32_t i = 0; i < 8; ++i) {
        Row row = method;
        row[0] = i % 2 == 0 ? rva : method[0];
        image.metadata.tables.add(table::MethodDef, row);
    }
    image.pe.size_of_image = 0x8000;
    const Bytes bytes = build(image);
    const auto module = Module::from_bytes(bytes);
    REQUIRE(module.has_value());
    Limits limits;
    limits.output_bytes = 0x8000;
    const auto findings = check_loader_rules(module->state(), limits);
    REQUIRE_FALSE(findings.has_value());
    CHECK(findings.error().code == ErrorCode::limit_reached);
}
