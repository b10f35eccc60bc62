// The assemblies that the cases run on: from a few kilobytes of the tree's own test data to the core
// libraries of whatever runtimes the machine has.
#pragma once

#include <clrkit/core/bytes/span.h>

#include <cstdint>
#include <string>
#include <vector>

namespace clrkit::bench {

struct Input {
    std::string name;  // with the size, so that a line of output says what it measured
    std::string path;
    std::vector<std::uint8_t> bytes;
};

/// Read once and copied to the folder of `output_path`. What is absent is named on the standard
/// error and left out.
const std::vector<Input>& inputs();

/// What toolkits of this kind are usually measured on: "Hello, world", a tiny application, 10,000
/// methods, core libraries, a facade, a large framework assembly.
const std::vector<Input>& known_inputs();

/// Says on the standard error that a case does not run on an input.
void skip(const std::string& what, const std::string& why);

/// A file name for output, in a folder of its own that is removed at exit: below TMPDIR.
std::string output_path();

}  // namespace clrkit::bench
