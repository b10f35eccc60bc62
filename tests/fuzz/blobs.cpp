// One blob, read as the input's first byte says: what decodes is encoded the same by every way there is,
// and encoding it once more changes nothing.
#include "check.h"

#include "support/image_builder.h"

#include <clrkit/dotnet/attributes/constant.h>
#include <clrkit/dotnet/attributes/custom_attribute.h>
#include <clrkit/dotnet/attributes/marshalling.h>
#include <clrkit/dotnet/attributes/permission_set.h>
#include <clrkit/dotnet/attributes/print_blobs.h>
#include <clrkit/dotnet/model/module.h>
#include <clrkit/dotnet/signatures/print_signature.h>
#include <clrkit/dotnet/signatures/signature.h>
#include <clrkit/dotnet/signatures/signature_writer.h>
#include <clrkit/dotnet/signatures/type_name.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace {

using namespace clrkit;
using fuzz::require;
using Bytes = std::vector<std::uint8_t>;

constexpr std::uint8_t signature_kinds = 7;

struct Written {
    Transcoding outcome;
    Bytes bytes;
};

template <class Transcode>
Written written(Transcode transcode) {
    std::array<std::uint8_t, 64> scratch;
    WriteBuffer output(scratch);
    const BlobWriteContext write{output, {}};
    const BlobReadContext read;
    const Transcoding outcome = transcode(read, write);
    require(outcome != Transcoding::no_memory, "there is memory");
    return {outcome, output.to_vector()};
}

/// `transcode(blob, read, write)`: what it writes, it writes again.
template <class Transcode>
Written settled(ByteSpan blob, Transcode transcode) {
    const auto once =
        written([&](auto& read, auto& write) { return transcode(blob, read, write); });
    if (once.outcome != Transcoding::changed) {
        require(std::ranges::equal(once.bytes, blob), "what is the same or raw has the same bytes");
    }
    const auto twice = written(
        [&](auto& read, auto& write) { return transcode(ByteSpan(once.bytes), read, write); });
    require(once.outcome == Transcoding::raw || twice.outcome == Transcoding::same,
            "what was encoded decodes and is encoded the same");
    require(once.bytes == twice.bytes, "encoding once more changes nothing");
    return once;
}

void signature(const Metadata& metadata, BlobKind kind, ByteSpan blob) {
    const Written out = settled(blob, [&](ByteSpan bytes, auto& read, auto& write) {
        return transcode_signature(bytes, kind, read, write);
    });
    SignatureArena arena;
    const auto decoded = decode_signature(blob, kind, BlobReadContext{}, arena);
    require(decoded.has_value() == (out.outcome != Transcoding::raw),
            "the model decodes what the transcoder does");
    if (decoded) {
        const Written encoded = written([&](auto&, auto& write) {
            return encode_signature(*decoded, write) ? Transcoding::same : Transcoding::no_memory;
        });
        require(encoded.bytes == out.bytes, "the model is encoded as the transcoder writes");
    }
    PrintOptions options;
    options.text_bytes = 1U << 16U;
    fuzz::sink = signature_text(metadata, blob, kind, options).size();
}

void attribute(const Metadata& metadata, ByteSpan blob) {
    const auto constructor = AttributeConstructor::of(metadata, {Table::MemberRef, 2});
    const auto own = EnumTable::build(metadata);
    EnumLookup enums;
    if (own) enums.own = &*own;
    const Written out = settled(blob, [&](ByteSpan bytes, auto& read, auto& write) {
        return transcode_custom_attribute(bytes, constructor, enums, read, write);
    });
    CustomAttribute model;
    require(read_custom_attribute(blob, constructor, enums, BlobReadContext{}, model).has_value(),
            "an attribute is read or says why not");
    require(model.decoded() == (out.outcome != Transcoding::raw),
            "the model decodes what the transcoder does");
    std::string text;
    print_arguments(metadata, model, text);
    fuzz::sink = text.size();
}

void permission_set(const Metadata& metadata, ByteSpan blob) {
    const EnumLookup enums;
    (void)settled(blob, [&](ByteSpan bytes, auto& read, auto& write) {
        return transcode_permission_set(bytes, metadata, enums, read, write);
    });
    PermissionSet model;
    std::string text;
    if (read_permission_set(blob, metadata, enums, BlobReadContext{}, model)) {
        print_permission_set(metadata, model, text);
    }
    fuzz::sink = text.size();
}

void rest(std::uint8_t kind, ByteSpan blob) {
    std::string text;
    if (kind == 0) {
        (void)settled(blob, [&](ByteSpan bytes, auto& read, auto& write) {
            return transcode_marshalling(bytes, read, write);
        });
        print_marshalling(read_marshalling(blob), text);
    } else if (kind == 1 && !blob.empty()) {
        const auto type = static_cast<ElementType>(blob[0]);
        print_constant(read_constant(type, blob.subspan(1)), text);
    } else {
        std::vector<TypeNameNode> nodes;
        fuzz::sink = static_cast<std::uint64_t>(
            parse_type_name({reinterpret_cast<const char*>(blob.data()), blob.size()}, nodes));
    }
    fuzz::sink = text.size();
}

/// An image whose second MemberRef is a constructor with that signature.
Bytes image_with_constructor(ByteSpan signature) {
    test::ImageSpec spec = test::minimal();
    auto& heaps = spec.metadata.heaps;
    spec.metadata.tables.add(test::table::MemberRef,
                             {1U << 3U | 1U, heaps.string(".ctor"),
                              heaps.blob(test::Bytes(signature.begin(), signature.end()))});
    return test::build(spec);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // Kind, length of the constructor's signature, that signature, the blob.
    if (size < 2 || size - 2 < data[1]) return 0;
    const Bytes image = image_with_constructor({data + 2, data[1]});
    const auto module = Module::from_bytes(image);
    require(module.has_value(), "the image opens");
    const ByteSpan blob{data + 2 + data[1], size - 2 - data[1]};
    const std::uint8_t kind = data[0] % 12;
    if (kind < signature_kinds) {
        constexpr auto first = static_cast<std::uint8_t>(BlobKind::field_signature);
        signature(module->metadata(), static_cast<BlobKind>(first + kind), blob);
    } else if (kind == signature_kinds) {
        attribute(module->metadata(), blob);
    } else if (kind == signature_kinds + 1) {
        permission_set(module->metadata(), blob);
    } else {
        rest(static_cast<std::uint8_t>(kind - signature_kinds - 2), blob);
    }
    return 0;
}
