#include "support/runtimes.h"

#include "support/environment.h"

namespace clrkit::test {

namespace fs = std::filesystem;

fs::path copy_dotnet(const fs::path& dotnet, const fs::path& folder) {
    const fs::path root = fs::canonical(dotnet).parent_path();
    fs::create_directories(folder / "shared");
    fs::copy_file(root / "dotnet", folder / "dotnet");
    fs::copy(root / "host", folder / "host", fs::copy_options::recursive);
    fs::copy(root / dotnet_framework, folder / dotnet_framework, fs::copy_options::recursive);
    return folder / "dotnet";
}

Outcome run_dotnet(const fs::path& host, const fs::path& program) {
    return run({"/usr/bin/env", "DOTNET_ROOT=" + host.parent_path().string(), host.string(), "exec",
                "--runtimeconfig", (testdata() / "bin/net.runtimeconfig.json").string(),
                program.string()});
}

Outcome run_on_libraries(const fs::path& folder, const std::vector<std::string>& command) {
    // Without -O=-aot mono may take the native code that it keeps for the original.
    std::vector<std::string> all{"/usr/bin/env", "MONO_PATH=" + folder.string(),
                                 "MONO_ENV_OPTIONS=-O=-aot"};
    all.insert(all.end(), command.begin(), command.end());
    return run(all);
}

}  // namespace clrkit::test
