// How many heap allocations the common paths make. Counted, not timed: a count is the same on every
// machine. The address sanitizer's build counts malloc too, so the save's own bounds are inequalities.
#include "support/allocation_counter.h"
#include "support/catch.h"
#include "support/image_builder.h"
#include "support/process.h"

#include <clrkit/dotnet/model/instructions.h>
#include <clrkit/dotnet/model/module.h>

#include <array>
#include <memory>
#include <new>
#include <optional>
#include <ostream>
#include <string>

using namespace clrkit;
using test::Allocations;
using test::allocations_in;

namespace clrkit::test {

std::ostream& operator<<(std::ostream& out, const Allocations& made) {
    return out << made.count << " allocations, " << made.bytes << " bytes";
}

}  // namespace clrkit::test

namespace {

/// `minimal()` with that many more methods in its one type.
test::Bytes image_with_methods(unsigned count) {
    test::ImageSpec spec = test::minimal();
    test::TablesSpec& tables = spec.metadata.tables;
    const test::Row first = tables.row(test::table::MethodDef, test::minimal_rows::main);
    for (unsigned i = 0; i < count; ++i) {
        test::Row row = first;
        row[3] = spec.metadata.heaps.string("Method" + std::to_string(i));
        tables.add(test::table::MethodDef, row);
    }
    return build(spec);
}

const test::Bytes& small_image() {
    static const test::Bytes bytes = image_with_methods(0);
    return bytes;
}

const test::Bytes& large_image() {
    static const test::Bytes bytes = image_with_methods(30'000);
    return bytes;
}

Allocations to_open(const test::Bytes& image) {
    std::optional<Result<Module>> module;
    const Allocations made = allocations_in([&] { module.emplace(Module::from_bytes(image)); });
    REQUIRE(module->has_value());
    return made;
}

/// Everything of a module that a look-up answers.
std::uint64_t look_at_all(const Module& module) {
    std::uint64_t total = module.name().size() + module.assembly_name().size() +
                          module.target_framework().size() + module.assembly_version().major;
    for (const TypeDef type : module.types()) {
        total += type.name().size() + type.name_space().size() + type.extends().value();
        for (const Field field : type.fields()) total += field.name().size();
        for (const MethodDef method : type.methods()) {
            total += method.name().size() + method.signature().size();
            for (const Param param : method.params()) total += param.name().size();
        }
    }
    for (std::uint32_t rid = 1; rid <= module.types().size(); ++rid) {
        total += module.metadata().find(Table::NestedClass, rid).size();
    }
    return total;
}

SaveOptions with(Emit emit) {
    SaveOptions options;
    options.emit = emit;
    return options;
}

Allocations to_save(const Module& module, const SaveOptions& options) {
    bool saved = false;
    const Allocations made =
        allocations_in([&] { saved = module.save_to_memory(options).has_value(); });
    REQUIRE(saved);
    return made;
}

}  // namespace

TEST_CASE("The allocation counter sees every form of new") {
    struct alignas(64) Aligned {
        std::array<std::uint8_t, 64> bytes;
    };
    // Kept until after the count: a compiler may leave out a `new` whose `delete` it sees.
    std::unique_ptr<std::uint32_t> one;
    CHECK(allocations_in([&] { one.reset(new std::uint32_t(1)); }) == Allocations{1, 4});
    std::unique_ptr<std::uint8_t[]> array;
    CHECK(allocations_in([&] { array.reset(new std::uint8_t[100]); }) == Allocations{1, 100});
    std::unique_ptr<Aligned> aligned;
    CHECK(allocations_in([&] { aligned.reset(new Aligned); }) == Allocations{1, 64});
    CHECK(allocations_in([&] { one.reset(new (std::nothrow) std::uint32_t(1)); }) ==
          Allocations{1, 4});
}

TEST_CASE("Opening from memory makes one allocation of the same size for every image") {
    const Allocations small = to_open(small_image());
    CHECK(large_image().size() > 500 * small_image().size());
    CHECK(small.count == 1);
    CHECK(small.bytes < 4096);
    CHECK(to_open(large_image()) == small);
}

TEST_CASE("Refusing what is no .NET image allocates nothing more than opening one") {
    test::Bytes broken = large_image();
    broken.resize(broken.size() / 2, 0);
    std::fill(broken.begin() + 0x200, broken.end(), std::uint8_t{0});
    std::optional<Result<Module>> module;
    const Allocations made = allocations_in([&] { module.emplace(Module::from_bytes(broken)); });
    CHECK_FALSE(module->has_value());
    CHECK(made.count <= 1);
}

TEST_CASE("Looking at all of a module allocates nothing") {
    const auto module = Module::from_bytes(large_image());
    REQUIRE(module);
    std::uint64_t total = 0;
    const Allocations made = allocations_in([&] { total = look_at_all(*module); });
    CHECK(total > 200'000);
    CHECK(made == Allocations{});
}

TEST_CASE("An unedited save to memory makes a few allocations whatever the size") {
    const auto small = Module::from_bytes(small_image());
    const auto large = Module::from_bytes(large_image());
    REQUIRE(small);
    REQUIRE(large);
    const Allocations made = to_save(*small, {});
    CHECK(made.count <= 2);
    CHECK(made.bytes <= 64);
    CHECK(to_save(*large, {}) == made);
}

TEST_CASE("An unedited save to a file makes a few small allocations whatever the size") {
    test::TemporaryFolder folder;
    const std::string path = (folder.path() / "out.exe").string();
    for (const test::Bytes* image : {&small_image(), &large_image()}) {
        const auto module = Module::from_bytes(*image);
        REQUIRE(module);
        bool saved = false;
        const Allocations made = allocations_in([&] { saved = module->save(path).has_value(); });
        REQUIRE(saved);
        CHECK(made.count <= 8);
        CHECK(made.bytes <= 8192);
    }
}

TEST_CASE("Saving one edit makes a few allocations whatever the size") {
    constexpr Token main{Table::MethodDef, test::minimal_rows::main};
    std::optional<Allocations> first;
    for (const test::Bytes* image : {&small_image(), &large_image()}) {
        auto module = Module::from_bytes(*image);
        REQUIRE(module);
        Status edited;
        const Allocations to_edit =
            allocations_in([&] { edited = module->set_cell(main, col::MethodDef::Flags, 0x0091); });
        REQUIRE(edited);
        CHECK(to_edit.count <= 1);
        const Allocations made = to_save(*module, {});
        CHECK(made.count <= 16);
        CHECK(made == first.value_or(made));
        first = made;
    }
}

TEST_CASE("Emitting every part makes at most 64 allocations more than the claims need to grow") {
    const auto module = Module::from_bytes(large_image());
    REQUIRE(module);
    CHECK(to_save(*module, with(Emit::all)).count <= 64);
}

TEST_CASE("Finding instructions allocates nothing for a body no larger than the last one") {
    // The second body: br.s over a byte that would swallow what follows.
    for (const test::Bytes& code :
         {test::Bytes{0x16, 0x2A}, test::Bytes{0x2B, 0x01, 0x20, 0x16, 0x2A}}) {
        test::ImageSpec spec = test::minimal();
        spec.metadata.tables.row(test::table::MethodDef, test::minimal_rows::main)[0] =
            spec.area.add(test::tiny_body(code));
        const test::Bytes image = build(spec);
        const auto module = Module::from_bytes(image);
        REQUIRE(module);
        const auto bodies = bodies_of(module->state());
        REQUIRE(bodies);
        InstructionFinder finder;
        std::uint32_t last = 0;
        const auto find = [&] {
            return finder.for_each_instruction(
                bodies->all.front(), [&](const InstructionSite& site) { last = site.offset; });
        };
        CHECK(find());
        CHECK(last == code.size() - 1);
        CHECK(allocations_in(find) == Allocations{});
    }
}
