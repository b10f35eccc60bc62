#include "cli/command.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace clrkit::test {
namespace {

int memory_file(const char* name) {
    const int file = memfd_create(name, 0);
    if (file < 0) throw std::runtime_error("no memory file");
    return file;
}

std::string take_text(int file) {
    std::string text;
    std::array<char, 65536> buffer{};
    lseek(file, 0, SEEK_SET);
    for (ssize_t got = 0; (got = read(file, buffer.data(), buffer.size())) > 0;) {
        text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    close(file);
    return text;
}

/// Where the child's standard output goes; -1 for nowhere.
int open_stdout(StdoutTo to, int memory) {
    if (to == StdoutTo::closed) return -1;
    if (to == StdoutTo::full_device) return open("/dev/full", O_WRONLY);
    if (to == StdoutTo::pipe_without_reader) {
        std::array<int, 2> ends{};
        if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
        close(ends[0]);
        return ends[1];
    }
    return dup(memory);
}

/// The child's part, between fork and exec: only what is safe there.
[[noreturn]] void become(const CommandSetting& setting, int in, int out, int err,
                         char* const* arguments, char* const* environment) {
    dup2(in, 0);
    if (out >= 0) {
        dup2(out, 1);
    } else {
        close(1);
    }
    dup2(err, 2);
    for (int other = 3; other < 64; ++other) close(other);
    // Tests may run under a parent that ignores it; the command has to cope with either.
    std::signal(SIGPIPE, SIG_DFL);
    constexpr uid_t nobody = 65534;
    const bool drop = setting.unprivileged && geteuid() == 0;
    if (drop && (setgroups(0, nullptr) != 0 || setgid(nobody) != 0 || setuid(nobody) != 0)) {
        _exit(127);
    }
    if (!setting.folder.empty() && chdir(setting.folder.c_str()) != 0) _exit(127);
    execve(arguments[0], arguments, environment);
    _exit(127);
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> all;
    all.reserve(texts.size() + 1);
    for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
    all.push_back(nullptr);
    return all;
}

}  // namespace

CommandResult run_apart(const std::vector<std::string>& command, const CommandSetting& setting) {
    std::vector<std::string> environment = setting.environment;
    for (const char* name : {"PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "HOME"}) {
        if (const char* value = std::getenv(name)) {
            environment.push_back(std::string(name) + "=" + value);
        }
    }
    const int in = memory_file("in");
    if (write(in, setting.input.data(), setting.input.size()) < 0)
        throw std::runtime_error("input");
    lseek(in, 0, SEEK_SET);
    const int out = memory_file("out");
    const int err = memory_file("err");
    const int out_end = open_stdout(setting.stdout_to, out);
    const std::vector<char*> arguments = pointers(command);
    const std::vector<char*> variables = pointers(environment);
    const pid_t child = fork();
    if (child == 0) become(setting, in, out_end, err, arguments.data(), variables.data());
    if (out_end >= 0) close(out_end);
    close(in);
    CommandResult result;
    int status = 0;
    if (child > 0 && waitpid(child, &status, 0) == child) {
        result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    result.out = take_text(out);
    result.err = take_text(err);
    return result;
}

CommandResult clrkit(const std::vector<std::string>& words, const CommandSetting& setting) {
    std::vector<std::string> all{std::filesystem::absolute(command().value()).string()};
    all.insert(all.end(), words.begin(), words.end());
    return run_apart(all, setting);
}

Bytes read_bytes(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + path.string());
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::filesystem::path copy_of(const char* name, const TemporaryFolder& folder) {
    return folder.write(name, read_bytes(testdata() / "bin" / name));
}

Bytes minimal_bytes() { return build(minimal()); }

Bytes native_dll() {
    ImageSpec spec = minimal();
    spec.pe.directories[14] = {};
    spec.pe.characteristics |= 0x2000;
    return build(spec);
}

std::size_t lines_in(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

}  // namespace clrkit::test
