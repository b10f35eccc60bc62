// The loader rules on every assembly of this machine, and on what we write of it: a rule that fires
// on what compilers make is wrong, and what we write must break none that its input did not break.
#include "support/catch.h"
#include "support/real_files.h"

#include <clrkit/dotnet/model/module.h>
#include <clrkit/dotnet/verify/loader_rules.h>
#include <clrkit/dotnet/write/writer.h>

#include <cstdio>
#include <map>
#include <string>

using namespace clrkit;

namespace {

/// Opens every file of every set and hands it to `check`, with the name of the set.
template <class Check>
void for_every_module(Check check) {
    for (const test::FileSet& set : test::real_files()) {
        for (const auto& path : set.files) {
            auto module = Module::open(path.string());
            if (!module) continue;
            INFO(path);
            check(*module, path, set.name);
        }
    }
}

LoaderFindings findings_of(const ModuleState& state) {
    auto findings = check_loader_rules(state);
    REQUIRE(findings.has_value());
    return std::move(*findings);
}

/// Mono's C# compiler relocates the jump in images for ARM and Itanium in the ways of these machines,
/// which CoreCLR, looking for that of i386, refuses; and tables of version 1.1, which ilasm
/// can be told to write, are too old for it.
bool is_refused(const std::filesystem::path& path) {
    const auto name = path.filename();
    return name == "hello-arm.exe" || name == "hello-itanium.exe" || name == "hello-il-v1.exe";
}

/// CHECKs that `after` breaks no rule more often than `before`.
void check_no_worse(const LoaderFindings& before, const LoaderFindings& after) {
    for (std::size_t i = 0; i < loader_rule_count; ++i) {
        INFO(loader_rules[i].code << ": " << loader_rules[i].sentence);
        CHECK(after.counts[i].errors <= before.counts[i].errors);
        CHECK(after.counts[i].warnings <= before.counts[i].warnings);
    }
}

void check_written(const LoaderFindings& before, ByteSpan bytes) {
    const auto written = Module::from_bytes(bytes);
    REQUIRE(written.has_value());
    check_no_worse(before, findings_of(written->state()));
}

}  // namespace

TEST_CASE("What compilers make breaks no loader rule") {
    std::map<std::string, int> images;
    std::map<std::string, int> broken;
    for_every_module([&](const Module& module, const auto& path, const std::string& set) {
        const LoaderFindings findings = findings_of(module.state());
        ++images[set];
        for (const Finding& finding : findings.list) {
            const char* severity = finding.severity == Severity::error ? "error" : "warning";
            ++broken[set + ": " + finding.code + " " + severity + ": " + finding.text];
        }
        if (set == "corpus") return;
        CHECK((findings.errors() != 0) == is_refused(path));
    });
    for (const auto& [set, count] : images) std::printf("  %s: %d images\n", set.c_str(), count);
    for (const auto& [what, count] : broken) std::printf("  %5d %s\n", count, what.c_str());
}

TEST_CASE("What a rebuild writes breaks no loader rule that its input keeps") {
    Writer writer;
    RebuildOptions options;
    options.stale_signature = StaleSignature::public_sign;
    options.strip_ready_to_run = true;
    std::map<std::string, int> rebuilt;
    for_every_module([&](const Module& module, const auto&, const std::string& set) {
        const auto image = writer.rebuild(module.state(), options);
        if (!image) return;
        ++rebuilt[set];
        check_written(findings_of(module.state()), image->bytes);
    });
    for (const auto& [set, count] : rebuilt) std::printf("  %s: %d rebuilt\n", set.c_str(), count);
    CHECK(rebuilt["testdata"] > 0);
}

TEST_CASE("What a save writes after an edit breaks no loader rule that its input keeps") {
    int saved = 0;
    SaveOptions options;
    options.stale_signature = StaleSignature::public_sign;
    for_every_module([&](Module& module, const auto&, const std::string&) {
        const LoaderFindings before = findings_of(module.state());
        REQUIRE(module.set_timestamp(0x12345678).has_value());
        const auto image = module.save_to_memory(options);
        REQUIRE(image.has_value());
        ++saved;
        check_written(before, image->bytes);
    });
    std::printf("  %d saved\n", saved);
    CHECK(saved > 0);
}
