// Reading the import table by the loader's own rules, and putting it back. Lists may overlap and
// name each other's bytes, so the work is counted: slots against Limits::nodes, bytes of names
// against the budget of output.
#include <clrkit/core/pe/imports.h>

#include <clrkit/core/pe/place.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace clrkit::pe {
namespace {

constexpr std::uint32_t rva_bits = 0x7FFFFFFF;

class ImportReader {
public:
    ImportReader(const Image& image, Diagnostics* diagnostics, const Limits& limits)
        : image_(image),
          diagnostics_(diagnostics),
          nodes_left_(limits.nodes),
          name_bytes_left_(limits.output_budget(image.bytes().size())) {
        imports_.wide = image.is_pe32_plus();
    }

    Imports read() {
        const DataDirectory directory = image_.directory(Directory::import_table);
        if (directory.rva == 0) return std::move(imports_);
        const ByteSpan bytes = image_.from(directory.rva);
        if (bytes.size() < sizeof(ImportDescriptor)) {
            const auto entry = image_.directory_offset(Directory::import_table);
            fault(ErrorCode::pe_directory_outside, entry.value_or(no_offset), "imports");
            return std::move(imports_);
        }
        read_descriptors(bytes);
        return std::move(imports_);
    }

private:
    void fault(ErrorCode code, std::uint64_t offset, const char* note) {
        imports_.complete = false;
        report(diagnostics_, Stage::pe, code, offset, note);
    }

    bool spend_node(std::uint64_t offset) {
        if (nodes_left_ != 0) {
            --nodes_left_;
            return true;
        }
        if (!spent_) fault(ErrorCode::limit_reached, offset, "imports");
        spent_ = true;
        return false;
    }

    void read_descriptors(ByteSpan bytes) {
        const std::uint64_t start = image_.offset_in_file(bytes);
        std::uint64_t at = 0;
        for (;; at += sizeof(ImportDescriptor)) {
            const auto* descriptor = view_at<ImportDescriptor>(bytes, at);
            if (descriptor == nullptr) {
                fault(ErrorCode::pe_bad_entry, start + at, "the import table has no end");
                break;
            }
            if (descriptor->name == 0 || descriptor->import_address_table == 0) {
                imports_.terminator = *descriptor;
                at += sizeof(ImportDescriptor);
                break;
            }
            if (!spend_node(start + at)) break;
            read_dll(*descriptor, start + at);
        }
        imports_.descriptors = {start, at};
    }

    /// The bytes from `rva` to a NUL, without it. Nothing when there is none.
    std::optional<ByteSpan> read_name(std::uint32_t rva, std::uint64_t used_at) {
        const ByteSpan bytes = image_.from(rva);
        const std::size_t most = std::min<std::uint64_t>(bytes.size(), name_bytes_left_);
        const void* nul = most == 0 ? nullptr : std::memchr(bytes.data(), 0, most);
        const std::size_t length =
            nul == nullptr
                ? most
                : static_cast<std::size_t>(static_cast<const std::uint8_t*>(nul) - bytes.data());
        name_bytes_left_ -= length;
        if (nul != nullptr) return bytes.first(length);
        if (most < bytes.size()) {
            if (spend_nothing_more()) fault(ErrorCode::limit_reached, used_at, "names of imports");
        } else {
            fault(ErrorCode::pe_bad_entry, used_at, "the name of an import cannot be read");
        }
        return std::nullopt;
    }

    /// Ends the reading; true the first time.
    bool spend_nothing_more() {
        const bool first = !spent_;
        spent_ = true;
        nodes_left_ = 0;
        return first;
    }

    void read_dll(const ImportDescriptor& descriptor, std::uint64_t offset) {
        ImportedDll dll;
        dll.descriptor = descriptor;
        if (const auto name = read_name(descriptor.name, offset)) {
            dll.name = *name;
            dll.name_range = {image_.offset_in_file(*name), name->size() + 1};
        }
        const std::uint32_t slot = imports_.slot_size();
        const bool has_lookup = descriptor.import_lookup_table != 0;
        const ByteSpan addresses = image_.from(descriptor.import_address_table);
        const ByteSpan lookups =
            has_lookup ? image_.from(descriptor.import_lookup_table) : addresses;

        dll.first_function = static_cast<std::uint32_t>(imports_.functions.size());
        std::uint64_t at = 0;
        bool ended = false;
        for (; fits(lookups.size(), at, slot); at += slot) {
            const std::uint64_t value = slot_at(lookups, at);
            if (value == 0) {
                ended = true;
                break;
            }
            if (!spend_node(image_.offset_in_file(lookups) + at)) break;
            read_function(value, slot_at(addresses, at), image_.offset_in_file(lookups) + at);
        }
        dll.function_count =
            static_cast<std::uint32_t>(imports_.functions.size()) - dll.first_function;
        if (!ended) fault(ErrorCode::pe_bad_entry, offset, "an import lookup table has no end");
        const std::uint64_t size = at + (ended ? slot : 0);
        if (has_lookup && !lookups.empty()) dll.lookup = {image_.offset_in_file(lookups), size};
        if (!addresses.empty()) {
            const std::uint64_t backed = addresses.size() / slot * slot;
            dll.address = {image_.offset_in_file(addresses), std::min(size, backed)};
        }
        if (dll.address.size < size) {
            fault(ErrorCode::pe_bad_entry, offset, "an import address table is cut off");
        }
        if (ended) dll.address_terminator = slot_at(addresses, at);
        imports_.dlls.push_back(dll);
    }

    /// The slot's value; 0 where no byte backs it.
    std::uint64_t slot_at(ByteSpan table, std::uint64_t at) const {
        if (!fits(table.size(), at, imports_.slot_size())) return 0;
        return imports_.wide ? load_le<std::uint64_t>(table.data() + at)
                             : load_le<std::uint32_t>(table.data() + at);
    }

    void read_function(std::uint64_t lookup, std::uint64_t address, std::uint64_t offset) {
        ImportFunction function;
        function.lookup = lookup;
        function.address = address;
        function.by_ordinal = (lookup >> (imports_.wide ? 63U : 31U)) != 0;
        if (function.by_ordinal) {
            function.hint = static_cast<std::uint16_t>(lookup);
        } else if (const auto rva = static_cast<std::uint32_t>(lookup) & rva_bits; lookup != rva) {
            fault(ErrorCode::pe_bad_entry, offset, "an import lookup entry has reserved bits set");
        } else if (const auto hint = image_.range(rva, 2); !hint) {
            fault(ErrorCode::pe_bad_entry, offset, "hint and name of an import cannot be read");
        } else if (const auto name = read_name(rva + 2, offset)) {
            function.hint = load_le<std::uint16_t>(hint->data());
            // Where sections meet, the name may continue elsewhere than behind the hint.
            if (name->data() == hint->data() + 2) {
                function.name = *name;
                function.hint_name = {image_.offset_in_file(*hint), 2 + name->size() + 1};
            } else {
                fault(ErrorCode::pe_bad_entry, offset, "hint and name of an import are apart");
            }
        }
        imports_.functions.push_back(function);
    }

    const Image& image_;
    Diagnostics* diagnostics_;
    std::uint32_t nodes_left_;
    std::uint64_t name_bytes_left_;
    bool spent_ = false;  // limit_reached was reported
    Imports imports_;
};

std::string_view text_of(ByteSpan bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool equal_ignoring_case(std::string_view a, std::string_view lower_case) {
    const auto lower = [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    return std::equal(a.begin(), a.end(), lower_case.begin(), lower_case.end(),
                      [&](char x, char y) { return lower(x) == y; });
}

void put_slot(Placer& placer, bool wide, std::uint64_t offset, std::uint64_t value) {
    if (wide) {
        placer.put(offset, value);
    } else {
        placer.put(offset, static_cast<std::uint32_t>(value));
    }
}

void emit_dll(const Imports& imports, const ImportedDll& dll, Placer& placer) {
    if (!dll.name_range.empty()) {
        placer.put(dll.name_range.offset, dll.name);
        placer.put(dll.name_range.offset + dll.name.size(), std::uint8_t{0});
    }
    const std::uint32_t slot = imports.slot_size();
    std::uint64_t at = 0;
    for (const ImportFunction& function : imports.functions_of(dll)) {
        if (at < dll.lookup.size) {
            put_slot(placer, imports.wide, dll.lookup.offset + at, function.lookup);
        }
        if (at < dll.address.size) {
            put_slot(placer, imports.wide, dll.address.offset + at, function.address);
        }
        at += slot;
        if (function.hint_name.empty()) continue;
        const std::uint64_t place = function.hint_name.offset;
        placer.put(place, function.hint);
        placer.put(place + 2, function.name);
        placer.put(place + 2 + function.name.size(), std::uint8_t{0});
    }
    if (at < dll.lookup.size) put_slot(placer, imports.wide, dll.lookup.offset + at, 0);
    if (at < dll.address.size) {
        put_slot(placer, imports.wide, dll.address.offset + at, dll.address_terminator);
    }
}

}  // namespace

Imports Imports::read(const Image& image, Diagnostics* diagnostics, const Limits& limits) {
    return ImportReader(image, diagnostics, limits).read();
}

bool imports_mscoree_only(const Imports& imports) {
    if (!imports.complete || imports.dlls.size() != 1 || imports.functions.size() != 1)
        return false;
    const std::string_view function = text_of(imports.functions[0].name);
    return equal_ignoring_case(text_of(imports.dlls[0].name), "mscoree.dll") &&
           (function == "_CorExeMain" || function == "_CorDllMain");
}

Status emit(const Imports& imports, MutableByteSpan out) {
    Placer placer(out);
    std::uint64_t at = imports.descriptors.offset;
    for (const ImportedDll& dll : imports.dlls) {
        placer.put(at, dll.descriptor);
        at += sizeof(ImportDescriptor);
        emit_dll(imports, dll, placer);
    }
    if (at < imports.descriptors.end()) placer.put(at, imports.terminator);
    return placer.status();
}

void claim_imports(const Imports& imports, std::vector<Claim>& claims) {
    const std::size_t first = claims.size();
    claim(claims, imports.descriptors, ClaimKind::import_descriptors);
    for (std::size_t i = 0; i < imports.dlls.size(); ++i) {
        const ImportedDll& dll = imports.dlls[i];
        const auto item = static_cast<std::uint32_t>(i);
        claim(claims, dll.name_range, ClaimKind::import_name, item);
        claim(claims, dll.lookup, ClaimKind::import_lookup, item);
        claim(claims, dll.address, ClaimKind::import_address, item);
        for (const ImportFunction& function : imports.functions_of(dll)) {
            claim(claims, function.hint_name, ClaimKind::import_name, item);
        }
    }
    drop_repeated_claims(claims, first);
}

}  // namespace clrkit::pe
