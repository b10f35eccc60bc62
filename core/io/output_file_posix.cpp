// Output on POSIX systems. `write` and `copy_file_range` are used because a mapped output costs six
// to eight times as much (see bench/README.md).
#include <clrkit/core/io/output_file.h>
#include <clrkit/core/try.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace clrkit {
namespace {

Status io_status(int number) {
    if (number == 0) return {};
    return failure(Stage::io, ErrorCode::io_write, no_offset, nullptr,
                   static_cast<std::uint32_t>(number));
}

/// Advances `vectors` by `written` bytes; returns the first one not written whole.
iovec* advance(iovec* at, std::size_t written) {
    while (written != 0 && written >= at->iov_len) written -= (at++)->iov_len;
    at->iov_base = static_cast<char*>(at->iov_base) + written;
    at->iov_len -= written;
    return at;
}

/// writev in batches. 0 or errno.
int write_parts(int descriptor, std::span<const ByteSpan> parts) {
    std::array<iovec, 64> batch{};
    while (!parts.empty()) {
        std::size_t count = 0;
        std::size_t bytes = 0;
        while (count < batch.size() - 1 && !parts.empty()) {
            const ByteSpan part = parts.front();
            parts = parts.subspan(1);
            if (part.empty()) continue;
            batch[count++] = {const_cast<std::uint8_t*>(part.data()), part.size()};
            bytes += part.size();
        }
        for (iovec* at = batch.data(); bytes != 0;) {
            const auto left = static_cast<int>(batch.data() + count - at);
            const ssize_t written = writev(descriptor, at, left);
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) return errno;
            bytes -= static_cast<std::size_t>(written);
            if (bytes != 0) at = advance(at, static_cast<std::size_t>(written));
        }
    }
    return 0;
}

/// Copies by read and write what the kernel would not copy itself. 0 or errno.
int copy_by_hand(int from, int to, off_t offset, std::uint64_t left) {
    std::array<std::uint8_t, 65536> buffer;
    while (left != 0) {
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left, buffer.size()));
        const ssize_t got = pread(from, buffer.data(), wanted, offset);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got < 0 ? errno : EIO;
        const ByteSpan part{buffer.data(), static_cast<std::size_t>(got)};
        if (const int problem = write_parts(to, {&part, 1}); problem != 0) return problem;
        offset += got;
        left -= static_cast<std::uint64_t>(got);
    }
    return 0;
}

/// 0 or errno.
int copy_descriptor(int from, int to, std::uint64_t size) {
    off64_t offset = 0;
    while (size != 0) {
        const ssize_t copied = copy_file_range(from, &offset, to, nullptr, size, 0);
        if (copied < 0 && errno == EINTR) continue;
        if (copied <= 0) return copy_by_hand(from, to, offset, size);
        size -= static_cast<std::uint64_t>(copied);
    }
    return 0;
}

/// 0 or errno.
int take_over_permissions(int descriptor, const struct stat& info) {
    // Best effort: only root may give files away.
    if (fchown(descriptor, info.st_uid, info.st_gid) != 0) errno = 0;
    return fchmod(descriptor, info.st_mode & 07777U) == 0 ? 0 : errno;
}

template <class Write>
Status replace(const std::string& path, const OutputOptions& options, Write write) {
    OutputFile file(path, options);
    TRY_DO(file.begin());
    TRY_DO(io_status(write(file.descriptor())));
    return file.commit();
}

}  // namespace

OutputFile::~OutputFile() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!temporary_.empty()) unlink(temporary_.c_str());
}

Status OutputFile::begin() {
    struct stat info{};
    exists_ = stat(target_.c_str(), &info) == 0;
    if (exists_ && S_ISDIR(info.st_mode)) {
        return failure(Stage::io, ErrorCode::output_is_folder);
    }
    direct_ = exists_ && !S_ISREG(info.st_mode);
    if (direct_) {
        descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
        return io_status(descriptor_ < 0 ? errno : 0);
    }
    if (exists_ && !options_.overwrite) return failure(Stage::io, ErrorCode::output_exists);
    if (exists_) follow_link();
    TRY_DO(io_status(create_temporary()));
    return io_status(exists_ ? take_over_permissions(descriptor_, info) : 0);
}

Status OutputFile::commit() {
    if (options_.sync && !direct_ && fsync(descriptor_) != 0) return io_status(errno);
    if (close(std::exchange(descriptor_, -1)) != 0) return io_status(errno);
    if (direct_) return {};
    if (exists_ && !options_.backup_suffix.empty()) {
        const std::string backup = target_ + options_.backup_suffix;
        unlink(backup.c_str());
        if (link(target_.c_str(), backup.c_str()) != 0) return io_status(errno);
    }
    return take_name();
}

Status OutputFile::take_name() {
    const unsigned flags = options_.overwrite ? 0 : RENAME_NOREPLACE;
    int problem =
        renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), flags) == 0 ? 0 : errno;
    if (problem == EINVAL && flags != 0) {
        // A file system without the flag. A link fails where the name is taken, too; the name that
        // was temporary goes at the end.
        if (link(temporary_.c_str(), target_.c_str()) == 0) return {};
        problem = errno;
        const bool no_links = problem == EPERM || problem == EOPNOTSUPP || problem == ENOSYS;
        if (no_links) {
            problem = std::rename(temporary_.c_str(), target_.c_str()) == 0 ? 0 : errno;
        }
    }
    if (problem == EEXIST) return failure(Stage::io, ErrorCode::output_exists);
    if (problem == 0) temporary_.clear();
    return io_status(problem);
}

/// Replaces what a symbolic link points to, not the link.
void OutputFile::follow_link() {
    if (char* real = realpath(target_.c_str(), nullptr); real != nullptr) {
        target_ = real;
        std::free(real);  // NOLINT(cppcoreguidelines-no-malloc): realpath's contract
    }
}

/// Not mkstemp: it would ignore the umask, which cannot be asked for without changing it. 0 or errno.
int OutputFile::create_temporary() {
    static std::atomic<unsigned> serial{0};
    for (int attempt = 0; attempt < 1000; ++attempt) {
        temporary_ = target_ + "." + std::to_string(getpid()) + "-" +
                     std::to_string(serial.fetch_add(1)) + ".tmp";
        descriptor_ =
            ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, options_.mode);
        if (descriptor_ >= 0) return 0;
        if (errno != EEXIST) break;
    }
    const int problem = errno;
    temporary_.clear();
    return problem;
}

Status write_file(const std::string& path, std::span<const ByteSpan> parts,
                  const OutputOptions& options) {
    return replace(path, options, [&](int to) { return write_parts(to, parts); });
}

Status copy_file(const std::string& path, int descriptor, std::uint64_t size,
                 const OutputOptions& options) {
    return replace(path, options, [&](int to) { return copy_descriptor(descriptor, to, size); });
}

}  // namespace clrkit
