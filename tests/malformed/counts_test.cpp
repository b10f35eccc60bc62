// Counts in a file that claim far more than it holds: memory follows the bytes that are there. The
// number in front of a test's name is its row in docs/robustness.md.
#include "support/allocation_counter.h"
#include "support/catch.h"
#include "support/opened.h"

using namespace clrkit;
using namespace clrkit::test;

namespace {

/// CHECKs that opening and walking allocate in proportion to the file, whatever it claims.
void check_memory_of(const Bytes& file) {
    const Allocations made = allocations_in([&] { walk(open(file)); });
    CHECK(made.bytes < 64 * file.size() + (std::uint64_t{1} << 20U));
}

}  // namespace

TEST_CASE("PE-04 memory does not follow the number of sections") {
    ImageSpec image = minimal();
    image.pe.number_of_sections = 0xFFFF;
    check_memory_of(build(image));
}

TEST_CASE("PE-22 memory does not follow the size of the optional header") {
    ImageSpec image = minimal();
    image.pe.size_of_optional_header = 0xFFFF;
    check_memory_of(build(image));
}

TEST_CASE("PE-32 memory does not follow the size of a data directory") {
    for (int index = 0; index < 16; ++index) {
        INFO("directory " << index);
        ImageSpec image = minimal();
        const std::uint32_t rva = image.area.add(Bytes(256, 0x21));
        if (index != 14) image.pe.directories[index] = {rva, 0xFFFFFFFF};
        check_memory_of(build(image));
    }
}

TEST_CASE("PE-34 memory does not follow the number of resource entries") {
    ImageSpec image = minimal();
    Bytes root(12);
    append(root, Bytes(4, 0xFF));
    image.pe.directories[2] = {image.area.add(root), 16};
    check_memory_of(build(image));
}

TEST_CASE("PE-42 memory does not follow the number of vtable fixups") {
    ImageSpec image = minimal();
    image.clr.vtable_fixups = {image.area.add(Bytes(64, 0xFF)), 0xFFFFFFFF};
    check_memory_of(build(image));
}

TEST_CASE("MD-02 memory does not follow the length of the version string") {
    ImageSpec image = minimal();
    image.metadata.version_length = 0x7FFFFFF0;
    check_memory_of(build(image));
}

TEST_CASE("MD-04 memory does not follow the number of streams") {
    ImageSpec image = minimal();
    image.metadata.stream_count = 0xFFFF;
    check_memory_of(build(image));
}

TEST_CASE("MD-18 memory does not follow the size of a stream") {
    for (const std::string_view name : {"#~", "#Strings", "#US", "#GUID", "#Blob"}) {
        ImageSpec image = minimal();
        image.metadata.named(name).size = 0xFFFFFFFF;
        check_memory_of(build(image));
    }
}

TEST_CASE("TBL-06 memory does not follow the row count of any table") {
    for (int id = 0; id <= 0x2C; ++id) {
        for (const std::uint32_t count : {0x00FFFFFFU, 0x05000002U, 0xFFFFFFFFU}) {
            INFO("table " << id << ", " << count << " rows");
            ImageSpec image = minimal();
            image.metadata.tables.declared_rows[id] = count;
            check_memory_of(build(image));
        }
    }
}

TEST_CASE("TBL-06 memory does not follow the row counts of a PDB's image") {
    MetadataSpec pdb = minimal_pdb();
    Bytes& id = pdb.named("#Pdb").bytes;
    put(id, id.size() - 12, Bytes(12, 0xFF));
    const Allocations made = allocations_in([&] { walk(open(pdb)); });
    CHECK(made.bytes < std::uint64_t{1} << 20U);
}
