// Every signature of every assembly of this machine: transcoded, decoded and encoded, printed,
// compared with itself.
#include "signatures/blobs.h"
#include "support/real_files.h"

#include <clrkit/dotnet/model/module.h>
#include <clrkit/dotnet/signatures/compare_signatures.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <unordered_set>

using namespace clrkit;

namespace {

struct Counts {
    std::uint64_t modules = 0, blobs = 0, distinct = 0, same = 0, shorter = 0, texts = 0;
    std::uint64_t different_models = 0, different_bytes = 0, unprinted = 0, unequal = 0;
    std::map<std::string, std::uint64_t> malformed;
};

/// Looks at each blob once for each kind of column that refers to it.
class Visitor {
public:
    Visitor(const Metadata& metadata, Counts& counts)
        : metadata_(metadata), counts_(counts), printer_(metadata) {}

    void visit_columns() {
        for (std::size_t slot = 0; slot < table_slots; ++slot) {
            const auto table = static_cast<Table>(slot);
            const TableSpec& spec = metadata_.tables().spec(table);
            for (unsigned column = 0; column < spec.column_count; ++column) {
                const ColumnSpec& what = spec.columns[column];
                if (what.kind == ColumnKind::blob && is_signature(what.blob())) {
                    visit_column(table, column, what.blob());
                }
            }
        }
    }
    void print_members() {
        for (const Table table : {Table::Field, Table::MethodDef, Table::MemberRef,
                                  Table::MethodSpec, Table::TypeSpec, Table::TypeRef}) {
            for (std::uint32_t rid = 1; rid <= metadata_.rows(table); ++rid) {
                text_.clear();
                printer_.member(text_, Token(table, rid));
                note_text();
            }
        }
    }

private:
    void visit_column(Table table, unsigned column, BlobKind kind) {
        const ColumnView cells = metadata_.tables().column(table, column);
        for (std::uint32_t rid = 1; rid <= cells.rows(); ++rid) {
            ++counts_.blobs;
            if (seen_.insert(std::uint64_t{cells[rid]} << 8U | static_cast<unsigned>(kind))
                    .second) {
                visit(metadata_.blobs().at(cells[rid]), kind);
            }
        }
    }

    void visit(ByteSpan blob, BlobKind kind) {
        ++counts_.distinct;
        output_.reset();
        const BlobWriteContext write{output_, {}};
        const Transcoding what = transcode_signature(blob, kind, {}, write);
        const auto transcoded = output_.to_vector();
        const bool equal = std::ranges::equal(transcoded, blob);
        arena_.clear();
        const auto signature = decode_signature(blob, kind, {}, arena_);
        if (what == Transcoding::raw) {
            if (!equal) ++counts_.different_bytes;
            if (signature) ++counts_.different_models;
            ++counts_.malformed[signature ? "?" : signature.error().note];
        } else {
            ++(equal ? counts_.same : counts_.shorter);
            if (equal != (what == Transcoding::same)) ++counts_.different_bytes;
            output_.reset();
            if (!signature || !encode_signature(*signature, write) ||
                output_.to_vector() != transcoded) {
                ++counts_.different_models;
            }
        }
        text_.clear();
        printer_.signature(text_, blob, kind);
        note_text();
        const ScopedSignature self{{&metadata_}, blob, kind};
        if (!comparer_.equal(self, self)) ++counts_.unequal;
    }

    void note_text() {
        ++counts_.texts;
        if (text_.empty() || text_.find("/* and so on */") != std::string::npos) {
            ++counts_.unprinted;
        }
    }

    const Metadata& metadata_;
    Counts& counts_;
    SignaturePrinter printer_;
    SignatureComparer comparer_;
    SignatureArena arena_;
    WriteBuffer output_;
    std::string text_;
    std::unordered_set<std::uint64_t> seen_;
};

void print(const std::string& set, const Counts& counts) {
    std::printf(
        "  %s: %llu modules, %llu signatures, %llu distinct: %llu kept, %llu shortened; %llu "
        "texts\n",
        set.c_str(), static_cast<unsigned long long>(counts.modules),
        static_cast<unsigned long long>(counts.blobs),
        static_cast<unsigned long long>(counts.distinct),
        static_cast<unsigned long long>(counts.same),
        static_cast<unsigned long long>(counts.shorter),
        static_cast<unsigned long long>(counts.texts));
    for (const auto& [reason, count] : counts.malformed) {
        std::printf("  %5llu malformed: %s\n", static_cast<unsigned long long>(count),
                    reason.c_str());
    }
}

}  // namespace

TEST_CASE("Every signature is kept, decoded, encoded and printed") {
    for (const test::FileSet& set : test::real_files()) {
        Counts counts;
        for (const auto& path : set.files) {
            const auto module = Module::open(path.string());
            if (!module) continue;
            ++counts.modules;
            Visitor visitor(module->metadata(), counts);
            visitor.visit_columns();
            visitor.print_members();
        }
        print(set.name, counts);
        INFO(set.name);
        CHECK(counts.different_models == 0);
        CHECK(counts.different_bytes == 0);
        CHECK(counts.unprinted == 0);
        CHECK(counts.unequal == 0);
        if (set.name.find("corpus") != std::string::npos) continue;
        // Compilers write well-formed signatures, in their shortest form.
        CHECK(counts.shorter == 0);
        CHECK(counts.malformed.empty());
    }
}
