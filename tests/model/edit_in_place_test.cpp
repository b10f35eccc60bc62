// Edits in place on images whose parts share bytes, and what a save does with the signatures around
// them. Most were found by fuzzing.
#include "support/catch.h"
#include "support/image_builder.h"
#include "support/opened.h"

#include <clrkit/dotnet/model/module.h>

#include <algorithm>
#include <string>

using namespace clrkit;
using test::Bytes;
using test::ImageSpec;

namespace {

constexpr Token main_method{Table::MethodDef, test::minimal_rows::main};

ErrorCode code_of(const Status& status) { return status ? ErrorCode::none : status.error().code; }

/// `minimal()` with a public key and a signature of 128 bytes that nobody can have checked.
ImageSpec with_signature() {
    ImageSpec image = test::minimal();
    image.metadata.tables.row(test::table::Assembly, 1)[col::Assembly::PublicKey] =
        image.metadata.heaps.blob(Bytes(160, 0x52));
    image.clr.flags = 9;
    image.clr.strong_name_signature = {image.area.add(Bytes(128, 0x77)), 128};
    return image;
}

SaveOptions dropping(Emit emit = Emit::edited) {
    SaveOptions options;
    options.emit = emit;
    options.stale_signature = StaleSignature::drop;
    return options;
}

Bytes saved(const Module& module, const SaveOptions& options) {
    const auto image = module.save_to_memory(options);
    REQUIRE(image);
    return {image->bytes.begin(), image->bytes.end()};
}

}  // namespace

TEST_CASE("CLR flags read as set, and so does what is saved or emitted") {
    auto opened = test::open(test::minimal());
    REQUIRE(opened.module);
    REQUIRE(opened.module->set_clr_flags(0x20001));
    CHECK(opened.module->container().clr_flags() == 0x20001);
    const Bytes copied = saved(*opened.module, {});
    CHECK(test::open(copied).container.clr_flags() == 0x20001);
    CHECK(saved(*opened.module, dropping(Emit::all)) == copied);
}

TEST_CASE("An MVID that shares bytes with the metadata root is not overwritten") {
    ImageSpec image = test::minimal();
    image.metadata.named("#GUID").offset = 0;
    auto opened = test::open(image);
    REQUIRE(opened.module);
    CHECK(code_of(opened.module->set_mvid(Guid{})) == ErrorCode::unsupported);
    CHECK_FALSE(opened.module->edited());
}

TEST_CASE("A cell that shares bytes with a heap is not overwritten") {
    ImageSpec image = test::minimal();
    const std::uint32_t cell = image.metadata.tables.cell_offset(
        test::table::MethodDef, test::minimal_rows::main, col::MethodDef::Flags);
    image.metadata.named("#Blob").offset = image.metadata.stream_offset("#~") + cell;
    auto opened = test::open(image);
    REQUIRE(opened.module);
    CHECK(code_of(opened.module->set_cell(main_method, col::MethodDef::Flags, 1)) ==
          ErrorCode::unsupported);
    CHECK_FALSE(opened.module->edited());
}

TEST_CASE("An assembly's version is set whole or not at all") {
    ImageSpec image = test::minimal();
    // A stream that begins inside the version: after Major and Minor, before Build.
    const test::TablesSpec& tables = image.metadata.tables;
    const std::uint32_t build =
        tables.cell_offset(test::table::Assembly, 1, col::Assembly::BuildNumber);
    image.metadata.named("#GUID").offset = image.metadata.stream_offset("#~") + build;
    auto opened = test::open(image);
    REQUIRE(opened.module);
    const Version before = opened.module->assembly_version();
    CHECK(code_of(opened.module->set_assembly_version({9, 9, 9, 9})) == ErrorCode::unsupported);
    CHECK(opened.module->assembly_version() == before);
}

TEST_CASE("A signature said to stand where the tables are is not zeroed") {
    ImageSpec image = with_signature();
    image.clr.strong_name_signature.rva = image.metadata_rva() + image.metadata.stream_offset("#~");
    auto opened = test::open(image);
    REQUIRE(opened.module);
    REQUIRE(opened.module->set_cell(main_method, col::MethodDef::Flags, 0x91));
    const auto refused = opened.module->save_to_memory(dropping());
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::unsupported);
    CHECK(refused.error().stage == Stage::strong_name);
}

TEST_CASE("A certificate behind the sections goes; one said to stand in a section stays as bytes") {
    ImageSpec image = test::minimal();
    image.pe.certificate = Bytes{16, 0, 0, 0, 0, 2, 2, 0, 1, 2, 3, 4, 5, 6, 7, 8};
    const Bytes file = build(image);
    auto usual = test::open(file);
    REQUIRE(usual.module);
    REQUIRE(usual.module->set_timestamp(1));
    CHECK(saved(*usual.module, {}).size() == file.size() - 16);

    ImageSpec odd = test::minimal();
    odd.pe.directories[4] = {0x200, 0x200};  // an offset in the file: the first section's data
    const Bytes odd_file = build(odd);
    auto opened = test::open(odd_file);
    REQUIRE(opened.module);
    REQUIRE(opened.module->set_timestamp(1));
    const Bytes out = saved(*opened.module, {});
    CHECK(out.size() == odd_file.size());
    test::require_minimal(test::open(out));
    CHECK(test::open(out).container.image.directory(pe::Directory::certificate).empty());
}
