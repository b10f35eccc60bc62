// Printing without recursion: a stack of what is still to be printed. Source text has what stands in
// front of a type in a signature behind it, in reverse: that is one walk back over the nodes.
#include <clrkit/dotnet/signatures/print_signature.h>

#include <algorithm>
#include <string_view>

namespace clrkit {
namespace {

/// More dimensions than any runtime loads are not worth their commas.
constexpr std::uint32_t dimensions_printed = 64;

const char* keyword_of(ElementType class_or_value_type) {
    return class_or_value_type == ElementType::value_type ? "valuetype " : "class ";
}

}  // namespace

void SignaturePrinter::append_convention(std::string& to, std::uint8_t convention) {
    if ((convention & calling_convention::has_this) != 0) to += "instance ";
    if ((convention & calling_convention::explicit_this) != 0) to += "explicit ";
    switch (convention & calling_convention::mask) {
        case calling_convention::c: to += "unmanaged cdecl "; break;
        case calling_convention::stdcall: to += "unmanaged stdcall "; break;
        case calling_convention::thiscall: to += "unmanaged thiscall "; break;
        case calling_convention::fastcall: to += "unmanaged fastcall "; break;
        case calling_convention::vararg: to += "vararg "; break;
        case calling_convention::unmanaged:
            if (options_.assembler != nullptr && options_.assembler->mono) complete_ = false;
            to += "unmanaged ";
            break;
        case calling_convention::native_vararg:
            // The assembler has no word for it.
            if (options_.assembler != nullptr) complete_ = false;
            to += "native vararg ";
            break;
        default: break;
    }
}

void SignaturePrinter::append_dimension(std::string& to, const ArrayShape::Dimension& dimension) {
    if (!dimension.lower_bound) {
        // An assembler takes a size alone for one with a lower bound of 0.
        if (dimension.size && options_.assembler != nullptr) complete_ = false;
        if (dimension.size) to += std::to_string(*dimension.size);
        return;
    }
    to += std::to_string(*dimension.lower_bound) + "...";
    if (dimension.size) {
        to += std::to_string(std::int64_t{*dimension.lower_bound} + *dimension.size - 1);
    }
}

/// In place of what cannot be said.
void SignaturePrinter::print_comment(std::string& to, const char* text) {
    complete_ = false;
    to += "/* ";
    to += text;
    to += " */";
}

void SignaturePrinter::begin(const std::string& to) {
    start_ = to.size();
    type_specs_ = 0;
    complete_ = true;
    arena_.clear();
    tasks_.clear();
    blobs_.clear();
}

void SignaturePrinter::run(std::string& to, std::size_t rest) {
    while (tasks_.size() > rest) {
        if (full(to)) {
            print_comment(to, "and so on");
            return;
        }
        const Task task = tasks_.back();
        tasks_.pop_back();
        step(to, task);
    }
}

void SignaturePrinter::step(std::string& to, const Task& task) {
    switch (task.step) {
        case Step::text: to += task.text; break;
        case Step::type: print_type(to, task.first); break;
        case Step::types: print_types(task); break;
        case Step::suffixes: print_suffixes(to, task.first, task.second); break;
        case Step::owner: print_owner(to, Token(task.first)); break;
        case Step::name: print_member_name(to, Token(task.first)); break;
        case Step::arity:
            if (task.second != 0) {
                open_instance(to, task.second);
            } else if (task.first != 0) {
                to += "<[" + std::to_string(task.first) + "]>";
            }
            break;
        case Step::end_of_blob:
            arena_.shrink(blobs_.back().start);
            blobs_.pop_back();
            break;
    }
}

bool SignaturePrinter::open_blob(std::string& to, ByteSpan blob, BlobKind kind,
                                 std::uint32_t type_spec) {
    const std::uint32_t start = arena_.size();
    const auto signature = decode_signature(blob, kind, {}, arena_);
    if (!signature) {
        const char* note = signature.error().note;
        complete_ = false;
        to += "/* no signature: ";
        to += note != nullptr ? note : "no memory";
        to += " */";
        return false;
    }
    blobs_.push_back({start, type_spec, blob});
    push({.step = Step::end_of_blob});
    return true;
}

void SignaturePrinter::open(std::string& to, ByteSpan blob, BlobKind kind, const Member* member) {
    if (!open_blob(to, blob, kind, 0)) {
        if (member != nullptr) push_member(*member, 0);
        return;
    }
    const Blob& open = blobs_.back();
    const Signature signature(arena_, blob, open.start, 0);
    const SignatureTypes types = signature.types();
    const std::uint32_t first = open.start + 1;
    switch (signature.kind()) {
        case TypeList::Kind::single:
            if (member != nullptr) push_member(*member, 0);
            push({.step = Step::type, .first = first});
            break;
        case TypeList::Kind::locals:
            push_text(")");
            push_types(first, types.size(), ", ");
            push_text("(");
            break;
        case TypeList::Kind::generic_arguments:
            push_text(">");
            push_types(first, types.size(), ",");
            push_text("<");
            break;
        case TypeList::Kind::method:
        case TypeList::Kind::property:
            push_text(")");
            push_types(arena_[first].end, types.size() - 1, ", ");
            push_text("(");
            if (member != nullptr) push_member(*member, signature.generic_parameter_count());
            push({.step = Step::type, .first = first});
            append_convention(to, signature.calling_convention());
            break;
    }
}

void SignaturePrinter::open_type_spec(std::string& to, Token type) {
    const bool known = metadata_->tables().has(type);
    const bool inside_itself =
        std::ranges::any_of(blobs_, [&](const Blob& blob) { return blob.type_spec == type.rid(); });
    if (!known || inside_itself || type_specs_ == options_.type_specs) {
        const char* why = inside_itself ? "inside itself" : "not followed";
        print_unknown(to, type.value(), known ? why : nullptr);
        return;
    }
    ++type_specs_;
    const ByteSpan blob = metadata_->blob(Table::TypeSpec, type.rid(), col::TypeSpec::Signature);
    if (!open_blob(to, blob, BlobKind::type_signature, type.rid())) return;
    push({.step = Step::type, .first = blobs_.back().start + 1});
}

void SignaturePrinter::print_types(const Task& task) {
    if (task.second == 0) return;
    if (task.second != 1) {
        push_types(arena_[task.first].end, task.second - 1, task.text);
        push_text(task.text);
    }
    push({.step = Step::type, .first = task.first});
}

void SignaturePrinter::print_type(std::string& to, std::uint32_t node) {
    std::uint32_t core = node;
    for (; is_prefix(arena_[core].type) || arena_[core].type == ElementType::array; ++core) {
        if (arena_[core].type == ElementType::sentinel) to += "..., ";
        if (full(to)) return;
    }
    if (core != node) push({.step = Step::suffixes, .first = node, .second = core - 1});
    print_core(to, core);
}

/// A type that nothing stands in front of.
void SignaturePrinter::print_core(std::string& to, std::uint32_t node) {
    const SignatureNode& core = arena_[node];
    switch (core.type) {
        case ElementType::class_:
        case ElementType::value_type:
            to += keyword_of(core.type);
            print_token(to, core.value);
            break;
        case ElementType::var: to += "!" + std::to_string(core.value); break;
        case ElementType::mvar: to += "!!" + std::to_string(core.value); break;
        case ElementType::generic_instance:
            to += keyword_of(static_cast<ElementType>(core.detail));
            push_text(">");
            push_types(node + 1, core.count, ",");
            push_text("<");
            print_token(to, core.value);
            break;
        case ElementType::function_pointer:
            to += "method ";
            append_convention(to, core.detail);
            push_text(")");
            push_types(arena_[node + 1].end, core.count - 1, ", ");
            push_text(" *(");
            push({.step = Step::type, .first = node + 1});
            break;
        default: to += name_of(core.type); break;
    }
}

/// What stood in front of a type, from the innermost out: nodes `at` down to `first`.
void SignaturePrinter::print_suffixes(std::string& to, std::uint32_t first, std::uint32_t at) {
    for (;; --at) {
        const SignatureNode& node = arena_[at];
        switch (node.type) {
            case ElementType::pointer: to += '*'; break;
            case ElementType::by_ref: to += '&'; break;
            case ElementType::sz_array: to += "[]"; break;
            case ElementType::array: print_shape(to, at); break;
            case ElementType::pinned: to += " pinned"; break;
            case ElementType::modreq:
            case ElementType::modopt:
                to += node.type == ElementType::modreq ? " modreq(" : " modopt(";
                // The modifier may be a TypeSpec, which has to be printed first.
                if (at != first) push({Step::suffixes, first, at - 1});
                push_text(")");
                print_token(to, node.value);
                return;
            default: break;
        }
        if (at == first || full(to)) return;
    }
}

void SignaturePrinter::print_shape(std::string& to, std::uint32_t array) {
    const SignatureType type(arena_, blobs_.back().bytes, array);
    const ArrayShape shape = type.shape();
    to += '[';
    if (shape.rank() == 0 || shape.rank() > dimensions_printed) {
        print_comment(to, ("rank " + std::to_string(shape.rank())).c_str());
    } else if (shape.rank() == 1 && shape.size_count() == 0 && shape.lower_bound_count() == 0) {
        to += "...";
    } else {
        ArrayShape::Dimensions dimensions = shape.dimensions();
        for (std::uint32_t i = 0; i < shape.rank(); ++i) {
            if (i != 0) to += ',';
            append_dimension(to, dimensions.next());
        }
    }
    to += ']';
}

void SignaturePrinter::print_token(std::string& to, std::uint32_t encoded) {
    const Token type = token_of_encoded(encoded);
    if (type == Token()) {
        print_unknown(to, encoded, "no type");
    } else if (type.table() == Table::TypeSpec) {
        open_type_spec(to, type);
    } else {
        print_type_name(to, type);
    }
}

void SignaturePrinter::signature(std::string& to, ByteSpan blob, BlobKind kind) {
    begin(to);
    open(to, blob, kind, nullptr);
    run(to);
}

bool SignaturePrinter::split(ByteSpan blob, BlobKind kind, std::string& convention,
                             std::vector<std::string>& types) {
    convention.clear();
    begin(convention);
    if (!open_blob(convention, blob, kind, 0)) {
        types.clear();
        return false;
    }
    const std::size_t rest = tasks_.size();
    const Signature signature(arena_, blob, blobs_.back().start, 0);
    const std::uint32_t count = signature.types().size();
    append_convention(convention, signature.calling_convention());
    types.resize(count);
    std::uint64_t used = 0;
    std::uint32_t node = blobs_.back().start + 1;
    for (std::string& type : types) {
        type.clear();
        start_ = 0;
        const std::uint32_t next = arena_[node].end;
        push({.step = Step::type, .first = node});
        run(type, rest);
        node = next;
        used += type.size();
        if (used <= options_.text_bytes) continue;
        complete_ = false;
        break;
    }
    tasks_.resize(rest);
    run(convention);
    return true;
}

std::string signature_text(const Metadata& metadata, ByteSpan blob, BlobKind kind,
                           const PrintOptions& options) {
    std::string text;
    SignaturePrinter(metadata, options).signature(text, blob, kind);
    return text;
}

}  // namespace clrkit
