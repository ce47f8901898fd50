/* semihosting.cpp - calls of a guest for its console: operations with arguments and argument blocks
 * anywhere, on a core with little RAM. */
#include "tests/fuzz/harness.h"

#include <cstdlib>
#include <cstring>

extern "C" {
#include "sim/flat/semihosting.h"
}

namespace
{

enum : uint32_t { RAM_BYTES = 16384, CALLS = 64, BLOCK_WORDS = 4, FENCE_BYTES = 64 };

/* A core whose RAM lies between two fences. */
struct core {
    core()
    {
        struct arm968_config config = {};
        const struct arm968_memory memory = {0, RAM_BYTES, room + FENCE_BYTES};
        config.timing = arm968_timing_default();
        config.code = config.data = memory;
        config.id = 0x41059681;
        config.reset_control = 0x1074;
        config.semihosting = true;
        cpu = arm968_create(&config);
        if (cpu == nullptr) {
            fuzz_fail("out of memory");
        }
        memset(room, FENCE, sizeof room);
    }
    ~core()
    {
        arm968_destroy(cpu);
    }
    core(const core &) = delete;
    core &operator=(const core &) = delete;

    uint8_t *ram()
    {
        return room + FENCE_BYTES;
    }
    void expect_fences() const
    {
        for (size_t i = 0; i < FENCE_BYTES; i++) {
            if (room[i] != FENCE || room[FENCE_BYTES + RAM_BYTES + i] != FENCE) {
                fuzz_fail("written beside the guest's RAM");
            }
        }
    }

    static constexpr uint8_t FENCE = 0xa5;
    uint8_t room[RAM_BYTES + 2 * FENCE_BYTES];
    struct arm968 *cpu;
};

FILE *input()
{
    static const char TEXT[] = "a line\n\0\n\xff another line, longer than the first\nlast";
    return fmemopen(const_cast<char *>(TEXT), sizeof TEXT, "r");
}

/* An address: in RAM, near its end, or anywhere. */
uint32_t address(fuzz_reader *reader)
{
    const uint32_t value = reader->word();
    switch (value >> 30) {
    case 0:
        return value;
    case 1:
        return RAM_BYTES - value % 32;
    default:
        return value % RAM_BYTES;
    }
}

} // namespace

void fuzz_one(const uint8_t *bytes, size_t size)
{
    static const char *const NAMES[] = {":tt", ":semihosting-features", "/etc/passwd", "../x"};
    static core core;
    fuzz_reader reader(bytes, size);
    struct semihosting semihosting = {};
    memset(core.ram(), 0, RAM_BYTES);
    for (size_t i = 0; i < 4; i++) {
        memcpy(core.ram() + size_t{64} * i, NAMES[i], strlen(NAMES[i]) + 1);
    }
    semihosting.cpu = core.cpu;
    semihosting.ram = core.ram();
    semihosting.ram_bytes = RAM_BYTES;
    semihosting.heap_base = RAM_BYTES / 2;
    semihosting.command_line = "program one two";
    semihosting.input = input();
    semihosting.output = semihosting.error = fuzz_nowhere();
    for (unsigned call = 0; call < CALLS && reader.left() > 0 && !semihosting.exited; call++) {
        const uint32_t operation = reader.byte();
        const uint32_t block = address(&reader);
        for (uint32_t i = 0; i < BLOCK_WORDS && block < RAM_BYTES - 4 * BLOCK_WORDS; i++) {
            const uint32_t word = i % 2 == 0 ? reader.byte() : address(&reader);
            memcpy(core.ram() + block + size_t{4} * i, &word, sizeof word);
        }
        arm968_set_register(core.cpu, 0, operation % 64);
        arm968_set_register(core.cpu, 1, block);
        semihosting_call(&semihosting);
    }
    (void)fclose(semihosting.input);
    core.expect_fences();
}
