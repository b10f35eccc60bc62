// PE06: metadata root, streams and table stream, walked as CoreCLR walks them: by the size in the CLR
// header and by what the fields say, without rounding.
#include <clrkit/dotnet/verify/loader_checks.h>

#include <algorithm>
#include <bit>
#include <string_view>
#include <vector>

namespace clrkit::verify {
namespace {

constexpr std::size_t root_size = 16;  // before the version string
constexpr std::size_t longest_header = 40;
constexpr std::size_t longest_name = 31;
constexpr std::uint32_t longest_version = 255;

struct SeenStream {
    std::string_view name;
    std::uint64_t header = 0;  // offset in the file
    std::uint64_t begin = 0;   // from the root
    std::uint64_t end = 0;
};

/// The first stream header and how many there are.
struct StreamList {
    std::uint64_t first = 0;  // from the root
    std::uint16_t count = 0;
};

class MetadataWalk {
public:
    explicit MetadataWalk(LoaderChecker& checker)
        : checker_(checker),
          start_(checker.state.container.metadata_offset),
          bytes_(slice_clamped(checker.image.bytes(), start_, checker.clr.metadata.size)) {}

    void run() {
        const auto list = root();
        if (!list || !read_headers(*list)) return;
        check_ranges();
        check_overlap();
        check_names();
    }

private:
    std::optional<StreamList> root();
    void check_version_string(std::uint32_t length);
    bool read_headers(const StreamList& list);
    void check_ranges();
    void check_overlap();
    void check_names();

    std::uint8_t byte(std::uint64_t at) const { return bytes_[static_cast<std::size_t>(at)]; }
    template <class T>
    T load(std::uint64_t at) const {
        return load_le<T>(bytes_.data() + at);
    }

    LoaderChecker& checker_;
    std::uint64_t start_;
    ByteSpan bytes_;
    std::vector<SeenStream> streams_;
    std::uint64_t headers_end_ = 0;  // from the root
};

std::optional<StreamList> MetadataWalk::root() {
    constexpr auto rule = LoaderRule::root_signature;
    if (bytes_.size() < root_size || load<std::uint32_t>(0) != metadata_signature) {
        checker_.error(rule, start_, "no metadata root is there");
        return std::nullopt;
    }
    checker_.require(load<std::uint16_t>(4) == 1 && load<std::uint16_t>(6) == 1,
                     LoaderRule::root_version, start_ + 4, "the version of the root is not 1.1");
    const auto length = load<std::uint32_t>(12);
    if (!fits(bytes_.size(), root_size, std::uint64_t{length} + 4)) {
        checker_.error(rule, start_ + 12, "the version string is longer than the metadata");
        return std::nullopt;
    }
    check_version_string(length);
    const std::uint64_t behind = root_size + std::uint64_t{length};
    checker_.require(byte(behind) == 0, LoaderRule::root_flags, start_ + behind,
                     "the flags of the root are not zero");
    return StreamList{behind + 4, load<std::uint16_t>(behind + 2)};
}

void MetadataWalk::check_version_string(std::uint32_t length) {
    constexpr auto rule = LoaderRule::version_string;
    const ByteSpan field = bytes_.subspan(root_size, length);
    // The loader looks one byte further, which is the flags and zero by another rule.
    checker_.expect(std::ranges::find(field, 0) != field.end(), rule, start_ + root_size,
                    "the version string has no NUL");
    checker_.expect(length % 4 == 0, rule, start_ + 12,
                    "the length of the version string is no multiple of four");
    checker_.expect(length <= longest_version + 1, rule, start_ + 12,
                    "the version string has more than 255 characters");
}

/// False when the headers do not lie inside the metadata.
bool MetadataWalk::read_headers(const StreamList& list) {
    std::uint64_t at = list.first;
    for (std::uint32_t i = 0; i < list.count; ++i) {
        if (!fits(bytes_.size(), at, longest_header)) {
            checker_.error(LoaderRule::stream_header, start_ + at,
                           "the metadata ends too soon behind a stream header");
            return false;
        }
        const auto* text = reinterpret_cast<const char*>(bytes_.data() + at + 8);
        const std::string_view room(text, longest_name + 1);
        const std::string_view name = room.substr(0, room.find('\0'));
        if (name.empty() || name.size() > longest_name) {
            checker_.error(LoaderRule::stream_name, start_ + at + 8,
                           name.empty() ? "a stream has no name"
                                        : "a stream's name is longer than 31 characters");
            return false;
        }
        const auto begin = std::uint64_t{load<std::uint32_t>(at)};
        streams_.push_back({name, start_ + at, begin, begin + load<std::uint32_t>(at + 4)});
        at += 8 + (name.size() + 4) / 4 * 4;
    }
    headers_end_ = at;
    return true;
}

void MetadataWalk::check_ranges() {
    constexpr auto rule = LoaderRule::stream_range;
    std::uint64_t sum = 0;
    for (const SeenStream& stream : streams_) {
        checker_.require(stream.begin >= headers_end_, rule, stream.header,
                         "a stream begins before the stream headers end");
        checker_.require(stream.begin < bytes_.size() && stream.end <= bytes_.size(), rule,
                         stream.header, "a stream does not lie inside the metadata");
        sum += stream.end - stream.begin;
    }
    checker_.require(headers_end_ + sum <= bytes_.size(), rule, start_,
                     "the streams together are longer than the metadata");
}

void MetadataWalk::check_overlap() {
    std::vector<const SeenStream*> sorted;
    sorted.reserve(streams_.size());
    for (const SeenStream& stream : streams_) sorted.push_back(&stream);
    std::ranges::sort(sorted, [](const SeenStream* a, const SeenStream* b) {
        return a->begin != b->begin ? a->begin < b->begin : a->end < b->end;
    });
    const SeenStream* furthest = nullptr;
    for (const SeenStream* stream : sorted) {
        if (furthest != nullptr && stream->begin < furthest->end && stream->end > furthest->begin) {
            checker_.error(LoaderRule::stream_overlap, stream->header,
                           "a stream overlaps another one");
        }
        if (furthest == nullptr || stream->end > furthest->end) furthest = stream;
    }
}

/// Exactly one table stream; no heap twice.
void MetadataWalk::check_names() {
    constexpr auto rule = LoaderRule::table_stream;
    const SeenStream* tables = nullptr;
    const SeenStream* schema = nullptr;
    std::vector<std::string_view> names;
    for (const SeenStream& stream : streams_) {
        if (stream.name == "#~" || stream.name == "#-") {
            checker_.require(tables == nullptr, rule, stream.header,
                             "there is a second table stream");
            checker_.require(schema == nullptr, rule, stream.header,
                             "#Schema stands before the table stream");
            tables = &stream;
            continue;
        }
        if (stream.name == "#Schema") schema = &stream;
        names.push_back(stream.name);
    }
    checker_.require(tables != nullptr, rule, start_, "there is no table stream");
    if (schema != nullptr && tables != nullptr) {
        checker_.warn(rule, schema->header, "#Schema makes of #~ a stream by the rules of #-");
    }
    std::ranges::sort(names);
    const auto twice = std::ranges::adjacent_find(names);
    if (twice == names.end()) return;
    const auto stream = std::ranges::find(streams_, *twice, &SeenStream::name);
    checker_.warn(LoaderRule::stream_twice, stream->header, "two streams have the same name");
}

void check_schema(LoaderChecker& checker) {
    const Tables& tables = checker.state.metadata.tables();
    const std::uint64_t at = checker.state.metadata.offset_in_file(tables.bytes().data());
    const unsigned major = tables.header().major_version;
    const unsigned minor = tables.header().minor_version;
    const bool beta = major == 1 && minor == 1;
    checker.require((major == 2 || major == 1) && minor == 0, LoaderRule::schema_version, at + 4,
                    beta ? "the version of the table stream is 1.1, that of a beta"
                         : "the version of the table stream is none that exists");
    const bool first_version = major == 1 && minor == 0;
    for (std::size_t slot = 0; slot < table_slots; ++slot) {
        const auto table = static_cast<Table>(slot);
        const TableLayout& layout = tables.layout(table);
        const std::uint32_t token = static_cast<std::uint32_t>(slot) << 24U;
        if (layout.declared == 0) continue;
        if (first_version && table > Table::NestedClass) {
            checker.error(LoaderRule::known_tables, at + 8,
                          "a table stream of version 1.0 has a table of 2.0", token);
        } else if (!schema::known(table)) {
            checker.warn(LoaderRule::known_tables, at + 8, "a table is unknown", token);
        } else if (layout.rows != layout.declared) {
            checker.error(LoaderRule::table_rows, at, "rows of a table lie outside the stream",
                          token);
        }
    }
}

void check_pointer_tables(LoaderChecker& checker) {
    const Metadata& metadata = checker.state.metadata;
    if (metadata.uncompressed()) return;
    const std::uint64_t at = metadata.offset_in_file(metadata.tables().bytes().data()) + 8;
    for (const Table table : {Table::FieldPtr, Table::MethodPtr}) {
        if (metadata.rows(table) == 0) continue;
        checker.error(LoaderRule::pointer_tables, at, "#~ has a pointer table that is refused",
                      Token(table, 0).value());
    }
    for (const Table table : {Table::ParamPtr, Table::EventPtr, Table::PropertyPtr}) {
        if (metadata.rows(table) == 0) continue;
        checker.warn(LoaderRule::pointer_tables, at, "#~ has a pointer table that is ignored",
                     Token(table, 0).value());
    }
}

void check_rows_and_heaps(LoaderChecker& checker) {
    const Metadata& metadata = checker.state.metadata;
    const std::uint64_t tables_at = metadata.offset_in_file(metadata.tables().bytes().data());
    checker.expect(metadata.rows(Table::Module) != 0, LoaderRule::module_row, tables_at,
                   "there is no Module row");
    checker.expect(metadata.rows(Table::Module) <= 1, LoaderRule::module_row, tables_at,
                   "there is more than one Module row");
    checker.expect(metadata.rows(Table::Assembly) <= 1, LoaderRule::module_row, tables_at,
                   "there is more than one Assembly row");
    const ByteSpan strings = metadata.strings().bytes();
    if (!strings.empty()) {
        checker.expect(strings.back() == 0, LoaderRule::string_heap,
                       metadata.offset_in_file(strings.data()),
                       "the string heap does not end with a NUL");
    }
    checker.expect(metadata.guids().count() != 0, LoaderRule::guid_heap,
                   metadata.root().file_offset(), "there is no GUID");
}

}  // namespace

void check_metadata(LoaderChecker& checker) {
    MetadataWalk(checker).run();
    check_schema(checker);
    check_pointer_tables(checker);
    check_rows_and_heaps(checker);
}

}  // namespace clrkit::verify
