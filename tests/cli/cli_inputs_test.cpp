// Which files a verb works on.
#include "cli/command.h"

#include <nlohmann/json.hpp>

namespace clrkit::test {
namespace {

namespace fs = std::filesystem;

/// A folder with images and other files, and the names of the files that `info` finds in it.
struct Workplace {
    TemporaryFolder temporary;
    CommandSetting here{.folder = temporary.path()};

    Workplace(std::initializer_list<const char*> images) {
        for (const char* image : images) {
            fs::create_directories((temporary.path() / image).parent_path());
            temporary.write(image, minimal_bytes());
        }
    }

    CommandResult info(std::vector<std::string> words) const {
        words.insert(words.begin(), {"info", "--jsonl"});
        return clrkit(words, here);
    }

    /// "a.dll b.dll".
    static std::string files(const CommandResult& result) {
        std::string all;
        std::string_view rest = result.out;
        while (!rest.empty()) {
            const std::size_t end = rest.find('\n');
            const auto line = nlohmann::json::parse(rest.substr(0, end));
            all += (all.empty() ? "" : " ") + line["file"].get<std::string>();
            rest.remove_prefix(end + 1);
        }
        return all;
    }
    std::string found(const std::vector<std::string>& words) const { return files(info(words)); }
};

}  // namespace

TEST_CASE("-r finds .NET files in the order of names and passes over others") {
    NEED_COMMAND();
    const Workplace work{"bin/b.dll", "bin/a.exe", "bin/sub/c.dll", "bin/.hidden/d.dll"};
    work.temporary.write("bin/readme.txt", bytes_of("text"));
    work.temporary.write("bin/empty.dll", {});
    work.temporary.write("bin/native.dll", native_dll());
    work.temporary.write("bin/a.pdb", minimal_pdb().encode());
    const CommandResult result = work.info({"-r", "bin"});
    CHECK(result.exit_code == 0);
    CHECK(result.err.empty());
    CHECK(Workplace::files(result) == "bin/.hidden/d.dll bin/a.exe bin/b.dll bin/sub/c.dll");
}

TEST_CASE("a broken image in a folder is not passed over") {
    NEED_COMMAND();
    const Workplace work{"bin/a.dll"};
    ImageSpec broken = minimal();
    broken.metadata.signature = 1;
    work.temporary.write("bin/b.dll", build(broken));
    const CommandResult result = work.info({"-r", "bin"});
    CHECK(result.exit_code == 2);
    CHECK(contains(result.err, "clrkit: bin/b.dll: the metadata root"));
}

TEST_CASE("a folder without .NET files is the answer no") {
    NEED_COMMAND();
    const Workplace work{};
    work.temporary.write("readme.txt", bytes_of("text"));
    const CommandResult result = work.info({"-r", "."});
    CHECK(result.exit_code == 1);
    CHECK(result.err == "clrkit: no .NET file was found\n");
    CHECK(work.info({"*.dll"}).exit_code == 1);
}

TEST_CASE("links to folders are not followed") {
    NEED_COMMAND();
    const Workplace work{"bin/a.dll"};
    fs::create_directory_symlink("..", work.temporary.path() / "bin/loop");
    CHECK(work.found({"-r", "bin"}) == "bin/a.dll");
}

TEST_CASE("a folder that cannot be read is an error, not an omission") {
    NEED_COMMAND();
    const Workplace work{"bin/a.dll", "bin/closed/b.dll"};
    fs::permissions(work.temporary.path(), fs::perms(0755));
    fs::permissions(work.temporary.path() / "bin/closed", fs::perms(0));
    CommandSetting setting = work.here;
    setting.unprivileged = true;
    const CommandResult result = clrkit({"info", "-r", "-k", "bin"}, setting);
    fs::permissions(work.temporary.path() / "bin/closed", fs::perms(0755));
    if (result.exit_code == 127) SKIP_TEST("nobody may not run the command here");
    CHECK(result.exit_code == 2);
    CHECK(contains(result.out, "bin/a.dll"));
    CHECK(contains(result.err, "bin/closed"));
}

TEST_CASE("patterns are expanded by the command") {
    NEED_COMMAND();
    const Workplace work{"a.dll", "b.dll", "c.exe", "x/d.dll", "x/y/e.dll"};
    CHECK(work.found({"*.dll"}) == "a.dll b.dll");
    CHECK(work.found({"?.exe"}) == "c.exe");
    CHECK(work.found({"*/*.dll"}) == "x/d.dll");
    CHECK(work.found({"**/*.dll"}) == "a.dll b.dll x/d.dll x/y/e.dll");
    CHECK(work.found({"x/**"}) == "x/d.dll x/y/e.dll");
    CHECK(work.found({"**/y/**/*.dll"}) == "x/y/e.dll");
    CHECK(work.found({"./*.exe"}) == "./c.exe");
}

TEST_CASE("a file whose name is a pattern is that file") {
    NEED_COMMAND();
    const Workplace work{"a*.dll", "ab.dll", "[x,y].dll"};
    CHECK(work.found({"a*.dll"}) == "a*.dll");
    CHECK(work.found({"[x,y].dll"}) == "[x,y].dll");
}

TEST_CASE("files that a pattern finds keep the folders behind it under -O") {
    NEED_COMMAND();
    const Workplace work{"in/a.dll", "in/x/b.dll"};
    CHECK(clrkit({"rewrite", "in/**/*.dll", "-O", "out"}, work.here).exit_code == 0);
    CHECK(fs::exists(work.temporary.path() / "out/a.dll"));
    CHECK(fs::exists(work.temporary.path() / "out/x/b.dll"));
}

TEST_CASE("a response file holds options and inputs, quoted where needed") {
    NEED_COMMAND();
    const Workplace work{"a b.dll", "c.dll", "d\".dll", "e\\f.dll"};
    work.temporary.write("args.rsp", bytes_of("# a comment\n--jsonl 'a b.dll'\n"
                                              "\"d\\\".dll\"  e\\f.dll # \n"));
    const CommandResult result = clrkit({"info", "@args.rsp", "c.dll"}, work.here);
    CHECK(Workplace::files(result) == "a b.dll d\".dll e\\f.dll c.dll");
    work.temporary.write("bad.rsp", bytes_of("'never closed"));
    CHECK(clrkit({"info", "@bad.rsp"}, work.here).err ==
          "clrkit: bad.rsp: a quote has no end\nhint: clrkit help info\n");
    CHECK(contains(clrkit({"info", "@none.rsp"}, work.here).err, "none.rsp: cannot be read"));
    work.temporary.write("nested.rsp", bytes_of("@args.rsp"));
    CHECK(contains(clrkit({"info", "@nested.rsp"}, work.here).err, "cannot name another"));
}

TEST_CASE("behind -- nothing is an option or a response file") {
    NEED_COMMAND();
    const Workplace work{"-r", "@x", "--json"};
    CHECK(work.found({"--", "-r", "@x", "--json"}) == "-r @x --json");
}

TEST_CASE("--files-from reads paths from a file or from standard input") {
    NEED_COMMAND();
    const Workplace work{"a b.dll", "c.dll", "d*.dll"};
    work.temporary.write("list.txt", bytes_of("a b.dll\r\n\nc.dll"));
    CHECK(work.found({"--files-from", "list.txt"}) == "a b.dll c.dll");
    CommandSetting setting = work.here;
    setting.input = std::string("d*.dll\0a b.dll\0", 15);
    const CommandResult result = clrkit({"info", "--jsonl", "--files-from", "-", "c.dll"}, setting);
    CHECK(Workplace::files(result) == "c.dll d*.dll a b.dll");
}

TEST_CASE("output keeps the order of input however many work at once") {
    NEED_COMMAND();
    const Workplace work{};
    std::string list;
    for (int i = 0; i < 60; ++i) {
        const std::string name = std::to_string(i * 7919 % 61) + ".dll";
        work.temporary.write(name, minimal_bytes());
        list += name + "\n";
    }
    work.temporary.write("list", bytes_of(list));
    const CommandResult one = work.info({"--files-from", "list"});
    CHECK(lines_in(one.out) == 60);
    for (const char* jobs : {"2", "8", "1000"}) {
        CHECK(work.info({"-j", jobs, "--files-from", "list"}).out == one.out);
    }
    const std::vector<std::string> text{"info", "--files-from", "list"};
    std::vector<std::string> text4 = text;
    text4.insert(text4.end(), {"-j", "4"});
    CHECK(clrkit(text, work.here).out == clrkit(text4, work.here).out);
}

TEST_CASE("with -j the output of a batch ends at its first failure too") {
    NEED_COMMAND();
    const Workplace work{"a.dll", "c.dll"};
    work.temporary.write("b.dll", bytes_of("text"));
    const CommandResult result = work.info({"-j", "3", "a.dll", "b.dll", "c.dll"});
    CHECK(result.exit_code == 2);
    CHECK(Workplace::files(result) == "a.dll b.dll");
    CHECK(contains(result.out, "\"error\":{\"code\":\"not_pe\""));
}

}  // namespace clrkit::test
