// A second reader's opinion of what is about to be written (`rewrite --check`): LIEF, in
// clrkit-native, reads the bytes, and what it sees has to be what we see.
#pragma once

#include "frame/batch.h"

namespace clrkit::cli {

/// True when both readers see the same in the bytes that are about to be written. Otherwise it is
/// said, nothing should be written, and the answer is no; a reader that cannot be asked is a failure.
bool second_reader_agrees(Job& job, ByteSpan bytes);
/// The same for what a save would write, which it makes in memory.
bool second_reader_agrees_with_save(Job& job, const Module& module, const SaveOptions& save);

}  // namespace clrkit::cli
