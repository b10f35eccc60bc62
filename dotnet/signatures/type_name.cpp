// The parser of type names: one loop and a stack of two words a level, so that no name, however deep
// its generic arguments, uses the native stack.
#include <clrkit/dotnet/signatures/type_name.h>

#include <algorithm>
#include <array>
#include <new>

namespace clrkit {
namespace {

constexpr std::string_view special = "\\,[]&*+";
constexpr std::size_t deepest = 512;

/// Where a type stands decides what may end it.
enum class Place : std::uint8_t {
    whole,      // the text itself: an assembly may follow
    bracketed,  // an argument in brackets of its own: an assembly may follow
    bare,       // an argument without: a comma begins the next one
};

class Parser {
public:
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): levels_, `used_` says how many count
    Parser(std::string_view text, std::vector<TypeNameNode>* nodes, std::uint32_t depth)
        : text_(text), nodes_(nodes), depth_(std::min<std::size_t>(depth, deepest)) {}

    TypeNameFault parse() {
        TypeNameNode node;
        while (begin_type(node)) {
            while (end_type(node)) {
                if (used_ == 0) return fault_;
                if (next_argument()) break;
                if (fault_ != TypeNameFault::none) return fault_;
                node = leave();
            }
            if (fault_ != TypeNameFault::none) return fault_;
        }
        return fault_;
    }
    const TypeNameNode& outermost() const { return outermost_; }

private:
    /// A type whose arguments are being read.
    struct Level {
        Place place;
        std::uint32_t node;
    };

    bool fail(TypeNameFault why) {
        if (fault_ == TypeNameFault::none) fault_ = why;
        return false;
    }
    bool at_end() const { return at_ == text_.size(); }
    bool is(char wanted) const { return !at_end() && text_[at_] == wanted; }
    bool take(char wanted) {
        if (!is(wanted)) return false;
        ++at_;
        return true;
    }
    void skip_spaces() {
        while (is(' ') || is('\t') || is('\n') || is('\r')) ++at_;
    }

    /// One name of the chain `Outer+Inner`.
    bool identifier() {
        const std::size_t start = at_;
        for (; !at_end(); ++at_) {
            if (text_[at_] == '\0') return fail(TypeNameFault::bad_character);
            if (special.find(text_[at_]) == std::string_view::npos) continue;
            if (text_[at_] != '\\') break;
            ++at_;
            if (at_end() || special.find(text_[at_]) == std::string_view::npos) {
                return fail(TypeNameFault::bad_escape);
            }
        }
        return at_ != start || fail(TypeNameFault::empty_name);
    }

    /// Reads a type's name, and where it has generic arguments goes on into them, down to the first
    /// that has none.
    bool begin_type(TypeNameNode& node) {
        for (;;) {
            skip_spaces();
            const std::size_t start = at_;
            do {
                if (!identifier()) return false;
            } while (take('+'));
            node = {};
            node.name = text_.substr(start, at_ - start);
            add(node);
            if (!opens_arguments()) return true;
            if (used_ == depth_) return fail(TypeNameFault::too_deep);
            levels_[used_++] = {place_, node_};
            if (used_ == 1) outermost_ = node;
            ++at_;
            begin_argument();
        }
    }
    /// `[` begins arguments unless what follows can only be an array's.
    bool opens_arguments() {
        if (!is('[')) return false;
        const std::size_t bracket = at_++;
        skip_spaces();
        const bool arguments = !is(']') && !is(',') && !is('*') && !at_end();
        at_ = bracket;
        return arguments;
    }
    void begin_argument() {
        skip_spaces();
        place_ = take('[') ? Place::bracketed : Place::bare;
        count_argument();
    }

    /// Reads what stands behind a type's name and arguments. True when it ended well.
    bool end_type(TypeNameNode& node) {
        skip_spaces();
        const std::size_t start = at_;
        std::size_t end = at_;
        while (is('[') || is('*')) {
            if (!take('*') && !array()) return false;
            end = at_;
            skip_spaces();
        }
        if (take('&')) end = at_;
        node.suffixes = text_.substr(start, end - start);
        skip_spaces();
        if (place_ != Place::bare && take(',') && !assembly(node)) return false;
        if (place_ == Place::whole && !at_end()) return fail(TypeNameFault::trailing_text);
        if (place_ == Place::bracketed && !take(']')) return fail(TypeNameFault::unbalanced);
        store(node);
        return true;
    }
    bool array() {
        ++at_;
        skip_spaces();
        for (;;) {
            take('*');
            skip_spaces();
            if (take(']')) return true;
            if (!take(',')) return fail(TypeNameFault::bad_suffix);
            skip_spaces();
        }
    }
    bool assembly(TypeNameNode& node) {
        skip_spaces();
        const std::size_t end =
            place_ == Place::whole ? text_.size() : find_unescaped(text_, ']', at_);
        if (end == std::string_view::npos) return fail(TypeNameFault::unbalanced);
        if (end == at_) return fail(TypeNameFault::empty_assembly);
        node.assembly = text_.substr(at_, end - at_);
        at_ = end;
        return true;
    }

    /// Behind an argument: true when another one follows, which is begun then.
    bool next_argument() {
        skip_spaces();
        if (take(',')) {
            begin_argument();
            return true;
        }
        if (!take(']')) return fail(TypeNameFault::unbalanced);
        return false;
    }
    /// Back to the type whose arguments have ended.
    TypeNameNode leave() {
        --used_;
        place_ = levels_[used_].place;
        node_ = levels_[used_].node;
        return nodes_ != nullptr ? (*nodes_)[node_] : outermost_;
    }

    void add(const TypeNameNode& node) {
        if (nodes_ == nullptr) return;
        node_ = static_cast<std::uint32_t>(nodes_->size());
        nodes_->push_back(node);
    }
    void count_argument() {
        if (used_ == 1) ++outermost_.arguments;
        if (nodes_ != nullptr) ++(*nodes_)[levels_[used_ - 1].node].arguments;
    }
    void store(TypeNameNode& node) {
        node.end = 1;
        if (used_ == 0) outermost_ = node;
        if (nodes_ == nullptr) return;
        node.end = static_cast<std::uint32_t>(nodes_->size());
        (*nodes_)[node_] = node;
    }

    std::string_view text_;
    std::vector<TypeNameNode>* nodes_;
    std::size_t depth_;
    std::size_t at_ = 0;
    std::size_t used_ = 0;
    std::uint32_t node_ = 0;
    Place place_ = Place::whole;
    TypeNameFault fault_ = TypeNameFault::none;
    TypeNameNode outermost_;
    std::array<Level, deepest> levels_;
};

}  // namespace

const char* note_of(TypeNameFault fault) {
    switch (fault) {
        case TypeNameFault::none: return "";
        case TypeNameFault::empty_name: return "a type name has an empty part";
        case TypeNameFault::bad_escape: return "a type name escapes what needs no escape";
        case TypeNameFault::bad_character: return "a type name holds a NUL";
        case TypeNameFault::bad_suffix: return "a type name's array is neither [] nor [,]";
        case TypeNameFault::unbalanced: return "a type name's brackets do not match";
        case TypeNameFault::empty_assembly: return "a type name ends with its comma";
        case TypeNameFault::trailing_text: return "a type name goes on behind its end";
        case TypeNameFault::too_deep: return "a type name nests too deeply";
        case TypeNameFault::no_memory: return "no memory for a type name";
    }
    return "";
}

TypeNameFault parse_type_name(std::string_view text, std::vector<TypeNameNode>& nodes,
                              std::uint32_t depth) {
    nodes.clear();
    TypeNameFault fault = TypeNameFault::no_memory;
    try {
        fault = Parser(text, &nodes, depth).parse();
    } catch (const std::bad_alloc&) {
        fault = TypeNameFault::no_memory;
    }
    if (fault != TypeNameFault::none) nodes.clear();
    return fault;
}

TypeNameFault split_type_name(std::string_view text, TypeNameNode& outermost, std::uint32_t depth) {
    Parser parser(text, nullptr, depth);
    const TypeNameFault fault = parser.parse();
    if (fault == TypeNameFault::none) outermost = parser.outermost();
    return fault;
}

std::size_t find_unescaped(std::string_view text, char wanted, std::size_t from) {
    for (std::size_t at = from; at < text.size(); ++at) {
        if (text[at] == wanted) return at;
        if (text[at] == '\\') ++at;
    }
    return std::string_view::npos;
}

}  // namespace clrkit
