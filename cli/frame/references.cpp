// Opening what --ref names.
#include "frame/references.h"

#include "frame/glob.h"
#include "frame/inputs.h"
#include "frame/text.h"

#include <sys/stat.h>
#include <unistd.h>

#include <string>

namespace clrkit::cli {
namespace {

/// A folder stands for the files in it.
std::string as_pattern(const std::string& name) {
    struct stat info{};
    return stat(name.c_str(), &info) == 0 && S_ISDIR(info.st_mode) ? name + "/*" : name;
}

}  // namespace

Usage<References> References::open(const Arguments& arguments) {
    References references;
    const std::span<const std::string> names = arguments.list("ref");
    if (names.empty()) return references;
    for (const std::string& name : names) {
        const std::string pattern = as_pattern(name);
        const bool named = !is_pattern(pattern) || access(pattern.c_str(), F_OK) == 0;
        std::vector<Found> found;
        std::vector<std::string> unreadable;
        if (named) {
            found.push_back({name, {}});
        } else {
            find_matching(pattern, found, unreadable);
        }
        const std::size_t before = references.modules_.size();
        for (const Found& file : found) {
            if (!named && !may_be_image(file.path)) continue;
            auto module = Module::open(file.path);
            if (module) {
                references.modules_.push_back(std::move(*module));
            } else if (named) {
                return misuse("--ref " + shown(name) + ": " + render(module.error()));
            }
        }
        if (references.modules_.size() == before) {
            return misuse("--ref " + shown(name) + ": no .NET assembly is there");
        }
    }
    std::vector<const Metadata*> assemblies;
    assemblies.reserve(references.modules_.size());
    for (const Module& module : references.modules_) assemblies.push_back(&module.metadata());
    auto set = EnumSet::build(assemblies);
    if (!set) return misuse("--ref: " + render(set.error()));
    references.set_ = std::make_unique<EnumSet>(std::move(*set));
    return references;
}

}  // namespace clrkit::cli
