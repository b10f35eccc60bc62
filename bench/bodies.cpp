// What the code of an assembly costs, body after body in one Body: a sweep for tokens, decoding, encoding
// as it was and in the shortest forms, and how deep the stack gets.
#include "cases.h"
#include "measure.h"

#include <clrkit/dotnet/cil/assembler.h>
#include <clrkit/dotnet/cil/body.h>
#include <clrkit/dotnet/cil/max_stack.h>
#include <clrkit/dotnet/model/module.h>

#include <vector>

namespace clrkit::bench {
namespace {

struct Place {
    ByteSpan bytes;
    cil::BodyReadContext context;
};

struct Code {
    Result<Module> module;
    std::vector<Place> bodies;
    std::uint64_t bytes = 0;
    std::uint64_t instructions = 0;
};

/// Every body that decodes, by its first method.
Code code_of(const Input& file) {
    Code code{Module::from_bytes(file.bytes), {}, 0, 0};
    std::uint32_t previous = 0;
    cil::Body body;
    for (const MethodDef method : code.module->methods()) {
        const std::uint32_t rva = method.rva();
        if (rva == 0 || rva == previous) continue;
        previous = rva;
        Place place{code.module->image().from(rva), {}};
        place.context.alignment = static_cast<std::uint8_t>(rva % 4);
        if (!body.read(place.bytes, place.context)) continue;
        place.bytes = body.raw();
        code.bytes += body.extent().code_size;
        code.instructions += body.size();
        code.bodies.push_back(place);
    }
    return code;
}

void sweep(const Code& code) {
    cil::Scanner scanner;
    std::uint64_t tokens = 0;
    for (const Place& place : code.bodies) {
        const auto extent = cil::measure_body(place.bytes, place.context.alignment);
        benchmark::DoNotOptimize(
            scanner.scan(place.bytes, *extent, place.context.alignment,
                         [&](cil::OperandKind, std::uint32_t operand) { tokens += operand; }));
    }
    benchmark::DoNotOptimize(tokens);
}

void read(const Code& code) {
    cil::Body body;
    for (const Place& place : code.bodies) {
        benchmark::DoNotOptimize(body.read(place.bytes, place.context));
    }
}

template <cil::Forms forms>
void read_and_write(const Code& code) {
    cil::Body body;
    cil::Assembler assembler;
    std::vector<std::uint8_t> scratch(std::size_t{1} << 16U);
    WriteBuffer output(scratch);
    for (const Place& place : code.bodies) {
        (void)body.read(place.bytes, place.context);
        output.reset();
        benchmark::DoNotOptimize(assembler.write(body, {output}, forms));
    }
}

void read_and_follow(const Code& code) {
    cil::Body body;
    cil::StackDepth depth;
    for (const Place& place : code.bodies) {
        (void)body.read(place.bytes, place.context);
        benchmark::DoNotOptimize(depth.compute(body, code.module->metadata()));
    }
}

void add(const std::string& name, const Input& input, void (*run)(const Code&)) {
    add_case(name, input, [run](benchmark::State& state, const Input& file) {
        const Code code = code_of(file);
        {
            const Costs costs(state);
            for (auto _ : state) run(code);
        }
        const auto per = [](std::uint64_t count) {
            return benchmark::Counter(
                static_cast<double>(count),
                benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
        };
        state.counters["per_byte"] = per(code.bytes);
        state.counters["per_instruction"] = per(code.instructions);
    });
}

}  // namespace

void register_body_cases() {
    for (const Input& input : inputs()) {
        add("bodies, sweep", input, sweep);
        add("bodies, read", input, read);
        add("bodies, read and write", input, read_and_write<cil::Forms::keep>);
        add("bodies, read and optimize", input, read_and_write<cil::Forms::optimize>);
        add("bodies, read and follow the stack", input, read_and_follow);
    }
}

}  // namespace clrkit::bench
