// clrkit grep: where code uses a literal, a member, a value, an opcode.
#include "frame/batch.h"
#include "frame/text.h"
#include "verbs/grep_pattern.h"

#include <clrkit/dotnet/attributes/constant.h>
#include <clrkit/dotnet/attributes/print_blobs.h>
#include <clrkit/dotnet/metadata/indexes.h>
#include <clrkit/dotnet/model/instructions.h>
#include <clrkit/dotnet/signatures/print_signature.h>

#include <fmt/format.h>

#include <atomic>
#include <optional>
#include <unordered_map>

namespace clrkit::cli {
namespace {

using enum OptionKind;

constexpr std::array options{
    Option{"strings", 's', flag, {}, "literals and constants of type string (the default)"},
    Option{"members", 'm', flag, {}, "uses of fields, methods and types: Ns.Type::Name(int32)"},
    Option{"constants",
           'n',
           flag,
           {},
           "numbers that code loads and constants have: 42, 0x2A, 1.5; behind --, -1"},
    Option{"opcodes", 0, flag, {}, "instructions by their name: callvirt, ldc.i4.s"},
    Option{"regexp", 'E', flag, {}, "PATTERN is an extended regular expression"},
    Option{"ignore-case", 'i', flag, {}, "letters of either case are the same (ASCII)"},
    Option{"whole", 'x', flag, {}, "all of the text has to match"},
    Option{"count", 'c', flag, {}, "only how many places there are in each file"},
    Option{"files-with-matches", 'l', flag, {}, "only the names of files with a match"},
};

struct Wishes {
    bool strings = false;
    bool members = false;
    bool constants = false;
    bool opcodes = false;
    bool count = false;
    bool names = false;
};

Wishes read_wishes(const Arguments& arguments) {
    Wishes wishes;
    wishes.members = arguments.has("members");
    wishes.constants = arguments.has("constants");
    wishes.opcodes = arguments.has("opcodes");
    wishes.strings =
        arguments.has("strings") || !(wishes.members || wishes.constants || wishes.opcodes);
    wishes.count = arguments.has("count");
    wishes.names = arguments.has("files-with-matches");
    return wishes;
}

/// One file.
class Search {
public:
    Search(Job& job, const Module& module, const Pattern& pattern, const Wishes& wishes)
        : job_(job),
          metadata_(module.metadata()),
          pattern_(pattern),
          wishes_(wishes),
          limit_(listing_limit(job.arguments())) {
        PrintOptions print;
        print.scopes = false;
        // In a module made to have no index, owners are searched for one by one.
        if (auto indexes = Indexes::build(metadata_)) {
            print.indexes = &indexes_.emplace(std::move(*indexes));
        }
        printer_.emplace(metadata_, print);
    }

    void run(const Bodies& bodies) {
        const bool lists = !wishes_.count && !wishes_.names;
        if (job_.wants_json() && lists) job_.json().begin_array("matches");
        std::uint32_t cut = 0;
        for (const CodeOf& body : bodies.all) {
            if (enough()) break;
            if (!look_through(body)) ++cut;
        }
        if (wishes_.strings || wishes_.constants) constants();
        if (job_.wants_json() && lists) job_.json().end_array();
        conclude(lists);
        if (cut + bodies.unreadable != 0) {
            job_.notes().print("clrkit: {}: {} bodies were not read to their end\n",
                               shown(job_.input().path), cut + bodies.unreadable);
        }
    }
    std::uint64_t count() const { return found_; }

private:
    /// With -l the first match says all.
    bool enough() const { return wishes_.names && found_ != 0; }

    void conclude(bool lists) {
        if (job_.wants_json()) {
            // With -l nobody looked any further than the first match.
            if (wishes_.names) {
                job_.json().member("found", found_ != 0);
            } else {
                job_.json().member("count", found_);
            }
        } else if (wishes_.names && found_ != 0) {
            job_.out().print("{}\n", shown(job_.input().path));
        } else if (wishes_.count) {
            job_.out().print("{}: {}\n", shown(job_.input().path), found_);
        }
        if (lists && found_ > limit_) job_.note_left_out(found_ - limit_, "matches");
    }

    bool look_through(const CodeOf& body) {
        return finder_.for_each_instruction(body, [&](const InstructionSite& site) {
            if (is_wanted(site)) found(body.method, site);
        });
    }

    bool is_wanted(const InstructionSite& site) {
        if (wishes_.opcodes && pattern_.names(site.opcode->name)) return true;
        if (site.opcode->operand == cil::OperandKind::string) {
            return wishes_.strings && literal_matches(site.token());
        }
        if (cil::is_token(site.opcode->operand)) {
            return wishes_.members && member_matches(site.token());
        }
        return wishes_.constants && number_matches(site);
    }

    bool number_matches(const InstructionSite& site) const {
        constexpr std::uint16_t ldc_i4_m1 = 0x15;
        constexpr std::uint16_t ldc_i4_8 = 0x1E;
        constexpr std::uint16_t ldc_r8 = 0x23;
        const std::uint16_t opcode = site.opcode->value;
        if (opcode >= ldc_i4_m1 && opcode <= ldc_i4_8) {
            return pattern_.equals(std::int64_t{opcode} - ldc_i4_m1 - 1);
        }
        return opcode > ldc_i4_8 && opcode <= ldc_r8 &&
               pattern_.equals(site.opcode->operand, site.operand);
    }

    std::string literal(Token token) const {
        return utf8_from_utf16(metadata_.user_strings().at(token.rid()));
    }
    /// A module loads the same literal many times.
    bool literal_matches(Token token) {
        const auto [known, is_new] = literals_.try_emplace(token.value(), false);
        if (is_new) known->second = pattern_.matches(literal(token));
        return known->second;
    }
    std::string member(Token token) {
        std::string text;
        printer_->member(text, token);
        return text;
    }
    bool member_matches(Token token) {
        const auto [known, is_new] = members_.try_emplace(token.value(), false);
        if (is_new) known->second = pattern_.matches(member(token));
        return known->second;
    }

    /// Values of fields, parameters and properties.
    void constants() {
        for (std::uint32_t rid = 1; rid <= metadata_.rows(Table::Constant); ++rid) {
            if (enough()) return;
            const ConstantValue value = read_constant(metadata_, rid);
            const bool matches =
                value.kind == ConstantValue::Kind::text
                    ? wishes_.strings && pattern_.matches(utf8_from_utf16(value.bytes))
                    : wishes_.constants && value.kind == ConstantValue::Kind::number &&
                          constant_matches(value);
            if (matches) found_constant(rid, value);
        }
    }

    bool constant_matches(const ConstantValue& value) const {
        using cil::OperandKind;
        switch (value.type) {
            case ElementType::r4: return pattern_.equals(OperandKind::r4, value.bytes);
            case ElementType::r8: return pattern_.equals(OperandKind::r8, value.bytes);
            case ElementType::i1: return pattern_.equals(OperandKind::i1, value.bytes);
            case ElementType::i4: return pattern_.equals(OperandKind::i4, value.bytes);
            case ElementType::i2:
                return pattern_.equals(std::int64_t{static_cast<std::int16_t>(value.bits)});
            default: return pattern_.equals(static_cast<std::int64_t>(value.bits));
        }
    }

    void found(Token method, const InstructionSite& site) {
        if (!shows()) return;
        const std::string operand = operand_text(site);
        if (job_.wants_json()) {
            Json& out = job_.json();
            out.begin_object();
            out.member("method", method);
            out.name("in", member(method));
            out.member("offset", site.offset);
            out.text("opcode", site.opcode->name);
            if (cil::is_token(site.opcode->operand)) out.member("token", site.token());
            if (!operand.empty()) out.name("operand", operand);
            if (site.opcode->operand == cil::OperandKind::string &&
                !is_utf8(literal(site.token()))) {
                out.bytes("bytes", metadata_.user_strings().at(site.token().rid()));
            }
            out.end_object();
            return;
        }
        const int width = site.offset > 0xFFFF ? 8 : 4;  // as `dis` has it
        job_.out().print("{}: 0x{:08X} {} IL_{:0{}X}: {}{}{}\n", shown(job_.input().path),
                         method.value(), shown(member(method)), site.offset, width,
                         site.opcode->name, operand.empty() ? "" : " ", shown(operand));
    }

    std::string operand_text(const InstructionSite& site) {
        using cil::OperandKind;
        std::string text;
        const ByteSpan bytes = site.operand;
        switch (site.opcode->operand) {
            case OperandKind::string: print_quoted(literal(site.token()), text); break;
            case OperandKind::i1: print_number(ElementType::i1, bytes[0], text); break;
            case OperandKind::i4:
                print_number(ElementType::i4, load_le<std::uint32_t>(bytes.data()), text);
                break;
            case OperandKind::i8:
                print_number(ElementType::i8, load_le<std::uint64_t>(bytes.data()), text);
                break;
            case OperandKind::r4:
                print_number(ElementType::r4, load_le<std::uint32_t>(bytes.data()), text);
                break;
            case OperandKind::r8:
                print_number(ElementType::r8, load_le<std::uint64_t>(bytes.data()), text);
                break;
            default:
                if (cil::is_token(site.opcode->operand)) text = member(site.token());
        }
        return text;
    }

    /// What has a constant: a field by its name; of a parameter the method, of a property the type.
    std::string place_of(Token parent) {
        if (parent.table() == Table::Field) return member(parent);
        const std::uint32_t owner = indexes_ ? indexes_->owner(parent) : 0;
        if (owner == 0) return {};
        return member(
            Token(parent.table() == Table::Param ? Table::MethodDef : Table::TypeDef, owner));
    }

    void found_constant(std::uint32_t rid, const ConstantValue& value) {
        if (!shows()) return;
        const Token parent = metadata_.token(Table::Constant, rid, col::Constant::Parent);
        std::string text;
        print_constant(value, text);
        const std::string place = place_of(parent);
        if (job_.wants_json()) {
            Json& out = job_.json();
            out.begin_object();
            out.member("constant_of", parent);
            if (!place.empty()) out.name("in", place);
            out.name("text", text);
            out.end_object();
            return;
        }
        std::string what;
        if (parent.table() != Table::Field) {
            what = metadata_.tables().spec(parent.table()).name;
            if (!place.empty()) what += " of ";
        }
        job_.out().print("{}: 0x{:08X} {}{} = {}\n", shown(job_.input().path), parent.value(), what,
                         shown(place), shown(text));
    }

    /// Counts a match; whether it is to be listed.
    bool shows() {
        ++found_;
        return !wishes_.count && !wishes_.names && found_ <= limit_;
    }

    Job& job_;
    const Metadata& metadata_;
    const Pattern& pattern_;
    const Wishes& wishes_;
    std::uint64_t limit_;
    std::uint64_t found_ = 0;
    InstructionFinder finder_;
    std::optional<Indexes> indexes_;
    std::optional<SignaturePrinter> printer_;
    std::unordered_map<std::uint32_t, bool> literals_;  // by token
    std::unordered_map<std::uint32_t, bool> members_;   // by token
};

/// How many matches there are in a file.
std::uint64_t search(Job& job, const Pattern& pattern, const Wishes& wishes) {
    const auto module = job.open();
    if (!module) return 0;
    const auto bodies = bodies_of(module->state());
    if (!bodies) {
        job.fail(bodies.error());
        return 0;
    }
    Search search(job, *module, pattern, wishes);
    search.run(*bodies);
    return search.count();
}

/// What is looked for when it is one thing alone: then the pattern has to be one.
PatternKind kind_of_pattern(const Wishes& wishes) {
    if (wishes.strings || wishes.members || wishes.constants == wishes.opcodes) {
        return PatternKind::any;
    }
    return wishes.constants ? PatternKind::number : PatternKind::opcode;
}

int run(const Arguments& arguments) {
    if (arguments.operands().empty()) {
        return refuse({"no pattern is named", "clrkit grep PATTERN INPUT..."}, &arguments.verb());
    }
    const Wishes wishes = read_wishes(arguments);
    const auto pattern = Pattern::read(arguments, kind_of_pattern(wishes));
    if (!pattern) return refuse(pattern.error(), &arguments.verb());
    const auto inputs = find_inputs(arguments, 1);
    if (!inputs) return refuse(inputs.error(), &arguments.verb());
    std::atomic<bool> found{false};
    const int code = run_batch(arguments, *inputs, [&](Job& job) {
        if (search(job, *pattern, wishes) != 0) found = true;
    });
    return code == exit_done && !found ? exit_no : code;
}

}  // namespace

extern constinit const Verb grep_verb;
constinit const Verb grep_verb{
    "grep",
    "where code uses a literal, a member, a value, an opcode",
    "PATTERN INPUT...",
    {{{"clrkit grep https:// -r bin", "literals with that text, and where they are loaded"},
      {"clrkit grep -m System.IO.File::Delete App.dll", "who calls it"},
      {"clrkit grep -n 0x5F3759DF -l '**/*.dll'", "which files use the value"}}},
    options,
    takes_inputs | takes_listing | takes_json,
    run,
    {},
};

}  // namespace clrkit::cli
