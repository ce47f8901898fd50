/* handover_test.cpp - the state in which a boot image finds a machine, and boot images of our own.
 */
#include "tests/unit/machine_fixture.h"

#include <cstring>
#include <memory>

#include <gtest/gtest.h>

#include "sim/load/boot_blocks.h"
#include "sim/load/handover.h"

namespace
{

constexpr uint32_t SERIAL_ROM = 0xf5007fe0;
constexpr uint32_t ROM_CPUS = 0xf5007fbc; /* the word of the byte fbd */
constexpr uint32_t IMAGE = 0x00408000;
constexpr size_t VARIABLES = 384;

using bytes = std::vector<uint8_t>;

constexpr handover_board BOARD = {
    {0, 0}, {2, 3, 4, 5, 6, 7}, {10, 11, 12, 13}, {10, 11, 12, 1}, {255, 255, 254, 0}};

/* An image: words from 0 on, and system variables as a client sets them. */
bytes image_of(const std::vector<uint32_t> &words, size_t count = 5000)
{
    bytes image(count);
    for (size_t i = 0; i < count; i++) {
        image[i] = static_cast<uint8_t>(i * 13 + 1);
    }
    memcpy(image.data(), words.data(), 4 * words.size());
    image[VARIABLES + 0x0a] = 3;  /* hw_ver */
    image[VARIABLES + 0x40] = 1;  /* root_chip */
    image[VARIABLES + 0x42] = 20; /* boot_delay */
    return image;
}

class Handover : public testing::Test
{
  protected:
    void make(topology_shape shape, const std::vector<topology_fault> &down_cores = {})
    {
        machine_config config = bench_config();
        config.topology.shape = shape;
        config.topology.width = config.topology.height = shape == TOPOLOGY_BOARDS ? 12 : 1;
        config.topology.down_core = down_cores.data();
        config.topology.down_cores = down_cores.size();
        config.ethernet = true;
        config.observer.context = this;
        config.observer.frame = [](void *context, machine_chip, const uint8_t *data, uint32_t count,
                                   uint64_t) {
            static_cast<Handover *>(context)->frames_.emplace_back(data, data + count);
        };
        diagnostic why = {};
        ASSERT_EQ(machine_create(&config, &machine_, &why), STATUS_OK) << why.text;
    }

    ~Handover() override
    {
        machine_destroy(machine_);
    }

    status hand_over(const bytes &image, uint8_t version = 3,
                     const std::vector<handover_board> &boards = {BOARD}, size_t root = 0)
    {
        const handover_setup setup = {boards.data(), boards.size(), root, version,
                                      HANDOVER_SDP_PORT};
        why_ = {};
        return handover_start(machine_, &setup, image.data(), static_cast<uint32_t>(image.size()),
                              &why_);
    }

    uint32_t word(machine_chip chip, uint32_t address)
    {
        uint32_t value = 0xdeadbeef;
        EXPECT_EQ(machine_read_word(machine_, chip, address, &value), STATUS_OK) << address;
        return value;
    }

    bytes memory(machine_core core, uint32_t address, uint32_t count)
    {
        bytes read(count);
        EXPECT_EQ(machine_read(machine_, core, address, read.data(), count), STATUS_OK);
        return read;
    }

    machine *machine_ = nullptr;
    diagnostic why_ = {};
    std::vector<bytes> frames_;
};

const std::vector<uint32_t> SLEEPS = {wait_for_interrupt(), b(4, 0)};

TEST_F(Handover, TheRootHasTheImageAsItCame)
{
    make(TOPOLOGY_SPIN3);
    const bytes image = image_of(SLEEPS);
    ASSERT_EQ(hand_over(image), STATUS_OK) << why_.text;
    EXPECT_EQ(memory({0, 0, 0}, IMAGE, 5000), image);
    EXPECT_EQ(memory({0, 0, 0}, 0, 5000), image);
    EXPECT_EQ(word({0, 0}, ROM_CPUS), 0u);
}

TEST_F(Handover, OtherChipsAreNoRootsAndDoNotFlood)
{
    make(TOPOLOGY_SPIN3);
    bytes image = image_of(SLEEPS);
    image[VARIABLES + 0x0a] = 0;
    ASSERT_EQ(hand_over(image), STATUS_OK) << why_.text;
    image[VARIABLES + 0x0a] = 3;
    image[VARIABLES + 0x40] = 0;
    image[VARIABLES + 0x42] = 0;
    for (const machine_core core : {machine_core{0, 1, 0}, {1, 0, 0}, {1, 1, 0}}) {
        EXPECT_EQ(memory(core, IMAGE, 5000), image);
        EXPECT_EQ(memory(core, 0, 5000), image);
        EXPECT_EQ(word({core.x, core.y}, ROM_CPUS), 18u << 8);
    }
}

TEST_F(Handover, RegistersAreAsTheRomLeavesThem)
{
    make(TOPOLOGY_SPIN3, {{1, 0, 0}, {1, 0, 1}, {1, 1, 17}});
    ASSERT_EQ(hand_over(image_of(SLEEPS)), STATUS_OK) << why_.text;
    const struct {
        machine_chip chip;
        uint32_t cores, monitor;
    } chips[] = {{{0, 0}, 0x3ffff, 0}, {{1, 0}, 0x3fffc, 2}, {{1, 1}, 0x1ffff, 0}};
    for (const auto &at : chips) {
        EXPECT_EQ(word(at.chip, 0xf2000010), at.cores);
        EXPECT_EQ(word(at.chip, 0xf2000034), at.monitor); /* arbitration is over */
        EXPECT_EQ(word(at.chip, 0xf2000038) & 0xfffe, 0xeu);
        EXPECT_EQ(word(at.chip, 0xf2000038) & 1, 0u); /* the boot area is the ROM */
        EXPECT_EQ(word(at.chip, 0xf1000000), 0x2f2f0001u | at.monitor << 8);
        for (const uint32_t offset : {0u, 0x20u, 0x7ffcu}) { /* all destinations are dropped */
            EXPECT_EQ(word(at.chip, 0xf1010000 + offset), 0xdb6db6u);
        }
        for (uint8_t p = 0; p < 18; p++) {
            const machine_core core = {at.chip.x, at.chip.y, p};
            EXPECT_EQ(machine_core_started(machine_, core), p == at.monitor);
        }
    }
}

TEST_F(Handover, TheSerialRomsBlockIsOnTheEthernetChipAlone)
{
    make(TOPOLOGY_SPIN3);
    ASSERT_EQ(hand_over(image_of(SLEEPS), 5), STATUS_OK) << why_.text;
    const bytes expected = {0x59, 0x80, 2,  3,  4, 5,   6,   7,   10, 11,   12,
                            13,   10,   11, 12, 1, 255, 255, 254, 0,  0xe5, 0x45};
    EXPECT_EQ(memory({0, 0, 0}, SERIAL_ROM, 22), expected);
    EXPECT_EQ(memory({0, 0, 0}, SERIAL_ROM + 22, 10), bytes(10));
    EXPECT_EQ(word({0, 0}, 0xf400c01c) & 1, 1u); /* the PHY is out of reset */
    EXPECT_EQ(memory({0, 1, 0}, SERIAL_ROM, 32), bytes(32));
}

TEST_F(Handover, CoresStartInSvcModeWithInterruptsMaskedAndLowVectors)
{
    make(TOPOLOGY_RECTANGLE);
    const std::vector<uint32_t> words = {mrs_cpsr(r1), read_control(r2), wait_for_interrupt(),
                                         b(12, 8)};
    ASSERT_EQ(hand_over(image_of(words)), STATUS_OK) << why_.text;
    (void)machine_run_until(machine_, 10 * US);
    EXPECT_EQ(machine_core_register(machine_, {0, 0, 0}, 1) & 0xff, 0xd3u);
    EXPECT_EQ(machine_core_register(machine_, {0, 0, 0}, 2) & 0x3000, 0x1000u);
}

TEST_F(Handover, EachBoardHasItsAddressAndOneIsTheRoot)
{
    make(TOPOLOGY_BOARDS);
    std::vector<handover_board> boards = {BOARD, BOARD, BOARD};
    boards[1].chip = {4, 8};
    boards[2].chip = {8, 4};
    boards[1].ip[3] = 14;
    boards[2].ip[3] = 15;
    ASSERT_EQ(hand_over(image_of(SLEEPS), 5, boards, 1), STATUS_OK) << why_.text;
    for (const handover_board &board : boards) {
        const machine_core core = {board.chip.x, board.chip.y, 0};
        const bool root = &board == &boards[1];
        EXPECT_EQ(memory(core, SERIAL_ROM + 11, 1)[0], board.ip[3]);
        EXPECT_EQ(memory(core, IMAGE + VARIABLES + 0x40, 1)[0], root ? 1 : 0);
        EXPECT_EQ(memory(core, IMAGE + VARIABLES + 0x42, 1)[0], 20); /* sets up its Ethernet */
    }
    EXPECT_EQ(memory({1, 1, 0}, IMAGE + VARIABLES + 0x42, 1)[0], 0);
}

TEST_F(Handover, ImagesOfWrongSizesAreRefused)
{
    make(TOPOLOGY_RECTANGLE);
    EXPECT_EQ(hand_over(bytes(511)), STATUS_CONFIGURATION);
    EXPECT_STREQ(why_.text, "a boot image has 512 to 32768 bytes, this one 511");
    EXPECT_EQ(hand_over(bytes(32769)), STATUS_CONFIGURATION);
    EXPECT_FALSE(machine_core_started(machine_, {0, 0, 0}));
    EXPECT_EQ(hand_over(image_of(SLEEPS, 32768)), STATUS_OK) << why_.text;
}

TEST_F(Handover, VersionsAreThoseOfTheBoards)
{
    EXPECT_EQ(handover_hardware_version(TOPOLOGY_SPIN3), 3);
    EXPECT_EQ(handover_hardware_version(TOPOLOGY_SPIN5), 5);
    EXPECT_EQ(handover_hardware_version(TOPOLOGY_BOARDS), 5);
}

/* Datagram i of four that boot an image of two blocks: begin, two blocks, start. */
bytes boot_datagram(unsigned i, const bytes &image)
{
    const bool is_block = i == 1 || i == 2;
    const uint8_t opcode[] = {1, 3, 3, 5};
    bytes datagram(18 + (is_block ? 1024 : 0));
    datagram[1] = 1;
    datagram[5] = opcode[i];
    datagram[8] = is_block ? 255 : 0;
    datagram[9] = i >= 2;
    datagram[17] = i == 0;
    for (size_t j = 18; j < datagram.size(); j++) {
        datagram[j] = image[1024 * (i - 1) + ((j - 18) ^ 3)];
    }
    return datagram;
}

/* The whole way: datagrams make an image, which answers a frame; a second boot finds a machine
 * without a trace of the first. */
TEST_F(Handover, AnImageOfOurOwnBootsByDatagramsAndSendsAFrame)
{
    constexpr uint32_t MAC = 0xf400c000;
    make(TOPOLOGY_SPIN3);
    Program program(0);
    /* only the root: byte 0x40 of its system variables */
    program.set(r0, IMAGE + VARIABLES).emit({ldrb_imm(r1, r0, 0x40), cmp_imm(r1, 1)});
    program.branch(program.here(), NE);
    /* sends what is in System RAM before it writes there: zeros */
    program.set(r2, SYSTEM_RAM).set(r3, 0xf4000000).set(r4, MAC).set(r5, 0x45b);
    program.emit({str_imm(r5, r4), ldr_imm(r0, r2), str_imm(r0, r3), str_imm(r4, r2)});
    program.emit({mov_imm(r0, 60), str_imm(r0, r4, 8), str_imm(r0, r4, 12)});
    program.sleep();
    const bytes image = image_of(program.words(), 2048);
    std::unique_ptr<boot_blocks> boot(new boot_blocks());
    for (unsigned round = 1; round <= 3; round++) {
        for (unsigned i = 0; i < 4; i++) {
            const bytes datagram = boot_datagram(i, image);
            const boot_event event = boot_blocks_take(boot.get(), datagram.data(), datagram.size());
            EXPECT_EQ(event, i == 0 ? BOOT_RESET : i == 3 ? BOOT_START : BOOT_NOTHING);
            if (event == BOOT_RESET) {
                ASSERT_EQ(machine_power_on(machine_), STATUS_OK);
            }
        }
        ASSERT_EQ(hand_over({boot->image, boot->image + boot->image_bytes}), STATUS_OK);
        (void)machine_run_until(machine_, 100 * US);
        ASSERT_EQ(frames_.size(), round);
        EXPECT_EQ(frames_.back(), bytes(60));
        EXPECT_EQ(word({0, 0}, SYSTEM_RAM), MAC);
    }
}

} // namespace
