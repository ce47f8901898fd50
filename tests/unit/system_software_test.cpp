/* system_software_test.cpp - what programs that are linked with SARK find in a chip's memory. */
#include "tests/unit/machine_fixture.h"

#include <cstring>

#include <gtest/gtest.h>

extern "C" {
#include "sim/load/machine_load.h"
#include "sim/load/sark_layout.h"
#include "sim/load/sark_program.h"
#include "sim/load/system_software.h"
}

namespace
{

constexpr uint32_t VARIABLES = SARK_SV_BASE;

class SystemSoftware : public testing::Test
{
  protected:
    SystemSoftware()
    {
        machine_config config = bench_config();
        config.topology.shape = TOPOLOGY_SPIN3;
        config.topology.down_core = &DOWN;
        config.topology.down_cores = 1;
        EXPECT_EQ(machine_create(&config, &machine_, nullptr), STATUS_OK);
        EXPECT_EQ(machine_boot_direct(machine_, &config.parameters, 0, nullptr), STATUS_OK);
        const system_software software = {config.parameters.sdram_bytes, TOPOLOGY_SPIN3, 0x030402};
        EXPECT_EQ(system_software_write(machine_, &software, nullptr), STATUS_OK);
    }
    ~SystemSoftware() override
    {
        machine_destroy(machine_);
    }

    uint32_t word(uint32_t address, uint32_t bytes = 4, machine_core core = {1, 1, 0}) const
    {
        uint32_t value = 0;
        EXPECT_EQ(machine_read(machine_, core, address, &value, bytes), STATUS_OK);
        return value;
    }

    /* Walks a heap by its list of all blocks, and checks the list of free ones; returns the bytes
     * of free blocks. */
    uint32_t walk(uint32_t heap) const
    {
        const uint32_t last = word(heap + HEAP_LAST);
        uint32_t free = word(heap + HEAP_FREE);
        uint32_t room = 0;
        unsigned blocks = 0;
        for (uint32_t at = word(heap + HEAP_FIRST); at != last && blocks < 10; blocks++) {
            const uint32_t next = word(at);
            if (at == free) {
                room += next - at - HEAP_BLOCK_BYTES;
                free = word(at + 4);
            }
            at = next;
        }
        EXPECT_LE(blocks, 2u);
        EXPECT_EQ(free, 0u) << "all free blocks are blocks";
        EXPECT_EQ(word(last), 0u);
        EXPECT_EQ(word(heap + 12), room) << "free_bytes";
        return room;
    }

    static constexpr topology_fault DOWN = {1, 1, 2};
    machine *machine_ = nullptr;
};

TEST_F(SystemSoftware, VariablesAreThoseOfScamp)
{
    EXPECT_EQ(word(VARIABLES + SV_HW_VER, 1), 3u);
    EXPECT_EQ(word(VARIABLES + SV_LED0), 0x502u);
    EXPECT_EQ(word(VARIABLES + SV_SW_VER), 0x030402u);
    EXPECT_EQ(word(VARIABLES + SV_NUM_BUF, 1), 7u);
    EXPECT_EQ(word(VARIABLES + SV_IOBUF_SIZE), 16384u);
    EXPECT_EQ(word(VARIABLES + SV_SDRAM_BUFS), 0x60000000u);
    EXPECT_EQ(word(VARIABLES + SV_SYSBUF_SIZE), 32768u);
    EXPECT_EQ(word(VARIABLES + SV_SDRAM_BASE), 0x60240000u);
    EXPECT_EQ(word(VARIABLES + SV_SDRAM_HEAP), 0x60640000u);
    EXPECT_EQ(word(VARIABLES + SV_SDRAM_SYS), 0x67800000u);
    EXPECT_EQ(word(VARIABLES + SV_SYS_HEAP), 0x67840000u);
    EXPECT_EQ(word(VARIABLES + SV_RTR_FREE, 2), 1u);
    EXPECT_EQ(word(VARIABLES + SV_P2P_DIMS, 2), 0x0202u);
    uint32_t flags = 0;
    EXPECT_EQ(machine_read_word(machine_, {1, 1}, 0xf2000058, &flags), STATUS_OK);
    EXPECT_EQ(flags, 0x3ffffu) << "nobody has been released";
}

TEST_F(SystemSoftware, HeapsAreAsSarkHasThem)
{
    EXPECT_EQ(walk(word(VARIABLES + SV_SYSRAM_HEAP)),
              0x6f00u - 16 - 8 - 8 - 2048 - 8); /* 7 messages of 292 bytes, rounded up */
    EXPECT_EQ(walk(word(VARIABLES + SV_SDRAM_HEAP)), 0x67800000u - 0x60640000u - 16 - 8 - 8);
    EXPECT_EQ(walk(word(VARIABLES + SV_SYS_HEAP)),
              0x7c0000u - 16 - 8 - 8 - 8 - (4 * 65536 + 1025 * 16 + 4 * 65536 + 256 * 8 + 256 * 4));
}

TEST_F(SystemSoftware, TablesAreThoseOfAChipOnWhichNothingHasRun)
{
    const uint32_t hops = word(VARIABLES + SV_HOP_TABLE);
    EXPECT_EQ(word(hops), 0x8000ffffu);
    EXPECT_EQ(word(hops + 4 * 65535), 0x8000ffffu);
    const uint32_t router = word(VARIABLES + SV_RTR_COPY);
    EXPECT_EQ(router, hops + 4 * 65536);
    EXPECT_EQ(word(router), 0u);
    EXPECT_EQ(word(router + 16), 1024u) << "one free block, up to entry 1024";
    for (const uint32_t entry : {0u, 1u, 1023u}) {
        EXPECT_EQ(word(router + 16 * entry + 4), 0xff000000u);
        EXPECT_EQ(word(router + 16 * entry + 8), 0xffffffffu);
        EXPECT_EQ(word(router + 16 * entry + 12), 0u);
    }
    EXPECT_EQ(word(router + 16 * 1024 + 4), 0xff000000u);
    EXPECT_EQ(word(VARIABLES + SV_ALLOC_TAG), router + 16 * 1025);
    EXPECT_EQ(word(VARIABLES + SV_APP_DATA), router + 16 * 1025 + 4 * 65536);
}

TEST_F(SystemSoftware, SevenMessagesAreFree)
{
    unsigned count = 0;
    EXPECT_EQ(word(VARIABLES + SV_SHM_BUF), word(VARIABLES + SV_SHM_ROOT));
    for (uint32_t at = word(VARIABLES + SV_SHM_ROOT); at != 0 && count < 10; at = word(at)) {
        EXPECT_GE(at, SARK_SYSRAM_HEAP);
        count++;
    }
    EXPECT_EQ(count, 7u);
    EXPECT_EQ(word(VARIABLES + SV_SHM_ROOT + 4), 0u) << "in use now, and at most";
}

/* Chip (1,1) has no core 2: virtual core 2 is core 3. */
TEST_F(SystemSoftware, ApplicationsAreEntered)
{
    const uint32_t entry = word(VARIABLES + SV_APP_DATA) + 30 * 8;
    EXPECT_EQ(word(entry + 4), 0u);
    system_software_enter(machine_, {1, 1, 3}, 30, true);
    system_software_enter(machine_, {1, 1, 17}, 30, true);
    system_software_enter(machine_, {1, 1, 4}, 31, false);
    EXPECT_EQ(word(entry, 1), 2u);
    EXPECT_EQ(word(entry + 3, 1), 2u) << "the lead core";
    EXPECT_EQ(word(entry + 4), 1u << 2 | 1u << 16);
    EXPECT_EQ(word(entry + 8, 1), 1u);
    EXPECT_EQ(word(entry + 8 + 4), 1u << 3);
    const uint32_t version = SARK_VCPU_BASE + VCPU_SW_VER;
    EXPECT_EQ(word(version + 2 * SARK_VCPU_BYTES), 0x030402u);
    EXPECT_EQ(word(version + 3 * SARK_VCPU_BYTES), 0u) << "a program without SARK";
}

/* Pins 0 and 5 of a SpiNN-3: outputs, and high. */
TEST_F(SystemSoftware, LedsAreOff)
{
    uint32_t pins = 0;
    EXPECT_EQ(machine_read_word(machine_, {1, 1}, 0xf2000040, &pins), STATUS_OK);
    EXPECT_EQ(pins, 0x21u);
    EXPECT_EQ(machine_read_word(machine_, {1, 1}, 0xf2000044, &pins), STATUS_OK);
    EXPECT_EQ(pins, ~0x21u);
}

TEST_F(SystemSoftware, CoresWithoutAProgramAreIdle)
{
    const uint32_t state = SARK_VCPU_BASE + VCPU_CPU_STATE;
    EXPECT_EQ(word(state, 1), static_cast<uint32_t>(CPU_STATE_RUN)) << "the monitor";
    EXPECT_EQ(word(state + SARK_VCPU_BYTES, 1), static_cast<uint32_t>(CPU_STATE_IDLE));
    EXPECT_EQ(word(state + 16 * SARK_VCPU_BYTES, 1), static_cast<uint32_t>(CPU_STATE_IDLE));
    EXPECT_EQ(word(state + 17 * SARK_VCPU_BYTES, 1), 0u) << "a chip with 17 cores";
}

/* ---- programs ---- */

/* Asks of a program whose code begins with these bytes. */
template <typename T> T ask(T (*question)(const elf_image *), const std::vector<uint8_t> &code)
{
    elf_segment segment = {};
    elf_image image = {};
    segment.bytes = code.data();
    segment.file_bytes = segment.memory_bytes = static_cast<uint32_t>(code.size());
    image.segment = &segment;
    image.segment_count = 1;
    return question(&image);
}

std::vector<uint8_t> head(uint32_t heap, uint32_t stack, uint32_t fill)
{
    std::vector<uint8_t> bytes(0x58);
    memcpy(&bytes[0x4c], &heap, 4);
    memcpy(&bytes[0x50], &stack, 4);
    memcpy(&bytes[0x54], &fill, 4);
    return bytes;
}

TEST(SystemSoftwareOf, ProgramsThatAreLinkedWithSark)
{
    EXPECT_TRUE(ask(sark_program_is, head(0x00400140, 0x00410000, 0xdeaddead)));
    EXPECT_FALSE(ask(sark_program_is, head(0x00400140, 0x00410000, 0xdeadbeef)));
    EXPECT_FALSE(ask(sark_program_is, head(0x00000140, 0x00410000, 0xdeaddead)));
    EXPECT_FALSE(ask(sark_program_is, head(0x00410000, 0x00410000, 0xdeaddead)));
    std::vector<uint8_t> cut = head(0x00400140, 0x00410000, 0xdeaddead);
    cut.pop_back();
    EXPECT_FALSE(ask(sark_program_is, cut));
}

TEST(SystemSoftwareOf, ProgramsOfTheRuntimeThatAskForSystemSoftware)
{
    char name[] = "sark_has_system";
    elf_symbol symbol = {};
    symbol.name = name;
    elf_image image = {};
    EXPECT_FALSE(sark_program_uses_system(&image));
    image.symbol = &symbol;
    image.symbol_count = 1;
    EXPECT_TRUE(sark_program_uses_system(&image));
    name[0] = 'S';
    EXPECT_FALSE(sark_program_uses_system(&image));
}

uint32_t version_of(const std::string &text)
{
    const std::string padded = std::string("code") + text + std::string(16, '\0');
    return ask(sark_program_version, {padded.begin(), padded.end()});
}

TEST(SystemSoftwareOf, VersionsStandBehindSarksName)
{
    const std::string name("SARK/SpiNNaker\0", 15);
    EXPECT_EQ(version_of(name + "3.2.5"), 0x030205u);
    EXPECT_EQ(version_of(name + "4.10.255"), 0x040affu);
    EXPECT_EQ(version_of(name + "4.256.0"), 0x040000u);
    EXPECT_EQ(version_of(name + "version"), 0x040000u);
    EXPECT_EQ(version_of("3.2.5"), 0x040000u);
}

} // namespace
