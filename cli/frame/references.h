// --ref: assemblies that others refer to, opened once for a whole batch.
#pragma once

#include "frame/arguments.h"
#include "frame/verb.h"

#include <clrkit/dotnet/attributes/enum_set.h>
#include <clrkit/dotnet/model/module.h>

#include <memory>
#include <vector>

namespace clrkit::cli {

inline constexpr Option ref_option{
    "ref", 0, OptionKind::list, "PATH",
    "look enums in attributes up there: a file, a folder, a pattern; may be repeated"};

class References {
public:
    /// Opens what --ref names; of a folder or pattern, what is .NET. Misuse when a file that is named
    /// cannot be opened, or a folder or pattern yields nothing.
    static Usage<References> open(const Arguments& arguments);

    /// Knows nothing where nothing was named. Good as long as this object lives, wherever it moves.
    EnumResolver enums() const { return set_ == nullptr ? EnumResolver{} : set_->resolver(); }

private:
    std::vector<Module> modules_;
    std::unique_ptr<EnumSet> set_;
};

}  // namespace clrkit::cli
