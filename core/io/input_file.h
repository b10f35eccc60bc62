// A file opened for reading: read into memory that we own, or mapped. Owns the bytes and the open
// file.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/buffers/pages.h>
#include <clrkit/core/bytes/span.h>
#include <clrkit/core/error.h>

#include <cstdint>
#include <string>

namespace clrkit {

/// How the bytes of a file are brought in.
enum class InputPolicy : std::uint8_t {
    /// `read` into memory: right for every task that visits most of the file, and safe when the
    /// file shrinks meanwhile (an error, not a signal).
    read,
    /// A private mapping: right for a few look-ups in a large file. If the file shrinks meanwhile
    /// a look-up may raise SIGBUS, which the caller must guard against.
    map,
};

class InputFile {
public:
    /// Opens `path`. Errors: `io_open`, `io_read` (with errno), `is_folder`,
    /// `not_a_file`, `out_of_memory`.
    CLRKIT_API static Result<InputFile> open(const std::string& path,
                                             InputPolicy policy = InputPolicy::read);

    InputFile() = default;
    CLRKIT_API InputFile(InputFile&& other) noexcept;
    CLRKIT_API InputFile& operator=(InputFile&& other) noexcept;
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;
    CLRKIT_API ~InputFile();

    ByteSpan bytes() const { return {data_, size_}; }
    /// Permission bits of the file (the low 12 of st_mode).
    std::uint32_t mode() const { return mode_; }
    /// The open file descriptor, or -1. For `copy_file_range`; its position is never used.
    int descriptor() const { return descriptor_; }
    /// True while the file on disk has the size and the time of change it had when it was opened.
    CLRKIT_API bool unchanged_on_disk() const;

private:
    void release();

    enum class Origin : std::uint8_t { pages, heap, mapping };

    Pages pages_;
    std::uint8_t* data_ = nullptr;
    std::size_t size_ = 0;
    Origin origin_ = Origin::pages;
    std::int64_t changed_ns_ = 0;
    std::uint32_t mode_ = 0644;
    int descriptor_ = -1;
};

}  // namespace clrkit
