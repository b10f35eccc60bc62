// Temporary file, then rename: whoever reads the file sees all of it or none.
#include "verbs/dis_output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace clrkit::cli {
namespace {

std::unexpected<Error> write_error(int number) {
    return failure(Stage::io, ErrorCode::io_write, no_offset, nullptr,
                   static_cast<std::uint32_t>(number));
}

bool exists(const std::string& path) {
    struct stat info{};
    return lstat(path.c_str(), &info) == 0;
}

/// What a symbolic link points to is replaced, not the link.
std::string behind_links(const std::string& path) {
    char* real = realpath(path.c_str(), nullptr);
    if (real == nullptr) return path;
    std::string target = real;
    std::free(real);  // NOLINT(cppcoreguidelines-no-malloc): realpath's contract
    return target;
}

/// Not mkstemp: it would ignore the umask, which cannot be asked for without changing it for every
/// thread. -1, with errno, when there is none.
int create_temporary(const std::string& target, std::string& temporary) {
    static std::atomic<unsigned> serial{0};
    constexpr mode_t usual = 0666;
    for (int attempt = 0; attempt < 1000; ++attempt) {
        temporary = target + "." + std::to_string(getpid()) + "-" +
                    std::to_string(serial.fetch_add(1)) + ".tmp";
        const int descriptor =
            open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, usual);
        if (descriptor >= 0 || errno != EEXIST) return descriptor;
    }
    return -1;
}

}  // namespace

Result<TextFile> TextFile::create(const std::string& path, bool overwrite) {
    struct stat info{};
    const bool there = stat(path.c_str(), &info) == 0;
    if (there && S_ISDIR(info.st_mode)) return failure(Stage::io, ErrorCode::output_is_folder);
    if (there && !S_ISREG(info.st_mode)) {
        const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
        if (descriptor < 0) return write_error(errno);
        return TextFile(path, {}, descriptor, overwrite);
    }
    if (!overwrite && exists(path)) return failure(Stage::io, ErrorCode::output_exists);
    std::string target = behind_links(path);
    std::string temporary;
    const int descriptor = create_temporary(target, temporary);
    if (descriptor < 0) return write_error(errno);
    TextFile file(std::move(target), std::move(temporary), descriptor, overwrite);
    if (there && fchmod(descriptor, info.st_mode & 07777U) != 0) return write_error(errno);
    return file;
}

TextFile::TextFile(TextFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      overwrite_(other.overwrite_),
      sink_(std::move(other.sink_)) {}

TextFile::~TextFile() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!temporary_.empty()) unlink(temporary_.c_str());
}

Status TextFile::finish() {
    sink_.flush();
    if (sink_.problem() != 0) return write_error(sink_.problem());
    if (close(std::exchange(descriptor_, -1)) != 0) return write_error(errno);
    if (temporary_.empty()) return {};  // a device or a pipe
    if (!overwrite_) {
        // A link fails where the name is taken, also when it was taken meanwhile.
        if (link(temporary_.c_str(), path_.c_str()) == 0) return {};
        if (errno == EEXIST) return failure(Stage::io, ErrorCode::output_exists);
        // There are file systems without links.
    }
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return write_error(errno);
    temporary_.clear();
    return {};
}

}  // namespace clrkit::cli
