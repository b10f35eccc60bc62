// A bounded sink for tolerated faults.
#include <clrkit/core/diagnostics.h>

namespace clrkit {

void Diagnostics::add(const Error& fault) {
    ++total_;
    ++counts_[static_cast<std::size_t>(fault.code)];
    if (kept_.size() < kept_at_most) kept_.push_back(fault);
}

void Diagnostics::add(const Diagnostics& other) {
    for (const Error& fault : other.kept_) {
        if (kept_.size() == kept_at_most) break;
        kept_.push_back(fault);
    }
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
    total_ += other.total_;
}

}  // namespace clrkit
