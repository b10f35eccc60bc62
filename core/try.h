// TRY: the one control-flow macro. Included by sources only, never by a public header.
#pragma once

#define CLRKIT_TRY_JOIN2(a, b) a##b
#define CLRKIT_TRY_JOIN(a, b) CLRKIT_TRY_JOIN2(a, b)

/// `TRY(auto x, f())`: x is f's value, or the caller returns f's error.
#define TRY(declaration, expression) \
    TRY_VIA(CLRKIT_TRY_JOIN(try_result_, __LINE__), declaration, expression)
#define TRY_VIA(result, declaration, expression)         \
    auto result = (expression);                          \
    if (!result) return std::unexpected(result.error()); \
    declaration = *std::move(result)

/// `TRY_DO(f())`: the caller returns f's error, if any.
#define TRY_DO(expression)                                           \
    do {                                                             \
        auto try_status = (expression);                              \
        if (!try_status) return std::unexpected(try_status.error()); \
    } while (false)
