// Metadata written anew from its parsed form, at the places it was read from.
#pragma once

#include <clrkit/core/bytes/span.h>
#include <clrkit/core/error.h>
#include <clrkit/dotnet/metadata/metadata.h>

namespace clrkit {

/// Writes root and stream headers into `out`, which begins where the file begins.
void emit_metadata_root(const MetadataRoot& root, MutableByteSpan out);

/// Writes header, row counts and every row of the table stream, column by column, at
/// `stream_offset` of `out`; what follows the last row is copied.
void emit_tables(const Tables& tables, std::uint64_t stream_offset, MutableByteSpan out);

}  // namespace clrkit
