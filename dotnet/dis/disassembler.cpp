// The parts in their order, and looking for one by name.
#include <clrkit/dotnet/dis/disassembler.h>
#include <clrkit/dotnet/dis/instructions.h>
#include <clrkit/dotnet/dis/parts.h>
#include <clrkit/dotnet/dis/resource_files.h>

#include <utility>

namespace clrkit::dis {

Disassembler::Disassembler(std::unique_ptr<DisassemblyOptions> options)
    : options_(std::move(options)) {}
Disassembler::Disassembler(Disassembler&& other) noexcept = default;
Disassembler::~Disassembler() = default;

Result<Disassembler> Disassembler::create(const Module& module, const DisassemblyOptions& options,
                                          const TextTarget& target) {
    auto indexes = Indexes::build(module.metadata());
    if (!indexes) return std::unexpected(indexes.error());
    Disassembler made(std::make_unique<DisassemblyOptions>(options));
    made.source_ = std::make_unique<IlSource>(module, std::move(*indexes), *made.options_, target);
    return made;
}

void Disassembler::module() {
    IlSource& source = *source_;
    print_heading(source);
    print_manifest(source);
    source.text.empty_line();
    print_pe_values(source);
    source.text.empty_line();
    print_type_order(source);
    print_all_types(source);
    print_data(source);
    print_other_attributes(source);
    source.text.flush();
    survey(source);
    print_gaps();
    source.text.flush();
}

void Disassembler::item(Token token) {
    if (!source_->metadata.tables().has(token)) return;
    const ModuleState* const state = &source_->module.state();
    switch (token.table()) {
        case Table::TypeDef: print_type(*source_, token.rid()); break;
        case Table::Field: print_field(*source_, Field{state, token.rid()}); break;
        case Table::MethodDef: print_method(*source_, MethodDef{state, token.rid()}); break;
        case Table::Property: print_property(*source_, token.rid()); break;
        case Table::Event: print_event(*source_, token.rid()); break;
        default: break;
    }
    source_->text.flush();
}

void Disassembler::print_gaps() {
    source_->gaps.print(source_->text);
    source_->text.flush();
}

const std::vector<InstructionText>& Disassembler::instructions(MethodDef method) {
    instructions_.clear();
    if (method.rva() == 0) return instructions_;
    const auto code = Code::of(*source_, method);
    if (!code) {
        source_->gap(GapKind::body, method.token());
        return instructions_;
    }
    for (std::uint32_t at = 0; at < code->bytes().size();) {
        const std::uint32_t start = code->next_start(at);
        InstructionText& text = instructions_.emplace_back();
        text.offset = at;
        if (start != at) {
            text.bytes = code->bytes().subspan(at, start - at);
            at = start;
            continue;
        }
        const Instruction instruction = instruction_at(*code, at);
        text.opcode = instruction.opcode->name;
        append_operand(*source_, *code, instruction, method.token(), text.operand);
        text.bytes = code->bytes().subspan(at, instruction.size);
        text.token = instruction.token;
        at += instruction.size;
    }
    return instructions_;
}

std::vector<Token> Disassembler::find(std::string_view name) const {
    const std::size_t colons = name.find("::");
    const std::string_view member =
        colons == std::string_view::npos ? std::string_view() : name.substr(colons + 2);
    const std::string_view wanted = name.substr(0, colons);
    const Metadata& metadata = source_->metadata;
    std::vector<Token> found;
    for (std::uint32_t rid = 1; rid <= metadata.rows(Table::TypeDef); ++rid) {
        // The printed name, or the one in the file where it is not nested.
        const TypeDef type = source_->module.type(rid);
        std::string plain(type.name_space());
        if (!plain.empty()) plain += '.';
        plain += type.name();
        bool matches = plain == wanted && source_->indexes.encloser(rid) == 0;
        if (!matches && wanted.find('/') != std::string_view::npos) {
            std::string printed;
            source_->printer.type_reference(printed, type.token());
            matches = printed == wanted;
        }
        if (!matches) continue;
        if (colons == std::string_view::npos) {
            found.push_back(type.token());
        } else {
            find_members(type, member, found);
        }
    }
    return found;
}

void Disassembler::find_members(TypeDef type, std::string_view name,
                                std::vector<Token>& found) const {
    for (const Field field : type.fields()) {
        if (field.name() == name) found.push_back(field.token());
    }
    for (const MethodDef method : type.methods()) {
        if (method.name() == name) found.push_back(method.token());
    }
    const Metadata& metadata = source_->metadata;
    const auto look = [&](const KeyIndex& maps, Table map, unsigned list, Table table,
                          unsigned column) {
        for (const std::uint32_t row : maps.rows(type.rid)) {
            const RowRange range = metadata.list(map, row, list);
            for (std::uint32_t at = range.first; at < range.end; ++at) {
                const std::uint32_t rid = metadata.through(table, at);
                if (metadata.string(table, rid, column) == name) found.push_back({table, rid});
            }
        }
    };
    look(source_->rows.property_maps, Table::PropertyMap, col::PropertyMap::PropertyList,
         Table::Property, col::Property::Name);
    look(source_->rows.event_maps, Table::EventMap, col::EventMap::EventList, Table::Event,
         col::Event::Name);
}

std::string Disassembler::name_of(Token member) {
    std::string text;
    source_->printer.member(text, member);
    return text;
}

const Gaps& Disassembler::gaps() const { return source_->gaps; }

std::vector<ResourceFile> Disassembler::resources() const {
    std::vector<ResourceFile> files;
    const Metadata& metadata = source_->metadata;
    for (std::uint32_t rid = 1; rid <= metadata.rows(Table::ManifestResource); ++rid) {
        if (!is_embedded(metadata, rid)) continue;
        std::string name = resource_file(*source_, rid);
        if (name.empty()) continue;
        if (const auto bytes = embedded_resource(source_->module, rid)) {
            files.push_back({std::move(name), *bytes});
        }
    }
    return files;
}

}  // namespace clrkit::dis
