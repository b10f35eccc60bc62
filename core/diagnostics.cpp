// A bounded sink for tolerated faults.
#include <clrkit/core/diagnostics.h>

namespace clrkit {

void Diagnostics::add(const Error& fault) {
    ++total_;
    ++counts_[static_cast<std::size_t>(fault.code)];
    if (kept_.size() < kept_at_most) kept_.push_back(fault);
}

}  // namespace clrkit
