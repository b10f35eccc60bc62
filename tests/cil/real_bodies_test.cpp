// Every method body of every assembly that this machine has: decoded, encoded, the bytes compared, what
// stays raw counted by reason; optimized and expanded, which must decode to the same instructions; and
// the stack's depth compared with what the compiler wrote.
#include "support/allocation_counter.h"
#include "support/catch.h"
#include "support/real_files.h"

#include <clrkit/dotnet/cil/assembler.h>
#include <clrkit/dotnet/cil/forms.h>
#include <clrkit/dotnet/cil/max_stack.h>
#include <clrkit/dotnet/model/module.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

using namespace clrkit;
using namespace clrkit::cil;

namespace {

constexpr std::uint16_t code_type_mask = 0x0003;  // MethodImplAttributes: 0 is IL

using Counts = std::map<std::string, std::uint64_t>;

/// Calls `visit(bytes, context)` for every IL body of a module.
template <class Visit>
void for_each_body(const Module& module, Visit visit) {
    const Metadata& metadata = module.metadata();
    std::uint32_t previous = 0;
    for (std::uint32_t rid = 1; rid <= metadata.rows(Table::MethodDef); ++rid) {
        const MethodDef method{&module.state(), rid};
        if (method.rva() == 0 || method.rva() == previous) continue;
        if ((method.impl_flags() & code_type_mask) != 0) continue;
        previous = method.rva();
        BodyReadContext context;
        context.owner = method.token();
        context.alignment = static_cast<std::uint8_t>(method.rva() % 4);
        visit(module.image().from(method.rva()), context);
    }
}

/// Writes a body and gives its bytes, until it is used again.
class Output {
public:
    ByteSpan write(const Body& body, std::uint8_t alignment, Forms forms) {
        buffer_.reset();
        const BodyWriteContext context{buffer_, nullptr, alignment};
        if (!assembler_.write(body, context, forms)) return {};
        if (!buffer_.spilled()) return buffer_.contiguous();
        spilled_ = buffer_.to_vector();
        return spilled_;
    }

private:
    std::vector<std::uint8_t> scratch_ = std::vector<std::uint8_t>(1U << 20U);
    WriteBuffer buffer_{scratch_};
    std::vector<std::uint8_t> spilled_;
    Assembler assembler_;
};

bool same_code(const Body& a, const Body& b) {
    const auto same = [](const Instruction& left, const Instruction& right) {
        return longest(left) == longest(right);
    };
    if (!std::ranges::equal(a.instructions(), b.instructions(), same)) return false;
    for (const Instruction& instruction : a.instructions()) {
        const OperandKind kind = operand_of(instruction.opcode);
        if (is_wide(kind) && a.wide(instruction.operand) != b.wide(instruction.operand))
            return false;
        if (kind == OperandKind::switch_ &&
            !std::ranges::equal(a.switch_targets(instruction.operand),
                                b.switch_targets(instruction.operand))) {
            return false;
        }
    }
    // The flag of a body without locals and `localloc` means nothing, and goes with its fat header.
    const bool zeroed = a.header().init_locals == b.header().init_locals || !b.header().fat;
    return a.clauses() == b.clauses() && a.header().locals == b.header().locals && zeroed &&
           b.header().max_stack >= a.header().max_stack;
}

void print(const std::string& set, const Counts& counts) {
    for (const auto& [what, count] : counts) {
        std::printf("  %9llu %s: %s\n", static_cast<unsigned long long>(count), set.c_str(),
                    what.c_str());
    }
}

bool made_by_compilers(const std::string& set) { return set == "mono" || set == "dotnet"; }

}  // namespace

TEST_CASE("Every body of this machine decodes and encodes to the same bytes, or stays raw") {
    for (const test::FileSet& set : test::real_files()) {
        Counts counts;
        std::uint64_t wrong = 0;
        Body body;
        Output output;
        for (const auto& path : set.files) {
            const auto module = Module::open(path.string());
            if (!module) continue;
            INFO(path);
            for_each_body(*module, [&](ByteSpan bytes, const BodyReadContext& context) {
                const bool decoded = body.read(bytes, context);
                counts[decoded ? "decoded" : std::string("raw: ") + name_of(body.why_opaque())]++;
                if (decoded) counts["instructions"] += body.size();
                if (body.why_opaque() == Opaque::extent) return;
                const ByteSpan copy = output.write(body, context.alignment, Forms::keep);
                if (!std::ranges::equal(copy, body.raw())) ++wrong;
            });
        }
        print(set.name, counts);
        INFO(set.name);
        CHECK(wrong == 0);
        if (made_by_compilers(set.name)) {
            // mono's tests and .NET's libraries hold no broken body; native ones are not read here.
            for (const auto& [what, count] : counts) CHECK_FALSE(what.starts_with("raw"));
        }
    }
}

TEST_CASE("Every body of this machine means the same optimized and expanded") {
    for (const test::FileSet& set : test::real_files()) {
        Counts counts;
        std::uint64_t wrong = 0;
        Body body;
        Body other;
        Output output;
        for (const auto& path : set.files) {
            const auto module = Module::open(path.string());
            if (!module) continue;
            for_each_body(*module, [&](ByteSpan bytes, const BodyReadContext& context) {
                if (!body.read(bytes, context)) return;
                const std::size_t size = body.raw().size();
                counts["bytes as they are"] += size;
                for (const Forms forms : {Forms::optimize, Forms::expand}) {
                    const ByteSpan copy = output.write(body, 0, forms);
                    counts[forms == Forms::optimize ? "bytes optimized" : "bytes expanded"] +=
                        copy.size();
                    if (!other.read(copy, {}) || !same_code(body, other)) ++wrong;
                }
            });
        }
        print(set.name, counts);
        INFO(set.name);
        CHECK(wrong == 0);
    }
}

TEST_CASE("No body of this machine needs more stack than its compiler reserved") {
    for (const test::FileSet& set : test::real_files()) {
        Counts counts;
        Body body;
        StackDepth depth;
        for (const auto& path : set.files) {
            const auto module = Module::open(path.string());
            if (!module) continue;
            for_each_body(*module, [&](ByteSpan bytes, const BodyReadContext& context) {
                if (!body.read(bytes, context)) return;
                const auto needed = depth.compute(body, module->metadata());
                if (!needed) {
                    const Error& error = needed.error();
                    ++counts[std::string("not known: ") + name_of(error.code) + ": " +
                             (error.note != nullptr ? error.note : "")];
                } else if (*needed == body.header().max_stack) {
                    ++counts["as declared"];
                } else {
                    ++counts[*needed < body.header().max_stack ? "less than declared"
                                                               : "more than declared"];
                }
            });
        }
        print(set.name, counts);
        if (!made_by_compilers(set.name)) continue;
        CHECK(counts["as declared"] + counts["less than declared"] != 0);
        for (const auto& [what, count] : counts) {
            INFO(what);
            CHECK((what == "as declared" || what == "less than declared"));
        }
    }
}
