// The judge of tests/judge: do two files mean the same? A .NET program that shares no code with clrkit,
// so that a fault of ours in reading does not hide the same fault in writing.
#pragma once

#include "support/process.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace clrkit::test {

/// Two files that should mean the same, with the Portable PDB beside each if there is one.
struct JudgedPair {
    std::filesystem::path before;
    std::filesystem::path after;
};

struct Judgement {
    bool same = false;   // all pairs; a file that the judge refuses is not the same as any other
    std::string report;  // every other pair with its first differences, then a summary
};

class Judge {
public:
    /// Nothing where there is no dotnet, or no judge: `./dev test` builds it.
    static std::optional<Judge> find();
    static constexpr const char* why_missing = "no judge (./dev judge --build needs the .NET SDK)";

    /// Judges all pairs in one process: starting it costs more than judging a small file. `ignore`
    /// lists facts that a write was asked to change, with commas between: ./dev judge help. `rows`:
    /// `--rows`, or `--sets` where rows were renumbered.
    Judgement compare(const std::vector<JudgedPair>& pairs, const std::string& ignore = "",
                      const std::string& rows = "--rows") const;

    /// Another verb of the judge.
    Outcome run(const std::vector<std::string>& arguments) const;

private:
    explicit Judge(std::vector<std::string> command) : command_(std::move(command)) {}

    std::vector<std::string> command_;
};

}  // namespace clrkit::test
