// Temporary file, then rename: whoever reads the file sees all of it or none.
#include "verbs/dis_output.h"

#include <sys/stat.h>
#include <unistd.h>

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

}  // namespace

Result<TextFile> TextFile::create(const std::string& path, bool overwrite) {
    if (!overwrite && exists(path)) return failure(Stage::io, ErrorCode::output_exists);
    std::string temporary = path + ".XXXXXX";
    const int descriptor = mkstemp(temporary.data());
    if (descriptor < 0) return write_error(errno);
    // mkstemp makes files for their owner alone.
    const mode_t mask = umask(0);
    umask(mask);
    constexpr mode_t usual = 0666;
    (void)fchmod(descriptor, usual & ~mask);
    return TextFile(path, std::move(temporary), descriptor, overwrite);
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
