// clrkit set: changes fields in place; every other byte stays.
#include "frame/text.h"
#include "frame/writing.h"
#include "verbs/set_values.h"

#include <clrkit/dotnet/strong_name/openssl_crypto.h>
#include <clrkit/dotnet/strong_name/strong_name.h>

#include <fmt/format.h>

#include <algorithm>

namespace clrkit::cli {
namespace {

using enum OptionKind;

constexpr std::array options{
    Option{"flag", 0, list, "NAME=on|off",
           "ilonly, 32bitreq, 32bitpref, strongnamesigned, trackdebugdata; may be repeated"},
    Option{"version", 0, text, "A.B.C.D", "the assembly's version"},
    Option{"mvid", 0, text, "GUID|hash|new",
           "the module's id: a GUID, one made from the file's content, or a random one"},
    Option{"timestamp", 0, text, "TIME", "seconds since 1970, an ISO 8601 date, or now"},
    Option{"laa",
           0,
           choice,
           "WHEN",
           "whether the process may use addresses above 2 GiB",
           {},
           "on|off"},
};

/// What is asked for, checked before the first file is opened.
struct Wishes {
    std::span<const std::string> flags;
    std::optional<Version> version;
    std::optional<Guid> mvid;
    bool mvid_from_content = false;
    std::optional<std::uint32_t> timestamp;
    std::optional<bool> large_addresses;
};

template <class T>
Usage<void> take(std::optional<T>& to, Usage<T> value) {
    if (!value) return std::unexpected(value.error());
    to = *value;
    return {};
}

Usage<Wishes> read_wishes(const Arguments& arguments) {
    Wishes wishes;
    wishes.flags = arguments.list("flag");
    const bool any = !wishes.flags.empty() || arguments.has("version") || arguments.has("mvid") ||
                     arguments.has("timestamp") || arguments.has("laa");
    if (!any) return misuse("nothing to set", "clrkit set --help lists what can be set");
    Usage<void> read;
    for (const std::string& flag : wishes.flags) {
        std::optional<std::uint32_t> ignored;
        if (read) read = take(ignored, assign_flag(0, flag));
    }
    if (read && arguments.has("version")) {
        read = take(wishes.version, parse_version(arguments.text("version")));
    }
    if (read && arguments.has("mvid")) {
        const std::string_view mvid = arguments.text("mvid");
        wishes.mvid_from_content = mvid == "hash";
        if (mvid != "hash" && mvid != "new") read = take(wishes.mvid, parse_guid(mvid));
    }
    if (read && arguments.has("timestamp")) {
        read = take(wishes.timestamp, parse_time(arguments.text("timestamp")));
    }
    if (read && arguments.has("laa")) {
        read = take(wishes.large_addresses, parse_switch(arguments.text("laa")));
    }
    if (!read) return std::unexpected(read.error());
    return wishes;
}

std::string text_of(const Version& version) {
    return fmt::format("{}.{}.{}.{}", version.major, version.minor, version.build,
                       version.revision);
}

/// Edits one module. The first failure is said and ends it; nothing is saved then.
class Setter {
public:
    Setter(Job& job, Module& module, std::vector<Deed>& deeds)
        : job_(job), module_(module), deeds_(deeds) {}

    bool set(const Wishes& wishes) {
        return set_flags(wishes) && set_version(wishes) && set_timestamp(wishes) &&
               set_large_addresses(wishes) && set_mvid(wishes);
    }

private:
    bool did(Status status, std::string what, std::string from, std::string to) {
        if (!status) {
            job_.fail(status.error());
            return false;
        }
        if (from != to) deeds_.push_back({std::move(what), std::move(from), std::move(to)});
        return true;
    }

    bool set_flags(const Wishes& wishes) {
        const std::uint32_t before = module_.container().clr_flags();
        std::uint32_t after = before;
        for (const std::string& flag : wishes.flags)
            after = assign_flag(after, flag).value_or(after);
        return after == before || did(module_.set_clr_flags(after), "flags",
                                      fmt::format("0x{:X}", before), fmt::format("0x{:X}", after));
    }

    bool set_version(const Wishes& wishes) {
        if (!wishes.version) return true;
        const std::string before = text_of(module_.assembly_version());
        return did(module_.set_assembly_version(*wishes.version), "version", before,
                   text_of(*wishes.version));
    }

    bool set_timestamp(const Wishes& wishes) {
        if (!wishes.timestamp) return true;
        const std::uint32_t before = module_.image().coff().time_date_stamp;
        return did(module_.set_timestamp(*wishes.timestamp), "timestamp",
                   fmt::format("0x{:08X}", before), fmt::format("0x{:08X}", *wishes.timestamp));
    }

    bool set_large_addresses(const Wishes& wishes) {
        if (!wishes.large_addresses) return true;
        constexpr std::uint16_t bit = pe::characteristics::large_address_aware;
        const std::uint16_t before = module_.image().coff().characteristics;
        const auto after =
            static_cast<std::uint16_t>(*wishes.large_addresses ? before | bit : before & ~bit);
        return did(module_.set_characteristics(after), "large addresses",
                   (before & bit) != 0 ? "on" : "off", (after & bit) != 0 ? "on" : "off");
    }

    /// The last edit, since a MVID made from the content is made from what the others left.
    bool set_mvid(const Wishes& wishes) {
        if (!job_.arguments().has("mvid")) return true;
        const std::string before = module_.mvid() ? guid_text(*module_.mvid()) : "none";
        Guid mvid{};
        if (wishes.mvid) {
            mvid = *wishes.mvid;
        } else if (wishes.mvid_from_content) {
            const auto hashed = hash_of_content();
            if (!hashed) return did(std::unexpected(hashed.error()), {}, {}, {});
            mvid = *hashed;
        } else {
            const auto random = random_guid();
            if (!random) {
                job_.fail(random.error().sentence);
                return false;
            }
            mvid = *random;
        }
        return did(module_.set_mvid(mvid), "MVID", before, guid_text(mvid));
    }

    /// SHA-256 of what a strong name covers, with a MVID of zeros, cut to a GUID. Checksum and
    /// signatures have no part in it, so the same content gives the same one however often.
    Result<Guid> hash_of_content() {
        auto copy = Module::from_bytes(module_.bytes());
        if (!copy) return std::unexpected(copy.error());
        if (const Status done = copy->set_mvid(Guid{}); !done) return std::unexpected(done.error());
        const std::uint32_t flags = copy->container().clr_flags();
        const Status done = copy->set_clr_flags(flags & ~pe::clr_flags::strong_name_signed);
        if (!done) return std::unexpected(done.error());
        const auto range = strong_name::signature_range(copy->image(), copy->container().clr);
        if (!range) return std::unexpected(range.error());
        const auto digest = strong_name::strong_name_hash(copy->image(), *range,
                                                          HashAlgorithm::sha256, openssl_crypto());
        if (!digest) return std::unexpected(digest.error());
        Guid guid{};
        std::copy_n(digest->bytes.begin(), guid.size(), guid.begin());
        // RFC 9562, version 8: "made in a way of its own".
        guid[7] = static_cast<std::uint8_t>((guid[7] & 0x0FU) | 0x80U);
        guid[8] = static_cast<std::uint8_t>((guid[8] & 0x3FU) | 0x80U);
        return guid;
    }

    Job& job_;
    Module& module_;
    std::vector<Deed>& deeds_;
};

int run(const Arguments& arguments) {
    const auto wishes = read_wishes(arguments);
    if (!wishes) return refuse(wishes.error(), &arguments.verb());
    return run_edits(arguments, [&](Job& job, Module& module, std::vector<Deed>& deeds) {
        return Setter(job, module, deeds).set(*wishes);
    });
}

}  // namespace

extern constinit const Verb set_verb;
constinit const Verb set_verb{
    "set",
    "change fields in place, such as version, flags, MVID or timestamp; every other byte stays",
    "INPUT...",
    {{{"clrkit set --version 2.1.0.0 App.dll -o out/App.dll", "a new version"},
      {"clrkit set --flag 32bitreq=on -i=.bak App.exe", "in place, the old file as App.exe.bak"},
      {"clrkit set --mvid hash --timestamp 0 -r bin -O out", "the same bytes for the same build"}}},
    options,
    takes_inputs | takes_outputs | takes_json,
    run,
    {},
};

}  // namespace clrkit::cli
