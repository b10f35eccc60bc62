// Anonymous mappings on POSIX systems (measured costs: bench/README.md).
#include <clrkit/core/buffers/pages.h>

#include <sys/mman.h>

#include <utility>

namespace clrkit {
namespace {

constexpr std::size_t small_page = 4096;
constexpr std::size_t huge_page = std::size_t{2} << 20U;
constexpr std::size_t huge_pages_from = std::size_t{512} << 10U;

}  // namespace

Pages::Pages(std::size_t size) {
    if (size == 0 || size > SIZE_MAX / 2) return;
    const bool huge = size >= huge_pages_from;
    const std::size_t unit = huge ? huge_page : small_page;
    const std::size_t wanted = (size + unit - 1) / unit * unit;
    // Huge pages need alignment that mmap does not promise: map more, give the ends back.
    const std::size_t reserved = huge ? wanted + huge_page : wanted;
    void* base = mmap(nullptr, reserved, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) return;
    auto* at = static_cast<std::uint8_t*>(base);
    if (huge) {
        const std::size_t lead =
            (huge_page - reinterpret_cast<std::uintptr_t>(at) % huge_page) % huge_page;
        if (lead != 0) munmap(at, lead);
        if (lead != huge_page) munmap(at + lead + wanted, huge_page - lead);
        at += lead;
        madvise(at, wanted, MADV_HUGEPAGE);
    }
    data_ = at;
    size_ = wanted;
}

Pages::Pages(Pages&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Pages& Pages::operator=(Pages&& other) noexcept {
    Pages taken(std::move(other));
    std::swap(data_, taken.data_);
    std::swap(size_, taken.size_);
    return *this;
}

Pages::~Pages() {
    if (data_ != nullptr) munmap(data_, size_);
}

}  // namespace clrkit
