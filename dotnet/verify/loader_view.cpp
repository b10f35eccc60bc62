// Look-ups by CoreCLR's rules, in O(log sections): nothing bounds the number of sections but the file.
#include <clrkit/dotnet/verify/loader_view.h>

#include <algorithm>

namespace clrkit::verify {

LoaderView::LoaderView(const pe::Image& image)
    : file_(image.bytes()), sections_offset_(image.sections_offset()) {
    const std::uint64_t room =
        sections_offset_ < file_.size() ? file_.size() - sections_offset_ : std::uint64_t{0};
    const auto count = static_cast<std::size_t>(
        std::min<std::uint64_t>(image.coff().number_of_sections, room / sizeof(pe::SectionHeader)));
    sections_ = {view_at<pe::SectionHeader>(file_, sections_offset_), count};
    const std::uint32_t alignment = image.optional_middle().section_alignment;
    if (alignment != 0 && (alignment & (alignment - 1)) == 0) alignment_ = alignment;
    ends_.reserve(count);
    for (const pe::SectionHeader& section : sections_) {
        ends_.push_back(std::max(end_of(section), ends_.empty() ? 0 : ends_.back()));
    }
}

std::uint64_t LoaderView::header_offset(const pe::SectionHeader& section) const {
    return sections_offset_ +
           static_cast<std::uint64_t>(&section - sections_.data()) * sizeof(pe::SectionHeader);
}

const pe::SectionHeader* LoaderView::section_of(std::uint32_t rva) const {
    const auto end = std::ranges::upper_bound(ends_, std::uint64_t{rva});
    if (end == ends_.end()) return nullptr;
    const pe::SectionHeader& section = sections_[static_cast<std::size_t>(end - ends_.begin())];
    return rva >= section.virtual_address ? &section : nullptr;
}

RangeFault LoaderView::check(std::uint32_t rva, std::uint64_t size) const {
    const pe::SectionHeader* section = section_of(rva);
    if (section == nullptr) return RangeFault::no_section;
    const std::uint64_t inside = rva - section->virtual_address;
    if (!fits(section->virtual_size, inside, size)) return RangeFault::memory;
    if (!fits(section->size_of_raw_data, inside, size)) return RangeFault::raw_data;
    if (!fits(file_.size(), section->pointer_to_raw_data + inside, size))
        return RangeFault::raw_data;
    return RangeFault::none;
}

ByteSpan LoaderView::from(std::uint32_t rva) const {
    const pe::SectionHeader* section = section_of(rva);
    if (section == nullptr) return {};
    const std::uint64_t inside = rva - section->virtual_address;
    const std::uint64_t most =
        std::min<std::uint32_t>(section->virtual_size, section->size_of_raw_data);
    if (inside >= most) return {};
    return slice_clamped(file_, section->pointer_to_raw_data + inside, most - inside);
}

}  // namespace clrkit::verify
