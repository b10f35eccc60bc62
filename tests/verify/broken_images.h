// One image for every way to break a loader rule: the smallest program that runs, with one thing
// wrong. What .NET makes of each is noted, so that the rules stay those of the loader.
#pragma once

#include "support/image_builder.h"

#include <clrkit/dotnet/verify/loader_rules.h>

#include <string>
#include <vector>

namespace clrkit::test {

/// What `dotnet exec` does with the image on Linux, x64.
enum class Dotnet : std::uint8_t {
    refuses,
    runs,       // the rule is that of another loader, or a warning
    not_asked,  // loads, but cannot run for another reason than the rule
};

struct BrokenImage {
    std::string name;
    LoaderRule rule;
    Severity severity;
    Dotnet dotnet;
    Bytes bytes;
};

/// `minimal()` with the native parts of an image for any processor: the import of mscoree.dll, the
/// jump to it, its relocation in a section of its own.
struct ThunkImage {
    ImageSpec image = minimal();
    std::uint32_t descriptor = 0;  // RVAs
    std::uint32_t lookup_table = 0;
    std::uint32_t address_table = 0;
    std::uint32_t dll_name = 0;
    std::uint32_t function_name = 0;  // of its hint
    std::uint32_t thunk = 0;

    ThunkImage();
    /// Overwrites the area's bytes at an RVA.
    void put_at(std::uint32_t rva, const Bytes& bytes);
    /// The relocations, in the second section.
    Bytes& relocations() { return image.pe.sections[1].data; }
};

/// The same for x64: wider slots, a jump through an address of eight bytes, its relocation.
ImageSpec thunk_of_64_bits();

std::vector<BrokenImage> broken_headers();
std::vector<BrokenImage> broken_sizes();
std::vector<BrokenImage> broken_sections();
std::vector<BrokenImage> broken_section_places();
std::vector<BrokenImage> broken_directories();
std::vector<BrokenImage> broken_clr_headers();
std::vector<BrokenImage> broken_clr_contents();
std::vector<BrokenImage> broken_native_parts();
std::vector<BrokenImage> broken_relocations();
std::vector<BrokenImage> broken_metadata();
std::vector<BrokenImage> broken_streams();
std::vector<BrokenImage> broken_tables();
std::vector<BrokenImage> broken_addresses();

/// All of them.
std::vector<BrokenImage> broken_images();

}  // namespace clrkit::test
