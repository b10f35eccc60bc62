// Reading and replacing files.
#include "support/catch.h"
#include "support/process.h"

#include <clrkit/core/io/input_file.h>
#include <clrkit/core/io/output_file.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

using namespace clrkit;
namespace fs = std::filesystem;

namespace {

ByteSpan bytes_of(const std::string& text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

Status write(const fs::path& path, const std::string& text, const OutputOptions& options = {}) {
    const ByteSpan part = bytes_of(text);
    return write_file(path.string(), {&part, 1}, options);
}

std::string read(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t files_in(const fs::path& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

}  // namespace

TEST_CASE("Input is read and mapped alike, whatever its size") {
    test::TemporaryFolder folder;
    for (const std::size_t size :
         {std::size_t{1}, std::size_t{4096}, std::size_t{300'000}, std::size_t{3'000'000}}) {
        std::string text(size, 'x');
        text.back() = 'y';
        REQUIRE(write(folder.path() / "in", text));
        for (const InputPolicy policy : {InputPolicy::read, InputPolicy::map}) {
            const auto file = InputFile::open((folder.path() / "in").string(), policy);
            REQUIRE(file);
            REQUIRE(file->bytes().size() == size);
            CHECK(static_cast<char>(file->bytes().front()) == (size == 1 ? 'y' : 'x'));
            CHECK(static_cast<char>(file->bytes().back()) == 'y');
        }
    }
}

TEST_CASE("An empty file opens with no bytes; a folder and a missing file are errors") {
    test::TemporaryFolder folder;
    REQUIRE(write(folder.path() / "empty", ""));
    const auto empty = InputFile::open((folder.path() / "empty").string());
    REQUIRE(empty);
    CHECK(empty->bytes().empty());
    const auto directory = InputFile::open(folder.path().string());
    REQUIRE_FALSE(directory);
    CHECK(directory.error().code == ErrorCode::is_folder);
    const auto missing = InputFile::open((folder.path() / "missing").string());
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == ErrorCode::io_open);
    CHECK(missing.error().token == ENOENT);
}

TEST_CASE("Output is the parts one after the other, however many there are") {
    test::TemporaryFolder folder;
    std::vector<std::string> texts;
    std::string all;
    for (int i = 0; i < 1000; ++i) {
        texts.push_back(
            std::string(static_cast<std::size_t>(i % 7), static_cast<char>('a' + i % 26)));
        all += texts.back();
    }
    std::vector<ByteSpan> parts;
    parts.reserve(texts.size());
    for (const std::string& text : texts) parts.push_back(bytes_of(text));
    REQUIRE(write_file((folder.path() / "out").string(), parts));
    CHECK(read(folder.path() / "out") == all);
    CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("An existing target is replaced only when that is wanted, and keeps its permissions") {
    test::TemporaryFolder folder;
    REQUIRE(write(folder.path() / "out", "old"));
    fs::permissions(folder.path() / "out", fs::perms{0751});
    OutputOptions careful;
    careful.overwrite = false;
    const Status refused = write(folder.path() / "out", "new", careful);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::output_exists);
    CHECK(read(folder.path() / "out") == "old");
    REQUIRE(write(folder.path() / "out", "new"));
    CHECK(read(folder.path() / "out") == "new");
    CHECK(fs::status(folder.path() / "out").permissions() == fs::perms{0751});
    CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("A new target gets the asked mode under the umask") {
    test::TemporaryFolder folder;
    OutputOptions options;
    options.mode = 0777;
    const mode_t before = umask(022);
    REQUIRE(write(folder.path() / "out", "x", options));
    umask(before);
    CHECK(fs::status(folder.path() / "out").permissions() == fs::perms{0755});
}

TEST_CASE("A backup keeps the old contents under the suffix") {
    test::TemporaryFolder folder;
    REQUIRE(write(folder.path() / "out", "one"));
    OutputOptions options;
    options.backup_suffix = ".bak";
    REQUIRE(write(folder.path() / "out", "two", options));
    CHECK(read(folder.path() / "out.bak") == "one");
    REQUIRE(write(folder.path() / "out", "three", options));
    CHECK(read(folder.path() / "out.bak") == "two");
    CHECK(read(folder.path() / "out") == "three");
}

TEST_CASE("A symbolic link is followed: what it points to is replaced") {
    test::TemporaryFolder folder;
    REQUIRE(write(folder.path() / "real", "old"));
    fs::create_symlink(folder.path() / "real", folder.path() / "link");
    REQUIRE(write(folder.path() / "link", "new"));
    CHECK(fs::is_symlink(folder.path() / "link"));
    CHECK(read(folder.path() / "real") == "new");
}

TEST_CASE("A failed write leaves the target and its folder as they were") {
    test::TemporaryFolder folder;
    const Status no_folder = write(folder.path() / "none/out", "x");
    REQUIRE_FALSE(no_folder);
    CHECK(no_folder.error().code == ErrorCode::io_write);
    CHECK(files_in(folder.path()) == 0);
    REQUIRE(write(folder.path() / "full", "old"));
    const Status full = write("/dev/full", "x");
    REQUIRE_FALSE(full);
    CHECK(full.error().token == ENOSPC);
}

TEST_CASE("A pipe or a device is written to directly") {
    CHECK(write("/dev/null", "x"));
    CHECK(fs::is_character_file("/dev/null"));
}
