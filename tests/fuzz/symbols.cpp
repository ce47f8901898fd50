/* symbols.cpp - an ELF file with debug information: lines and functions of its addresses, and
 * callers on a stack that is made of the file's own bytes. */
#include "tests/fuzz/harness.h"

#include <cstring>

extern "C" {
#include "sim/symbols/symbols.h"
}

namespace
{

struct memory {
    const uint8_t *bytes;
    size_t size;
};

bool read(const void *context, uint32_t address, uint8_t *bytes, uint32_t count)
{
    const auto *from = static_cast<const memory *>(context);
    const size_t at = address & 0xfffffu;
    if (at + count > from->size) {
        return false;
    }
    memcpy(bytes, from->bytes + at, count);
    return true;
}

void ask(const struct symbols *symbols, uint32_t address)
{
    char text[SYMBOLS_TEXT_CHARS];
    const symbols_place place = symbols_find(symbols, address);
    const char *written = symbols_text(&place, address, text);
    fuzz_touch(written, strlen(written) + 1);
    fuzz_touch(place.file, strnlen(place.file, SYMBOLS_FILE_CHARS));
    if (place.line != 0 && memchr(place.file, 0, SYMBOLS_FILE_CHARS) == nullptr) {
        fuzz_fail("the name of a file has no end");
    }
}

void walk(const struct symbols *symbols, uint32_t pc, const memory &stack)
{
    enum : unsigned { FRAMES = 16 };
    symbols_frame frame[FRAMES];
    symbols_end end;
    uint32_t registers[16];
    for (unsigned i = 0; i < 16; i++) {
        registers[i] = pc + 8 * i;
    }
    registers[13] = 0x100;
    registers[15] = pc;
    const unsigned count = symbols_backtrace(symbols, registers, read, &stack, frame, FRAMES, &end);
    if (count == 0 || count > FRAMES || frame[0].pc != pc) {
        fuzz_fail("a walk without its first frame, or beyond its room");
    }
    for (unsigned i = 2; i < count; i++) {
        if (frame[i].sp <= frame[i - 1].sp) {
            fuzz_fail("a stack that does not shrink");
        }
    }
}

} // namespace

void fuzz_one(const uint8_t *bytes, size_t size)
{
    const std::string path = fuzz_file("program.elf", bytes, size);
    const memory stack = {bytes, size};
    struct elf_image image = {};
    struct diagnostic diagnostic = {};
    if (!fuzz_is_good(elf_image_read(&image, path.c_str(), &diagnostic), diagnostic)) {
        return;
    }
    struct symbols *symbols = symbols_open(&image);
    if (symbols == nullptr) {
        fuzz_fail("out of memory");
    }
    for (uint32_t address = 0x7ffc; address <= 0x8064; address += 4) {
        ask(symbols, address);
        walk(symbols, address, stack);
    }
    for (const uint32_t address : {0u, 4u, image.entry, UINT32_MAX, UINT32_MAX - 3}) {
        ask(symbols, address);
        walk(symbols, address, stack);
    }
    symbols_close(symbols);
    elf_image_deinit(&image);
}
