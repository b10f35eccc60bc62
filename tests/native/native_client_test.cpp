// Helpers that crash, hang, flood and lie: each is one sentence, in time, and leaves nothing behind.
#include "native/helper_script.h"
#include "support/catch.h"

#include <clrkit/core/native/client.h>

#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <thread>

using namespace clrkit;
using namespace clrkit::test;
using native::Failure;
using namespace std::chrono_literals;

namespace {

/// For helpers that hang. The others get a minute: the machine may be busy.
constexpr auto short_time = 700ms;

native::AskOptions options_for(const std::string& helper,
                               std::chrono::milliseconds wall_time = 60s) {
    native::AskOptions options;
    options.helper = helper;
    options.wall_time = wall_time;
    return options;
}

struct Asked {
    native::Problem problem;
    std::chrono::steady_clock::duration took{};
    bool left_a_child = false;
};

/// What becomes of a helper that consists of this script.
Asked ask_script(std::string_view body, ByteSpan file = {},
                 std::chrono::milliseconds wall_time = 60s) {
    const TemporaryFolder folder;
    const std::string helper = helper_script(folder, "helper", body);
    const auto before = std::chrono::steady_clock::now();
    const auto answer = native::ask(file, options_for(helper, wall_time));
    Asked asked;
    asked.took = std::chrono::steady_clock::now() - before;
    asked.left_a_child = waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD;
    REQUIRE(!answer.has_value());
    asked.problem = answer.error();
    return asked;
}

void check(const Asked& asked, Failure failure, std::string_view sentence) {
    CHECK(asked.problem.failure == failure);
    CHECK(asked.problem.sentence == sentence);
    CHECK(!asked.left_a_child);
    // Helpers that hang would take five minutes.
    CHECK(asked.took < 100s);
}

}  // namespace

TEST_CASE("native client: a helper that crashes") {
    check(ask_script("kill -SEGV $$"), Failure::crashed, "the native reader crashed (signal 11)");
    check(ask_script("kill -ABRT $$"), Failure::crashed, "the native reader crashed (signal 6)");
    check(ask_script("echo '{\"schema\":1'; kill -KILL $$"), Failure::crashed,
          "the native reader crashed (signal 9)");
    check(ask_script("exit 7"), Failure::crashed, "the native reader failed (exit code 7)");
}

TEST_CASE("native client: a helper that reaches its own limits") {
    check(ask_script("kill -XCPU $$"), Failure::out_of_time,
          "the native reader used up its processor time");
    check(ask_script("exit 3"), Failure::out_of_memory, "the native reader ran out of memory");
}

TEST_CASE("native client: a helper that hangs") {
    for (const char* body : {
             "sleep 300", "trap '' TERM INT HUP; while :; do sleep 1; done",
             "exec >&-; sleep 300",  // it closes its output and stays
             "sleep 300 & exit 0",   // it ends and leaves somebody who holds its output open
         }) {
        CAPTURE(body);
        check(ask_script(body, {}, short_time), Failure::out_of_time,
              "the native reader took too long");
    }
}

TEST_CASE("native client: a helper that floods") {
    check(ask_script("yes"), Failure::too_long, "the native reader's answer has no end");
}

TEST_CASE("native client: a helper that answers nonsense") {
    for (const char* body : {"true", "echo", "echo hello", "echo '{}'", "echo '{\"schema\":1}'",
                             "echo '{\"schema\":2,\"error\":\"x\"}'", "head -c 100000 /dev/urandom",
                             "head -c 100000 /dev/zero | tr '\\0' '['"}) {
        CAPTURE(body);
        check(ask_script(body), Failure::garbage, "the native reader's answer makes no sense");
    }
}

TEST_CASE("native client: a helper that refuses the file") {
    check(ask_script("echo '{\"schema\":1,\"error\":\"too odd\"}'"), Failure::refused,
          "the native reader refuses the file: too odd");
}

TEST_CASE("native client: a helper that is not there, or is no program") {
    const TemporaryFolder folder;
    const auto absent = native::ask({}, options_for((folder.path() / "nothing").string()));
    REQUIRE(!absent);
    CHECK(absent.error().failure == Failure::absent);
    CHECK(!absent.error().hint.empty());
    const auto text = native::ask({}, options_for(folder.write("text", bytes_of("x")).string()));
    REQUIRE(!text);
    CHECK(text.error().failure == Failure::start);
    const auto directory = native::ask({}, options_for(folder.path().string()));
    REQUIRE(!directory);
    CHECK(directory.error().failure == Failure::start);
}

TEST_CASE("native client: the file comes whole, as standard input, and once") {
    const Bytes file(300'000, 'x');
    check(ask_script("echo \"{\\\"schema\\\":1,\\\"error\\\":\\\"$(wc -c)\\\"}\"", file),
          Failure::refused, "the native reader refuses the file: 300000");
    check(ask_script("n=$(ls -l /proc/$$/fd | grep -c memfd:clrkit); "
                     "echo \"{\\\"schema\\\":1,\\\"error\\\":\\\"$n\\\"}\""),
          Failure::refused, "the native reader refuses the file: 1");
}

TEST_CASE("native client: several at once keep apart") {
    const TemporaryFolder folder;
    const std::string helper = helper_script(
        folder, "helper", "sleep 0.05; echo \"{\\\"schema\\\":1,\\\"error\\\":\\\"$(wc -c)\\\"}\"");
    native::AskOptions options;
    options.helper = helper;
    std::vector<std::string> said(8);
    std::vector<std::thread> crew;
    crew.reserve(said.size());
    for (std::size_t i = 0; i < said.size(); ++i) {
        crew.emplace_back([&, i] {
            const auto answer = native::ask(Bytes(i + 1, 0), options);
            if (!answer) said[i] = answer.error().sentence;
        });
    }
    for (std::thread& one : crew) one.join();
    for (std::size_t i = 0; i < said.size(); ++i)
        CHECK(said[i] == "the native reader refuses the file: " + std::to_string(i + 1));
}
