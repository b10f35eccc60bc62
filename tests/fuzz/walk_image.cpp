#include "check.h"
#include "walk.h"

#include <clrkit/core/pe/certificates.h>
#include <clrkit/core/pe/checksum.h>
#include <clrkit/core/pe/claims.h>
#include <clrkit/core/pe/debug_directory.h>
#include <clrkit/core/pe/headers.h>
#include <clrkit/core/pe/imports.h>
#include <clrkit/core/pe/relocations.h>
#include <clrkit/core/pe/resources.h>
#include <clrkit/core/pe/rich_header.h>

#include <algorithm>
#include <vector>

namespace clrkit::fuzz {
namespace {

/// Addresses to ask for: the directories', the sections' and whatever numbers the headers hold.
void look_up_addresses(const pe::Image& image) {
    const ByteSpan file = image.bytes();
    std::uint64_t sum = image.image_base();
    const auto look = [&](std::uint32_t rva) {
        const ByteSpan rest = image.from(rva);
        require(inside(file, rest), "the bytes of an address lie in the file");
        const auto offset = image.offset_of(rva);
        require(offset.has_value() == !rest.empty(), "an address has an offset where it has bytes");
        require(!offset || *offset == image.offset_in_file(rest), "an address has one offset");
        sum += touch(rest) + image.rva_of(rva).value_or(0) +
               (image.section_of(rva) != nullptr ? 1U : 0U);
    };
    for (const pe::SectionHeader& section : image.sections()) {
        require(fits(file.size(), image.raw_offset(section), 0) || image.raw_size(section) == 0,
                "raw data begins in the file");
        for (const std::uint32_t by : {0U, 1U, 0xFFFFFFFFU}) look(section.virtual_address + by);
        look(section.virtual_address + section.virtual_size);
        look(section.virtual_address + section.size_of_raw_data);
        sum += touch(as_bytes(section.name_view()));
    }
    const ByteSpan headers = file.first(std::min<std::size_t>(file.size(), 512));
    for (std::size_t at = 0; at + 4 <= headers.size(); at += 4) {
        look(load_le<std::uint32_t>(headers.data() + at));
    }
    for (std::uint8_t i = 0; i < pe::directory_count; ++i) {
        const auto which = static_cast<pe::Directory>(i);
        const pe::DataDirectory directory = image.directory(which);
        if (const auto range = image.range(directory.rva, directory.size)) sum += touch(*range);
        sum += image.directory_offset(which).value_or(0);
    }
    sink = sum;
}

/// Puts parts back over a copy of the file they were read from: nothing may change.
class PutBack {
public:
    explicit PutBack(ByteSpan file) : file_(file), copy_(file.begin(), file.end()) {}

    template <class Part>
    void emitted(const Part& part, const char* property) {
        check(pe::emit(part, copy_), property);
    }
    void headers(const pe::Headers& headers) {
        check(pe::write(headers, copy_), "the headers are put back as they were");
    }

private:
    void check(const Status& done, const char* property) {
        require(done.has_value(), property);
        require(std::ranges::equal(copy_, file_), property);
    }

    ByteSpan file_;
    std::vector<std::uint8_t> copy_;
};

std::uint64_t look_at_debug(const pe::DebugDirectory& debug, ByteSpan file) {
    std::uint64_t sum = 0;
    for (const pe::DebugEntry& entry : debug.entries) {
        require(inside(file, entry.data), "debug data lies in the file");
        if (const auto view = pe::code_view(entry)) sum += touch(view->path) + view->age;
        if (const auto view = pe::pdb_checksum(entry)) sum += touch(view->checksum);
        if (const auto view = pe::embedded_pdb(entry)) sum += touch(view->deflated);
    }
    return sum;
}

std::uint64_t look_at_resources(const pe::Resources& resources, ByteSpan file) {
    for (const pe::ResourceName& name : resources.names) {
        require(inside(file, name.units), "a resource's name lies in the file");
    }
    for (const pe::ResourceLeaf& leaf : resources.leaves) {
        require(inside(file, leaf.data), "a resource's data lies in the file");
    }
    for (const pe::ResourceDirectory& directory : resources.directories) {
        (void)resources.entries_of(directory);
    }
    std::uint64_t sum = 0;
    for (const auto type : {pe::resource_type::version, pe::resource_type::manifest}) {
        if (const auto* leaf = resources.find(type)) sum += touch(leaf->data);
        if (const auto* leaf = resources.find(type, 1U, 1033U)) sum += touch(leaf->data);
    }
    if (const auto* leaf = resources.find(std::u16string_view(u"MUI"))) sum += touch(leaf->data);
    return sum;
}

void walk_parts(const pe::Image& image) {
    const ByteSpan file = image.bytes();
    std::vector<pe::Claim> claims;
    PutBack put_back(file);
    const pe::Headers headers = pe::Headers::read(image);
    put_back.headers(headers);
    pe::claim_headers(headers, claims);

    const pe::Imports imports = pe::Imports::read(image, nullptr, limits());
    for (const pe::ImportedDll& dll : imports.dlls) (void)imports.functions_of(dll);
    pe::claim_imports(imports, claims);
    put_back.emitted(imports, "the imports are put back as they were");
    const auto thunk = pe::EntryThunk::read(image);
    if (thunk) {
        pe::claim_entry_thunk(*thunk, claims);
        put_back.emitted(*thunk, "the entry thunk is put back as it was");
    }
    const pe::Relocations relocations = pe::Relocations::read(image);
    pe::claim_relocations(relocations, claims);
    put_back.emitted(relocations, "the relocations are put back as they were");
    const pe::DebugDirectory debug = pe::DebugDirectory::read(image, nullptr, limits());
    pe::claim_debug_directory(debug, claims);
    put_back.emitted(debug, "the debug directory is put back as it was");
    const pe::Resources resources = pe::Resources::read(image, nullptr, limits());
    pe::claim_resources(resources, claims);
    put_back.emitted(resources, "the Win32 resources are put back as they were");
    const pe::Certificates certificates = pe::Certificates::read(image);
    pe::claim_certificates(certificates, claims);
    put_back.emitted(certificates, "the certificates are put back as they were");

    for (const pe::Claim& claim : claims) {
        require(claim.size != 0 && fits(file.size(), claim.offset, claim.size),
                "a claim lies in the file");
    }
    std::uint64_t sum = look_at_debug(debug, file) + look_at_resources(resources, file) +
                        pe::checksum(image) + (pe::imports_mscoree_only(imports) ? 1U : 0U);
    sum += pe::relocates_only_thunk(relocations, thunk ? &*thunk : nullptr) ? 1U : 0U;
    sum += thunk && pe::jumps_to_mscoree(*thunk, imports) ? 1U : 0U;
    if (const auto rich = pe::RichHeader::read(image)) sum += rich->entries.size();
    sink = sum;
}

}  // namespace

void walk_image(const pe::Image& image) {
    for (const pe::Mapping mapping : {pe::Mapping::file, pe::Mapping::memory}) {
        const pe::Image mapped = image.with_mapping(mapping);
        look_up_addresses(mapped);
        walk_parts(mapped);
    }
}

}  // namespace clrkit::fuzz
