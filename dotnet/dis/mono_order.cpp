// What mono's assembler has to be told early. It defines types as it meets them, and then what they
// implement, so that its InterfaceImpl table is sorted only if whatever a type implements stands in
// front of it; and whether a type of another assembly is a value type it asks the first mention alone.
#include <clrkit/core/limits.h>
#include <clrkit/dotnet/dis/parts.h>

#include <algorithm>
#include <vector>

namespace clrkit::dis {
namespace {

/// Calls `each(type, node)` for every type of a signature; nothing where it does not decode.
template <class Each>
void for_each_type(ByteSpan blob, BlobKind kind, SignatureArena& arena, Each each) {
    arena.clear();
    if (!decode_signature(blob, kind, {}, arena)) return;
    for (const SignatureNode& node : arena.nodes()) {
        const bool names_type = node.type == ElementType::class_ ||
                                node.type == ElementType::value_type ||
                                node.type == ElementType::generic_instance;
        if (names_type) each(token_of_encoded(node.value), node);
    }
}

/// The types of this module that another one is built on.
class Foundations {
public:
    explicit Foundations(const IlSource& source) : source_(source), metadata_(source.metadata) {}

    /// Those in what it extends.
    void add_base(std::uint32_t type, std::vector<std::uint32_t>& to) {
        add(metadata_.token(Table::TypeDef, type, col::TypeDef::Extends), to);
    }
    void add_interfaces(std::uint32_t type, std::vector<std::uint32_t>& to) {
        for (const std::uint32_t row : source_.rows.interfaces.rows(type)) {
            add(metadata_.token(Table::InterfaceImpl, row, col::InterfaceImpl::Interface), to);
        }
    }
    void add_encloser(std::uint32_t type, std::vector<std::uint32_t>& to) const {
        if (const std::uint32_t encloser = source_.indexes.encloser(type)) to.push_back(encloser);
    }

private:
    void add(Token type, std::vector<std::uint32_t>& to) {
        if (!metadata_.tables().has(type)) return;
        if (type.table() == Table::TypeDef) to.push_back(type.rid());
        if (type.table() != Table::TypeSpec) return;
        const ByteSpan blob = metadata_.blob(Table::TypeSpec, type.rid(), col::TypeSpec::Signature);
        for_each_type(blob, BlobKind::type_signature, arena_, [&](Token each, const auto&) {
            if (each.table() == Table::TypeDef && metadata_.tables().has(each)) {
                to.push_back(each.rid());
            }
        });
    }

    const IlSource& source_;
    const Metadata& metadata_;
    SignatureArena arena_;
};

/// Heads of the types that have to be there before those that come earlier in the text.
class EarlyHeads {
public:
    explicit EarlyHeads(IlSource& source)
        : source_(source),
          foundations_(source),
          count_(source.metadata.rows(Table::TypeDef)),
          place_(count_ + 1),
          state_(count_ + 1) {}

    void print() {
        number_types();
        std::vector<std::uint32_t> needed;
        for (std::uint32_t type = 2; type <= count_; ++type) {
            if (!source_.visit()) return;
            needed.clear();
            foundations_.add_base(type, needed);
            foundations_.add_interfaces(type, needed);
            for (const std::uint32_t each : needed) {
                if (place_[each] > place_[type]) print_with_foundations(each);
            }
        }
    }

private:
    enum class State : std::uint8_t { open, waiting, said };

    /// Types in the order of the text: each with its nested ones behind it.
    void number_types() {
        std::uint32_t next = 0;
        std::vector<std::uint32_t> waiting;
        for (std::uint32_t type = count_; type >= 2; --type) {
            if (source_.indexes.encloser(type) == 0) waiting.push_back(type);
        }
        while (!waiting.empty() && next <= count_) {
            const std::uint32_t type = waiting.back();
            waiting.pop_back();
            place_[type] = ++next;
            const auto nested = source_.indexes.nested_rows(type);
            for (std::size_t i = nested.size(); i-- != 0;) {
                const std::uint32_t child = source_.metadata.cell(Table::NestedClass, nested[i],
                                                                  col::NestedClass::NestedClass);
                if (child != 0 && child <= count_ && place_[child] == 0) waiting.push_back(child);
            }
        }
    }

    /// Those it is built on first; what is built on itself is cut where that shows.
    void print_with_foundations(std::uint32_t first) {
        std::vector<std::uint32_t> stack{first};
        while (!stack.empty() && source_.visit()) {
            const std::uint32_t type = stack.back();
            if (state_[type] == State::open) {
                state_[type] = State::waiting;
                std::vector<std::uint32_t> all;
                foundations_.add_interfaces(type, all);
                foundations_.add_base(type, all);
                foundations_.add_encloser(type, all);
                for (const std::uint32_t each : all) {
                    if (each != type && state_[each] == State::open) stack.push_back(each);
                }
                continue;
            }
            stack.pop_back();
            if (state_[type] == State::said) continue;
            state_[type] = State::said;
            print_head(type);
        }
    }

    void print_head(std::uint32_t type) {
        std::vector<std::uint32_t> around;
        for (std::uint32_t at = source_.indexes.encloser(type);
             at != 0 && around.size() < Limits{}.depth; at = source_.indexes.encloser(at)) {
            around.push_back(at);
        }
        for (std::size_t i = around.size(); i-- != 0;) {
            const TypeDef outer = source_.module.type(around[i]);
            std::string& line = source_.text.begin_line();
            line += ".class ";
            IlSource::type_name(line, outer.name_space(), outer.name());
            source_.text.end_line();
            source_.text.open_block();
        }
        print_type_head(source_, source_.module.type(type));
        source_.text.open_block();
        for (std::size_t i = 0; i <= around.size(); ++i) source_.text.close_block();
    }

    IlSource& source_;
    Foundations foundations_;
    std::uint32_t count_;
    std::vector<std::uint32_t> place_;
    std::vector<State> state_;
};

/// Which types of other assemblies are value types, by what signatures call them.
class ForeignTypes {
public:
    explicit ForeignTypes(IlSource& source)
        : source_(source),
          metadata_(source.metadata),
          is_value_(metadata_.rows(Table::TypeRef) + 1),
          said_(is_value_.size()),
          left_(source.module.bytes().size() + least) {}

    void print() {
        read(Table::Field, col::Field::Signature, BlobKind::field_signature);
        read(Table::MethodDef, col::MethodDef::Signature, BlobKind::method_signature);
        read(Table::MemberRef, col::MemberRef::Signature, BlobKind::member_ref_signature);
        read(Table::StandAloneSig, col::StandAloneSig::Signature, BlobKind::stand_alone_signature);
        read(Table::TypeSpec, col::TypeSpec::Signature, BlobKind::type_signature);
        read(Table::MethodSpec, col::MethodSpec::Instantiation, BlobKind::method_spec);
        for (std::uint32_t type = 1; type < is_value_.size(); ++type) {
            if (is_value_[type]) mention(type);
        }
        if (mentions_.empty() || source_.text.exhausted()) return;
        source_.text.line(
            "// So that the assembler knows value types when it meets them: it makes "
            "nothing of this.");
        source_.text.line(".custom instance void object::.ctor(");
        for (std::size_t i = 0; i < mentions_.size(); ++i) {
            std::string& line = source_.text.continue_line();
            line += mentions_[i];
            line += i + 1 == mentions_.size() ? ')' : ',';
            source_.text.end_line();
        }
    }

private:
    // Blobs may be shared: reading stops when it has read the file several times over.
    static constexpr std::uint64_t least = 1'000'000;

    void read(Table table, unsigned column, BlobKind kind) {
        for (std::uint32_t row = 1; row <= metadata_.rows(table) && left_ != 0; ++row) {
            const ByteSpan blob = metadata_.blob(table, row, column);
            left_ -= std::min<std::uint64_t>(left_, blob.size());
            for_each_type(blob, kind, arena_, [&](Token type, const SignatureNode& node) {
                const auto called = node.type == ElementType::generic_instance
                                        ? static_cast<ElementType>(node.detail)
                                        : node.type;
                if (type.table() == Table::TypeRef && type.rid() < is_value_.size() &&
                    called == ElementType::value_type) {
                    is_value_[type.rid()] = true;
                }
            });
        }
    }

    /// The type, and first those around it: naming a nested one says of them what it says of it.
    void mention(std::uint32_t type) {
        std::vector<std::uint32_t> path;
        Token at(Table::TypeRef, type);
        while (at.table() == Table::TypeRef && metadata_.tables().has(at) &&
               path.size() < Limits{}.depth) {
            path.push_back(at.rid());
            at = metadata_.token(Table::TypeRef, at.rid(), col::TypeRef::ResolutionScope);
        }
        if (at.table() != Table::AssemblyRef || !metadata_.tables().has(at)) return;
        for (std::size_t i = path.size(); i-- != 0;) {
            if (said_[path[i]]) continue;
            said_[path[i]] = true;
            source_.scratch.clear();
            source_.printer.type_reference(source_.scratch, Token(Table::TypeRef, path[i]));
            size_ += source_.scratch.size();
            // Thousands may share a name.
            if (!source_.printer.complete() || size_ > IlText::longest_line) return;
            mentions_.push_back((is_value_[path[i]] ? "valuetype " : "class ") + source_.scratch);
        }
    }

    IlSource& source_;
    const Metadata& metadata_;
    SignatureArena arena_;
    std::vector<bool> is_value_;  // by row of TypeRef
    std::vector<bool> said_;
    std::uint64_t left_;
    std::vector<std::string> mentions_;
    std::size_t size_ = 0;
};

}  // namespace

void print_foreign_types(IlSource& source) { ForeignTypes(source).print(); }

void print_early_heads(IlSource& source) { EarlyHeads(source).print(); }

bool is_built_on_itself(IlSource& source, std::uint32_t type) {
    Foundations foundations(source);
    std::vector<std::uint32_t> waiting;
    foundations.add_base(type, waiting);
    std::vector<std::uint32_t> seen;
    while (!waiting.empty() && source.visit()) {
        const std::uint32_t at = waiting.back();
        waiting.pop_back();
        if (at == type) return true;
        if (std::ranges::find(seen, at) != seen.end()) continue;
        if (seen.size() >= Limits{}.depth) return true;
        seen.push_back(at);
        foundations.add_base(at, waiting);
        foundations.add_encloser(at, waiting);
    }
    return false;
}

}  // namespace clrkit::dis
