// A second reader's opinion of what is about to be written (`rewrite --check`): LIEF, in
// clrkit-native, reads the bytes, and what it sees has to be what we see.
#pragma once

#include "frame/batch.h"

namespace clrkit::cli {

/// Makes in memory what a save would write and asks. True when both agree. Otherwise it is said,
/// nothing should be written, and the answer is no; a reader that cannot be asked is a failure.
bool second_reader_agrees(Job& job, const Module& module, const SaveOptions& save);

}  // namespace clrkit::cli
