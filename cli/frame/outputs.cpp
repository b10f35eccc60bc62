// The output rules that every writing verb shares.
#include "frame/outputs.h"

#include <clrkit/core/io/input_file.h>
#include <clrkit/dotnet/metadata/container.h>

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <map>
#include <utility>

namespace clrkit::cli {
namespace {

/// A path that names its file in one way only. What does not exist yet hangs on its folder that does.
/// Not the file's number: two hard links are two outputs, since each is replaced by a new file.
std::string one_name_of(const std::string& path) {
    std::string existing = path;
    std::string rest;
    while (true) {
        if (char* real = realpath(existing.empty() ? "." : existing.c_str(), nullptr)) {
            std::string name = real + rest;
            std::free(real);  // NOLINT(cppcoreguidelines-no-malloc): realpath's contract
            return name;
        }
        if (existing.empty() || existing == "/") return path;
        const std::size_t slash = existing.rfind('/');
        const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
        rest.insert(0, "/" + existing.substr(name));
        // Keep the slash of the root: what is empty means the current folder.
        existing.resize(name <= 1 ? name : slash);
    }
}

bool exists(const std::string& path) {
    struct stat info{};
    return lstat(path.c_str(), &info) == 0;
}

bool is_folder(const std::string& path) {
    struct stat info{};
    return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

/// A found file that is no .NET image will be skipped when its turn comes: it claims no output.
bool will_be_skipped(const Input& input) {
    if (!input.found) return false;
    const auto file = InputFile::open(input.path);
    return file && !Container::open_image(file->bytes());
}

enum class Place : std::uint8_t { none, file, folder, in_place };

struct Where {
    Place place = Place::none;
    std::string path;  // the file or the folder
    std::vector<std::string> names;
    /// What the outputs' names end with in place of the inputs' own endings; empty: the same names.
    std::string_view ending;

    /// The output is no assembly any more: it cannot take the place of its input.
    bool converts() const { return !ending.empty(); }
};

Usage<Where> choose_place(const Arguments& arguments) {
    Where where;
    where.names = arguments.operands();
    const int given = int{arguments.has("output")} + int{arguments.has("output-dir")} +
                      int{arguments.has("in-place")};
    if (given > 1) return misuse("only one of -o, -O and -i can say where to write");
    if (arguments.has("output")) {
        where.place = Place::file;
        where.path = arguments.text("output");
    } else if (arguments.has("output-dir")) {
        where.place = Place::folder;
        where.path = arguments.text("output-dir");
    } else if (arguments.has("in-place")) {
        where.place = Place::in_place;
    } else if (where.names.size() == 2 && !arguments.has("files-from") &&
               !arguments.has("recursive")) {
        where.place = Place::file;
        where.path = where.names.back();
        where.names.pop_back();
    } else {
        return misuse("it is not said where to write",
                      "-o FILE, -O DIR, or -i to replace the input");
    }
    return where;
}

std::string with_ending(const std::string& path, std::string_view ending) {
    if (ending.empty()) return path;
    const std::size_t dot = file_name(path).rfind('.');
    const std::size_t kept = dot == std::string::npos || dot == 0
                                 ? path.size()
                                 : path.size() - file_name(path).size() + dot;
    return path.substr(0, kept).append(ending);
}

std::string in_folder(const std::string& folder, const std::string& name) {
    return folder.ends_with('/') ? folder + name : folder + '/' + name;
}

Usage<Output> output_for(const Where& where, const Input& input, const Arguments& arguments) {
    Output output;
    output.options.overwrite = arguments.has("force");
    switch (where.place) {
        case Place::file: output.path = where.path; break;
        case Place::folder:
            output.path = in_folder(where.path, with_ending(input.relative, where.ending));
            output.make_folders = true;
            break;
        case Place::in_place:
        case Place::none:
            output.path = input.path;
            output.in_place = true;
            output.options.overwrite = true;
            output.options.backup_suffix = arguments.text("in-place");
            break;
    }
    if (where.place == Place::file && is_folder(output.path)) {
        return misuse(output.path + ": is a folder", "-O writes into a folder");
    }
    if (where.converts() && one_name_of(output.path) == one_name_of(input.path)) {
        return misuse(output.path + ": is the input itself; nothing was written");
    }
    const std::string backup = output.path + output.options.backup_suffix;
    const std::string& must_be_new = output.in_place ? backup : output.path;
    const bool replaces = output.in_place ? !output.options.backup_suffix.empty() : true;
    if (replaces && !arguments.has("force") && exists(must_be_new) && !is_special(must_be_new)) {
        return misuse(must_be_new + ": exists already; nothing was written",
                      "pass -f to replace it");
    }
    return output;
}

/// Finds what would overwrite what.
class Collisions {
public:
    explicit Collisions(Plan& plan) : plan_(plan), skipped_(plan.inputs.size()) {}

    Usage<void> check() {
        for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
            inputs_.emplace(one_name_of(plan_.inputs[i].path), i);
        }
        std::map<std::string, std::size_t> outputs;
        for (std::size_t i = 0; i < plan_.outputs.size(); ++i) {
            const std::string& path = plan_.outputs[i].path;
            if (is_special(path)) continue;
            const std::string name = one_name_of(path);
            const auto [at, fresh] = outputs.emplace(name, i);
            if (!fresh && both_count(at->second, i)) return misuse(twice(at->second, i));
            if (!fresh && skipped_[at->second]) at->second = i;
            const auto source = inputs_.find(name);
            if (source == inputs_.end() || source->second == i) continue;
            const bool other = one_name_of(plan_.inputs[i].path) != name;
            if (other && both_count(source->second, i)) {
                return misuse(path + ": is an input too; nothing was written");
            }
        }
        drop_skipped();
        return {};
    }

private:
    /// False when one of the two is found and no .NET file: it will be skipped, so it takes no place.
    bool both_count(std::size_t first, std::size_t second) {
        for (const std::size_t i : {first, second}) {
            if (!skipped_[i]) skipped_[i] = will_be_skipped(plan_.inputs[i]);
        }
        return !skipped_[first] && !skipped_[second];
    }

    std::string twice(std::size_t first, std::size_t second) const {
        const std::string& a = plan_.inputs[first].path;
        const std::string& b = plan_.inputs[second].path;
        if (one_name_of(a) == one_name_of(b)) return b + ": is named twice; nothing was written";
        return a + " and " + b + " would both be written to " + plan_.outputs[second].path +
               "; nothing was written";
    }

    void drop_skipped() {
        Plan kept;
        for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
            if (skipped_[i]) continue;
            kept.inputs.push_back(std::move(plan_.inputs[i]));
            kept.outputs.push_back(std::move(plan_.outputs[i]));
        }
        plan_ = std::move(kept);
    }

    Plan& plan_;
    std::map<std::string, std::size_t> inputs_;
    std::vector<bool> skipped_;
};

Usage<Plan> plan_for(const Arguments& arguments, const Where& where) {
    Plan plan;
    if (where.place == Place::file && where.path == "-") {
        return misuse("-: does not stand for standard output here; nothing was written",
                      "/dev/stdout is standard output, ./- a file of that name");
    }
    auto inputs = where.names.size() != arguments.operands().size()
                      ? find_inputs(arguments, where.names)
                      : find_inputs(arguments);
    if (!inputs) return std::unexpected(inputs.error());
    plan.inputs = std::move(*inputs);
    if (where.place == Place::file && plan.inputs.size() > 1) {
        return misuse(
            "-o writes one file, and there are " + std::to_string(plan.inputs.size()) + " inputs",
            where.converts() ? "-O DIR writes each into a folder"
                             : "-O DIR writes each into a folder, -i replaces each");
    }
    for (const Input& input : plan.inputs) {
        auto output = output_for(where, input, arguments);
        if (!output) return std::unexpected(output.error());
        plan.outputs.push_back(std::move(*output));
    }
    if (auto checked = Collisions(plan).check(); !checked) return std::unexpected(checked.error());
    return plan;
}

}  // namespace

Usage<Plan> plan_outputs(const Arguments& arguments) {
    const auto where = choose_place(arguments);
    if (!where) return std::unexpected(where.error());
    const std::string_view suffix = arguments.text("in-place");
    if (suffix.find('/') != std::string_view::npos) {
        return misuse("a backup's ending cannot have a slash in it");
    }
    return plan_for(arguments, *where);
}

Usage<Plan> plan_conversions(const Arguments& arguments, std::string_view ending) {
    if (arguments.has("output") && arguments.has("output-dir")) {
        return misuse("only one of -o and -O can say where to write");
    }
    Where where;
    where.names = arguments.operands();
    where.ending = ending;
    where.place = arguments.has("output") ? Place::file : Place::folder;
    where.path = arguments.text(where.place == Place::file ? "output" : "output-dir");
    return plan_for(arguments, where);
}

Companions::Companions(const Plan& plan) : plan_(plan) {
    for (const Input& input : plan.inputs) taken_.emplace(one_name_of(input.path), "an input");
    for (const Output& output : plan.outputs) {
        if (!is_special(output.path)) taken_.emplace(one_name_of(output.path), "an output");
    }
}

Usage<void> Companions::add(std::size_t index, const std::string& path) {
    const std::string what = path + ", beside " + plan_.outputs[index].path + ": ";
    const auto [at, fresh] = taken_.emplace(one_name_of(path), "another such file");
    if (!fresh) return misuse(what + "is " + at->second + " too; nothing was written");
    if (is_folder(path)) return misuse(what + "is a folder; nothing was written");
    if (plan_.outputs[index].options.overwrite || !exists(path)) return {};
    return misuse(what + "exists already; nothing was written", "pass -f to replace it");
}

bool is_special(const std::string& path) {
    struct stat info{};
    return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

Status make_folders_for(const std::string& path) {
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
        const std::string folder = path.substr(0, slash);
        if (is_folder(folder) || mkdir(folder.c_str(), 0777) == 0 || errno == EEXIST) continue;
        return failure(Stage::io, ErrorCode::io_write, no_offset, "no folder for it",
                       static_cast<std::uint32_t>(errno));
    }
    return {};
}

}  // namespace clrkit::cli
