// Data of fields (ECMA-335 II.16.3): one label for each address that a field has. Data that touches in
// the file touches in the text, and every address keeps its place in 64 bytes, since code loads data
// by vectors. What lies between and belongs to nothing is kept as well.
#include <clrkit/dotnet/dis/parts.h>
#include <clrkit/dotnet/module/coverage.h>
#include <clrkit/dotnet/signatures/field_size.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace clrkit::dis {
namespace {

constexpr std::uint32_t alignment = 64;
constexpr std::uint32_t writable = 0x80000000;

struct Piece {
    std::uint32_t rva;
    std::uint64_t end;  // of the longest field here
    std::uint32_t field;
    bool sized;
};

class DataPrinter {
public:
    explicit DataPrinter(IlSource& source) : source_(source), image_(source.module.image()) {}

    void print() {
        collect();
        for (std::size_t i = 0; i < pieces_.size() && !source_.text.exhausted(); ++i) {
            print_piece(i);
        }
    }

private:
    void collect() {
        const std::uint32_t word = image_.is_pe32_plus() ? 8 : 4;
        for (const std::uint32_t field : source_.data_fields) {
            const auto rows = source_.rows.field_data.rows(field);
            const std::uint32_t rva =
                source_.metadata.cell(Table::FieldRVA, rows.front(), col::FieldRVA::RVA);
            const auto size = field_data_size(source_.metadata, field, word, &source_.rows.layouts);
            pieces_.push_back(
                {rva, std::uint64_t{rva} + size.value_or(0), field, size.has_value()});
        }
        std::ranges::sort(pieces_, [](const Piece& a, const Piece& b) {
            return a.rva != b.rva ? a.rva < b.rva : a.field < b.field;
        });
        // One piece an address: the longest field says how much is there.
        std::size_t kept = 0;
        for (const Piece& piece : pieces_) {
            if (kept != 0 && pieces_[kept - 1].rva == piece.rva) {
                pieces_[kept - 1].end = std::max(pieces_[kept - 1].end, piece.end);
                pieces_[kept - 1].sized = pieces_[kept - 1].sized || piece.sized;
            } else {
                pieces_[kept++] = piece;
            }
        }
        pieces_.resize(kept);
    }

    const char* section_word(const pe::SectionHeader* section) const {
        if (section == nullptr) return "";
        if (section->name_view() == ".tls") return "tls ";
        return (section->characteristics & writable) != 0 ? "" : "cil ";
    }

    /// Where data of unknown size ends at the latest.
    std::uint64_t latest_end(std::size_t index, const pe::SectionHeader& section) const {
        std::uint64_t end = std::uint64_t{section.virtual_address} + image_.virtual_extent(section);
        if (index + 1 < pieces_.size()) end = std::min<std::uint64_t>(end, pieces_[index + 1].rva);
        const auto& clr = source_.module.container().clr;
        for (const std::uint32_t rva :
             {std::uint32_t{clr.metadata.rva}, std::uint32_t{clr.resources.rva}}) {
            if (rva > pieces_[index].rva) end = std::min<std::uint64_t>(end, rva);
        }
        return end;
    }

    void print_piece(std::size_t index) {
        Piece& piece = pieces_[index];
        const Token field(Table::Field, piece.field);
        const pe::SectionHeader* section = image_.section_of(piece.rva);
        if (!piece.sized) {
            source_.gap(GapKind::data_size, field);
            // Of a value whose size is unknown no more than a few numbers are worth keeping.
            constexpr std::uint64_t unknown = 4096;
            const std::uint64_t most = section != nullptr ? latest_end(index, *section) : 0;
            piece.end = std::clamp<std::uint64_t>(most, piece.rva, piece.rva + unknown);
        }
        // Fields may overlap: what lies in front of the next label is said here, the rest there.
        if (index + 1 < pieces_.size()) {
            Piece& next = pieces_[index + 1];
            if (piece.end > next.rva) {
                next.end = std::max(next.end, piece.end);
                next.sized = true;
                piece.end = next.rva;
            }
        }
        const char* word = section_word(section);
        pad(word, piece.rva);
        print_bytes(word, piece, field);
        print_bytes_behind(word, index, field);
    }

    /// What is known to lie behind a place, and belongs to nothing: code may reach it by the address of
    /// the field in front all the same.
    ByteSpan unclaimed(std::uint64_t rva) {
        if (rva > 0xFFFFFFFF) return {};
        const auto offset = image_.offset_of(static_cast<std::uint32_t>(rva));
        if (!offset) return {};
        if (!covered_) {
            covered_ = true;
            if (auto coverage = cover(source_.module.state()))
                claims_ = std::move(coverage->claims);
        }
        const auto behind = std::ranges::upper_bound(claims_, *offset, {}, &pe::Claim::offset);
        if (behind == claims_.begin()) return {};
        const pe::Claim& claim = *std::prev(behind);
        if (claim.kind != pe::ClaimKind::gap || claim.end() <= *offset) return {};
        return slice_clamped(image_.from(static_cast<std::uint32_t>(rva)), 0,
                             claim.end() - *offset);
    }

    void print_bytes_behind(const char* word, std::size_t index, Token field) {
        Piece behind = pieces_[index];
        behind.rva = static_cast<std::uint32_t>(pieces_[index].end);
        const std::uint64_t next =
            index + 1 < pieces_.size() ? pieces_[index + 1].rva : std::uint64_t{0xFFFFFFFF};
        if (!pieces_[index].sized || pieces_[index].end >= next) return;
        ByteSpan bytes = unclaimed(pieces_[index].end);
        bytes = slice_clamped(bytes, 0, next - pieces_[index].end);
        while (!bytes.empty() && bytes.back() == 0) bytes = bytes.first(bytes.size() - 1);
        if (bytes.empty()) return;
        // So much is no rest of anything.
        constexpr std::size_t most = std::size_t{1} << 16U;
        if (bytes.size() > most) return source_.gap(GapKind::data_behind, field);
        behind.end = behind.rva + bytes.size();
        source_.text.line("// behind that, and of no field");
        print_bytes(word, behind, field);
    }

    /// Where the data of a section ends so far.
    std::uint64_t& end_of(const char* word) {
        if (*word == 'c') return il_end_;
        return *word == 't' ? tls_end_ : data_end_;
    }

    /// Zeros up to the address's place in `alignment` bytes.
    void pad(const char* word, std::uint32_t rva) {
        std::uint64_t& at = end_of(word);
        const std::uint64_t gap = (rva + alignment - at % alignment) % alignment;
        at = rva;
        if (gap == 0) return;
        std::string& line = source_.text.begin_line();
        line += ".data ";
        line += word;
        // Without a label mono's assembler takes it for one item with the others that have none.
        line += "P_";
        append_hex(line, rva, 8);
        line += " = int8[";
        append_number(line, gap);
        line += ']';
        source_.text.end_line();
    }

    void print_bytes(const char* word, const Piece& piece, Token field) {
        const std::uint64_t size = piece.end - piece.rva;
        ByteSpan bytes = image_.from(piece.rva);
        bytes = bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), size)));
        std::string& line = source_.text.begin_line();
        line += ".data ";
        line += word;
        append_data_label(line, piece.rva);
        line += " = ";
        if (bytes.size() < size || all_zero(bytes)) {
            // Beyond the file's bytes a section is zeros, and a size may be any number.
            if (bytes.size() < size && !all_zero(bytes)) source_.gap(GapKind::data, field);
            constexpr std::uint64_t most_zeros = 1U << 20U;
            if (bytes.size() < size && size > most_zeros) source_.gap(GapKind::data, field);
            line += "int8[";
            append_number(line, std::clamp<std::uint64_t>(size, 1, most_zeros));
            line += ']';
        } else {
            line += "bytearray ";
            append_bytes(line, bytes, source_.text.depth() + 1);
        }
        source_.text.end_line();
        std::uint64_t& at = end_of(word);
        at += size;
    }

    IlSource& source_;
    const pe::Image& image_;
    std::vector<Piece> pieces_;
    bool covered_ = false;
    std::vector<pe::Claim> claims_;  // once they were asked for
    // Where the next data of each kind would be, modulo the alignment.
    std::uint64_t il_end_ = 0;
    std::uint64_t tls_end_ = 0;
    std::uint64_t data_end_ = 0;
};

}  // namespace

void append_data_label(std::string& to, std::uint32_t rva) {
    to += "D_";
    append_hex(to, rva, 8);
}

void print_data(IlSource& source) {
    if (source.data_fields.empty()) return;
    source.text.empty_line();
    DataPrinter(source).print();
}

}  // namespace clrkit::dis
