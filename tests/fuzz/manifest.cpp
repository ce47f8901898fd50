/* manifest.cpp - the manifest of a result folder of two files, which holds "abc" and nothing. */
#include "tests/fuzz/harness.h"

#include <cstring>

extern "C" {
#include "sim/results/manifest.h"
}

namespace
{

/* SHA-256 of "abc" (FIPS 180-4, B.1), and of "" */
constexpr char ABC[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr char NOTHING[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

bool make_folder()
{
    (void)fuzz_file("config.yaml", "abc", 3);
    (void)fuzz_file("summary.json", "", 0);
    (void)fuzz_file("notes.txt", "mine", 4);
    return true;
}

} // namespace

/* A manifest is taken if it has both digests, and no result of which there is no file. */
void fuzz_one(const uint8_t *bytes, size_t size)
{
    static const bool MADE = make_folder();
    struct diagnostic diagnostic = {};
    (void)MADE;
    (void)fuzz_file(MANIFEST_FILE, bytes, size);
    if (!fuzz_is_good(manifest_check(fuzz_folder().c_str(), &diagnostic), diagnostic)) {
        return;
    }
    const std::string text(bytes, bytes + size);
    const std::string read = text.substr(0, text.find('\0'));
    for (const char *digest : {ABC, NOTHING}) {
        if (read.find(digest) == std::string::npos) {
            fuzz_fail("a folder is taken that the manifest does not list");
        }
    }
    if (size > MANIFEST_BYTES_MAX || read.find("notes.txt") != std::string::npos) {
        fuzz_fail("a manifest is taken that is too long, or lists a file of somebody's");
    }
}
