// Names as IL assembler source has them (ECMA-335 II.5.2 to II.5.4): quoted where they are not plain
// identifiers, or are words of the assembler's own.
#pragma once

#include <clrkit/core/api.h>

#include <string>
#include <string_view>

namespace clrkit {

/// True for a word that the assembler reads as something else than a name: its keywords and the
/// first parts of its instructions.
CLRKIT_API bool is_il_keyword(std::string_view word);

/// Appends a name: as it stands when it is identifiers with dots between them, otherwise in single
/// quotes with quotes, backslashes, control characters and bytes that are no UTF-8 escaped. So what is
/// appended is always UTF-8 on one line, whatever the name.
CLRKIT_API void append_il_name(std::string& to, std::string_view name);

/// The same where one identifier has to stand: dots make it quoted as well.
CLRKIT_API void append_il_identifier(std::string& to, std::string_view name);

/// The same for the name of a method: `.ctor` and `.cctor` are keywords that stand for themselves.
CLRKIT_API void append_il_method_name(std::string& to, std::string_view name);

}  // namespace clrkit
