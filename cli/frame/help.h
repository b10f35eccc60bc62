// Help, from the same tables as everything else.
#pragma once

#include "frame/sink.h"
#include "frame/verb.h"

namespace clrkit::cli {

/// What `clrkit --help` prints.
void print_overview(Sink& out);
/// What `clrkit VERB --help` prints.
void print_help(const Verb& verb, Sink& out);

/// "-o, --output FILE".
std::string signature_of(const Option& option);

}  // namespace clrkit::cli
