// Properties and events (ECMA-335 II.17, II.18).
#include <clrkit/dotnet/dis/flag_words.h>
#include <clrkit/dotnet/dis/parts.h>

#include <vector>

namespace clrkit::dis {
namespace {

constexpr FlagWord special_words[] = {{0x200, 0x200, "specialname"},
                                      {0x400, 0x400, "rtspecialname"}};

struct AccessorWord {
    std::uint32_t semantics;
    const char* word;
    bool many;
};
constexpr AccessorWord accessor_words[] = {
    {0x01, ".set", false},   {0x02, ".get", false},      {0x04, ".other", true},
    {0x08, ".addon", false}, {0x10, ".removeon", false}, {0x20, ".fire", false},
};

void print_accessors(IlSource& source, Token owner) {
    const Metadata& metadata = source.metadata;
    std::uint32_t all = 0;
    for (const std::uint32_t rid :
         source.rows.accessors.rows(coded(CodedIndex::HasSemantics, owner))) {
        const std::uint32_t semantics =
            metadata.cell(Table::MethodSemantics, rid, col::MethodSemantics::Semantics);
        const Token method =
            metadata.token(Table::MethodSemantics, rid, col::MethodSemantics::Method);
        const AccessorWord* word = nullptr;
        for (const AccessorWord& each : accessor_words) {
            if (each.semantics == semantics) word = &each;
        }
        source.scratch.clear();
        const bool known = word != nullptr && (word->many || (all & semantics) == 0) &&
                           metadata.tables().has(method) &&
                           source.member(source.scratch, method, owner);
        if (!known) {
            source.gap(GapKind::accessor, Token(Table::MethodSemantics, rid));
            continue;
        }
        all |= semantics;
        std::string& line = source.text.begin_line();
        line += word->word;
        line += ' ';
        line += source.scratch;
        source.text.end_line();
    }
}

/// The semantics of an owner's accessors together.
std::uint32_t all_semantics(const IlSource& source, Token owner) {
    std::uint32_t all = 0;
    for (const std::uint32_t rid :
         source.rows.accessors.rows(coded(CodedIndex::HasSemantics, owner))) {
        all |= source.metadata.cell(Table::MethodSemantics, rid, col::MethodSemantics::Semantics);
    }
    return all;
}

void append_special(IlSource& source, std::string& to, std::uint32_t flags, Token token) {
    constexpr std::uint32_t has_default = 0x1000;
    if ((append_words(to, flags, special_words, source.options.dialect) & ~has_default) != 0) {
        source.gap(GapKind::flags, token);
    }
    constexpr std::uint32_t runtime_special = 0x400;
    if ((flags & runtime_special) != 0) source.gap(GapKind::runtime_special, token);
}

}  // namespace

void print_property(IlSource& source, std::uint32_t rid) {
    if (source.text.exhausted()) return;
    const Metadata& metadata = source.metadata;
    const Token token(Table::Property, rid);
    std::string convention;
    std::vector<std::string> types;
    if (!source.printer.split(metadata.blob(Table::Property, rid, col::Property::Type),
                              BlobKind::property_signature, convention, types) ||
        !source.printer.complete()) {
        source.gap(GapKind::signature, token);
        source.text.line("// a property whose signature has no text");
        return;
    }
    std::string& line = source.text.begin_line();
    line += ".property ";
    source.token_comment(line, token);
    append_special(source, line, metadata.cell(Table::Property, rid, col::Property::Flags), token);
    line += convention;
    line += types[0];
    line += ' ';
    IlSource::type_name(line, {}, metadata.string(Table::Property, rid, col::Property::Name));
    line += '(';
    for (std::size_t i = 1; i < types.size(); ++i) {
        if (i != 1) line += ", ";
        line += types[i];
    }
    line += ')';
    append_constant(source, line, token);
    source.text.end_line();
    source.text.open_block();
    print_attributes(source, token);
    print_accessors(source, token);
    source.text.close_block();
}

void print_event(IlSource& source, std::uint32_t rid) {
    if (source.text.exhausted()) return;
    const Metadata& metadata = source.metadata;
    const Token token(Table::Event, rid);
    // The assembler would refuse the whole file.
    constexpr std::uint32_t both = 0x18;
    const Token type = metadata.token(Table::Event, rid, col::Event::EventType);
    const bool incomplete = (all_semantics(source, token) & both) != both;
    const bool untyped = type.rid() == 0;
    if (!source.for_mono() && incomplete) source.gap(GapKind::event_accessors, token);
    // mono's assembler reads over the words.
    const std::uint32_t flags = metadata.cell(Table::Event, rid, col::Event::EventFlags);
    if (source.for_mono() && flags != 0) source.gap(GapKind::flags, token);
    if (source.for_mono() && untyped) source.gap(GapKind::event_type, token);
    const bool refused = source.for_mono() ? untyped : incomplete;
    std::string& line = source.text.begin_line();
    line += refused ? "// .event " : ".event ";
    source.token_comment(line, token);
    append_special(source, line, flags, token);
    if (!untyped) {
        source.type(line, type, token);
        line += ' ';
    }
    IlSource::type_name(line, {}, metadata.string(Table::Event, rid, col::Event::Name));
    source.text.end_line();
    if (refused) return;
    source.text.open_block();
    print_attributes(source, token);
    print_accessors(source, token);
    source.text.close_block();
}

}  // namespace clrkit::dis
