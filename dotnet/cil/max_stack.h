// How deep the evaluation stack of a body gets (ECMA-335 III.1.7.4), from the code that can be reached.
#pragma once

#include <clrkit/core/api.h>
#include <clrkit/core/error.h>
#include <clrkit/dotnet/cil/body.h>
#include <clrkit/dotnet/cil/try_ranges.h>
#include <clrkit/dotnet/metadata/metadata.h>

#include <cstdint>
#include <vector>

namespace clrkit::cil {

/// Follows one body after the other; its buffers grow to the largest and stay.
class StackDepth {
public:
    /// The most values that are on the stack at once, from the signatures of what the body calls. A
    /// handler counts when any of its try block can be reached. Linear time. Errors: `body_opaque`;
    /// `stack_unbalanced` where an instruction is reached at two depths, takes more than there is, or
    /// control runs off the end; `no_such_row` and `signature_malformed` with the token of what is called;
    /// `label_outside`; `value_too_wide` above 65535.
    CLRKIT_API Result<std::uint16_t> compute(const Body& body, const Metadata& metadata);

private:
    Status seed(Label at, std::int32_t depth);
    Status follow(const Body& body, const Metadata& metadata);
    Result<Label> follow_from(const Body& body, const Metadata& metadata, Label at);
    Status branch(const Body& body, Instruction instruction, std::int32_t depth);
    Status seed_handler(const ExceptionClause& clause);

    std::vector<std::int32_t> depths_;  // before each instruction; below zero: not reached
    std::vector<Label> pending_;
    TryRanges tries_;
    std::int32_t deepest_ = 0;
};

/// The same, once.
CLRKIT_API Result<std::uint16_t> compute_max_stack(const Body& body, const Metadata& metadata);

/// Raises a body's max_stack to what it needs, and never lowers it. Errors: those of StackDepth.
CLRKIT_API Status raise_max_stack(Body& body, const Metadata& metadata, StackDepth& depth);

}  // namespace clrkit::cil
