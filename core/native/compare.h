// A second reader's opinion: what LIEF sees in a file against what we see.
#pragma once

#include <clrkit/core/native/facts.h>
#include <clrkit/core/pe/image.h>

#include <string>
#include <vector>

namespace clrkit::native {

/// One sentence for each thing that the readers see differently: machine, PE32 or PE32+, entry point,
/// sections, number of imported DLLs, whether there is a certificate. Imports are passed over where
/// we could not read all of them. Names in the sentences are bytes from the file.
std::vector<std::string> disagreements(const pe::Image& ours, const Facts& theirs);

}  // namespace clrkit::native
