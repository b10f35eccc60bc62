// Rows and heap entries as `dump` shows them, all by walking the schema.
#pragma once

#include "frame/batch.h"

#include <clrkit/dotnet/metadata/metadata.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace clrkit::cli {

class BlobTexts;

enum class Heap : std::uint8_t { strings, user_strings, blobs, guids };

/// What `--table` names: a table by name, whatever the case, or by number.
Usage<Table> parse_table(std::string_view text);
/// "strings", "us", "blob" or "guid", also with "#".
Usage<Heap> parse_heap(std::string_view text);
/// "0x06000001", the 0x is optional.
Usage<Token> parse_token(std::string_view text);

/// `texts` says what blobs mean; null to show what is stored only.
void dump_table(Job& job, const Module& module, Table table, BlobTexts* texts);
void dump_heap(Job& job, const Module& module, Heap heap);
/// One row, or one literal of #US. False when there is none.
bool dump_token(Job& job, const Module& module, Token token, BlobTexts* texts);

/// The name of a row by its name columns: "System.Object", "Main"; empty when it has none.
std::string name_of_row(const Metadata& metadata, Token row);

}  // namespace clrkit::cli
