// The tree is read level by level, each directory once. A hostile one refers to itself, shares
// nodes, overlaps them or claims millions: nodes, depth and the bytes of names and data are counted.
#include <clrkit/core/pe/resources.h>

#include <clrkit/core/bytes/hash.h>
#include <clrkit/core/pe/place.h>

#include <algorithm>
#include <vector>

namespace clrkit::pe {
namespace {

constexpr std::uint32_t offset_bits = 0x7FFFFFFF;

/// Most trees have fewer nodes of a kind.
constexpr std::size_t usual_nodes = 16;

/// Which offset became which node of one kind: open addressing, since a map that allocates a node for
/// each of a large program's thousand icons would cost more than reading them.
class Visited {
public:
    /// `no_index` where the offset was not entered yet.
    std::uint32_t find(std::uint32_t offset) const {
        return slots_.empty() ? no_index : slots_[slot_of(offset)].index;
    }
    void add(std::uint32_t offset, std::uint32_t index) {
        if (slots_.size() <= 2 * used_) grow();
        slots_[slot_of(offset)] = {offset, index};
        ++used_;
    }

private:
    struct Slot {
        std::uint32_t offset = 0;
        std::uint32_t index = no_index;  // free
    };

    std::size_t slot_of(std::uint32_t offset) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = hash_bytes(bytes_of(offset)) & mask;
        while (slots_[at].index != no_index && slots_[at].offset != offset) at = (at + 1) & mask;
        return at;
    }
    static ByteSpan bytes_of(const std::uint32_t& value) {
        return {reinterpret_cast<const std::uint8_t*>(&value), sizeof value};
    }
    void grow() {
        std::vector<Slot> old(std::max(2 * usual_nodes, 2 * slots_.size()));
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.index != no_index) slots_[slot_of(slot.offset)] = slot;
        }
    }

    std::vector<Slot> slots_;
    std::size_t used_ = 0;
};

class TreeReader {
public:
    TreeReader(const Image& image, Diagnostics* diagnostics, const Limits& limits)
        : image_(image),
          diagnostics_(diagnostics),
          limits_(limits),
          nodes_left_(limits.nodes),
          bytes_left_(limits.output_budget(image.bytes().size())) {}

    Resources read() {
        const DataDirectory directory = image_.directory(Directory::resource);
        if (directory.rva == 0) return std::move(tree_);
        root_ = image_.from(directory.rva);
        if (root_.size() < sizeof(ResourceDirectoryHeader)) {
            const auto entry = image_.directory_offset(Directory::resource);
            fault(ErrorCode::pe_directory_outside, entry.value_or(no_offset), "Win32 resources");
            return std::move(tree_);
        }
        start_ = image_.offset_in_file(root_);
        tree_.directories.reserve(usual_nodes);
        tree_.entries.reserve(usual_nodes);
        tree_.leaves.reserve(usual_nodes);
        add_directory(0, start_, 0);
        // The list is its own queue: it grows behind the one being read.
        for (std::size_t i = 0; i < tree_.directories.size() && !spent_; ++i) read_entries(i);
        look_for_cycles();
        return std::move(tree_);
    }

private:
    void fault(ErrorCode code, std::uint64_t offset, const char* note) {
        tree_.complete = false;
        report(diagnostics_, Stage::pe, code, offset, note);
    }

    /// Counts a node or some bytes; false, once reported, when too many were met.
    template <class T>
    bool spend(T& left, std::uint64_t amount, std::uint64_t offset) {
        if (!spent_ && amount <= left) {
            left -= static_cast<T>(amount);
            return true;
        }
        if (!spent_) fault(ErrorCode::limit_reached, offset, "Win32 resources");
        spent_ = true;
        return false;
    }

    std::uint32_t add_directory(std::uint32_t offset, std::uint64_t used_at, std::uint32_t depth) {
        if (const auto known = directories_.find(offset); known != no_index) return known;
        const auto* header = view_at<ResourceDirectoryHeader>(root_, offset);
        if (header == nullptr) {
            fault(ErrorCode::pe_bad_entry, used_at,
                  "a resource directory lies outside its section");
            return no_index;
        }
        if (depth > limits_.depth) {
            fault(ErrorCode::limit_reached, used_at, "Win32 resources are nested too deep");
            return no_index;
        }
        if (!spend(nodes_left_, 1, used_at)) return no_index;
        ResourceDirectory directory;
        directory.header = *header;
        directory.offset = start_ + offset;
        directory.depth = depth;
        const auto index = static_cast<std::uint32_t>(tree_.directories.size());
        tree_.directories.push_back(directory);
        directories_.add(offset, index);
        return index;
    }

    void read_entries(std::size_t index) {
        ResourceDirectory directory = tree_.directories[index];
        const ResourceDirectoryHeader& header = directory.header;
        const std::uint64_t first = directory.offset - start_ + sizeof header;
        const std::uint64_t declared =
            std::uint64_t{header.number_of_named_entries} + header.number_of_id_entries;
        const std::uint64_t room = (root_.size() - first) / sizeof(ResourceDirectoryEntry);
        if (declared > room) {
            fault(ErrorCode::pe_bad_entry, directory.offset,
                  "a resource directory has more entries than fit");
        }
        directory.first_entry = static_cast<std::uint32_t>(tree_.entries.size());
        for (std::uint64_t i = 0; i < std::min(declared, room); ++i) {
            const std::uint64_t at = first + i * sizeof(ResourceDirectoryEntry);
            if (!spend(nodes_left_, 1, start_ + at)) break;
            ResourceEntry entry;
            entry.raw = *view_at<ResourceDirectoryEntry>(root_, at);
            if (entry.has_name()) entry.name = add_name(entry.id() & offset_bits, start_ + at);
            const std::uint32_t target = entry.raw.offset & offset_bits;
            if (entry.to_directory()) {
                entry.directory = add_directory(target, start_ + at, directory.depth + 1);
            } else {
                entry.leaf = add_leaf(target, start_ + at);
            }
            tree_.entries.push_back(entry);
            ++directory.entry_count;
        }
        tree_.directories[index] = directory;
    }

    std::uint32_t add_name(std::uint32_t offset, std::uint64_t used_at) {
        if (const auto known = names_.find(offset); known != no_index) return known;
        const auto* count = view_at<le16>(root_, offset);
        const auto units = count == nullptr
                               ? std::nullopt
                               : slice(root_, std::uint64_t{offset} + 2, std::uint64_t{*count} * 2);
        if (!units) {
            fault(ErrorCode::pe_bad_entry, used_at,
                  "the name of a resource lies outside its section");
            return no_index;
        }
        if (!spend(nodes_left_, 1, used_at) || !spend(bytes_left_, units->size(), used_at)) {
            return no_index;
        }
        const auto index = static_cast<std::uint32_t>(tree_.names.size());
        tree_.names.push_back({start_ + offset, *units});
        names_.add(offset, index);
        return index;
    }

    std::uint32_t add_leaf(std::uint32_t offset, std::uint64_t used_at) {
        if (const auto known = leaves_.find(offset); known != no_index) return known;
        const auto* header = view_at<ResourceDataEntry>(root_, offset);
        if (header == nullptr) {
            fault(ErrorCode::pe_bad_entry, used_at,
                  "a resource data entry lies outside its section");
            return no_index;
        }
        ResourceLeaf leaf;
        leaf.header = *header;
        leaf.offset = start_ + offset;
        if (const auto data = image_.range(header->rva, header->size); !data) {
            fault(ErrorCode::pe_bad_entry, leaf.offset, "a resource's data lies outside the file");
        } else if (!data->empty()) {
            leaf.data = *data;
            leaf.range = {image_.offset_in_file(*data), data->size()};
        }
        if (!spend(nodes_left_, 1, used_at) || !spend(bytes_left_, leaf.data.size(), used_at)) {
            return no_index;
        }
        const auto index = static_cast<std::uint32_t>(tree_.leaves.size());
        tree_.leaves.push_back(leaf);
        leaves_.add(offset, index);
        return index;
    }

    /// Takes away directories that nothing left points at; what remains contains itself.
    void look_for_cycles() {
        std::vector<std::uint32_t> users(tree_.directories.size(), 0);
        for (const ResourceEntry& entry : tree_.entries) {
            if (entry.directory != no_index) ++users[entry.directory];
        }
        std::vector<std::uint32_t> unused;
        if (users[0] == 0) unused.push_back(0);  // every other one is there for being pointed at
        std::size_t taken = 0;
        while (!unused.empty()) {
            const std::uint32_t index = unused.back();
            unused.pop_back();
            ++taken;
            users[index] = no_index;
            for (const ResourceEntry& entry : tree_.entries_of(tree_.directories[index])) {
                if (entry.directory != no_index && --users[entry.directory] == 0) {
                    unused.push_back(entry.directory);
                }
            }
        }
        if (taken == tree_.directories.size()) return;
        const auto left = std::find_if(users.begin(), users.end(),
                                       [](std::uint32_t count) { return count != no_index; });
        fault(ErrorCode::pe_bad_entry,
              tree_.directories[static_cast<std::size_t>(left - users.begin())].offset,
              "a resource directory contains itself");
    }

    const Image& image_;
    Diagnostics* diagnostics_;
    const Limits& limits_;
    std::uint32_t nodes_left_;
    std::uint64_t bytes_left_;
    bool spent_ = false;       // limit_reached was reported: nothing more is read
    ByteSpan root_;            // from the root directory to the end of its section
    std::uint64_t start_ = 0;  // offset of root_ in the file
    Visited directories_;
    Visited names_;
    Visited leaves_;
    Resources tree_;
};

bool equal_units(ByteSpan units, std::u16string_view text) {
    if (units.size() != text.size() * 2) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (load_le<std::uint16_t>(units.data() + 2 * i) != text[i]) return false;
    }
    return true;
}

/// The first entry of a directory with the key, or the first one at all.
const ResourceEntry* find_entry(const Resources& tree, const ResourceDirectory& directory,
                                const std::optional<ResourceKey>& key) {
    for (const ResourceEntry& entry : tree.entries_of(directory)) {
        if (!key) return &entry;
        if (key->name.empty()) {
            if (!entry.has_name() && entry.id() == key->id) return &entry;
        } else if (entry.name != no_index && equal_units(tree.names[entry.name].units, key->name)) {
            return &entry;
        }
    }
    return nullptr;
}

}  // namespace

Resources Resources::read(const Image& image, Diagnostics* diagnostics, const Limits& limits) {
    return TreeReader(image, diagnostics, limits).read();
}

const ResourceLeaf* Resources::find(const ResourceKey& type, std::optional<ResourceKey> name,
                                    std::optional<ResourceKey> language) const {
    if (directories.empty()) return nullptr;
    const std::optional<ResourceKey> path[3] = {type, name, language};
    const ResourceDirectory* directory = directories.data();
    for (int level = 0; level < 3; ++level) {
        const ResourceEntry* entry = find_entry(*this, *directory, path[level]);
        if (entry == nullptr) return nullptr;
        if (level == 2) return entry->leaf == no_index ? nullptr : &leaves[entry->leaf];
        if (entry->directory == no_index) return nullptr;
        directory = &directories[entry->directory];
    }
    return nullptr;
}

Status emit(const Resources& resources, MutableByteSpan out) {
    Placer placer(out);
    for (const ResourceDirectory& directory : resources.directories) {
        placer.put(directory.offset, directory.header);
        std::uint64_t at = directory.offset + sizeof directory.header;
        for (const ResourceEntry& entry : resources.entries_of(directory)) {
            placer.put(at, entry.raw);
            at += sizeof entry.raw;
        }
    }
    for (const ResourceName& name : resources.names) {
        placer.put(name.offset, static_cast<std::uint16_t>(name.units.size() / 2));
        placer.put(name.offset + 2, name.units);
    }
    for (const ResourceLeaf& leaf : resources.leaves) {
        placer.put(leaf.offset, leaf.header);
        placer.put(leaf.range.offset, leaf.data);
    }
    return placer.status();
}

void claim_resources(const Resources& resources, std::vector<Claim>& claims) {
    const std::size_t first = claims.size();
    std::uint32_t item = 0;
    for (const ResourceDirectory& directory : resources.directories) {
        claim(claims, directory.range(), ClaimKind::resource_directory, item++);
    }
    item = 0;
    for (const ResourceName& name : resources.names) {
        claim(claims, name.range(), ClaimKind::resource_name, item++);
    }
    item = 0;
    for (const ResourceLeaf& leaf : resources.leaves) {
        const std::uint32_t index = item++;
        claim(claims, {leaf.offset, sizeof leaf.header}, ClaimKind::resource_data_entry, index);
        claim(claims, leaf.range, ClaimKind::resource_data, index);
    }
    drop_repeated_claims(claims, first);
}

}  // namespace clrkit::pe
