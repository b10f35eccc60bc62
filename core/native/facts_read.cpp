// JSON to facts, in the command. The text comes from a process that read a hostile file: it may be
// anything.
#include <clrkit/core/native/facts.h>

#include <nlohmann/json.hpp>

#include <concepts>
#include <limits>

namespace clrkit::native {
namespace {

using Json = nlohmann::json;

/// The bytes that a string of characters below U+0100 stands for; false when there is another one.
bool take_bytes(const std::string& text, std::string& out) {
    // Valid UTF-8: the parser refuses everything else.
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto first = static_cast<unsigned char>(text[i]);
        if (first < 0x80) {
            out += text[i];
        } else if (first == 0xC2 || first == 0xC3) {
            const auto second = static_cast<unsigned char>(text[++i]);
            out += static_cast<char>((first & 3U) << 6U | (second & 0x3FU));
        } else {
            return false;
        }
    }
    return true;
}

/// Takes members out of one object. A member that is missing or of the wrong kind makes it fail for
/// good, so that a record is read whole and asked once.
class Taker {
public:
    Taker(const Json& object, bool& ok) : object_(object), ok_(ok) { need(object.is_object()); }

    const Json* find(const char* key) const {
        if (!object_.is_object()) return nullptr;
        const auto found = object_.find(key);
        return found != object_.end() ? &*found : nullptr;
    }

    template <std::unsigned_integral Number>
        requires(!std::same_as<Number, bool>)
    void take(const char* key, Number& out) {
        const Json* value = find(key);
        const bool good = value != nullptr && value->is_number_unsigned() &&
                          value->get<std::uint64_t>() <= std::numeric_limits<Number>::max();
        if (good) out = static_cast<Number>(value->get<std::uint64_t>());
        need(good);
    }
    void take(const char* key, bool& out) {
        const Json* value = find(key);
        const bool good = value != nullptr && value->is_boolean();
        if (good) out = value->get<bool>();
        need(good);
    }
    /// A string of bytes.
    void take(const char* key, std::string& out) {
        const Json* value = find(key);
        need(value != nullptr && value->is_string() &&
             take_bytes(value->get_ref<const std::string&>(), out));
    }
    /// An object of its own.
    template <class Members>
    void object(const char* key, Members members) {
        const Json* value = find(key);
        need(value != nullptr);
        if (value == nullptr) return;
        Taker inner(*value, ok_);
        if (ok_) members(inner);
    }
    template <class Item, class Members>
    void list(const char* key, Listed<Item>& out, Members members) {
        object(key, [&](Taker& in) {
            in.take("count", out.count);
            const Json* items = in.find("items");
            need(items != nullptr && items->is_array() && items->size() <= out.count);
            if (!ok_) return;
            out.items.reserve(items->size());
            for (const Json& item : *items) {
                Taker one(item, ok_);
                if (!ok_) return;
                members(one, out.items.emplace_back());
            }
        });
    }

private:
    void need(bool good) { ok_ = ok_ && good; }

    const Json& object_;
    bool& ok_;
};

void take_headers(Taker& in, Facts& facts) {
    in.take("reader", facts.reader);
    in.take("machine", facts.machine);
    in.take("pe32_plus", facts.pe32_plus);
    in.take("characteristics", facts.characteristics);
    in.take("time_stamp", facts.time_stamp);
    in.take("entry_point", facts.entry_point);
    in.take("image_base", facts.image_base);
    in.take("section_alignment", facts.section_alignment);
    in.take("file_alignment", facts.file_alignment);
    in.take("size_of_image", facts.size_of_image);
    in.take("size_of_headers", facts.size_of_headers);
    in.take("checksum", facts.checksum);
    in.take("subsystem", facts.subsystem);
    in.take("dll_characteristics", facts.dll_characteristics);
    in.take("relocation_blocks", facts.relocation_blocks);
    in.take("relocations", facts.relocations);
    in.take("certificate", facts.certificate);
    in.take("signature_parsed", facts.signature_parsed);
}

void take_sections(Taker& in, Facts& facts) {
    Listed<Directory> directories;
    in.list("directories", directories, [](Taker& one, Directory& directory) {
        one.take("rva", directory.rva);
        one.take("size", directory.size);
    });
    facts.directories = std::move(directories.items);
    in.list("sections", facts.sections, [](Taker& one, Section& section) {
        one.take("name", section.name);
        one.take("rva", section.rva);
        one.take("virtual_size", section.virtual_size);
        one.take("offset", section.offset);
        one.take("size", section.size);
        one.take("characteristics", section.characteristics);
    });
}

void take_imports(Taker& in, Facts& facts) {
    in.take("imported_functions", facts.imported_functions);
    in.list("imports", facts.imports, [](Taker& one, ImportedDll& dll) {
        one.take("name", dll.name);
        one.list("functions", dll.functions, [](Taker& each, ImportedFunction& function) {
            if (each.find("name") != nullptr) each.take("name", function.name);
            each.take("ordinal_or_hint", function.ordinal_or_hint);
        });
    });
    if (in.find("exports") == nullptr) return;
    in.object("exports", [&](Taker& one) {
        Exports& exports = facts.exports.emplace();
        one.take("name", exports.name);
        one.list("functions", exports.functions, [](Taker& each, ExportedFunction& function) {
            each.take("name", function.name);
            each.take("ordinal", function.ordinal);
            each.take("rva", function.rva);
            each.take("forwarded", function.forwarded);
        });
    });
}

void take_tls(Taker& in, Tls& tls) {
    in.take("data_begin", tls.data_begin);
    in.take("data_end", tls.data_end);
    in.take("index", tls.index);
    in.take("callback_table", tls.callback_table);
    in.list("callbacks", tls.callbacks,
            [](Taker& one, std::uint64_t& address) { one.take("address", address); });
}

void take_parts(Taker& in, Facts& facts) {
    if (in.find("rich") != nullptr) {
        in.object("rich", [&](Taker& one) {
            RichHeader& rich = facts.rich.emplace();
            one.take("key", rich.key);
            one.list("tools", rich.tools, [](Taker& each, RichTool& tool) {
                each.take("product", tool.product);
                each.take("build", tool.build);
                each.take("count", tool.count);
            });
        });
    }
    if (in.find("tls") != nullptr) {
        in.object("tls", [&](Taker& one) { take_tls(one, facts.tls.emplace()); });
    }
    if (in.find("load_configuration") != nullptr) {
        in.object("load_configuration", [&](Taker& one) {
            LoadConfiguration& configuration = facts.load_configuration.emplace();
            one.take("size", configuration.size);
            if (one.find("security_cookie") != nullptr)
                one.take("security_cookie", configuration.security_cookie.emplace());
        });
    }
    in.list("debug", facts.debug, [](Taker& one, DebugEntry& entry) {
        one.take("type", entry.type);
        one.take("time_stamp", entry.time_stamp);
        one.take("size", entry.size);
        one.take("rva", entry.rva);
        one.take("offset", entry.offset);
    });
}

}  // namespace

std::optional<std::expected<Facts, Refused>> from_json(std::string_view text) {
    const Json document = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    bool ok = !document.is_discarded();
    Taker in(document, ok);
    std::uint32_t schema = 0;
    in.take("schema", schema);
    if (!ok || schema != 1) return std::nullopt;
    if (in.find("error") != nullptr) {
        Refused refused;
        in.take("error", refused.why);
        if (!ok) return std::nullopt;
        return std::unexpected(std::move(refused));
    }
    Facts facts;
    take_headers(in, facts);
    take_parts(in, facts);
    take_sections(in, facts);
    take_imports(in, facts);
    if (!ok) return std::nullopt;
    return facts;
}

}  // namespace clrkit::native
