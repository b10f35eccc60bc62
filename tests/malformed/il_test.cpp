// Method bodies that make no sense. The number in front of a test's name is its row in
// docs/robustness.md.
#include "cil/bodies.h"
#include "support/allocation_counter.h"
#include "support/catch.h"
#include "support/opened.h"
#include "support/rebuilt.h"

#include <clrkit/dotnet/cil/max_stack.h>

#include <algorithm>
#include <random>

using namespace clrkit;
using namespace clrkit::test;
using cil::Body;
using cil::ExceptionClause;
using cil::Forms;
using cil::Instruction;
using cil::Opaque;

namespace {

/// minimal() with a method of this body instead of Main's.
ImageSpec image_with(const Bytes& body, std::uint32_t alignment = 4) {
    ImageSpec spec = minimal();
    spec.metadata.tables.row(table::MethodDef, 1)[0] = spec.area.add(body, alignment);
    return spec;
}

/// The body of method 1 as bytes.
Bytes body_in(const Module& module) {
    const MethodDef method{&module.state(), 1};
    const ByteSpan bytes = module.image().from(method.rva());
    const auto extent = cil::measure_body(bytes, method.rva() % 4);
    if (!extent) return {};
    return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(extent->size)};
}

/// Why an image is not reassembled.
ErrorCode refusal_of(const Module& module) {
    Writer writer;
    const auto image = writer.rebuild(module.state(), reassemble_freely());
    return image ? ErrorCode::none : image.error().code;
}

/// An image with this body is kept by a save, and by a reassembly; one whose body does not decode may
/// be pinned.
void check_in_image(const Bytes& body, bool decodes) {
    const Opened opened = open(image_with(body));
    REQUIRE(opened.module);
    check_survives(opened);
    Writer writer;
    const Bytes image = rebuilt(writer, *opened.module, reassemble_freely());
    if (decodes) REQUIRE_FALSE(image.empty());
    if (image.empty()) return;
    const auto again = Module::from_bytes(image);
    REQUIRE(again);
    CHECK(body_in(*again) == body_in(*opened.module));
}

/// Decodes, and is written as it was.
ReadBody check_same(const Bytes& bytes) {
    ReadBody read = read_body(bytes);
    CHECK(read.decoded);
    CHECK(read.diagnostics.empty());
    CHECK(written(read.body) == bytes);
    check_in_image(bytes, read.decoded);
    return read;
}

/// Does not decode, says so once, and is written as it was, whatever forms are asked for.
ReadBody check_raw(const Bytes& bytes, Opaque why) {
    ReadBody read = read_body(bytes);
    CHECK_FALSE(read.decoded);
    CHECK(read.body.why_opaque() == why);
    CHECK(read.diagnostics.total() == 1);
    CHECK(read.diagnostics.count(ErrorCode::body_opaque) == 1);
    if (why == Opaque::extent) {
        CHECK(read.body.raw().empty());
        CHECK(written(read.body).error().code == ErrorCode::body_unreadable);
    } else {
        for (const Forms forms : {Forms::keep, Forms::optimize, Forms::expand}) {
            CHECK(written(read.body, forms) == bytes);
        }
    }
    CHECK(read.body.remove(0).error().code == ErrorCode::body_opaque);
    check_in_image(bytes, read.decoded);
    return read;
}

/// Decodes but for these bytes, says so once, and is written as it was.
void check_regions(const Bytes& code, const std::vector<Bytes>& expected) {
    const Bytes bytes = tiny_body(code);
    const ReadBody read = read_body(bytes);
    CHECK(read.decoded);
    CHECK(read.diagnostics.total() == 1);
    CHECK(read.diagnostics.count(ErrorCode::code_not_reached) == 1);
    std::vector<Bytes> regions;
    for (const Instruction& instruction : read.body.instructions()) {
        if (instruction.opcode != cil::raw_region) continue;
        const ByteSpan region = read.body.raw_region_bytes(instruction.operand);
        regions.emplace_back(region.begin(), region.end());
    }
    CHECK(regions == expected);
    CHECK(written(read.body) == bytes);
    check_in_image(bytes, read.decoded);
}

constexpr Opaque bad_code = Opaque::undefined_opcode_or_cut_operand;

// 0 nop, 1 leave.s to 4, 3 endfinally, 4 ret
const Bytes protected_code{0x00, 0xDE, 0x01, 0xDC, 0x2A};

Bytes clause_body(const Bytes& clause) {
    return with_sections(protected_code, small_section(clause));
}

Bytes with_flags(Bytes body, std::uint16_t flags) {
    put(body, 0, little_endian(flags, 2));
    return body;
}

}  // namespace

TEST_CASE("IL-01 headers that are neither tiny nor fat: raw, of unknown size") {
    for (const std::uint8_t kind : Bytes{0x00, 0x01, 0x04, 0x05, 0x07}) {
        Bytes body = fat_body({0x2A});
        body[0] = kind;
        check_raw(body, Opaque::extent);
    }
    check_raw({}, Opaque::extent);
}

TEST_CASE("IL-02 a tiny header whose size is odd") {
    const ReadBody read = check_same(Bytes{0x06, 0x2A});
    CHECK(read.body.size() == 1);
}

TEST_CASE("IL-03 fat headers of odd sizes: the code begins where they say") {
    for (std::uint32_t size = 4; size <= 15; ++size) {
        Bytes body = fat_body({});
        body.resize(std::size_t{size} * 4, 0xEE);
        body = with_flags(body, static_cast<std::uint16_t>(size << 12U | 3U));
        body[4] = 1;
        body.push_back(0x2A);
        const ReadBody read = check_same(body);
        CHECK(read.body.header().tail.size() == size * 4 - 12);
    }
    // The code overlaps the header's own fields.
    for (std::uint32_t size = 0; size < 3; ++size) {
        Bytes body = with_flags(fat_body({0x2A}), static_cast<std::uint16_t>(size << 12U | 3U));
        body.resize(12);
        check_raw(body, Opaque::header);
    }
}

TEST_CASE("IL-04 flags that mean nothing: kept; sections that are announced and missing: raw") {
    const ReadBody read = check_same(with_flags(fat_body({0x2A}), 0x3FF3));
    CHECK(read.body.header().other_flags == 0x0FE0);
    CHECK(written(read.body, Forms::optimize) == read.bytes);
    check_raw(with_flags(fat_body({0x2A}), 0x300B), Opaque::extent);
}

TEST_CASE("IL-05 a code size past the end of the file: raw") {
    Bytes body = fat_body({0x2A});
    put(body, 4, little_endian(0xFFFFFFFF, 4));
    check_raw(body, Opaque::extent);
    check_raw(Bytes{0xFE, 0x2A}, Opaque::extent);
}

TEST_CASE("IL-06 no code, and sections behind it") {
    check_same(with_sections({}, small_section({})));
    check_raw(with_sections({}, small_section(small_clause(0, 0, 0, 0, 0))), Opaque::clause);
}

TEST_CASE("IL-07 sections are aligned in memory, wherever the body begins") {
    for (std::uint8_t alignment = 0; alignment < 4; ++alignment) {
        const Bytes section = small_section(small_clause(2, 0, 3, 3, 1, 0));
        const ReadBody read =
            read_body(with_sections(protected_code, section, alignment), alignment);
        CHECK(read.decoded);
        CHECK(written(read.body, Forms::keep, alignment) == read.bytes);
        CHECK(written(read.body, Forms::keep, 0) == with_sections(protected_code, section));
        Bytes broken = read.bytes;
        broken[12] = 0x24;
        const ReadBody raw = read_body(broken, alignment);
        CHECK(raw.body.why_opaque() == bad_code);
        Bytes moved = with_sections(protected_code, section);
        moved[12] = 0x24;
        CHECK(written(raw.body, Forms::keep, 0) == moved);
    }
}

TEST_CASE("IL-07 what lies between the code and the sections") {
    Bytes body = clause_body(small_clause(2, 0, 3, 3, 1, 0));
    body[17] = 0xAB;
    const ReadBody read = read_body(body);
    CHECK(read.decoded);
    CHECK(written(read.body) == body);
}

TEST_CASE("IL-08 sections of unknown kinds, in chains: kept") {
    const Bytes clause = small_clause(2, 0, 3, 3, 1, 0);
    for (const std::uint8_t kind : Bytes{0x3F, 0x02, 0x00}) {
        const Bytes unknown{static_cast<std::uint8_t>(kind | 0x80U), 8, 1, 2, 3, 4, 5, 6};
        const Bytes fat_unknown{static_cast<std::uint8_t>(kind | 0x40U), 8, 0, 0, 9, 9, 9, 9};
        const Bytes sections = code_of(
            {unknown, small_section(clause, 0x81), small_section(clause, 0x81), fat_unknown});
        const ReadBody read = check_same(with_sections(protected_code, sections));
        CHECK(read.body.sections().size() == 4);
        CHECK(read.body.clauses().size() == 2);
        const auto expanded = written(read.body, Forms::expand);
        REQUIRE(expanded);
        const ReadBody again = read_body(*expanded);
        CHECK(again.body.sections().size() == 4);
        CHECK(again.body.clauses() == read.body.clauses());
    }
}

TEST_CASE("IL-09 sizes of sections that leave out the header, or are no multiple: kept") {
    const Bytes clause = small_clause(2, 0, 3, 3, 1, 0);
    for (const std::uint8_t size : Bytes{12, 13, 23}) {
        Bytes section = small_section(clause);
        section[1] = size;
        section[2] = 0xCC;
        const ReadBody read = check_same(with_sections(protected_code, section));
        CHECK(read.body.clauses().size() == 1);
    }
    for (const std::uint8_t size : Bytes{0, 3, 11}) {
        const ReadBody read = check_same(with_sections(protected_code, Bytes{0x01, size, 0, 0}));
        CHECK(read.body.clauses().empty());
    }
    Bytes fat = fat_section(fat_clause(2, 0, 3, 3, 1, 0));
    fat[1] = 24 + 23;
    check_same(with_sections(protected_code, fat));
}

TEST_CASE("IL-09 sections past the end of the file: raw, and the code is shown") {
    for (const Bytes& section :
         {Bytes{0x01, 0xFC, 0, 0}, Bytes{0x41, 0xFF, 0xFF, 0xFF}, Bytes{0x01}}) {
        const ReadBody read = check_raw(with_sections(protected_code, section), Opaque::extent);
        CHECK(read.body.size() == 4);
    }
}

TEST_CASE("IL-10 clauses into instructions, past the code, around each other") {
    for (const Bytes& clause :
         {small_clause(0, 2, 1, 3, 1), small_clause(0, 0, 2, 3, 1), small_clause(0, 0, 3, 2, 1),
          small_clause(0, 0, 3, 3, 9), small_clause(0, 0xFFFF, 0xFF, 0xFFFF, 0xFF),
          small_clause(0, 5, 0, 3, 1)}) {
        check_raw(clause_body(clause), Opaque::clause);
    }
    check_raw(with_sections(protected_code, fat_section(fat_clause(0, 3, 0xFFFFFFFD, 3, 1))),
              Opaque::clause);
    // Empty ranges, a handler inside its try block, both the same: nonsense, but it lands.
    for (const Bytes& clause : {small_clause(0, 0, 0, 0, 0), small_clause(0, 0, 4, 1, 2),
                                small_clause(0, 0, 5, 0, 5), small_clause(0, 3, 1, 0, 3)}) {
        check_same(clause_body(clause));
    }
}

TEST_CASE("IL-11 a handler of one instruction at the end of the code") {
    const Bytes code{0x00, 0xFE, 0x1A};  // nop, rethrow
    const ReadBody read =
        check_same(with_sections(code, small_section(small_clause(0, 0, 1, 1, 2))));
    REQUIRE(read.body.clauses().size() == 1);
    CHECK(read.body.clauses()[0].handler_end == read.body.size());
}

TEST_CASE("IL-12 clauses of unknown kinds: kept") {
    for (const std::uint16_t flags : std::vector<std::uint16_t>{0x03, 0x08, 0x10, 0xFFFE}) {
        const ReadBody read = check_same(clause_body(small_clause(flags, 0, 3, 3, 1, 0xDEADBEEF)));
        CHECK(read.body.clauses()[0].flags == flags);
    }
    check_same(
        with_sections(protected_code, fat_section(fat_clause(0xFFFFFFF0, 0, 3, 3, 1, 0xDEADBEEF))));
}

TEST_CASE("IL-13 filters behind their handler: kept; filters that do not land: raw") {
    check_same(clause_body(small_clause(1, 0, 1, 1, 2, 3)));
    check_same(clause_body(small_clause(1, 0, 1, 1, 2, 1)));
    for (const std::uint32_t filter : {2U, 5U, 0xFFFFFFFFU}) {
        check_raw(clause_body(small_clause(1, 0, 1, 1, 2, filter)), Opaque::clause);
    }
}

TEST_CASE("IL-14 catches of no type, of a type specification, of rows that are not there: kept") {
    for (const std::uint32_t type : {0U, 0x1B000001U, 0x01FFFFFFU, 0x02000000U, 0x70000001U}) {
        check_same(clause_body(small_clause(0, 0, 3, 3, 1, type)));
    }
}

TEST_CASE("IL-15 10,000 clauses, and as many small ones as one section can say") {
    Bytes clauses;
    for (int i = 0; i < 10'000; ++i) append(clauses, fat_clause(2, 0, 3, 3, 1, 0));
    const ReadBody many = check_same(with_sections(protected_code, fat_section(clauses)));
    CHECK(many.body.clauses().size() == 10'000);
    clauses.clear();
    for (int i = 0; i < 20; ++i) append(clauses, small_clause(2, 0, 3, 3, 1, 0));
    check_same(with_sections(protected_code, small_section(clauses)));
    // 21 fit where the size leaves out the header; one more clause makes the section fat.
    append(clauses, small_clause(2, 0, 3, 3, 1, 0));
    Bytes section = small_section(clauses);
    section[1] = 252;
    ReadBody read = check_same(with_sections(protected_code, section));
    read.body.clauses().push_back(read.body.clauses()[0]);
    const auto bytes = written(read.body);
    REQUIRE(bytes);
    const ReadBody again = read_body(*bytes);
    CHECK(again.body.clauses().size() == 22);
    CHECK(again.body.sections()[0].fat);
}

TEST_CASE("IL-16 clauses of one try block keep their order, in every form") {
    const Bytes clauses =
        code_of({small_clause(0, 0, 3, 3, 1, 0x01000002), small_clause(0, 0, 3, 3, 1, 0x01000001),
                 small_clause(0, 0, 1, 3, 1, 0x01000003)});
    const ReadBody read = check_same(clause_body(clauses));
    for (const Forms forms : {Forms::optimize, Forms::expand}) {
        const auto bytes = written(read.body, forms);
        REQUIRE(bytes);
        const ReadBody again = read_body(*bytes);
        CHECK(again.body.clauses() == read.body.clauses());
    }
}

TEST_CASE("IL-17 opcodes that do not exist: raw, with what stands before them shown") {
    for (const std::uint8_t opcode : Bytes{0x24, 0x77, 0x78, 0xA6, 0xBB, 0xF0, 0xFB, 0xFD, 0xFF}) {
        const ReadBody read = check_raw(tiny_body({0x00, opcode, 0x2A}), bad_code);
        CHECK(read.body.size() == 1);
        CHECK(read.diagnostics.kept()[0].offset == 2);
    }
    for (const std::uint8_t second : Bytes{0x08, 0x10, 0x1B, 0x1F, 0x25, 0xFF}) {
        check_raw(tiny_body({0xFE, second, 0x2A}), bad_code);
    }
}

TEST_CASE("IL-18 an operand, or a second byte of an opcode, cut off by the end of the code: raw") {
    for (const Bytes& code :
         {Bytes{0x00, 0xFE}, Bytes{0x20, 1, 2, 3}, Bytes{0x2B}, Bytes{0x21, 1, 2, 3, 4, 5, 6, 7},
          Bytes{0x45, 1, 0, 0}, Bytes{0xFE, 0x0C, 1}, Bytes{0x28}}) {
        check_raw(tiny_body(code), bad_code);
        // What follows the code is not taken for the operand.
        check_raw(with_sections(code, small_section({})), bad_code);
    }
}

TEST_CASE(
    "IL-19 a switch that counts more targets than there is code: raw, without memory for them") {
    for (const std::uint32_t count : {0xFFFFFFFFU, 0x40000000U, 0x3FFFFFFFU, 2U}) {
        Bytes code{0x45};
        append(code, little_endian(count, 4));
        append(code, {0, 0, 0, 0, 0x2A});
        const auto counted = allocations_in([&] { check_raw(tiny_body(code), bad_code); });
        CHECK(counted.bytes < (256U << 20U));
        Body body;
        CHECK(allocations_in([&] { body.read(tiny_body(code), {}); }).bytes < 65536);
    }
}

TEST_CASE("IL-20 branches into instructions and out of the code: raw, the offset shown") {
    for (const Bytes& code :
         {Bytes{0x2B, 0xFF, 0x2A}, Bytes{0x2B, 0x7F, 0x2A}, Bytes{0x2B, 0x80, 0x2A},
          Bytes{0x2B, 0x01, 0x2A}, Bytes{0x38, 0xFF, 0xFF, 0xFF, 0x7F, 0x2A},
          Bytes{0x38, 0, 0, 0, 0x80, 0x2A}, Bytes{0x45, 1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x2A},
          Bytes{0xDE, 0x05, 0x2A}}) {
        check_raw(tiny_body(code), Opaque::branch);
    }
    const ReadBody read = read_body(tiny_body({0x2B, 0xFF, 0x2A}));
    CHECK(read.body.instructions()[0] ==
          Instruction{0x2B, cil::instruction_flags::offset_operand, 1});
}

TEST_CASE("IL-21 arguments and locals that the method has not: kept") {
    check_same(tiny_body({0x0E, 0xFF, 0x26, 0x11, 0xFF, 0x26, 0xFE, 0x0C, 0xFF, 0xFF, 0x26, 0x05,
                          0x26, 0x13, 0x80, 0x2A}));
}

TEST_CASE("IL-22 tokens that lead nowhere: kept") {
    for (const std::uint32_t value :
         {0U, 0x0A000000U, 0x0AFFFFFFU, 0x28000001U, 0x70000001U, 0xFFFFFFFFU}) {
        for (const std::uint8_t opcode : Bytes{0x28, 0x73, 0x7B, 0xD0, 0x8C, 0x29}) {
            check_same(tiny_body(code_of({{opcode}, little_endian(value, 4), {0x2A}})));
        }
    }
}

TEST_CASE("IL-23 literals between entries, or past the heap: kept, the heap with them") {
    for (const std::uint32_t value : {0x70FFFFFFU, 0x70000002U, 0U, 0x06000001U}) {
        check_same(tiny_body(code_of({{0x72}, little_endian(value, 4), {0x26, 0x2A}})));
    }
}

TEST_CASE("IL-24 floats keep every bit") {
    for (const std::uint64_t bits : {0x7FF0000000000001ULL, 0xFFF8000000000001ULL,
                                     0x8000000000000000ULL, 0x7FF4000000000000ULL}) {
        const ReadBody wide =
            check_same(tiny_body(code_of({{0x23}, little_endian(bits, 8), {0x26, 0x2A}})));
        CHECK(wide.body.wide(wide.body.instructions()[0].operand) == bits);
        check_same(tiny_body(code_of({{0x22}, little_endian(bits >> 32U, 4), {0x26, 0x2A}})));
    }
}

TEST_CASE("IL-25 two methods of one body share it still; of overlapping ones the image is pinned") {
    ImageSpec spec = minimal();
    auto& tables = spec.metadata.tables;
    Row second = tables.row(table::MethodDef, 1);
    tables.add(table::MethodDef, second);
    const Opened shared = open(spec);
    REQUIRE(shared.module);
    Writer writer;
    const auto image = writer.rebuild(shared.module->state(), reassemble_freely());
    REQUIRE(image);
    CHECK(image->report.decoded_bodies.decoded == 1);
    tables.row(table::MethodDef, 2)[0] += 1;
    const Opened overlapping = open(spec);
    check_survives(overlapping);
    REQUIRE(overlapping.module);
    CHECK_FALSE(writer.rebuild(overlapping.module->state(), reassemble_freely()));
}

TEST_CASE("IL-26 bodies in the headers, and where no byte is: kept, and never reassembled") {
    for (const std::uint32_t rva : {0x80U, 0x1FFU, 0x3FFFU, 0x7FFFFFFFU, 0xFFFFFFFFU}) {
        ImageSpec spec = minimal();
        spec.metadata.tables.row(table::MethodDef, 1)[0] = rva;
        const Opened opened = open(spec);
        check_survives(opened);
        if (opened.module) CHECK(refusal_of(*opened.module) == ErrorCode::not_closed);
    }
}

TEST_CASE("IL-27 bodies of abstract, imported and runtime methods: kept") {
    for (const std::uint32_t flags : {0x0416U, 0x2016U, 0x0016U}) {
        for (const std::uint32_t impl_flags : {0x0000U, 0x0003U, 0x1000U}) {
            ImageSpec spec = image_with(tiny_body({0x00, 0x2A}));
            spec.metadata.tables.row(table::MethodDef, 1)[1] = impl_flags;
            spec.metadata.tables.row(table::MethodDef, 1)[2] = flags;
            const Opened opened = open(spec);
            REQUIRE(opened.module);
            check_survives(opened);
            Writer writer;
            const Bytes image = rebuilt(writer, *opened.module, reassemble_freely());
            const auto again = Module::from_bytes(image);
            REQUIRE(again);
            CHECK(body_in(*again) == tiny_body({0x00, 0x2A}));
        }
    }
}

TEST_CASE("IL-28 a max stack of 0, of 65535, or too small: kept, and lowered by nobody") {
    const Bytes code{0x16, 0x16, 0x26, 0x26, 0x2A};
    for (const std::uint16_t max_stack : std::vector<std::uint16_t>{0, 1, 0xFFFF}) {
        ReadBody read = check_same(fat_body(code, max_stack));
        for (const Forms forms : {Forms::optimize, Forms::expand}) {
            const auto bytes = written(read.body, forms);
            REQUIRE(bytes);
            CHECK(read_body(*bytes).body.header().max_stack >= max_stack);
        }
        const Opened opened = open(minimal());
        cil::StackDepth depth;
        REQUIRE(cil::raise_max_stack(read.body, opened.metadata, depth));
        CHECK(read.body.header().max_stack == std::max<std::uint16_t>(max_stack, 2));
    }
}

TEST_CASE("IL-29 a short branch that no longer reaches becomes long") {
    ReadBody read = read_body(tiny_body({0x2B, 0x01, 0x00, 0x2A}));
    REQUIRE(read.body.insert(1, std::vector<Instruction>(300)));
    read.body.instructions()[0].operand = 302;
    const auto bytes = written(read.body);
    REQUIRE(bytes);
    const ReadBody again = read_body(*bytes);
    REQUIRE(again.decoded);
    CHECK(again.body.instructions()[0] == Instruction{0x38, 0, 302});
}

TEST_CASE("IL-30 locals that are no signature of locals: kept") {
    for (const std::uint32_t locals : {0x01000001U, 0x11FFFFFFU, 0x11000000U, 0xFFFFFFFFU, 1U}) {
        const ReadBody read = check_same(fat_body({0x2A}, 8, locals));
        CHECK(read.body.header().locals == locals);
        CHECK(written(read.body, Forms::optimize) == read.bytes);
    }
}

TEST_CASE("IL-31 prefixes before what takes none, at the end, and in rows: kept") {
    for (const Bytes& code :
         {Bytes{0xFE, 0x14, 0x00, 0x2A}, Bytes{0xFE, 0x14, 0x27, 1, 0, 0, 6, 0x2A},
          Bytes{0xFE, 0x16, 1, 0, 0, 1, 0x28, 1, 0, 0, 0x0A, 0x2A}, Bytes{0xFE, 0x19, 0x07, 0x2A},
          Bytes{0x2A, 0xFE, 0x13}, Bytes{0xFE, 0x12, 0x03, 0xFE, 0x13, 0xFE, 0x1E, 0x4A, 0x2A}}) {
        check_same(tiny_body(code));
    }
}

TEST_CASE(
    "IL-32 junk behind a ret, and junk that is jumped around: kept, the code around it decoded") {
    check_same(tiny_body({0x2A, 0x58, 0x26, 0x7A, 0x2B, 0xFD}));
    check_regions({0x2B, 0x01, 0x24, 0x2A}, {{0x24}});
    check_regions({0x2A, 0xFE}, {{0xFE}});
    check_regions({0x2A, 0x20, 0x00}, {{0x20, 0x00}});
    check_regions({0x7A, 0x24, 0x26, 0x45}, {{0x24, 0x26, 0x45}});
    // A jump around a byte that swallows what follows: what is swallowed holds the target.
    check_regions({0x2B, 0x01, 0x20, 0x00, 0x00, 0x00, 0x2A}, {{0x20}});
    check_regions({0x2B, 0x02, 0x45, 0xFF, 0x2B, 0x01, 0x28, 0x2A}, {{0x45, 0xFF}, {0x28}});
    // Never reached: the branch there leads nowhere.
    check_regions({0x2A, 0x2B, 0x70}, {{0x2B, 0x70}});
    // Two instructions on the same bytes, and control that runs into junk or off the end.
    check_raw(tiny_body({0x2C, 0x01, 0x20, 0x00, 0x00, 0x00, 0x00, 0x2A}), Opaque::branch);
    check_raw(tiny_body({0x2C, 0x01, 0x20, 0x2A}), bad_code);
    check_raw(tiny_body({0x2B, 0x01, 0x24, 0x00}), bad_code);
}

TEST_CASE("IL-33 code that is noise: kept, every byte") {
    std::mt19937 random(33);
    for (int round = 0; round < 2'000; ++round) {
        Bytes code(random() % 40);
        for (std::uint8_t& byte : code) byte = static_cast<std::uint8_t>(random());
        const Bytes bytes = random() % 2 == 0 ? tiny_body(code) : fat_body(code);
        const ReadBody read = read_body(bytes);
        if (written(read.body) != bytes) FAIL("round " << round);
    }
    for (int round = 0; round < 20'000; ++round) {
        Bytes bytes(1 + random() % 64);
        for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
        if (round % 2 == 0) bytes[0] = 0x1B;  // fat, with sections
        const ReadBody read = read_body(bytes);
        if (read.body.why_opaque() == Opaque::extent) continue;
        const Bytes raw(read.body.raw().begin(), read.body.raw().end());
        if (written(read.body) != raw) FAIL("round " << round);
    }
}

TEST_CASE("IL-34 huge bodies: see tests/cil/large_bodies_test.cpp; here as part of an image") {
    Bytes code{0x16, 0x45};
    append(code, little_endian(100'000, 4));
    append(code, Bytes(400'000, 0x00));
    for (std::uint32_t local = 0; local < 65'535; ++local) {
        append(code, code_of({{0xFE, 0x0C}, little_endian(local, 2), {0x26}}));
    }
    code.push_back(0x2A);
    check_same(fat_body(code, 8, 0x11000001));
}

TEST_CASE("IL-35 tiny bodies of no code, and of as much as fits") {
    const ReadBody read = check_same(Bytes{0x02});
    CHECK(read.body.size() == 0);
    check_same(tiny_body(Bytes(63, 0x00)));
    check_same(fat_body({}));
}

TEST_CASE("IL-36 whether locals are zeroed: as it was, in tiny and fat headers") {
    CHECK_FALSE(check_same(tiny_body({0x2A})).body.header().init_locals);
    for (const std::uint16_t flags : std::vector<std::uint16_t>{0x3003, 0x3013}) {
        const ReadBody read =
            check_same(with_flags(fat_body({0x06, 0x26, 0x2A}, 1, 0x11000001), flags));
        CHECK(read.body.header().init_locals == (flags == 0x3013));
        for (const Forms forms : {Forms::optimize, Forms::expand}) {
            const auto bytes = written(read.body, forms);
            REQUIRE(bytes);
            CHECK(read_body(*bytes).body.header().init_locals == (flags == 0x3013));
        }
    }
}

TEST_CASE("IL-37 native code where a body is: kept, and never reassembled") {
    ImageSpec spec = image_with(Bytes{0x55, 0x8B, 0xEC, 0x5D, 0xC3});
    spec.metadata.tables.row(table::MethodDef, 1)[1] = 0x0001;
    const Opened opened = open(spec);
    check_survives(opened);
    REQUIRE(opened.module);
    CHECK(refusal_of(*opened.module) == ErrorCode::not_closed);
}

TEST_CASE("IL-38 60,000 methods of one large body: decoded once") {
    ImageSpec spec = image_with(fat_body(Bytes(1'000'000, 0x00)));
    auto& tables = spec.metadata.tables;
    const Row row = tables.row(table::MethodDef, 1);
    for (int i = 0; i < 60'000; ++i) tables.add(table::MethodDef, row);
    const Opened opened = open(spec);
    REQUIRE(opened.module);
    Writer writer;
    const auto image = writer.rebuild(opened.module->state(), reassemble_freely());
    REQUIRE(image);
    CHECK(image->report.decoded_bodies.decoded == 1);
}
