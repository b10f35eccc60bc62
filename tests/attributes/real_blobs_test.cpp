// Every attribute, marshalling descriptor, permission set and constant of every assembly that this
// machine has: copied through the transcoders, the bytes compared, what stays raw counted by reason.
// Enums are looked up in the file itself, in what lies beside it, and in the runtime's folder.
#include "support/allocation_counter.h"
#include "support/catch.h"
#include "support/real_files.h"

#include <clrkit/dotnet/attributes/constant.h>
#include <clrkit/dotnet/attributes/custom_attribute.h>
#include <clrkit/dotnet/attributes/enum_set.h>
#include <clrkit/dotnet/attributes/marshalling.h>
#include <clrkit/dotnet/attributes/permission_set.h>
#include <clrkit/dotnet/model/module.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace clrkit;
namespace fs = std::filesystem;

namespace {

using Folders = std::map<fs::path, std::vector<fs::path>>;

/// A folder's modules, open at once, and the enums that they and the runtime know.
struct Folder {
    std::vector<std::pair<fs::path, std::unique_ptr<Module>>> modules;
    std::optional<EnumSet> enums;
};

void open_all(Folder& folder, const std::vector<fs::path>& files) {
    for (const fs::path& path : files) {
        auto module = Module::open(path.string());
        if (module) {
            folder.modules.emplace_back(path, std::make_unique<Module>(std::move(*module)));
        }
    }
}

void index(Folder& folder) {
    std::vector<const Metadata*> all;
    all.reserve(folder.modules.size());
    for (const auto& [path, module] : folder.modules) all.push_back(&module->metadata());
    auto set = EnumSet::build(all);
    REQUIRE(set);
    folder.enums = std::move(*set);
}

/// Asks one set of assemblies, then another.
struct Both {
    EnumResolver first;
    EnumResolver second;

    EnumResolver resolver() const { return {this, by_reference, by_name}; }
    static std::optional<ElementType> by_reference(const void* context, const Metadata& metadata,
                                                   Token type) {
        const auto& self = *static_cast<const Both*>(context);
        const auto found = self.first.by_reference(self.first.context, metadata, type);
        return found ? found : self.second.by_reference(self.second.context, metadata, type);
    }
    static std::optional<ElementType> by_name(const void* context, const Metadata& metadata,
                                              std::string_view name) {
        const auto& self = *static_cast<const Both*>(context);
        const auto found = self.first.by_name(self.first.context, metadata, name);
        return found ? found : self.second.by_name(self.second.context, metadata, name);
    }
};

using Counts = std::map<std::string, std::uint64_t>;

/// What came of the blobs of one set of files.
class Tally {
public:
    explicit Tally(std::string set) : set_(std::move(set)) {}

    void add(const char* kind, Transcoding result, bool equal, const Diagnostics& diagnostics) {
        std::string key = std::string(set_) + ": " + kind + ": ";
        switch (result) {
            case Transcoding::same: key += "the same"; break;
            case Transcoding::changed:
                key += "changed";
                ++changed;
                break;
            case Transcoding::no_memory:
                key += "no memory";
                ++wrong;
                break;
            case Transcoding::raw:
                key += "raw: ";
                if (!diagnostics.kept().empty()) {
                    const Error& why = diagnostics.kept().back();
                    key += std::string(name_of(why.code)) + ": " +
                           (why.note != nullptr ? why.note : "");
                }
                break;
        }
        if (equal != (result != Transcoding::changed)) ++wrong;
        ++counts_[key];
    }
    void print() const {
        for (const auto& [what, count] : counts_) {
            std::printf("  %8llu %s\n", static_cast<unsigned long long>(count), what.c_str());
        }
    }

    std::uint64_t changed = 0;
    /// Results that contradict the bytes.
    std::uint64_t wrong = 0;

private:
    std::string set_;
    Counts counts_;
};

class Copier {
public:
    Copier(const Module& module, const EnumTable* own, const EnumResolver& elsewhere, Tally& tally)
        : metadata_(module.metadata()), enums_{own, elsewhere}, tally_(tally) {}

    void copy_all() {
        each(Table::CustomAttribute, col::CustomAttribute::Value, "attribute",
             [&](ByteSpan blob, std::uint32_t rid, const auto& read, const auto& write) {
                 const auto constructor = AttributeConstructor::of(metadata_, rid);
                 return transcode_custom_attribute(blob, constructor, enums_, read, write);
             });
        each(Table::FieldMarshal, col::FieldMarshal::NativeType, "marshalling",
             [&](ByteSpan blob, std::uint32_t, const auto& read, const auto& write) {
                 return transcode_marshalling(blob, read, write);
             });
        each(Table::DeclSecurity, col::DeclSecurity::PermissionSet, "permission set",
             [&](ByteSpan blob, std::uint32_t, const auto& read, const auto& write) {
                 return transcode_permission_set(blob, metadata_, enums_, read, write);
             });
        each(Table::Constant, col::Constant::Value, "constant",
             [&](ByteSpan blob, std::uint32_t rid, const auto& read, const auto& write) {
                 const auto type = static_cast<ElementType>(
                     metadata_.cell(Table::Constant, rid, col::Constant::Type));
                 return transcode_constant(type, blob, read, write);
             });
    }

private:
    template <class Transcode>
    void each(Table table, unsigned column, const char* kind, Transcode transcode) {
        std::array<std::uint8_t, 4096> scratch;
        WriteBuffer output(scratch);
        std::vector<std::uint8_t> spilled;
        for (std::uint32_t rid = 1; rid <= metadata_.rows(table); ++rid) {
            const ByteSpan blob = metadata_.blob(table, rid, column);
            Diagnostics diagnostics;
            const BlobReadContext read{.diagnostics = &diagnostics, .owner = Token(table, rid)};
            const BlobWriteContext write{output, {}};
            const Transcoding result = transcode(blob, rid, read, write);
            if (output.spilled()) spilled = output.to_vector();
            const ByteSpan copy = output.spilled() ? ByteSpan(spilled) : output.contiguous();
            tally_.add(kind, result, std::ranges::equal(copy, blob), diagnostics);
            output.reset();
        }
    }

    const Metadata& metadata_;
    EnumLookup enums_;
    Tally& tally_;
};

Folders by_folder(const test::FileSet& set) {
    Folders folders;
    for (const fs::path& path : set.files) folders[path.parent_path()].push_back(path);
    return folders;
}

/// Whether a set's programs run with the assemblies of a folder: mono's 4.5 consists mostly of links
/// into the gac.
bool is_runtime(const fs::path& folder) {
    const std::string text = folder.string();
    return text.ends_with("/mono/4.5") || text.find("/mono/gac/") != std::string::npos ||
           text.find("/shared/Microsoft.NETCore.App/") != std::string::npos;
}

}  // namespace

TEST_CASE(
    "Blobs of every assembly of this machine come through as the same bytes, or as raw ones") {
    for (const test::FileSet& set : test::real_files()) {
        Tally tally(set.name);
        const Folders folders = by_folder(set);
        Folder runtime;
        for (const auto& [path, files] : folders) {
            if (is_runtime(path)) open_all(runtime, files);
        }
        index(runtime);
        for (const auto& [path, files] : folders) {
            Folder folder;
            open_all(folder, files);
            index(folder);
            const Both both{folder.enums->resolver(), runtime.enums->resolver()};
            for (const auto& [name, module] : folder.modules) {
                INFO(name);
                const EnumTable* own = folder.enums->table_of(module->metadata());
                Copier(*module, own, both.resolver(), tally).copy_all();
            }
        }
        tally.print();
        CHECK(tally.wrong == 0);
        // What compilers made decodes to what it was; hostile files of a corpus may hold anything.
        if (set.name == "mono" || set.name == "dotnet") CHECK(tally.changed == 0);
    }
}
