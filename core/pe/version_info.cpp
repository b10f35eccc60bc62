// A block: its length and its value's length (16 bits each), the value's kind, the key and a NUL;
// then value and children, each at a multiple of four bytes from the resource's start.
#include <clrkit/core/pe/version_info.h>

#include <algorithm>

namespace clrkit::pe {
namespace {

constexpr std::uint64_t header_size = 6;

std::uint64_t aligned(std::uint64_t offset) { return (offset + 3) & ~std::uint64_t{3}; }

bool equals(ByteSpan units, std::u16string_view text) {
    if (units.size() != text.size() * 2) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (load_le<std::uint16_t>(units.data() + 2 * i) != text[i]) return false;
    }
    return true;
}

/// The units up to the first NUL or the end.
ByteSpan until_nul(ByteSpan bytes) {
    std::size_t size = 0;
    while (size + 2 <= bytes.size() && load_le<std::uint16_t>(bytes.data() + size) != 0) size += 2;
    return bytes.first(size);
}

/// Offsets are from the start of the resource.
struct Block {
    ByteSpan key;
    std::uint64_t value = 0;
    std::uint64_t value_size = 0;  // as stored: bytes, or for text as often as not units
    std::uint64_t end = 0;
};

class Parser {
public:
    Parser(const ResourceLeaf& leaf, Diagnostics* diagnostics, VersionInfo& info)
        : data_(leaf.data),
          file_offset_(leaf.range.offset),
          diagnostics_(diagnostics),
          info_(info) {}

    void parse() {
        const auto root = block(0, data_.size());
        if (!root) {
            fault(0, "a version resource has no root block");
            return;
        }
        if (!equals(root->key, u"VS_VERSION_INFO"))
            fault(0, "the root of a version resource has another name");
        if (root->value_size != 0) read_fixed(*root);
        each_child(aligned(root->value + root->value_size), root->end, [&](const Block& child) {
            if (equals(child.key, u"StringFileInfo")) {
                each_child(child, [&](const Block& table) { read_strings(table); });
            } else if (equals(child.key, u"VarFileInfo")) {
                each_child(child, [&](const Block& variable) { read_variable(variable); });
            }
        });
    }

private:
    void fault(std::uint64_t offset, const char* note) {
        info_.complete = false;
        report(diagnostics_, Stage::pe, ErrorCode::pe_bad_entry, file_offset_ + offset, note);
    }

    /// The block at `offset`, which ends at `end` at the latest. Nothing where none fits.
    std::optional<Block> block(std::uint64_t offset, std::uint64_t end) {
        if (!fits(end, offset, header_size)) return std::nullopt;
        const std::uint8_t* at = data_.data() + offset;
        const std::uint64_t length = load_le<std::uint16_t>(at);
        if (length < header_size) return std::nullopt;
        if (length > end - offset) fault(offset, "a block of a version resource is cut short");
        Block out;
        out.end = offset + std::min(length, end - offset);
        out.value_size = load_le<std::uint16_t>(at + 2);
        out.key = until_nul(part(offset + header_size, out.end));
        out.value = std::min(aligned(offset + header_size + out.key.size() + 2), out.end);
        return out;
    }

    ByteSpan part(std::uint64_t begin, std::uint64_t end) const {
        if (begin >= end) return {};
        return data_.subspan(static_cast<std::size_t>(begin),
                             static_cast<std::size_t>(end - begin));
    }

    template <class Visit>
    void each_child(std::uint64_t offset, std::uint64_t end, Visit visit) {
        while (offset < end) {
            const auto child = block(offset, end);
            if (!child) {
                const bool padding =
                    std::ranges::all_of(part(offset, end), [](auto byte) { return byte == 0; });
                if (!padding) fault(offset, "a block of a version resource has no length");
                return;
            }
            visit(*child);
            offset = aligned(child->end);  // at least six bytes on
        }
    }
    /// The children of a block without a value.
    template <class Visit>
    void each_child(const Block& parent, Visit visit) {
        each_child(parent.value, parent.end, visit);
    }

    void read_fixed(const Block& root) {
        const auto* fixed = view_at<FixedFileInfo>(part(0, root.end), root.value);
        if (fixed != nullptr && fixed->signature == fixed_file_info_signature) {
            info_.fixed = *fixed;
        } else {
            fault(root.value, "the fixed part of a version resource is none");
        }
    }

    void read_strings(const Block& table) {
        VersionStrings strings{table.key, static_cast<std::uint32_t>(info_.strings.size()), 0};
        // Compilers disagree on what the length of a text counts; its NUL and the block's end tell.
        each_child(table, [&](const Block& string) {
            info_.strings.push_back({string.key, until_nul(part(string.value, string.end))});
            ++strings.count;
        });
        info_.tables.push_back(strings);
    }

    void read_variable(const Block& variable) {
        if (!equals(variable.key, u"Translation")) return;
        const std::uint64_t end = std::min(variable.end, variable.value + variable.value_size);
        const ByteSpan pairs = part(variable.value, end);
        for (std::size_t i = 0; i + 4 <= pairs.size(); i += 4) {
            info_.translations.push_back({load_le<std::uint16_t>(pairs.data() + i),
                                          load_le<std::uint16_t>(pairs.data() + i + 2)});
        }
    }

    ByteSpan data_;
    std::uint64_t file_offset_;
    Diagnostics* diagnostics_;
    VersionInfo& info_;
};

}  // namespace

VersionInfo VersionInfo::read(const ResourceLeaf& leaf, Diagnostics* diagnostics) {
    VersionInfo info;
    Parser(leaf, diagnostics, info).parse();
    return info;
}

const VersionString* VersionInfo::find(std::u16string_view key) const {
    const auto found = std::ranges::find_if(
        strings, [&](const VersionString& one) { return equals(one.key, key); });
    return found != strings.end() ? &*found : nullptr;
}

}  // namespace clrkit::pe
