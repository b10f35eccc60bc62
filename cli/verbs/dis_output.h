// A text file that is written piece by piece and takes its name when it is whole.
#pragma once

#include "frame/sink.h"

#include <clrkit/core/error.h>

#include <optional>
#include <string>

namespace clrkit::cli {

class TextFile {
public:
    /// Opens a temporary file beside `path`, or a device or pipe of that name itself. A symbolic
    /// link is followed, and an existing file keeps its permissions. Errors: `output_exists` unless
    /// `overwrite`, `output_is_folder`, `io_write` with errno.
    static Result<TextFile> create(const std::string& path, bool overwrite);
    TextFile(TextFile&& other) noexcept;
    TextFile& operator=(TextFile&&) = delete;
    /// Removes the temporary file where it was not given its name.
    ~TextFile();

    Sink& sink() { return sink_; }
    /// Gives the file its name. Error: `io_write` with errno.
    Status finish();

private:
    TextFile(std::string path, std::string temporary, int descriptor, bool overwrite)
        : path_(std::move(path)),
          temporary_(std::move(temporary)),
          descriptor_(descriptor),
          overwrite_(overwrite),
          sink_(descriptor) {}

    std::string path_;
    std::string temporary_;  // empty once it is gone, and for what is written to directly
    int descriptor_;
    bool overwrite_;
    Sink sink_;
};

}  // namespace clrkit::cli
