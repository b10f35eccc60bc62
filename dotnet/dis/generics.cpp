// Generic parameters with their constraints and attributes (ECMA-335 II.10.1.7).
#include <clrkit/dotnet/dis/flag_words.h>
#include <clrkit/dotnet/dis/parts.h>

#include <algorithm>
#include <span>
#include <vector>

namespace clrkit::dis {
namespace {

/// The rows of an owner in the order of their numbers.
std::vector<std::uint32_t> parameters_of(const IlSource& source, Token owner) {
    const auto rows =
        source.rows.generic_parameters.rows(coded(CodedIndex::TypeOrMethodDef, owner));
    std::vector<std::uint32_t> sorted(rows.begin(), rows.end());
    std::ranges::stable_sort(sorted, {}, [&](std::uint32_t rid) {
        return source.metadata.cell(Table::GenericParam, rid, col::GenericParam::Number);
    });
    return sorted;
}

void append_constraints(IlSource& source, std::string& to, std::uint32_t parameter) {
    bool first = true;
    for (const std::uint32_t rid : source.rows.constraints.rows(parameter)) {
        if (to.size() > IlText::longest_line) return source.gap(GapKind::text_limit, {});
        const Token type = source.metadata.token(Table::GenericParamConstraint, rid,
                                                 col::GenericParamConstraint::Constraint);
        std::string text;
        const Token row(Table::GenericParamConstraint, rid);
        if (!source.type(text, type, row)) continue;
        // mono's assembler makes a row of it that leads nowhere.
        if (source.for_mono() && text.ends_with("]System.Object")) {
            source.gap(GapKind::generic_parameters, row);
            continue;
        }
        to += first ? "(" : ", ";
        to += text;
        first = false;
    }
    if (!first) to += ") ";
}

}  // namespace

std::uint32_t generic_parameter_count(const IlSource& source, Token owner) {
    return static_cast<std::uint32_t>(
        source.rows.generic_parameters.rows(coded(CodedIndex::TypeOrMethodDef, owner)).size());
}

void append_generic_parameters(IlSource& source, std::string& to, Token owner) {
    const std::vector<std::uint32_t> parameters = parameters_of(source, owner);
    if (parameters.empty()) return;
    const Metadata& metadata = source.metadata;
    to += '<';
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (to.size() > IlText::longest_line) return source.gap(GapKind::text_limit, {});
        const std::uint32_t rid = parameters[i];
        if (metadata.cell(Table::GenericParam, rid, col::GenericParam::Number) != i) {
            source.gap(GapKind::generic_parameters, Token(Table::GenericParam, rid));
        }
        if (i != 0) to += ", ";
        source.flags(to, metadata.cell(Table::GenericParam, rid, col::GenericParam::Flags),
                     words::generic_parameter, 0, Token(Table::GenericParam, rid));
        append_constraints(source, to, rid);
        IlSource::type_name(to, {},
                            metadata.string(Table::GenericParam, rid, col::GenericParam::Name));
    }
    to += '>';
}

void print_generic_attributes(IlSource& source, Token owner) {
    const std::vector<std::uint32_t> parameters = parameters_of(source, owner);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const Token parameter(Table::GenericParam, parameters[i]);
        if (!source.indexes.attribute_rows(parameter).empty()) {
            std::string& line = source.text.begin_line();
            line += ".param type [";
            append_number(line, i + 1);
            line += ']';
            source.text.end_line();
            print_attributes(source, parameter);
        }
        for (const std::uint32_t rid : source.rows.constraints.rows(parameters[i])) {
            const Token constraint(Table::GenericParamConstraint, rid);
            if (source.indexes.attribute_rows(constraint).empty() || source.for_mono()) continue;
            std::string& line = source.text.begin_line();
            line += ".param constraint [";
            append_number(line, i + 1);
            line += "], ";
            source.printer.type_reference(
                line, source.metadata.token(Table::GenericParamConstraint, rid,
                                            col::GenericParamConstraint::Constraint));
            source.text.end_line();
            print_attributes(source, constraint);
        }
    }
}

}  // namespace clrkit::dis
