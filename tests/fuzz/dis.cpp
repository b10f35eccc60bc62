// Source text of whatever opens as an image, for the assembler that the last byte says: whole and a
// method at a time. It is UTF-8, ends where the limit says, and its blocks are closed.
#include "check.h"

#include "support/text_blocks.h"

#include <clrkit/core/bytes/utf8.h>
#include <clrkit/dotnet/dis/disassembler.h>
#include <clrkit/dotnet/model/module.h>

#include <string>

namespace {

using namespace clrkit;
using fuzz::require;

constexpr std::uint64_t whole_text = std::uint64_t{1} << 16U;
/// Methods looked at one by one.
constexpr std::uint64_t methods = 64;

struct Reader {
    std::uint64_t bytes = 0;
    std::int64_t blocks = 0;

    void operator()(std::string_view text) {
        bytes += text.size();
        require(is_utf8(text), "text is UTF-8");
        blocks += test::blocks_left_open(text);
    }
};

void print_whole(const Module& module, const dis::DisassemblyOptions& options) {
    Reader reader;
    const dis::TextTarget target(reader);
    auto disassembler = dis::Disassembler::create(module, options, target);
    if (!disassembler) return;
    disassembler->module();
    require(reader.bytes <= options.text_bytes, "text ends where the limit says");
    const bool cut = disassembler->gaps().count(dis::GapKind::text_limit) != 0;
    require(cut || reader.blocks == 0, "blocks are closed");
    std::uint64_t sum = 0;
    for (const dis::ResourceFile& resource : disassembler->resources()) {
        require(!resource.name.empty() && resource.name.find('/') == std::string::npos,
                "a resource has the name of a file");
        require(fuzz::inside(module.bytes(), resource.bytes), "a resource lies in the file");
        sum += fuzz::touch(resource.bytes);
    }
    fuzz::sink = sum;
}

void print_methods(const Module& module, const dis::DisassemblyOptions& options) {
    Reader reader;
    const dis::TextTarget target(reader);
    auto disassembler = dis::Disassembler::create(module, options, target);
    if (!disassembler) return;
    fuzz::Budget budget(methods);
    std::uint64_t sum = 0;
    for (const MethodDef method : module.methods()) {
        if (!budget.spend(1)) break;
        disassembler->item(method.token());
        std::uint64_t size = 0;
        for (const dis::InstructionText& each : disassembler->instructions(method)) {
            require(is_utf8(each.operand), "an operand is UTF-8");
            require(fuzz::inside(module.bytes(), each.bytes) || each.bytes.size() <= 16,
                    "an instruction lies in the file");
            size += each.bytes.size();
        }
        const std::string name = disassembler->name_of(method.token());
        // Looking for a name takes as long as it takes to print all names.
        if (method.rid == 1) sum += disassembler->find(name).size();
        sum += size + name.size();
    }
    disassembler->print_gaps();
    require(reader.blocks == 0 || reader.bytes + 65536 >= options.text_bytes,
            "blocks of methods are closed");
    fuzz::sink = sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto module = Module::from_bytes({data, size});
    if (!module) return 0;
    // One of the four ways each: printing takes longer than all else.
    const unsigned way = size == 0 ? 0U : data[size - 1];
    dis::DisassemblyOptions options;
    options.dialect = (way & 1U) != 0 ? dis::Dialect::mono : dis::Dialect::runtime;
    options.tokens = (way & 2U) != 0;
    options.bytes = options.tokens;
    options.text_bytes = whole_text;
    print_whole(*module, options);
    print_methods(*module, options);
    return 0;
}
