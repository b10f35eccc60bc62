// Signatures, types and members as IL assembler source has them (ECMA-335 II.7.1, II.15.3): for
// dumps, a disassembler and messages. Text from names is quoted and escaped, so that it stays on one
// line and is UTF-8.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/bytes/span.h>
#include <clrkit/dotnet/metadata/indexes.h>
#include <clrkit/dotnet/metadata/metadata.h>
#include <clrkit/dotnet/signatures/signature.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace clrkit {

/// What text for an assembler says beyond names: it has to lead back to the rows it was made from.
struct AssemblerNames {
    /// By AssemblyRef row, from 0: the name under which the text declares it.
    std::span<const std::string> assemblies;
    /// For mono's assembler, which knows neither `unmanaged` alone, `[*]Name` nor suffixes.
    bool mono = false;
};

struct PrintOptions {
    /// Names say where they are defined: `[System.Runtime]System.Object`, not `System.Object`.
    bool scopes = true;
    /// For the owners of members and the enclosers of types; must outlive the printer. Without it
    /// both are searched for as the runtime does, and members of a `#-` module with pointer tables
    /// are printed without their owner.
    const Indexes* indexes = nullptr;
    /// Most bytes of one text: names are shared, so a small file may ask for gigabytes.
    std::uint64_t text_bytes = std::uint64_t{16} << 20U;
    /// Most TypeSpecs that one text is followed into; they may refer to each other in circles.
    std::uint32_t type_specs = 256;
    /// For source that an assembler reads: assemblies by their declared names, types without a scope
    /// as `[*]Name`, members of privatescope with their token as a suffix (II.5.3). Must outlive the
    /// printer.
    const AssemblerNames* assembler = nullptr;
};

/// Appends texts. Never fails: what cannot be decoded, is not there, or is too much, is said in a
/// comment in the text. Keeps its memory, so one printer for many texts allocates little.
class SignaturePrinter {
public:
    /// `metadata` must outlive the printer.
    explicit SignaturePrinter(const Metadata& metadata, const PrintOptions& options = {})
        : metadata_(&metadata), options_(options) {}

    /// `int32[]` of a field or TypeSpec, `instance void(int32, class A&)` of a method, `(int32)` of
    /// locals, `<int32>` of a method's instantiation.
    CLRKIT_API void signature(std::string& to, ByteSpan blob, BlobKind kind);

    /// What `signature` gives for a method or property in pieces: `instance `, then the return type
    /// and each parameter. False where it does not decode; then a comment is all there is.
    CLRKIT_API bool split(ByteSpan blob, BlobKind kind, std::string& convention,
                          std::vector<std::string>& types);

    /// `[System.Runtime]System.Collections.Generic.List`1`, `Outer/Inner`: a TypeDef or TypeRef
    /// without `class` or `valuetype`; a TypeSpec by its signature.
    CLRKIT_API void type_reference(std::string& to, Token type);

    /// `instance void Ns.Type::Name(int32)` or `int32 Ns.Type::Name`: a Field, MethodDef, MemberRef
    /// or MethodSpec. A generic method has the number of its parameters, `Name<[1]>`, or what they
    /// are, `Name<int32>`. Types are printed as above, a StandAloneSig as its signature.
    CLRKIT_API void member(std::string& to, Token member);

    /// True when the last text has no comment in place of something: it says all there is.
    bool complete() const { return complete_; }

    /// The TypeDef that a Field or MethodDef stands in; no token for what is global, or not known.
    CLRKIT_API Token owner_of(Token member) const;

private:
    enum class Step : std::uint8_t { text, type, types, suffixes, owner, name, arity, end_of_blob };
    /// Something still to be printed. They are on a stack: the last one first.
    struct Task {
        Step step;
        std::uint32_t first = 0;
        std::uint32_t second = 0;
        const char* text = nullptr;
    };
    /// A blob that is being printed; what is in front of the last one waits for it.
    struct Blob {
        std::uint32_t start;      // its first node
        std::uint32_t type_spec;  // the row, or 0
        ByteSpan bytes;
    };
    /// What stands between the return type and the parameters.
    struct Member {
        Token named;
        Token owner;
        std::uint32_t method_spec = 0;
    };

    void begin(const std::string& to);
    /// Does what is to be done, but for the first `rest` tasks.
    void run(std::string& to, std::size_t rest = 0);
    void step(std::string& to, const Task& task);
    bool full(const std::string& to) const { return to.size() - start_ > options_.text_bytes; }

    void push(const Task& task) { tasks_.push_back(task); }
    void push_text(const char* text) { push({.step = Step::text, .text = text}); }
    void push_types(std::uint32_t first, std::uint32_t count, const char* separator) {
        push({Step::types, first, count, separator});
    }
    void push_member(const Member& member, std::uint32_t arity);

    bool open_blob(std::string& to, ByteSpan blob, BlobKind kind, std::uint32_t type_spec);
    void open(std::string& to, ByteSpan blob, BlobKind kind, const Member* member);
    void open_type_spec(std::string& to, Token type);
    void open_instance(std::string& to, std::uint32_t method_spec);

    void print_type(std::string& to, std::uint32_t node);
    void print_core(std::string& to, std::uint32_t node);
    void print_suffixes(std::string& to, std::uint32_t first, std::uint32_t at);
    void print_types(const Task& task);
    void print_shape(std::string& to, std::uint32_t array);
    void print_token(std::string& to, std::uint32_t encoded);
    void print_owner(std::string& to, Token owner);
    void print_type_name(std::string& to, Token type);
    void print_scope(std::string& to, Token scope);
    void print_name(std::string& to, std::string_view name) const;
    void print_full_name(std::string& to, std::string_view name_space, std::string_view name) const;
    void print_member_name(std::string& to, Token member) const;
    void print_unknown(std::string& to, std::uint32_t value, const char* why);
    void print_comment(std::string& to, const char* text);
    void append_convention(std::string& to, std::uint8_t convention);
    void append_dimension(std::string& to, const ArrayShape::Dimension& dimension);

    Member member_of(Token token) const;

    const Metadata* metadata_;
    PrintOptions options_;
    SignatureArena arena_;
    std::vector<Task> tasks_;
    std::vector<Blob> blobs_;
    std::vector<Token> enclosers_;
    std::size_t start_ = 0;  // where in the text this one begins
    std::uint32_t type_specs_ = 0;
    bool complete_ = true;
};

/// One text at a time; see SignaturePrinter.
CLRKIT_API std::string signature_text(const Metadata& metadata, ByteSpan blob, BlobKind kind,
                                      const PrintOptions& options = {});
CLRKIT_API std::string type_reference_text(const Metadata& metadata, Token type,
                                           const PrintOptions& options = {});
CLRKIT_API std::string member_text(const Metadata& metadata, Token member,
                                   const PrintOptions& options = {});

}  // namespace clrkit
