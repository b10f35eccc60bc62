#include "strong_name/samples.h"

#include <charconv>
#include <fstream>
#include <iterator>

#include "support/catch.h"

namespace clrkit::test {

Bytes from_hex(std::string_view digits) {
    Bytes bytes;
    for (std::size_t i = 0; i + 2 <= digits.size(); i += 2) {
        const char* const first = digits.data() + i;
        std::uint8_t value = 0;
        const auto read = std::from_chars(first, first + 2, value, 16);
        REQUIRE(read.ptr == first + 2);
        bytes.push_back(value);
    }
    return bytes;
}

Bytes read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    INFO(path);
    REQUIRE(file);
    return {std::istreambuf_iterator<char>(file), {}};
}

Bytes known_modulus() {
    return from_hex(
        "4d9be4768b93bc738898725bb976e42f74ec870940899fb7864e4019d94747c8278bee13c77fb820"
        "e18427f6aa76c17b2426be5fcbedc43ea8e6eba84b3d6bf11dc45e3d73c3616b3bdf03e696d306cd"
        "ddccdbb4c2c03b24b106e27039b41a2c8a603083ee717e4957d37df1930ab368413d135d3a046c49"
        "fed5b963217f21b5");
}

Bytes known_signature(HashAlgorithm algorithm) {
    switch (algorithm) {
        case HashAlgorithm::md5:
            return from_hex(
                "0b585898bb0c86f9916dc9d1722ea5f42351ef5ddc74d6b4fc14dfee24d49b7b88459bb0ac2a3af5"
                "a06d301bfcc6f89abbed8fc09c8055de7c00582d185ffbc2f9c75481ff398ff49ebc0b305155fc8e"
                "a4eb2dcd509853dac58f4530dedc990d6873bcf304e20c5701b1312e3bd5ef5e61e9476eb9307419"
                "4b9d31f95355a287");
        case HashAlgorithm::sha1:
            return from_hex(
                "934e390d786631b19a0e6265f884fd907f8f7587fed360d7dc2f30783b4a68df620a396f48c960e9"
                "1fb67b583c253050ce45580a9f6d91e2f7796cf4c517cae93bf666f29f6854cce0408e0f2dadf259"
                "51f118902515a736ab7d7ff4b59f8dfad2f23d8fd1d2167efda878fc036091f3466808c1ce243e4a"
                "848a86d21273fe0b");
        case HashAlgorithm::sha256:
            return from_hex(
                "0f1fef840778ffbce9188861b10cb1d36918aca96a837a3d643bea15dcb5462ceba07051b9bbfbd2"
                "7f0935f8f74174287c4ff1af8718e37711253a737885829553eb2df5b87ee00ec85c54d57870f5be"
                "477a55029909aa145b5f81c6fbb0f8046a226218484b4d7d7853a9779009a583e018042d10668987"
                "2cfc215214dc0e4e");
        case HashAlgorithm::sha384:
            return from_hex(
                "07870ec206afa271750baaa2a10642d33f80dace5cb7e393b2e3c711520ee2767847b3b7ae9490c0"
                "ffc964ff95c17f380eaf6a77745e01df6aabcc3306e4dfb6741516c4084e8a9523c4c9734081ba79"
                "c7bddd8732665b3b7213576e3f320b0b523e8578992e891718b2ad09c9a19152aa12bbee0b151dd8"
                "96d0c9645346f440");
        case HashAlgorithm::sha512:
            return from_hex(
                "f9222b8978249497b5b0fa809bdf6efd62cbb7d5fbd4fab7d492effebab52336226a8b8914da12cc"
                "5281ce7927cebadf31abd014290fae33e8bbf79db73516c9fd7fa7308a7c1bcaa18c8f8e86ab733b"
                "0f850576d31815060fb98c1ff0243d9297c08a4f9705df02a0e2a0e3572c02b5c3a729956c5e05d2"
                "edbc96cbdd3c080a");
    }
    return {};
}

}  // namespace clrkit::test
