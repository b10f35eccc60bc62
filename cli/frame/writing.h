// What every verb that edits and saves has in common: open, edit, save, report.
#pragma once

#include "frame/batch.h"

#include <functional>
#include <string>
#include <vector>

namespace clrkit::cli {

/// One thing that a verb did to a module, for the report: "version 1.0.0.0 -> 2.0.0.0".
struct Deed {
    std::string what;
    std::string from;
    std::string to;
};

/// Edits the module and says what it did. A failure is said through the job and gives false.
using EditAction = std::function<bool(Job&, Module&, std::vector<Deed>&)>;

/// Looks at what is about to be written with these options. False when it should not be, which is
/// said through the job.
using CheckAction = std::function<bool(Job&, const Module&, const SaveOptions&)>;

/// Settles outputs, then opens, edits, checks and saves each input. `options` are the verb's own
/// wishes.
int run_edits(const Arguments& arguments, const EditAction& edit, const SaveOptions& options = {},
              const CheckAction& check = {});

}  // namespace clrkit::cli
