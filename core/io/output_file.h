// Atomic output: a temporary file beside the target that replaces it at the end. A failure leaves
// the target as it was. Output is a list of spans, so nothing is gathered before it is written.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/span.h>
#include <clrkit/core/error.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace clrkit {

struct OutputOptions {
    /// Replace an existing target; otherwise it is the error `output_exists`, checked atomically.
    bool overwrite = true;
    /// fsync before the rename. Costs milliseconds; protects against power loss only.
    bool sync = false;
    /// Permission bits of a new target, before the umask is applied; an existing one keeps its own.
    std::uint32_t mode = 0644;
    /// Non-empty: an existing target is kept under its name plus this suffix.
    std::string backup_suffix;
};

/// A target that is written to piece by piece through its descriptor. Removes what was written unless
/// `commit` succeeds.
class OutputFile {
public:
    OutputFile(std::string path, OutputOptions options)
        : target_(std::move(path)), options_(std::move(options)) {}
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    CLRKIT_API ~OutputFile();

    /// Opens a temporary file beside the target, or a device or a pipe itself. Errors as for
    /// `write_file`, and nothing was made then.
    CLRKIT_API Status begin();
    int descriptor() const { return descriptor_; }
    /// Gives the file its name. Errors as for `write_file`.
    CLRKIT_API Status commit();

private:
    void follow_link();
    int create_temporary();
    Status take_name();

    std::string target_;
    OutputOptions options_;
    std::string temporary_;
    int descriptor_ = -1;
    bool exists_ = false;
    bool direct_ = false;  // a device or a pipe: nothing to replace
};

/// Writes the spans one after the other to `path`. A symbolic link is followed; a device or a pipe
/// is written to directly. Errors: `output_exists`, `output_is_folder`,
/// `io_write` with errno.
CLRKIT_API Status write_file(const std::string& path, std::span<const ByteSpan> parts,
                             const OutputOptions& options = {});

/// Copies `size` bytes of the open file `descriptor` to `path`, in the kernel where it can.
CLRKIT_API Status copy_file(const std::string& path, int descriptor, std::uint64_t size,
                            const OutputOptions& options = {});

}  // namespace clrkit
