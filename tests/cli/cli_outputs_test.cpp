// Where a writing verb writes, and that it leaves everything else alone.
#include "cli/command.h"

#include <nlohmann/json.hpp>

#include <sys/stat.h>

#include <algorithm>

namespace clrkit::test {
namespace {

namespace fs = std::filesystem;

unsigned mode_of(const fs::path& path) {
    struct stat info{};
    REQUIRE(stat(path.c_str(), &info) == 0);
    return info.st_mode & 07777U;
}

/// Files in a folder and below, as "a/b.dll b.dll".
std::string listing(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) names.push_back(fs::relative(entry.path(), folder).string());
    }
    std::sort(names.begin(), names.end());
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : " ") + name;
    return all;
}

struct Workplace {
    TemporaryFolder temporary;
    fs::path path = temporary.path();
    CommandSetting here{.folder = path};

    Workplace(std::initializer_list<const char*> files = {"a.dll"}) {
        for (const char* file : files) {
            fs::create_directories((path / file).parent_path());
            temporary.write(file, minimal_bytes());
        }
    }
    CommandResult run(const std::vector<std::string>& words) const { return clrkit(words, here); }
};

}  // namespace

TEST_CASE("-o writes a file, byte for byte") {
    NEED_COMMAND();
    const Workplace work;
    const CommandResult result = work.run({"rewrite", "a.dll", "-o", "b.dll"});
    CHECK(result.exit_code == 0);
    CHECK(result.out.empty());
    CHECK(read_bytes(work.path / "b.dll") == minimal_bytes());
}

TEST_CASE("two operands are input and output") {
    NEED_COMMAND();
    const Workplace work;
    CHECK(work.run({"rewrite", "a.dll", "b.dll"}).exit_code == 0);
    CHECK(read_bytes(work.path / "b.dll") == minimal_bytes());
}

TEST_CASE("two operands and -o are two inputs, which one file cannot hold") {
    NEED_COMMAND();
    const Workplace work{"a.dll", "b.dll"};
    const CommandResult result = work.run({"rewrite", "a.dll", "b.dll", "-o", "c.dll"});
    CHECK(result.exit_code == 2);
    CHECK(contains(result.err, "-o writes one file, and there are 2 inputs"));
    CHECK(listing(work.path) == "a.dll b.dll");
}

TEST_CASE("no verb writes without being told where") {
    NEED_COMMAND();
    const Workplace work{"a.dll", "b.dll", "c.dll"};
    CHECK(contains(work.run({"rewrite", "a.dll"}).err, "it is not said where to write"));
    CHECK(work.run({"rewrite", "a.dll", "b.dll", "c.dll"}).exit_code == 2);
    CHECK(listing(work.path) == "a.dll b.dll c.dll");
}

TEST_CASE("only one place to write to is accepted") {
    NEED_COMMAND();
    const Workplace work;
    const CommandResult result = work.run({"rewrite", "a.dll", "-o", "b.dll", "-i"});
    CHECK(result.exit_code == 2);
    CHECK(contains(result.err, "only one of -o, -O and -i"));
}

TEST_CASE("an output that exists is replaced only with -f") {
    NEED_COMMAND();
    const Workplace work;
    work.temporary.write("b.dll", bytes_of("precious"));
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"rewrite", "a.dll", "-o", "b.dll"},
          std::vector<std::string>{"rewrite", "a.dll", "b.dll"}}) {
        const CommandResult refused = work.run(words);
        CHECK(refused.exit_code == 2);
        CHECK(refused.err ==
              "clrkit: b.dll: exists already; nothing was written\nhint: pass -f to replace it\n");
        CHECK(read_bytes(work.path / "b.dll") == bytes_of("precious"));
    }
    CHECK(work.run({"rewrite", "a.dll", "-o", "b.dll", "-f"}).exit_code == 0);
    CHECK(read_bytes(work.path / "b.dll") == minimal_bytes());
}

TEST_CASE("a target stays as it was when the verb fails, and that is said") {
    NEED_COMMAND();
    const Workplace work{};
    copy_of("hello-signed.exe", work.temporary);
    work.temporary.write("b.dll", bytes_of("precious"));
    const CommandResult result =
        work.run({"set", "--version", "3.0.0.0", "hello-signed.exe", "-o", "b.dll", "-f"});
    CHECK(result.exit_code == 2);
    CHECK(contains(result.err, "; b.dll was left unchanged\n"));
    CHECK(contains(result.err, "hint: pass --drop-signature or --public-sign\n"));
    CHECK(read_bytes(work.path / "b.dll") == bytes_of("precious"));
    CHECK(listing(work.path) == "a.dll b.dll hello-signed.exe");
}

TEST_CASE("an output that cannot be written is named") {
    NEED_COMMAND();
    const Workplace work;
    const CommandResult result = work.run({"rewrite", "a.dll", "-o", "no/such/folder/b.dll"});
    CHECK(result.exit_code == 2);
    CHECK(result.err ==
          "clrkit: no/such/folder/b.dll: cannot be written: No such file or "
          "directory; it was not written\n");
    const CommandResult full = work.run({"rewrite", "a.dll", "-o", "/dev/full"});
    CHECK(full.exit_code == 2);
    CHECK(contains(full.err, "clrkit: /dev/full: cannot be written: No space left on device"));
}

TEST_CASE("a folder without write permission is named") {
    NEED_COMMAND();
    const Workplace work;
    fs::permissions(work.path, fs::perms(0555));
    CommandSetting setting = work.here;
    setting.unprivileged = true;
    const CommandResult result = clrkit({"rewrite", "a.dll", "-o", "b.dll"}, setting);
    const CommandResult in_place = clrkit({"set", "--laa", "on", "-i", "a.dll"}, setting);
    fs::permissions(work.path, fs::perms(0755));
    if (result.exit_code == 127) SKIP_TEST("nobody may not run the command here");
    CHECK(result.exit_code == 2);
    CHECK(contains(result.err, "clrkit: b.dll: cannot be written: Permission denied"));
    CHECK(in_place.exit_code == 2);
    CHECK(contains(in_place.err,
                   "a.dll: cannot be written: Permission denied; it was left unchanged"));
    CHECK(read_bytes(work.path / "a.dll") == minimal_bytes());
}

TEST_CASE("-o does not write into a folder") {
    NEED_COMMAND();
    const Workplace work{"a.dll", "out/b.dll"};
    const CommandResult result = work.run({"rewrite", "a.dll", "-o", "out"});
    CHECK(result.exit_code == 2);
    CHECK(result.err == "clrkit: out: is a folder\nhint: -O writes into a folder\n");
}

TEST_CASE("of a folder as input and one as output, the right one is named") {
    NEED_COMMAND();
    const Workplace work{"a.dll", "in/b.dll", "out/a.dll/c.dll"};
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"rewrite", "--reassemble", "in", "-o", "x.dll"},
          std::vector<std::string>{"rewrite", "in", "-o", "x.dll"},
          std::vector<std::string>{"set", "--laa", "on", "in", "-o", "x.dll"}}) {
        CHECK(contains(work.run(words).err, "clrkit: in: is a folder; x.dll was not written\n"));
    }
    CHECK(contains(work.run({"rewrite", "-f", "a.dll", "-O", "out"}).err,
                   "clrkit: out/a.dll: is a folder; it was left unchanged\n"));
}

TEST_CASE("-o - makes no file of that name") {
    NEED_COMMAND();
    const Workplace work;
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"rewrite", "a.dll", "-o", "-"},
          std::vector<std::string>{"rewrite", "a.dll", "-"},
          std::vector<std::string>{"dis", "a.dll", "-o", "-"}}) {
        const CommandResult result = work.run(words);
        CHECK(result.exit_code == 2);
        CHECK(contains(result.err, "-: does not stand for standard output here"));
        CHECK(contains(result.err, "hint: /dev/stdout is standard output, ./- a file"));
        CHECK(listing(work.path) == "a.dll");
    }
    CHECK(work.run({"rewrite", "a.dll", "-o", "./-"}).exit_code == 0);
    CHECK(read_bytes(work.path / "-") == minimal_bytes());
}

TEST_CASE("-O makes the folder and keeps names") {
    NEED_COMMAND();
    const Workplace work{"a.dll", "sub/b.dll"};
    CHECK(work.run({"rewrite", "a.dll", "sub/b.dll", "-O", "out/deep"}).exit_code == 0);
    CHECK(listing(work.path / "out") == "deep/a.dll deep/b.dll");
}

TEST_CASE("-O with -r keeps the folders below the one that was named") {
    NEED_COMMAND();
    const Workplace work{"in/a.dll", "in/x/a.dll", "in/x/y/b.dll"};
    CHECK(work.run({"rewrite", "-r", "in", "-O", "out"}).exit_code == 0);
    CHECK(listing(work.path / "out") == "a.dll x/a.dll x/y/b.dll");
}

TEST_CASE("two inputs with one output are refused before anything is written") {
    NEED_COMMAND();
    const Workplace work{"x/a.dll", "y/a.dll", "y/b.dll"};
    const CommandResult result =
        work.run({"rewrite", "y/b.dll", "x/a.dll", "y/a.dll", "-O", "out"});
    CHECK(result.exit_code == 2);
    CHECK(result.err ==
          "clrkit: x/a.dll and y/a.dll would both be written to out/a.dll; nothing "
          "was written\nhint: clrkit help rewrite\n");
    CHECK(!fs::exists(work.path / "out"));
}

TEST_CASE("an input that is named twice is refused before anything is written") {
    NEED_COMMAND();
    const Workplace work{"a.dll", "b.dll"};
    for (const char* second : {"a.dll", "./a.dll"}) {
        const CommandResult result =
            work.run({"set", "--version", "7.0.0.0", "-i", "b.dll", "a.dll", second});
        CHECK(result.exit_code == 2);
        CHECK(contains(result.err, "is named twice; nothing was written"));
    }
    fs::create_symlink("a.dll", work.path / "c.dll");
    CHECK(work.run({"set", "--version", "7.0.0.0", "-i", "a.dll", "c.dll"}).exit_code == 2);
    CHECK(read_bytes(work.path / "b.dll") == minimal_bytes());
}

TEST_CASE("an output that is another input is refused") {
    NEED_COMMAND();
    const Workplace work{"a/x.dll", "b/x.dll"};
    const CommandResult result = work.run({"rewrite", "a/x.dll", "-O", "b", "-f", "b/x.dll"});
    CHECK(result.exit_code == 2);
    CHECK(read_bytes(work.path / "b/x.dll") == minimal_bytes());
    const Workplace other{"a.dll", "in/b.dll", "in/a.dll"};
    CHECK(contains(other.run({"rewrite", "a.dll", "-r", "in", "-O", "in", "-f"}).err,
                   "nothing was written"));
}

TEST_CASE("-i replaces the input") {
    NEED_COMMAND();
    const Workplace work;
    CHECK(work.run({"set", "--version", "7.0.0.0", "-i", "a.dll"}).exit_code == 0);
    CHECK(read_bytes(work.path / "a.dll") != minimal_bytes());
    CHECK(listing(work.path) == "a.dll");
}

TEST_CASE("-i=SUFFIX keeps the old file") {
    NEED_COMMAND();
    for (const char* option : {"-i=.bak", "--in-place=.bak"}) {
        const Workplace work;
        CHECK(work.run({"set", "--version", "7.0.0.0", option, "a.dll"}).exit_code == 0);
        CHECK(read_bytes(work.path / "a.dll.bak") == minimal_bytes());
        CHECK(read_bytes(work.path / "a.dll") != minimal_bytes());
    }
}

TEST_CASE("-i takes a suffix only behind =") {
    NEED_COMMAND();
    const Workplace work;
    const CommandResult result = work.run({"set", "--version", "7.0.0.0", "-i", ".bak", "a.dll"});
    CHECK(result.exit_code == 2);
    CHECK(contains(result.err, "clrkit: .bak: cannot be opened"));
    CHECK(contains(work.run({"rewrite", "-i=", "a.dll"}).err, "-i= has no value"));
    CHECK(contains(work.run({"rewrite", "-i=x/y", "a.dll"}).err, "cannot have a slash"));
}

TEST_CASE("a backup does not replace an older one without -f") {
    NEED_COMMAND();
    const Workplace work;
    work.temporary.write("a.dll.bak", bytes_of("the first"));
    const CommandResult result = work.run({"set", "--version", "7.0.0.0", "-i=.bak", "a.dll"});
    CHECK(result.exit_code == 2);
    CHECK(contains(result.err, "a.dll.bak: exists already"));
    CHECK(read_bytes(work.path / "a.dll") == minimal_bytes());
    CHECK(work.run({"set", "--version", "7.0.0.0", "-i=.bak", "-f", "a.dll"}).exit_code == 0);
}

TEST_CASE("-i leaves a file alone that would stay the same") {
    NEED_COMMAND();
    const Workplace work;
    const auto before = fs::last_write_time(work.path / "a.dll");
    struct stat old{};
    struct stat now{};
    stat((work.path / "a.dll").c_str(), &old);
    CHECK(contains(work.run({"set", "--flag", "ilonly=on", "-i", "a.dll"}).err,
                   "left as it is, nothing to change"));
    stat((work.path / "a.dll").c_str(), &now);
    CHECK(old.st_ino == now.st_ino);
    CHECK(fs::last_write_time(work.path / "a.dll") == before);
}

TEST_CASE("-i leaves a file alone whose bytes come out the same") {
    NEED_COMMAND();
    const Workplace work{};
    copy_of("hello.exe", work.temporary);
    CHECK(work.run({"rewrite", "--rebuild", "-i", "hello.exe"}).exit_code == 0);
    struct stat old{};
    struct stat now{};
    stat((work.path / "hello.exe").c_str(), &old);
    for (const char* how : {"--rebuild", "--reassemble", "--emit"}) {
        const CommandResult result = work.run({"rewrite", how, "-i=.bak", "hello.exe", "--json"});
        CHECK(result.exit_code == 0);
        CHECK(contains(result.err, "hello.exe: left as it is, nothing to change\n"));
        CHECK(contains(result.out, "\"bytes_written\":0"));
    }
    stat((work.path / "hello.exe").c_str(), &now);
    CHECK(old.st_ino == now.st_ino);
    CHECK(listing(work.path) == "a.dll hello.exe");
}

TEST_CASE("permissions are kept") {
    NEED_COMMAND();
    const Workplace work;
    fs::permissions(work.path / "a.dll", fs::perms(0750));
    CHECK(work.run({"set", "--version", "7.0.0.0", "a.dll", "-o", "b.dll"}).exit_code == 0);
    CHECK(work.run({"set", "--version", "7.0.0.0", "-i", "a.dll"}).exit_code == 0);
    CHECK(mode_of(work.path / "a.dll") == 0750);
    CHECK(mode_of(work.path / "b.dll") == 0750);
}

TEST_CASE("-i follows a symbolic link and keeps it") {
    NEED_COMMAND();
    const Workplace work;
    fs::create_symlink("a.dll", work.path / "link.dll");
    CHECK(work.run({"set", "--version", "7.0.0.0", "-i", "link.dll"}).exit_code == 0);
    CHECK(fs::is_symlink(work.path / "link.dll"));
    CHECK(read_bytes(work.path / "a.dll") != minimal_bytes());
}

TEST_CASE("a failure in a folder leaves the other outputs whole") {
    NEED_COMMAND();
    const Workplace work{"in/a.dll", "in/c.dll"};
    ImageSpec broken = minimal();
    broken.metadata.signature = 1;
    work.temporary.write("in/b.dll", build(broken));
    const CommandResult result = work.run({"rewrite", "-r", "-k", "in", "-O", "out", "-j", "3"});
    CHECK(result.exit_code == 2);
    CHECK(contains(result.err, "out/b.dll was not written"));
    CHECK(listing(work.path / "out") == "a.dll c.dll");
}

TEST_CASE("--quiet says nothing of what was written") {
    NEED_COMMAND();
    const Workplace work;
    CHECK(work.run({"rewrite", "-q", "a.dll", "b.dll"}).err.empty());
}

TEST_CASE("a report as JSON tells what was written") {
    NEED_COMMAND();
    const Workplace work;
    const CommandResult result =
        work.run({"set", "--version", "1.2.3.4", "a.dll", "-o", "b.dll", "--json"});
    const auto document = nlohmann::json::parse(result.out);
    CHECK(document["schema"] == 1);
    const auto& file = document["files"][0];
    CHECK(file["file"] == "a.dll");
    CHECK(file["output"] == "b.dll");
    CHECK(file["bytes_written"] == minimal_bytes().size());
    CHECK(file["edits"][0]["what"] == "version");
    CHECK(file["edits"][0]["to"] == "1.2.3.4");
    CHECK(file["changes"][0]["reason"] == "edit");
}

}  // namespace clrkit::test
