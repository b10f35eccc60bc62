// The doors of the library: memory that runs out becomes an error, so that no exception crosses its
// surface. Included by sources only.
#pragma once

#include <clrkit/core/error.h>

#include <new>
#include <utility>

namespace clrkit {

/// The result of `work`, or the error `out_of_memory` where it threw for want of memory.
template <class Work>
auto at_the_door(Stage stage, Work work) -> decltype(work()) {
    try {
        return work();
    } catch (const std::bad_alloc&) {
        return failure(stage, ErrorCode::out_of_memory);
    }
}

}  // namespace clrkit
