// What a library symbol needs to be seen from outside: everything else is hidden by default.
#pragma once

#if defined(__GNUC__)
#define CLRKIT_API __attribute__((visibility("default")))
#else
#define CLRKIT_API
#endif
