// posix_spawn, a pipe, a deadline. The child gets the file as standard input, a pipe as standard
// output and a process group of its own, so that the kill reaches whatever it may have started. Its
// own limits it sets itself (main.cpp).
#include <clrkit/core/native/client.h>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>
#include <utility>

namespace clrkit::native {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

std::unexpected<Problem> problem(Failure failure, std::string sentence, std::string hint = {}) {
    return std::unexpected(Problem{failure, std::move(sentence), std::move(hint)});
}

std::unexpected<Problem> cannot_start(std::string_view what, int error) {
    return problem(Failure::start, "the native reader cannot be started: " + std::string(what) +
                                       ": " + std::strerror(error));
}

class Descriptor {
public:
    explicit Descriptor(int value = -1) : value_(value) {}
    ~Descriptor() { close(); }
    Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }
    int get() const { return value_; }
    void close() {
        if (value_ >= 0) ::close(std::exchange(value_, -1));
    }

private:
    int value_;
};

/// The bytes in a file without a name; a negative descriptor and errno when that fails.
Descriptor memory_file(ByteSpan bytes) {
    Descriptor file(memfd_create("clrkit", MFD_CLOEXEC));
    while (file.get() >= 0 && !bytes.empty()) {
        const ssize_t written = write(file.get(), bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return Descriptor{};
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    // clrkit-native does not ask for the position; another helper may.
    if (file.get() >= 0) lseek(file.get(), 0, SEEK_SET);
    return file;
}

/// A child that is reaped when this goes out of scope, at the latest.
class Child {
public:
    /// errno, or 0.
    int start(const std::string& path, int in, int out) {
        posix_spawn_file_actions_t actions;
        posix_spawnattr_t attributes;
        posix_spawn_file_actions_init(&actions);
        posix_spawnattr_init(&attributes);
        posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        // The command ignores SIGPIPE, which a child would inherit: it would not end when we do.
        sigset_t defaults, none;
        sigemptyset(&defaults);
        sigaddset(&defaults, SIGPIPE);
        sigemptyset(&none);
        posix_spawnattr_setsigdefault(&attributes, &defaults);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setflags(
            &attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
        std::array<char*, 2> arguments{const_cast<char*>(path.c_str()), nullptr};
        const int error =
            posix_spawn(&id_, path.c_str(), &actions, &attributes, arguments.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
        if (error != 0) id_ = 0;
        return error;
    }
    Child() = default;
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() { kill(); }

    /// Waits until the deadline. False when it still runs then.
    bool ended_by(Clock::time_point deadline) {
        // Its pipe is closed, so as a rule it is ending at this very moment.
        milliseconds pause{0};
        while (!reap(WNOHANG)) {
            if (Clock::now() >= deadline) return false;
            pause = std::min(pause + milliseconds{1}, milliseconds{20});
            const timespec wait{0, pause.count() * 1'000'000};
            nanosleep(&wait, nullptr);
        }
        return true;
    }
    /// Ends it, and all of its group, and waits.
    void kill() {
        if (id_ == 0) return;
        ::kill(-id_, SIGKILL);
        (void)reap(0);
    }
    /// As waitpid has it; after the end.
    int status() const { return status_; }

private:
    bool reap(int flags) {
        pid_t got = 0;
        do {
            got = waitpid(id_, &status_, flags);
        } while (got < 0 && errno == EINTR);
        // An error can only be that somebody else reaped it.
        if (got == 0) return false;
        id_ = 0;
        return true;
    }

    pid_t id_ = 0;
    int status_ = 0;
};

/// Everything the child writes.
std::expected<std::string, Problem> read_answer(int pipe, std::size_t longest,
                                                Clock::time_point deadline) {
    std::string answer;
    std::array<char, 65536> buffer;
    while (true) {
        const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
        if (left <= milliseconds{0})
            return problem(Failure::out_of_time, "the native reader took too long");
        pollfd ready{pipe, POLLIN, 0};
        const int count =
            poll(&ready, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 1'000'000)));
        if (count == 0 || (count < 0 && errno == EINTR)) continue;
        if (count < 0) return cannot_start("its pipe", errno);
        const ssize_t got = read(pipe, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return cannot_start("its pipe", errno);
        if (got == 0) return answer;
        if (static_cast<std::size_t>(got) > longest - answer.size())
            return problem(Failure::too_long, "the native reader's answer has no end");
        answer.append(buffer.data(), static_cast<std::size_t>(got));
    }
}

/// What the child's end says; nothing when it ended well.
std::expected<void, Problem> judge_end(int status) {
    constexpr int code_out_of_memory = 3;  // main.cpp's
    if (WIFSIGNALED(status)) {
        const int signal = WTERMSIG(status);
        if (signal == SIGXCPU)
            return problem(Failure::out_of_time, "the native reader used up its processor time");
        return problem(Failure::crashed,
                       "the native reader crashed (signal " + std::to_string(signal) + ")");
    }
    const int code = WEXITSTATUS(status);
    if (code == code_out_of_memory)
        return problem(Failure::out_of_memory, "the native reader ran out of memory");
    if (code == 0) return {};
    return problem(Failure::crashed,
                   "the native reader failed (exit code " + std::to_string(code) + ")");
}

bool is_program(const std::string& path) { return access(path.c_str(), X_OK) == 0; }

/// The folder of this executable, with its slash.
std::string own_folder() {
    std::array<char, 4096> path;
    const ssize_t size = readlink("/proc/self/exe", path.data(), path.size());
    if (size <= 0) return {};
    const std::string_view whole(path.data(), static_cast<std::size_t>(size));
    return std::string(whole.substr(0, whole.rfind('/') + 1));
}

}  // namespace

std::string find_helper() {
    const char* named = std::getenv("CLRKIT_NATIVE");
    if (named != nullptr && *named != '\0') return named;
    const std::string folder = own_folder();
    for (const char* place : {"clrkit-native", CLRKIT_NATIVE_FROM_COMMAND "/clrkit-native"}) {
        if (std::string path = folder + place; is_program(path)) return path;
    }
    return {};
}

std::expected<Facts, Problem> ask(ByteSpan file, const AskOptions& options) {
    const std::string helper = options.helper.empty() ? find_helper() : options.helper;
    if (helper.empty() || access(helper.c_str(), F_OK) != 0) {
        return problem(Failure::absent,
                       helper.empty() ? "the native reader is not installed"
                                      : "the native reader " + helper + " is not there",
                       "clrkit-native is built where LIEF is found (Debian: liblief-dev); "
                       "CLRKIT_NATIVE names another one");
    }
    const auto deadline = Clock::now() + options.wall_time;
    Descriptor in = memory_file(file);
    if (in.get() < 0) return cannot_start("a file in memory", errno);
    // Closed on exec: of two children started at once neither may hold the other's pipe open.
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return cannot_start("a pipe", errno);
    const Descriptor from_child(ends[0]);
    Descriptor to_parent(ends[1]);
    Child child;
    if (const int error = child.start(helper, in.get(), to_parent.get()); error != 0)
        return cannot_start(helper, error);
    to_parent.close();
    in.close();
    const auto text = read_answer(from_child.get(), options.longest_answer, deadline);
    if (!text) return std::unexpected(text.error());
    if (!child.ended_by(deadline))
        return problem(Failure::out_of_time, "the native reader took too long");
    if (auto ended = judge_end(child.status()); !ended) return std::unexpected(ended.error());
    auto answer = from_json(*text);
    if (!answer)
        return problem(Failure::garbage, "the native reader's answer makes no sense",
                       "clrkit and clrkit-native may be of different versions");
    if (!*answer) {
        return problem(Failure::refused,
                       "the native reader refuses the file: " + answer->error().why);
    }
    return std::move(**answer);
}

}  // namespace clrkit::native
