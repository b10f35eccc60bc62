// Code (ECMA-335 II.15.4, II.19): header, locals, instructions with a label each, and behind them the
// exception clauses by labels, which says any clause whatever it overlaps.
#include <clrkit/core/bytes/endian.h>
#include <clrkit/dotnet/dis/instructions.h>
#include <clrkit/dotnet/dis/parts.h>

namespace clrkit::dis {
namespace {

constexpr std::uint16_t init_locals = 0x0010;
constexpr std::uint32_t tiny_stack = 8;

class BodyPrinter {
public:
    BodyPrinter(IlSource& source, MethodDef method, const Code& code)
        : source_(source), method_(method), code_(code) {}

    void print() {
        if (code_.extent().code_size == 0) source_.gap(GapKind::no_body, method_.token());
        print_header();
        print_code();
        cil::for_each_clause(code_.body(), code_.extent(), code_.alignment(),
                             [&](const cil::Clause& clause) { print_clause(clause); });
    }

private:
    void print_header() {
        const cil::BodyExtent& extent = code_.extent();
        const std::uint8_t* const header = code_.body().data();
        constexpr std::uint32_t fat_header = 12;
        const bool fat = extent.fat && extent.header_size >= fat_header;
        std::string& line = source_.text.begin_line();
        line += ".maxstack ";
        append_number(line, fat ? load_le<std::uint16_t>(header + 2) : tiny_stack);
        source_.text.end_line();
        if (!fat) return;
        const bool init = (load_le<std::uint16_t>(header) & init_locals) != 0;
        print_locals(Token(load_le<std::uint32_t>(header + 8)), init);
    }

    void print_locals(Token locals, bool init) {
        const Metadata& metadata = source_.metadata;
        std::string text;
        if (locals.rid() != 0) {
            const ByteSpan blob =
                metadata.blob(Table::StandAloneSig, locals.rid(), col::StandAloneSig::Signature);
            const bool good = locals.table() == Table::StandAloneSig && !blob.empty() &&
                              blob[0] == calling_convention::local;
            if (good) source_.printer.signature(text, blob, BlobKind::stand_alone_signature);
            if (!good || !source_.printer.complete()) {
                source_.gap(GapKind::locals, method_.token());
                text.clear();
            }
        }
        if (text.empty() || text == "()") {
            if (init) source_.text.line(".zeroinit");
            return;
        }
        // mono's assembler reads over the word.
        if (source_.for_mono() && text.find(" pinned") != std::string::npos) {
            source_.gap(GapKind::pinned, method_.token());
        }
        std::string& line = source_.text.begin_line();
        line += init ? ".locals init " : ".locals ";
        source_.token_comment(line, locals);
        line += text;
        source_.text.end_line();
    }

    void print_code() {
        for (std::uint32_t at = 0; at < code_.bytes().size() && !source_.text.exhausted();) {
            const std::uint32_t start = code_.next_start(at);
            print_bytes(at, start - at);
            at = start;
            if (start == code_.bytes().size()) break;
            const Instruction instruction = instruction_at(code_, start);
            print_instruction(instruction);
            at += instruction.size;
        }
        // Clauses and jumps may lead to where the code ends.
        if (!end_is_used()) return;
        std::string& line = source_.text.begin_line();
        append_label(line, code_.extent().code_size);
        line += ':';
        source_.text.end_line();
    }

    bool end_is_used() const {
        const std::uint64_t size = code_.extent().code_size;
        bool used = jumps_to_end_;
        cil::for_each_clause(
            code_.body(), code_.extent(), code_.alignment(), [&](const cil::Clause& clause) {
                const std::uint64_t handler_end =
                    std::uint64_t{clause.handler_offset} + clause.handler_length;
                const std::uint64_t try_end = std::uint64_t{clause.try_offset} + clause.try_length;
                used = used || handler_end == size || try_end == size ||
                       clause.try_offset == size || clause.handler_offset == size ||
                       (clause.is_filter() && clause.class_or_filter == size);
            });
        return used;
    }

    void print_instruction(const Instruction& instruction) {
        operand_.clear();
        const bool said = append_operand(source_, code_, instruction, method_.token(), operand_);
        jumps_to_end_ = jumps_to_end_ || leads_to_end(instruction);
        std::string& line = source_.text.begin_line();
        append_label(line, instruction.offset);
        line += ": ";
        if (said) {
            line += instruction.opcode->name;
            if (!operand_.empty()) {
                line += ' ';
                line += operand_;
            }
        }
        if (said && source_.options.bytes) append_byte_comment(line, instruction);
        source_.text.end_line();
        if (!said) print_bytes(instruction.offset, instruction.size);
    }

    bool leads_to_end(const Instruction& instruction) const {
        const auto end = instruction.offset + instruction.size;
        const auto operand = end - static_cast<std::uint32_t>(instruction.operand.size());
        bool leads = false;
        cil::for_each_target(
            code_.bytes(), instruction.opcode->operand, operand,
            [&](std::int64_t target) { leads = leads || target == code_.extent().code_size; });
        return leads;
    }

    void append_byte_comment(std::string& to, const Instruction& instruction) const {
        to += "  //";
        for (const std::uint8_t byte :
             code_.bytes().subspan(instruction.offset, instruction.size)) {
            to += ' ';
            append_hex(to, byte, 2);
        }
    }

    /// What is no instruction, or one that has no text.
    void print_bytes(std::uint32_t offset, std::uint32_t size) {
        for (const std::uint8_t byte : code_.bytes().subspan(offset, size)) {
            std::string& line = source_.text.begin_line();
            line += ".emitbyte 0x";
            append_hex(line, byte, 2);
            source_.text.end_line();
            if (source_.text.exhausted()) return;
        }
    }

    /// A label, or where none can stand the number.
    void append_place(std::string& to, std::uint64_t offset, bool labels) const {
        if (labels) {
            append_label(to, offset);
        } else {
            append_number(to, offset);
        }
    }

    /// What the assembler checks.
    bool is_accepted(const cil::Clause& clause) const {
        const std::uint64_t size = code_.extent().code_size;
        const std::uint64_t try_end = std::uint64_t{clause.try_offset} + clause.try_length;
        const std::uint64_t end = std::uint64_t{clause.handler_offset} + clause.handler_length;
        const std::uint64_t begin =
            clause.is_filter() ? clause.class_or_filter : clause.handler_offset;
        return try_end <= size && end <= size && begin <= size &&
               (begin >= try_end || clause.try_offset >= end);
    }

    /// `catch T`, `filter IL_0005`, `finally`, `fault`.
    bool append_kind(std::string& to, const cil::Clause& clause) {
        constexpr std::uint32_t finally = 2;
        constexpr std::uint32_t fault = 4;
        switch (clause.flags) {
            case 0: {
                to += "catch ";
                const Token type(clause.class_or_filter);
                return source_.metadata.tables().has(type) &&
                       source_.type(to, type, method_.token());
            }
            case 1:
                to += "filter ";
                append_place(to, clause.class_or_filter, code_.has_label(clause.class_or_filter));
                return true;
            case finally: to += "finally"; return true;
            case fault: to += "fault"; return true;
            default: return false;
        }
    }

    void print_clause(const cil::Clause& clause) {
        if (source_.text.exhausted()) return;
        std::string kind;
        const bool said = append_kind(kind, clause);
        if (!said || !is_accepted(clause)) source_.gap(GapKind::clause, method_.token());
        const std::uint64_t try_end = std::uint64_t{clause.try_offset} + clause.try_length;
        const std::uint64_t end = std::uint64_t{clause.handler_offset} + clause.handler_length;
        const bool try_labels = code_.has_label(clause.try_offset) && code_.has_label(try_end);
        const bool labels = code_.has_label(clause.handler_offset) && code_.has_label(end);
        std::string& line = source_.text.begin_line();
        line += said ? ".try " : "// .try ";
        append_place(line, clause.try_offset, try_labels);
        line += " to ";
        append_place(line, try_end, try_labels);
        line += ' ';
        line += kind;
        line += " handler ";
        append_place(line, clause.handler_offset, labels);
        line += " to ";
        append_place(line, end, labels);
        source_.text.end_line();
    }

    IlSource& source_;
    MethodDef method_;
    const Code& code_;
    std::string operand_;
    bool jumps_to_end_ = false;
};

}  // namespace

void print_body(IlSource& source, MethodDef method) {
    const auto code = Code::of(source, method);
    if (!code) {
        source.gap(GapKind::body, method.token());
        source.text.line("// a body that cannot be read");
        return;
    }
    BodyPrinter(source, method, *code).print();
}

}  // namespace clrkit::dis
