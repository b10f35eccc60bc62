#include "support/judge.h"

#include "support/environment.h"

namespace clrkit::test {

std::optional<Judge> Judge::find() {
    const auto judge = judge_program();
    const auto dotnet = program("dotnet");
    if (!judge || !dotnet) return std::nullopt;
    return Judge({dotnet->string(), "exec", judge->string()});
}

Judgement Judge::compare(const std::vector<JudgedPair>& pairs, const std::string& ignore,
                         const std::string& rows) const {
    Bytes list;
    for (const JudgedPair& pair : pairs) {
        const std::string line = pair.before.string() + '\t' + pair.after.string() + '\n';
        list.insert(list.end(), line.begin(), line.end());
    }
    const TemporaryFolder folder;
    const auto path = folder.write("pairs", list);
    Outcome outcome = run({"compare-list", rows, "--ignore", ignore, path.string()});
    return {outcome.exit_code == 0, std::move(outcome.output)};
}

Outcome Judge::run(const std::vector<std::string>& arguments) const {
    std::vector<std::string> command = command_;
    command.insert(command.end(), arguments.begin(), arguments.end());
    return test::run(command);
}

}  // namespace clrkit::test
