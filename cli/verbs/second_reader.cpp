// The bytes of a save are made twice, here and by the save that follows: it is deterministic, and
// nothing else has to know that somebody looked.
#include "verbs/second_reader.h"

#include "frame/text.h"

#include <clrkit/core/native/client.h>
#include <clrkit/core/native/compare.h>

#include <fmt/format.h>

#include <unistd.h>

namespace clrkit::cli {
namespace {

/// Tells what the reader thinks: one sentence for each thing it holds against the file. False when
/// there is one.
bool conclude(Job& job, std::string_view reader, const std::vector<std::string>& lines) {
    const std::string& output = job.output().path;
    const bool there = access(output.c_str(), F_OK) == 0;
    for (const std::string& sentence : lines) {
        job.answer_no();
        job.notes().write(complaint(fmt::format("{}: {}; {} was {}", job.input().path, sentence,
                                                output, there ? "left unchanged" : "not written")));
    }
    if (lines.empty() && !job.arguments().has("quiet"))
        job.notes().print("{}: {} agrees\n", shown(job.input().path), shown(reader));
    if (!job.wants_json()) return lines.empty();
    Json& out = job.json();
    out.begin_object("check");
    out.name("reader", reader);
    out.member("agrees", lines.empty());
    out.begin_array("disagreements");
    for (const std::string& sentence : lines) {
        out.begin_object();
        out.name("message", sentence);
        out.end_object();
    }
    out.end_array();
    out.end_object();
    return lines.empty();
}

}  // namespace

bool second_reader_agrees(Job& job, ByteSpan bytes) {
    const auto ours = pe::Image::parse(bytes);
    if (!ours) {
        job.fail(ours.error());
        return false;
    }
    const auto theirs = native::ask(bytes);
    if (!theirs) {
        const native::Problem& problem = theirs.error();
        if (problem.failure == native::Failure::refused)
            return conclude(job, "the native reader", {problem.sentence});
        job.fail("cannot be checked: " + problem.sentence, problem.hint);
        return false;
    }
    std::vector<std::string> lines = native::disagreements(*ours, *theirs);
    for (std::string& sentence : lines) sentence.insert(0, theirs->reader + " disagrees: ");
    return conclude(job, theirs->reader, lines);
}

bool second_reader_agrees_with_save(Job& job, const Module& module, const SaveOptions& save) {
    const auto saved = module.save_to_memory(save);
    if (!saved) {
        job.fail(saved.error());
        return false;
    }
    return second_reader_agrees(job, saved->bytes);
}

}  // namespace clrkit::cli
