// clrkit dis: a module, a type or a member as source for the IL assembler, or its instructions as JSON.
#include "frame/batch.h"
#include "frame/sink.h"
#include "frame/text.h"

#include <clrkit/core/io/output_file.h>
#include <clrkit/dotnet/dis/disassembler.h>

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace clrkit::cli {
namespace {

constexpr std::array options{
    Option{"item", 0, OptionKind::list, "NAME",
           "a type (Ns.Outer/Inner) or member (Ns.Type::Name)"},
    Option{"for",
           0,
           OptionKind::choice,
           "WHOSE",
           "whose ilasm reads the text: the .NET runtime's (the default), or mono's",
           {},
           "runtime|mono"},
    Option{"tokens", 0, OptionKind::flag, {}, "tokens as comments"},
    Option{"bytes", 0, OptionKind::flag, {}, "the bytes of instructions as comments"},
    Option{"strict",
           0,
           OptionKind::flag,
           {},
           "exit with 1 when there is something that the text cannot say"},
    Option{"output",
           'o',
           OptionKind::text,
           "FILE",
           "write to FILE, and resources beside it",
           "Output",
           {},
           Completes::file},
    Option{"output-dir",
           'O',
           OptionKind::text,
           "DIR",
           "write DIR/NAME.il for each input",
           "Output",
           {},
           Completes::folder},
    Option{"force", 'f', OptionKind::flag, {}, "replace files that exist", "Output"},
    Option{"quiet", 'q', OptionKind::flag, {}, "do not report what was written", "Output"},
    Option{"limit", 0, OptionKind::number, "N",
           "with --json or --jsonl, list at most N methods (10000); 0 lists all", "Printing"},
};

/// `dir/hello.il` to `hello.`, the beginning of resource files' names.
std::string stem(std::string_view path) {
    std::string name(file_name(path));
    const std::size_t dot = name.rfind('.');
    if (dot != std::string::npos && dot != 0) name.resize(dot);
    return name + '.';
}

/// What was made of one input, whatever it was written to.
class Disassembly {
public:
    Disassembly(Job& job, const Module& module, dis::DisassemblyOptions wanted)
        : job_(job),
          module_(module),
          options_(std::move(wanted)),
          found_any_(job.arguments().list("item").empty()) {}

    /// False when it failed, which was said.
    bool print(Sink& out) {
        auto write = [&out](std::string_view text) { out.write(text); };
        const dis::TextTarget target(write);
        if (!create(target)) return false;
        const auto names = job_.arguments().list("item");
        if (names.empty()) {
            disassembler_->module();
        } else {
            each_item(names, [&](Token token) { disassembler_->item(token); });
            disassembler_->print_gaps();
        }
        check_gaps();
        return true;
    }

    bool print_json() {
        auto drop = [](std::string_view) {};
        const dis::TextTarget nowhere(drop);
        if (!create(nowhere)) return false;
        const auto names = job_.arguments().list("item");
        if (names.empty()) disassembler_->module();  // for the gaps
        job_.json().begin_array("methods");
        std::uint64_t left_out = 0;
        std::uint64_t left = listing_limit(job_.arguments());
        const auto print = [&](MethodDef method) {
            if (left == 0) {
                ++left_out;
                return;
            }
            --left;
            print_method(method);
        };
        if (names.empty()) {
            for (const MethodDef method : module_.methods()) print(method);
        } else {
            each_item(names, [&](Token token) { each_method(token, print); });
        }
        job_.json().end_array();
        print_gaps();
        job_.note_left_out(left_out, "methods");
        check_gaps();
        return true;
    }

    std::vector<dis::ResourceFile> resources() const { return disassembler_->resources(); }
    /// False when items were asked for and none of them is there.
    bool found_any() const { return found_any_; }

private:
    bool create(const dis::TextTarget& target) {
        auto made = dis::Disassembler::create(module_, options_, target);
        if (!made) {
            job_.fail(made.error());
            return false;
        }
        disassembler_.emplace(std::move(*made));
        return true;
    }

    void check_gaps() {
        const auto cut = dis::GapKind::text_limit;
        // What breaks off has no place left to say so itself.
        if (disassembler_->gaps().count(cut) != 0) {
            job_.notes().write(complaint(job_.input().path + ": " + std::string(text_of(cut))));
        }
        const std::uint64_t count = disassembler_->gaps().total();
        if (count == 0 || !job_.arguments().has("strict")) return;
        job_.answer_no();
        job_.notes().write(
            complaint(fmt::format("{}: {} thing{} that the text does not say as the file does",
                                  job_.input().path, count, count == 1 ? "" : "s")));
    }

    template <class Each>
    void each_item(std::span<const std::string> names, Each each) {
        for (const std::string& name : names) {
            const std::vector<Token> found = disassembler_->find(name);
            for (const Token token : found) each(token);
            if (!found.empty()) {
                found_any_ = true;
                continue;
            }
            job_.answer_no();
            job_.notes().write(
                complaint(fmt::format("{}: there is no {}", job_.input().path, name)));
        }
    }

    template <class Each>
    void each_method(Token token, Each each) {
        if (token.table() == Table::MethodDef) each(module_.method(token.rid()));
        if (token.table() != Table::TypeDef) return;
        for (const MethodDef method : module_.type(token.rid()).methods()) each(method);
    }

    void print_method(MethodDef method) {
        Json& out = job_.json();
        out.begin_object();
        out.member("token", method.token());
        out.name("name", disassembler_->name_of(method.token()));
        out.begin_array("instructions");
        for (const dis::InstructionText& each : disassembler_->instructions(method)) {
            out.begin_object();
            out.member("offset", each.offset);
            if (!each.opcode.empty()) out.text("opcode", each.opcode);
            if (!each.operand.empty()) out.name("operand", each.operand);
            if (options_.tokens && each.token != Token()) out.member("token", each.token);
            if (options_.bytes || each.opcode.empty()) out.bytes("bytes", each.bytes);
            out.end_object();
        }
        out.end_array();
        out.end_object();
    }

    void print_gaps() {
        Json& out = job_.json();
        out.begin_array("not_said");
        const dis::Gaps& gaps = disassembler_->gaps();
        for (std::size_t i = 0; i < dis::gap_kinds; ++i) {
            const auto kind = static_cast<dis::GapKind>(i);
            if (gaps.count(kind) == 0) continue;
            out.begin_object();
            out.text("what", dis::text_of(kind));
            out.member("count", gaps.count(kind));
            out.end_object();
        }
        out.end_array();
    }

    Job& job_;
    const Module& module_;
    dis::DisassemblyOptions options_;
    std::optional<dis::Disassembler> disassembler_;
    bool found_any_;
};

std::string beside(const std::string& path, const std::string& name) {
    return path.substr(0, path.size() - file_name(path).size()) + name;
}

/// What is written to, as far as resources are concerned: a device or a pipe has nothing beside it.
bool has_resources(const Arguments& arguments, const Output& output) {
    return arguments.list("item").empty() && !is_special(output.path);
}

/// The options for text in a file of that name.
dis::DisassemblyOptions options_for(const Arguments& arguments, const std::string& path) {
    dis::DisassemblyOptions wanted;
    if (arguments.text("for") == "mono") wanted.dialect = dis::Dialect::mono;
    wanted.tokens = arguments.has("tokens");
    wanted.bytes = arguments.has("bytes");
    wanted.resource_prefix = stem(path);
    return wanted;
}

/// The names of resources stand in the inputs, so that each is opened once more for them: this is
/// quick beside making its text. What cannot be opened says so when its turn comes.
Usage<void> check_resources(const Arguments& arguments, const Plan& plan) {
    auto drop = [](std::string_view) {};
    const dis::TextTarget nowhere(drop);
    Companions companions(plan);
    for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
        const std::string& path = plan.outputs[i].path;
        if (!has_resources(arguments, plan.outputs[i])) continue;
        const auto module = Module::open(plan.inputs[i].path);
        if (!module || module->metadata().rows(Table::ManifestResource) == 0) continue;
        const auto made = dis::Disassembler::create(*module, options_for(arguments, path), nowhere);
        if (!made) continue;
        for (const dis::ResourceFile& resource : made->resources()) {
            if (resource.name == file_name(path)) {
                return misuse(path + ": an embedded resource has the name of the output");
            }
            if (auto added = companions.add(i, beside(path, resource.name)); !added) return added;
        }
    }
    return {};
}

/// Writes the resources beside the text. Their number, or nothing where it failed, which was said.
std::optional<std::size_t> write_resources(Job& job, const Disassembly& disassembly) {
    if (!has_resources(job.arguments(), job.output())) return 0;
    OutputOptions replacing;
    replacing.overwrite = job.output().options.overwrite;
    const auto resources = disassembly.resources();
    for (const dis::ResourceFile& resource : resources) {
        const std::array parts{resource.bytes};
        const std::string name = beside(job.output().path, resource.name);
        if (const auto done = write_file(name, parts, replacing); !done) {
            job.fail(render(done.error(), name));
            return std::nullopt;
        }
    }
    return resources.size();
}

void write_files(Job& job) {
    const auto module = job.open();
    if (!module || !job.make_folders()) return;
    const std::string& path = job.output().path;
    OutputOptions usual = job.output().options;
    usual.mode = 0666;  // as a shell's redirection has it
    OutputFile file(path, usual);
    if (const auto begun = file.begin(); !begun) return job.fail(begun.error());
    Sink text(file.descriptor());
    const std::string& named_after = is_special(path) ? job.input().path : path;
    Disassembly disassembly(job, *module, options_for(job.arguments(), named_after));
    if (!disassembly.print(text) || !disassembly.found_any()) return;
    const auto resources = write_resources(job, disassembly);
    if (!resources) return;
    text.flush();
    if (text.problem() != 0) {
        return job.fail(failure(Stage::io, ErrorCode::io_write, no_offset, nullptr,
                                static_cast<std::uint32_t>(text.problem()))
                            .error());
    }
    if (const auto done = file.commit(); !done) return job.fail(done.error());
    if (job.arguments().has("quiet")) return;
    job.notes().print("{} -> {}: {} bytes of text", shown(job.input().path), shown(path),
                      text.total());
    if (*resources != 0) {
        job.notes().print(", {} resource{}", *resources, *resources == 1 ? "" : "s");
    }
    job.notes().put('\n');
}

void disassemble(Job& job) {
    const auto module = job.open();
    if (!module) return;
    Disassembly disassembly(job, *module, options_for(job.arguments(), job.input().path));
    if (job.wants_json()) {
        disassembly.print_json();
    } else {
        disassembly.print(job.out());
    }
}

int run_files(const Arguments& arguments) {
    if (arguments.has("json") || arguments.has("jsonl")) {
        return refuse({"JSON goes to standard output", {}}, &arguments.verb());
    }
    const auto plan = plan_conversions(arguments, ".il");
    if (!plan) return refuse(plan.error(), &arguments.verb());
    if (const auto checked = check_resources(arguments, *plan); !checked) {
        return refuse(checked.error(), &arguments.verb());
    }
    return run_batch(arguments, *plan, write_files);
}

int run(const Arguments& arguments) {
    if (arguments.has("limit") && !arguments.has("json") && !arguments.has("jsonl")) {
        return refuse({"--limit is for --json and --jsonl: text is whole", {}}, &arguments.verb());
    }
    if (arguments.has("output") || arguments.has("output-dir")) return run_files(arguments);
    const auto inputs = find_inputs(arguments);
    if (!inputs) return refuse(inputs.error(), &arguments.verb());
    return run_batch(arguments, *inputs, disassemble, "\n");
}

}  // namespace

extern constinit const Verb dis_verb;
constinit const Verb dis_verb{
    "dis",
    "source for the IL assembler, which makes the same assembly of it again",
    "INPUT...",
    {{{"clrkit dis App.dll -o App.il", "all of it; resources become files beside App.il"},
      {"clrkit dis --item Ns.Type::Main App.dll", "one method"},
      {"clrkit dis --strict App.dll -o App.il", "fail when not all of it can be said"}}},
    options,
    takes_inputs | takes_json,
    run,
    {},
};

}  // namespace clrkit::cli
