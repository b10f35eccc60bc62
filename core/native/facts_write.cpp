// Facts to JSON, in the helper. Lists stop once the answer is long: whoever wants the rest of a
// million imports has tools for it, and the command has a bound on what it reads.
#include <clrkit/core/native/facts.h>

#include <charconv>
#include <utility>

namespace clrkit::native {
namespace {

constexpr std::size_t long_enough = longest_answer / 2;
constexpr std::size_t longest_name = 1024;

/// Writes JSON, ASCII only: no terminal or pipe can take offence. (The string buffer of RapidJSON 1.1
/// steps off a null pointer: the undefined-behaviour sanitizer would end the helper.)
class Answer {
public:
    void number(const char* key, std::uint64_t value) {
        put_key(key);
        char digits[20];
        out_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
    }
    void boolean(const char* key, bool value) {
        put_key(key);
        out_ += value ? "true" : "false";
    }
    /// Bytes, each as the character of its number.
    void bytes(const char* key, std::string_view value) {
        static constexpr char digits[] = "0123456789abcdef";
        put_key(key);
        out_ += '"';
        for (const char c : value.substr(0, longest_name)) {
            const auto byte = static_cast<unsigned char>(c);
            if (byte >= 0x20 && byte < 0x7F && c != '"' && c != '\\') {
                out_ += c;
            } else {
                out_ += "\\u00";
                out_ += digits[byte >> 4U];
                out_ += digits[byte & 15U];
            }
        }
        out_ += '"';
    }
    template <class Members>
    void object(const char* key, Members members) {
        put_key(key);
        put_object(members);
    }
    /// {"count":N,"items":[...]}; `item` writes the members of one.
    template <class Item, class Members>
    void list(const char* key, const Listed<Item>& all, Members item) {
        object(key, [&] {
            number("count", all.count);
            put_key("items");
            out_ += '[';
            for (const Item& one : all.items) {
                if (out_.size() > long_enough) break;
                if (out_.back() != '[') out_ += ',';
                put_object([&] { item(one); });
            }
            out_ += ']';
        });
    }
    /// The whole answer, one line.
    template <class Members>
    std::string document(Members members) {
        put_object(members);
        out_ += '\n';
        return std::move(out_);
    }

private:
    void put_key(const char* key) {
        if (out_.back() != '{') out_ += ',';
        out_ += '"';
        out_ += key;  // ours: nothing to escape
        out_ += "\":";
    }
    template <class Members>
    void put_object(Members members) {
        out_ += '{';
        members();
        out_ += '}';
    }

    std::string out_;
};

void write_headers(Answer& out, const Facts& facts) {
    out.bytes("reader", facts.reader);
    out.number("machine", facts.machine);
    out.boolean("pe32_plus", facts.pe32_plus);
    out.number("characteristics", facts.characteristics);
    out.number("time_stamp", facts.time_stamp);
    out.number("entry_point", facts.entry_point);
    out.number("image_base", facts.image_base);
    out.number("section_alignment", facts.section_alignment);
    out.number("file_alignment", facts.file_alignment);
    out.number("size_of_image", facts.size_of_image);
    out.number("size_of_headers", facts.size_of_headers);
    out.number("checksum", facts.checksum);
    out.number("subsystem", facts.subsystem);
    out.number("dll_characteristics", facts.dll_characteristics);
    out.number("relocation_blocks", facts.relocation_blocks);
    out.number("relocations", facts.relocations);
    out.boolean("certificate", facts.certificate);
    out.boolean("signature_parsed", facts.signature_parsed);
}

void write_sections(Answer& out, const Facts& facts) {
    const Listed<Directory> directories{facts.directories.size(), facts.directories};
    out.list("directories", directories, [&](const Directory& directory) {
        out.number("rva", directory.rva);
        out.number("size", directory.size);
    });
    out.list("sections", facts.sections, [&](const Section& section) {
        out.bytes("name", section.name);
        out.number("rva", section.rva);
        out.number("virtual_size", section.virtual_size);
        out.number("offset", section.offset);
        out.number("size", section.size);
        out.number("characteristics", section.characteristics);
    });
}

void write_imports(Answer& out, const Facts& facts) {
    out.number("imported_functions", facts.imported_functions);
    out.list("imports", facts.imports, [&](const ImportedDll& dll) {
        out.bytes("name", dll.name);
        out.list("functions", dll.functions, [&](const ImportedFunction& function) {
            if (!function.name.empty()) out.bytes("name", function.name);
            out.number("ordinal_or_hint", function.ordinal_or_hint);
        });
    });
    if (!facts.exports) return;
    out.object("exports", [&] {
        out.bytes("name", facts.exports->name);
        out.list("functions", facts.exports->functions, [&](const ExportedFunction& function) {
            out.bytes("name", function.name);
            out.number("ordinal", function.ordinal);
            out.number("rva", function.rva);
            out.boolean("forwarded", function.forwarded);
        });
    });
}

void write_tls(Answer& out, const Tls& tls) {
    out.object("tls", [&] {
        out.number("data_begin", tls.data_begin);
        out.number("data_end", tls.data_end);
        out.number("index", tls.index);
        out.number("callback_table", tls.callback_table);
        out.list("callbacks", tls.callbacks,
                 [&](std::uint64_t address) { out.number("address", address); });
    });
}

void write_parts(Answer& out, const Facts& facts) {
    if (facts.rich) {
        out.object("rich", [&] {
            out.number("key", facts.rich->key);
            out.list("tools", facts.rich->tools, [&](const RichTool& tool) {
                out.number("product", tool.product);
                out.number("build", tool.build);
                out.number("count", tool.count);
            });
        });
    }
    if (facts.tls) write_tls(out, *facts.tls);
    if (facts.load_configuration) {
        out.object("load_configuration", [&] {
            out.number("size", facts.load_configuration->size);
            if (const auto cookie = facts.load_configuration->security_cookie)
                out.number("security_cookie", *cookie);
        });
    }
    out.list("debug", facts.debug, [&](const DebugEntry& entry) {
        out.number("type", entry.type);
        out.number("time_stamp", entry.time_stamp);
        out.number("size", entry.size);
        out.number("rva", entry.rva);
        out.number("offset", entry.offset);
    });
}

}  // namespace

std::string to_json(const std::expected<Facts, Refused>& answer) {
    Answer out;
    return out.document([&] {
        out.number("schema", 1);
        if (!answer) {
            out.bytes("error", answer.error().why);
            return;
        }
        write_headers(out, *answer);
        // What is short first: once the answer is long, nothing more is listed.
        write_parts(out, *answer);
        write_sections(out, *answer);
        write_imports(out, *answer);
    });
}

}  // namespace clrkit::native
