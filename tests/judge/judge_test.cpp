// Is the judge worth asking? It must see every edit, and nothing where there is none.
#include "support/judge.h"

#include "support/catch.h"
#include "support/environment.h"

#include "strong_name/samples.h"

using namespace clrkit::test;

namespace {

// Among them they hold every table, kind of blob and part of a file that the judge reads.
constexpr const char* samples[] = {
    "attribute-parents.exe", "attributes-net.dll",   "constants-il.exe", "eh-il.exe",
    "field-rva.exe",         "forward-facade.dll",   "generics-net.dll", "hello-net-signed.dll",
    "hello-x64.exe",         "layout.exe",           "marshal-il.dll",   "members-il.exe",
    "module-main.exe",       "native-parts-x64.dll", "pinvoke-il.dll",   "resources-net.dll",
    "security-il.exe",       "signatures.exe",       "strings-net.dll",  "symbols-embedded.dll",
    "symbols.dll",           "varargs-il.exe",       "version.exe",
};

}  // namespace

TEST_CASE("The judge sees every edit of its self-test") {
    const auto judge = Judge::find();
    if (!judge) SKIP_TEST(Judge::why_missing);
    std::vector<std::string> arguments{"selftest"};
    for (const char* sample : samples) arguments.push_back((testdata() / "bin" / sample).string());
    const Outcome outcome = judge->run(arguments);
    INFO(outcome.output);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.output.find(" in 23 files, 0 not seen, 0 of no consequence") !=
          std::string::npos);
}

TEST_CASE("The judge finds every test file the same as its copy") {
    const auto judge = Judge::find();
    if (!judge) SKIP_TEST(Judge::why_missing);
    const TemporaryFolder folder;
    std::vector<JudgedPair> pairs;
    for (const char* sample : samples) {
        const auto original = testdata() / "bin" / sample;
        // Another file, else equal bytes would do: a byte of the DOS stub is changed, and left out.
        Bytes bytes = read_file(original);
        bytes[0x50] ^= 1;
        pairs.push_back({original, folder.write(sample, bytes)});
    }
    const Judgement judgement = judge->compare(pairs, "dos,pdb-beside");
    INFO(judgement.report);
    CHECK(judgement.same);
    CHECK(judgement.report.find("23 same (0 byte for byte)") != std::string::npos);
    CHECK_FALSE(judge->compare(pairs, "pdb-beside").same);
}

TEST_CASE("A file that the judge refuses is not the same as another") {
    const auto judge = Judge::find();
    if (!judge) SKIP_TEST(Judge::why_missing);
    const TemporaryFolder folder;
    const auto text = folder.write("text.dll", Bytes{'t', 'e', 'x', 't'});
    const auto other = folder.write("other.dll", Bytes{'T', 'e', 'x', 't'});
    const auto hello = testdata() / "bin" / "hello.exe";
    CHECK_FALSE(judge->compare({{text, other}}).same);
    CHECK_FALSE(judge->compare({{text, hello}}).same);
    CHECK_FALSE(judge->compare({{hello, text}}).same);
    CHECK_FALSE(judge->compare({{hello, folder.path() / "missing.dll"}}).same);
}
