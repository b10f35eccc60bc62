// Input on POSIX systems. Small files are read into the C++ heap; larger ones into fresh 2 MiB
// pages, because 4 KiB page faults cost more than copying (see bench/README.md).
#include <clrkit/core/io/input_file.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <utility>

namespace clrkit {
namespace {

constexpr std::size_t read_into_heap_up_to = std::size_t{256} << 10U;

std::unexpected<Error> io_failure(ErrorCode code, int number) {
    return failure(Stage::io, code, no_offset, nullptr, static_cast<std::uint32_t>(number));
}

std::int64_t change_time(const struct stat& info) {
    return info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec;
}

/// Reads exactly `size` bytes. 0, or errno, or -1 when the file ended early.
int read_all(int descriptor, std::uint8_t* to, std::size_t size) {
    std::size_t done = 0;
    while (done < size) {
        const ssize_t got = pread(descriptor, to + done, size - done, static_cast<off_t>(done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno;
        if (got == 0) return -1;
        done += static_cast<std::size_t>(got);
    }
    return 0;
}

}  // namespace

Result<InputFile> InputFile::open(const std::string& path, InputPolicy policy) {
    InputFile file;
    file.descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file.descriptor_ < 0) return io_failure(ErrorCode::io_open, errno);
    struct stat info{};
    if (fstat(file.descriptor_, &info) != 0) return io_failure(ErrorCode::io_read, errno);
    if (S_ISDIR(info.st_mode)) return failure(Stage::io, ErrorCode::is_folder);
    if (!S_ISREG(info.st_mode)) return failure(Stage::io, ErrorCode::not_a_file);
    file.mode_ = info.st_mode & 07777U;
    file.changed_ns_ = change_time(info);
    const auto size = static_cast<std::size_t>(info.st_size);
    if (size == 0) return file;
    if (policy == InputPolicy::map) {
        void* base = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor_, 0);
        if (base == MAP_FAILED) return io_failure(ErrorCode::io_read, errno);
        file.data_ = static_cast<std::uint8_t*>(base);
        file.size_ = size;
        file.origin_ = Origin::mapping;
        return file;
    }
    if (size <= read_into_heap_up_to) {
        file.data_ = new (std::nothrow) std::uint8_t[size];
        file.origin_ = Origin::heap;
    } else {
        file.pages_ = Pages(size);
        file.data_ = file.pages_.data();
    }
    if (file.data_ == nullptr) return failure(Stage::io, ErrorCode::out_of_memory);
    file.size_ = size;
    const int problem = read_all(file.descriptor_, file.data_, size);
    if (problem < 0) return failure(Stage::io, ErrorCode::io_changed);
    if (problem > 0) return io_failure(ErrorCode::io_read, problem);
    return file;
}

InputFile::InputFile(InputFile&& other) noexcept { *this = std::move(other); }

InputFile& InputFile::operator=(InputFile&& other) noexcept {
    if (this == &other) return *this;
    release();
    pages_ = std::move(other.pages_);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    origin_ = std::exchange(other.origin_, Origin::pages);
    descriptor_ = std::exchange(other.descriptor_, -1);
    changed_ns_ = other.changed_ns_;
    mode_ = other.mode_;
    return *this;
}

InputFile::~InputFile() { release(); }

void InputFile::release() {
    if (origin_ == Origin::mapping) munmap(data_, size_);
    if (origin_ == Origin::heap) delete[] data_;
    pages_ = Pages();
    if (descriptor_ >= 0) close(descriptor_);
    data_ = nullptr;
    size_ = 0;
    origin_ = Origin::pages;
    descriptor_ = -1;
}

bool InputFile::unchanged_on_disk() const {
    struct stat info{};
    return descriptor_ >= 0 && fstat(descriptor_, &info) == 0 &&
           static_cast<std::size_t>(info.st_size) == size_ && change_time(info) == changed_ns_;
}

}  // namespace clrkit
