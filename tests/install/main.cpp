#include <cstdio>
#include <string>

#include <clrkit/core/version.h>

int main() { std::printf("clrkit %s\n", std::string(clrkit::version()).c_str()); }
