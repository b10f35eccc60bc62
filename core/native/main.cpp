// clrkit-native: reads the PE file on its standard input with LIEF, answers with one line of JSON on
// standard output. A process of its own, because hostile files can make LIEF overflow its stack, take
// gigabytes or crash; see docs/architecture.md. Exit code 0 with an answer, 3 out of memory, 2 else.
//
// The limits are set here, before the first byte of the file is looked at. posix_spawn has no way to
// set them; setting them from the parent afterwards would need a handshake to be in time; and what
// runs before is this file, the loader and static constructors, which read nothing hostile.
// The parent has the wall clock, the cap on output and the kill, which need no help from the child.
#include <clrkit/core/native/facts.h>
#include <clrkit/core/native/lief_reader.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool address_sanitizer = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool address_sanitizer = true;
#else
constexpr bool address_sanitizer = false;
#endif
#else
constexpr bool address_sanitizer = false;
#endif

constexpr int exit_failed = 2;
constexpr int exit_out_of_memory = 3;

bool limit(int what, rlim_t most) {
    rlimit old{};
    if (getrlimit(what, &old) != 0) return false;
    // An inherited limit may be tighter.
    const rlim_t hard = std::min(old.rlim_max, most);
    const rlimit wanted{hard, hard};
    return setrlimit(what, &wanted) == 0;
}

/// LIEF keeps the file, every section and the overlay, each in a copy of its own, and an object for
/// every relocation.
rlim_t memory_for(std::uint64_t file_size) {
    constexpr rlim_t base = rlim_t{512} << 20U;
    return base + 8 * std::min<std::uint64_t>(file_size, std::uint64_t{1} << 40U);
}

bool set_limits(std::uint64_t file_size) {
    constexpr rlim_t seconds = 20;
    bool ok = limit(RLIMIT_CORE, 0) && limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_NOFILE, 0);
    // The soft limit ends it with SIGXCPU, which tells the parent why.
    rlimit cpu{};
    ok = ok && getrlimit(RLIMIT_CPU, &cpu) == 0;
    cpu.rlim_max = std::min(cpu.rlim_max, seconds + 2);
    cpu.rlim_cur = std::min(cpu.rlim_max, seconds);
    ok = ok && setrlimit(RLIMIT_CPU, &cpu) == 0;
    // The address sanitizer reserves terabytes.
    if (!address_sanitizer) ok = ok && limit(RLIMIT_AS, memory_for(file_size));
    return ok;
}

/// The whole file; with pread, because the parent shares the descriptor's position.
bool read_all(std::uint64_t size, std::vector<std::uint8_t>& file) {
    file.resize(static_cast<std::size_t>(size));
    std::size_t have = 0;
    while (have < file.size()) {
        const ssize_t got =
            pread(STDIN_FILENO, file.data() + have, file.size() - have, static_cast<off_t>(have));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        have += static_cast<std::size_t>(got);
    }
    return true;
}

bool write_all(std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

int run() {
    struct stat in{};
    struct stat out{};
    const bool stats = fstat(STDIN_FILENO, &in) == 0 && fstat(STDOUT_FILENO, &out) == 0;
    if (!stats || !S_ISREG(in.st_mode) || S_ISREG(out.st_mode)) {
        std::fputs("usage: clrkit-native < FILE | cat\n(clrkit info --native starts it)\n", stderr);
        return exit_failed;
    }
    const auto size = static_cast<std::uint64_t>(in.st_size);
    if (!set_limits(size)) return exit_failed;
    std::vector<std::uint8_t> file;
    if (!read_all(size, file)) return exit_failed;
    const auto answer = clrkit::native::read_with_lief(std::move(file));
    return write_all(clrkit::native::to_json(answer)) ? 0 : exit_failed;
}

}  // namespace

int main() {
    int code = exit_out_of_memory;
    try {
        code = run();
    } catch (const std::bad_alloc&) {
        code = exit_out_of_memory;
    }
    // Without destructors: the answer is out, and taking LIEF's trees apart is more work for nothing.
    _exit(code);
}
