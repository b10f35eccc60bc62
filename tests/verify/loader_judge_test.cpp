// .NET itself as the judge of the loader rules: it must refuse what breaks one of CoreCLR's, and run
// what only other loaders object to.
#include "support/catch.h"
#include "support/environment.h"
#include "support/process.h"
#include "verify/broken_images.h"

#include <cstdio>
#include <string>

using namespace clrkit;
using namespace clrkit::test;

namespace {

struct Judge {
    std::string dotnet;
    std::string config = (testdata() / "bin" / "net.runtimeconfig.json").string();
    TemporaryFolder folder;

    explicit Judge(std::string host) : dotnet(std::move(host)) {}
    Outcome run(const Bytes& bytes) const {
        return test::run(
            {dotnet, "exec", "--runtimeconfig", config, folder.write("image.dll", bytes).string()});
    }
};

bool says(const Outcome& outcome, std::string_view text) {
    return outcome.output.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("dotnet refuses what breaks a rule of CoreCLR and runs the rest") {
    const auto dotnet = program("dotnet");
    if (!dotnet) SKIP_TEST("no dotnet");
    const Judge judge(dotnet->string());
    CHECK(judge.run(build(ThunkImage().image)).exit_code == 42);
    CHECK(judge.run(build(thunk_of_64_bits())).exit_code == 42);
    int refused = 0;
    int ran = 0;
    for (const BrokenImage& broken : broken_images()) {
        const Outcome outcome = judge.run(broken.bytes);
        INFO(broken.name << ": " << outcome.output);
        switch (broken.dotnet) {
            case Dotnet::not_asked: continue;
            case Dotnet::runs:
                CHECK(outcome.exit_code == 42);
                CHECK(outcome.output == "minimal\n");
                ++ran;
                break;
            case Dotnet::refuses:
                CHECK((says(outcome, "BadImageFormatException") ||
                       says(outcome, "Entry point not found")));
                ++refused;
                break;
        }
    }
    std::printf("  %d refused, %d run\n", refused, ran);
}
