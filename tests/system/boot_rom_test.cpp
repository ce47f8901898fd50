/* boot_rom_test.cpp - the boot ROM as executed: boards come from power-on to an image, and the
 * state which the image finds is that of `run.boot: handover`. */
#include "tests/system/program.h"
#include "tests/unit/machine_fixture.h"

#include <cstring>
#include <memory>

#include <gtest/gtest.h>

#include "sim/load/boot_rom.h"
#include "sim/load/elf_image.h"

namespace
{

constexpr uint64_t MS = 1000 * US;
constexpr uint32_t SYSCTL = 0xf2000000;
constexpr uint32_t SET_OK = SYSCTL + 0x10;
constexpr uint32_t MONITOR = SYSCTL + 0x34;
constexpr uint32_t MISC = SYSCTL + 0x38;
constexpr uint32_t ROUTER = 0xf1000000;
constexpr uint32_t SERIAL = 0xf5007fe0;
constexpr uint32_t FAILURES = 0xf5007f80;
constexpr uint32_t NOTES = 0xf5000000; /* of the image */
constexpr uint32_t IMAGE = 0x00408000;
constexpr size_t VARIABLES = 384;
constexpr uint32_t ALL_CORES = 0x3ffff;

using bytes = std::vector<uint8_t>;

constexpr handover_board BOARD = {
    {0, 0}, {2, 3, 4, 5, 6, 7}, {10, 11, 12, 13}, {10, 11, 12, 1}, {255, 255, 254, 0}};

void put(bytes *to, uint32_t value, unsigned count)
{
    for (unsigned i = count; i > 0; i--) {
        to->push_back(static_cast<uint8_t>(value >> 8 * (i - 1)));
    }
}

/* A frame of a host to the board's boot port. */
bytes boot_frame(uint32_t opcode, uint32_t first, uint32_t third, const uint8_t *data = nullptr,
                 uint32_t count = 0)
{
    bytes frame(BOARD.mac, BOARD.mac + 6);
    const uint32_t udp = 8 + 18 + count;
    for (const uint32_t half : {0x0253u, 0x5000u, 0xfffeu, 0x0800u, 0x4500u, 20 + udp, 0u, 0u,
                                0x4011u, 0u, 0x0a0bu, 0x0c01u}) {
        put(&frame, half, 2);
    }
    frame.insert(frame.end(), BOARD.ip, BOARD.ip + 4);
    for (const uint32_t half : {40000u, 54321u, udp, 0u, 1u}) {
        put(&frame, half, 2);
    }
    for (const uint32_t operand : {opcode, first, 0u, third}) {
        put(&frame, operand, 4);
    }
    for (uint32_t i = 0; i < count; i++) {
        frame.push_back(data[i ^ 3]);
    }
    return frame;
}

class BootRom : public testing::Test
{
  protected:
    void SetUp() override
    {
        if (!SPINN_HAVE_WORKLOADS) {
            GTEST_SKIP() << "built without ARM programs";
        }
        diagnostic why = {};
        const std::string path = std::string(SPINN_WORKLOAD_DIR) + "/" BOOT_ROM_FILE;
        ASSERT_EQ(boot_rom_read(&rom_, path.c_str(), &why), STATUS_OK) << why.text;
    }

    ~BootRom() override
    {
        machine_destroy(machine_);
    }

    void make(topology_shape shape, bool rom = true,
              const std::vector<topology_fault> &down_cores = {})
    {
        machine_config config = bench_config();
        config.topology.shape = shape;
        config.topology.down_core = down_cores.data();
        config.topology.down_cores = down_cores.size();
        config.topology.width = config.topology.height = 1;
        config.ethernet = true;
        if (rom) {
            config.boot_rom = rom_.bytes;
            config.boot_rom_bytes = rom_.count;
        }
        config.observer.context = this;
        config.observer.frame = [](void *context, machine_chip, const uint8_t *data, uint32_t count,
                                   uint64_t) {
            static_cast<BootRom *>(context)->frames_.emplace_back(data, data + count);
        };
        config.observer.guest_error = [](void *context, machine_core, struct arm968_fault) {
            static_cast<BootRom *>(context)->faults_++;
            return true;
        };
        diagnostic why = {};
        machine_destroy(machine_);
        machine_ = nullptr;
        ASSERT_EQ(machine_create(&config, &machine_, &why), STATUS_OK) << why.text;
    }

    void power_on()
    {
        const handover_setup setup = {&BOARD, 1, 0, 3, HANDOVER_SDP_PORT};
        diagnostic why = {};
        ASSERT_EQ(boot_rom_start(machine_, &setup, &why), STATUS_OK) << why.text;
    }

    uint32_t word(machine_chip chip, uint32_t address)
    {
        uint32_t value = 0xdeadbeef;
        EXPECT_EQ(machine_read_word(machine_, chip, address, &value), STATUS_OK) << address;
        return value;
    }

    /* The image of tests/system/guests/boot_image.c: two blocks. */
    bytes image()
    {
        elf_image elf = {};
        diagnostic why = {};
        const std::string path = std::string(SPINN_WORKLOAD_DIR) + "/test_boot_image.elf";
        bytes all(2048);
        EXPECT_EQ(elf_image_read(&elf, path.c_str(), &why), STATUS_OK) << why.text;
        for (size_t i = 0; i < elf.segment_count; i++) {
            const elf_segment &segment = elf.segment[i];
            EXPECT_LE(segment.address + segment.file_bytes, all.size());
            memcpy(all.data() + segment.address, segment.bytes, segment.file_bytes);
        }
        elf_image_deinit(&elf);
        all[VARIABLES + 0x40] = 1;  /* root_chip */
        all[VARIABLES + 0x42] = 20; /* boot_delay */
        return all;
    }

    void send(const bytes &frame)
    {
        ASSERT_EQ(machine_send_frame(machine_, {0, 0}, frame.data(),
                                     static_cast<uint32_t>(frame.size()), 0),
                  STATUS_OK);
        (void)machine_run_until(machine_, machine_time_ps(machine_) + MS);
    }

    /* Powers on, waits for the ROM, and sends the image as a host does. */
    void boot(const bytes &all)
    {
        power_on();
        (void)machine_run_until(machine_, 60 * MS);
        send(boot_frame(1, 0, 1));
        for (uint32_t block = 0; block < 2; block++) {
            send(boot_frame(3, 0xff00 | block, 0, all.data() + 1024 * block, 1024));
        }
        send(boot_frame(5, 1, 0));
    }

    bytes memory(machine_core core, uint32_t address, uint32_t count)
    {
        bytes read(count);
        EXPECT_EQ(machine_read(machine_, core, address, read.data(), count), STATUS_OK);
        return read;
    }

    boot_rom rom_ = {};
    machine *machine_ = nullptr;
    std::vector<bytes> frames_;
    unsigned faults_ = 0;
};

const machine_chip FOUR_CHIPS[] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};

TEST_F(BootRom, EveryChipElectsAMonitorAndAllCoresPassTheirTests)
{
    make(TOPOLOGY_SPIN3);
    power_on();
    (void)machine_run_until(machine_, 17 * MS);
    EXPECT_EQ(word({1, 1}, MISC), 0x4u);
    (void)machine_run_until(machine_, 18 * MS);
    EXPECT_EQ(word({1, 1}, MISC), 0xcu);
    EXPECT_EQ(word({0, 0}, MISC), 0xeu) << "it has read its serial ROM";
    ASSERT_EQ(machine_run_until(machine_, 60 * MS), MACHINE_REACHED);
    EXPECT_EQ(faults_, 0u);
    for (const machine_chip chip : FOUR_CHIPS) {
        const uint32_t monitor = word(chip, MONITOR);
        EXPECT_LT(monitor, 18u); /* arbitration is over */
        EXPECT_EQ(word(chip, SET_OK) & ALL_CORES, ALL_CORES);
        EXPECT_EQ(word(chip, ROUTER), 0x2f2f0007u | monitor << 8);
        for (uint32_t p = 0; p < 18; p++) {
            EXPECT_EQ(word(chip, FAILURES + 4 * p), 0u) << p;
        }
        EXPECT_EQ(word(chip, 0xf5007fc8), 128u << 20); /* SDRAM's size, and no error */
        EXPECT_EQ(word(chip, 0xf5007fcc), 0u);
    }
}

/* What an image finds on a chip, apart from the number of its monitor processor. */
struct found {
    bytes image, itcm, serial;
    std::map<std::string, uint32_t> words;
};

TEST_F(BootRom, AnImageFindsWhatHandoverWrites)
{
    for (const topology_shape shape : {TOPOLOGY_RECTANGLE, TOPOLOGY_SPIN3}) {
        const bytes all = image();
        found of[2];
        for (const bool rom : {false, true}) {
            make(shape, rom);
            if (rom) {
                boot(all);
            } else {
                const handover_setup setup = {&BOARD, 1, 0, 3, HANDOVER_SDP_PORT};
                diagnostic why = {};
                ASSERT_EQ(handover_start(machine_, &setup, all.data(), 2048, &why), STATUS_OK);
            }
            (void)machine_run_until(machine_, machine_time_ps(machine_) + 200 * MS);
            const uint32_t monitor = word({0, 0}, MONITOR);
            const machine_core core = {0, 0, static_cast<uint8_t>(monitor)};
            found &state = of[rom ? 1 : 0];
            state.image = memory(core, IMAGE, 2048);
            state.itcm = memory(core, 0, 2048);
            state.serial = memory(core, SERIAL, 32);
            state.words["done"] = word({0, 0}, NOTES + 16);
            state.words["mode"] = word({0, 0}, NOTES) & 0xff;
            state.words["control"] = word({0, 0}, NOTES + 4);
            state.words["argument"] = word({0, 0}, NOTES + 8);
            state.words["cores"] = word({0, 0}, SET_OK) & ALL_CORES;
            state.words["misc"] = word({0, 0}, MISC) & 0xffff;
            state.words["phy"] = word({0, 0}, 0xf400c01c) & 1;
            state.words["router"] = word({0, 0}, ROUTER) & 0xffffe0f9;
            state.words["router's monitor"] = (word({0, 0}, ROUTER) >> 8 & 0x1f) == monitor;
            state.words["p2p"] = word({0, 0}, ROUTER + 0x10000);
            state.words["p2p, last"] = word({0, 0}, ROUTER + 0x17ffc);
        }
        EXPECT_EQ(of[0].words, of[1].words);
        EXPECT_EQ(of[0].words["done"], 1u);
        EXPECT_EQ(of[0].words["mode"], 0xd3u);
        EXPECT_EQ(of[0].image, of[1].image);
        EXPECT_EQ(of[0].itcm, of[1].itcm);
        EXPECT_EQ(of[0].serial, of[1].serial);
    }
}

TEST_F(BootRom, AnImageSpreadsFromChipToChip)
{
    bytes all = image();
    make(TOPOLOGY_SPIN3);
    boot(all);
    (void)machine_run_until(machine_, machine_time_ps(machine_) + 200 * MS);
    all[VARIABLES + 0x40] = 0;
    for (const machine_chip chip : FOUR_CHIPS) {
        const machine_core monitor = {chip.x, chip.y, static_cast<uint8_t>(word(chip, MONITOR))};
        EXPECT_EQ(word(chip, NOTES + 12), 1u) << +chip.x << ' ' << +chip.y; /* has begun once */
        EXPECT_EQ(word(chip, NOTES + 16), 1u);                              /* and has flooded */
        EXPECT_EQ(memory(monitor, IMAGE, 2048), all);
    }
    EXPECT_EQ(faults_, 0u);
}

TEST_F(BootRom, ABlockWithAWrongChecksumIsNotTaken)
{
    bytes all = image();
    all[VARIABLES + 0x45] = 1;
    make(TOPOLOGY_SPIN3);
    boot(all);
    (void)machine_run_until(machine_, machine_time_ps(machine_) + 200 * MS);
    EXPECT_EQ(word({0, 0}, NOTES + 16), 1u);
    EXPECT_EQ(word({0, 1}, NOTES + 12), 0u);
    EXPECT_EQ(word({1, 0}, NOTES + 12), 0u);
    EXPECT_EQ(word({0, 1}, MISC) & 0xc, 0xcu); /* its ROM waits */
}

/* A block that is missing keeps the image from being started; it may come later. */
TEST_F(BootRom, AnImageStartsWhenItIsComplete)
{
    const bytes all = image();
    make(TOPOLOGY_RECTANGLE);
    power_on();
    (void)machine_run_until(machine_, 60 * MS);
    send(boot_frame(1, 0, 1));
    send(boot_frame(3, 0xff01, 0, all.data() + 1024, 1024));
    send(boot_frame(5, 1, 0));
    EXPECT_EQ(word({0, 0}, NOTES + 12), 0u);
    send(boot_frame(3, 0xff00, 0, all.data(), 1024));
    send(boot_frame(5, 0, 0)); /* does not ask for a start */
    EXPECT_EQ(word({0, 0}, NOTES + 12), 0u);
    send(boot_frame(5, 1, 0));
    EXPECT_EQ(word({0, 0}, NOTES + 12), 1u);
}

TEST_F(BootRom, CoresThatDoNotWorkAreNoMonitors)
{
    make(TOPOLOGY_SPIN3, true, {{0, 0, 0}, {0, 0, 1}, {1, 1, 0}});
    boot(image());
    EXPECT_EQ(word({0, 0}, SET_OK) & ALL_CORES, ALL_CORES & ~3u);
    EXPECT_EQ(word({1, 1}, SET_OK) & ALL_CORES, ALL_CORES & ~1u);
    EXPECT_GE(word({0, 0}, MONITOR), 2u);
    EXPECT_GE(word({1, 1}, MONITOR), 1u);
    EXPECT_EQ(memory({0, 0, 5}, SERIAL, 4), (bytes{0x39, 0x80, 2, 3})); /* core 2 has read it */
    EXPECT_EQ(word({0, 0}, NOTES + 12), 1u);
}

TEST_F(BootRom, ABoardAnswersArpAndSaysHello)
{
    make(TOPOLOGY_RECTANGLE);
    power_on();
    (void)machine_run_until(machine_, 60 * MS);
    bytes request(6, 0xff);
    for (const uint32_t half : {0x0253u, 0x5000u, 0xfffeu, 0x0806u, 1u, 0x0800u, 0x0604u, 1u,
                                0x0253u, 0x5000u, 0xfffeu, 0x0a0bu, 0x0c01u, 0u, 0u, 0u}) {
        put(&request, half, 2);
    }
    request.insert(request.end(), BOARD.ip, BOARD.ip + 4);
    send(request);
    ASSERT_EQ(frames_.size(), 1u);
    const bytes answer = {0x02, 0x53, 0x50, 0,  0xff, 0xfe, 2,    3, 4,    5,    6,  7,  8,  6,
                          0,    1,    8,    0,  6,    4,    0,    2, 2,    3,    4,  5,  6,  7,
                          10,   11,   12,   13, 0x02, 0x53, 0x50, 0, 0xff, 0xfe, 10, 11, 12, 1};
    EXPECT_EQ(bytes(frames_[0].begin(), frames_[0].begin() + 42), answer);
    request[41]++; /* another's address */
    send(request);
    EXPECT_EQ(frames_.size(), 1u);
    (void)machine_run_until(machine_, 4200 * MS); /* every 4096 ticks; the watchdog is reloaded */
    ASSERT_EQ(frames_.size(), 2u);
    const bytes hello = {255,  255,  255,  255, 255, 255, 2,   3,   4,    5,    6,    7,
                         8,    0,    0x45, 0,   0,   46,  0,   0,   0,    0,    64,   17,
                         0x64, 0xa8, 10,   11,  12,  13,  255, 255, 255,  255,  0xd4, 0x31,
                         0xd4, 0x31, 0,    26,  0,   0,   0,   1,   0,    0,    0,    0x41,
                         2,    1,    0,    0,   0,   0,   0,   0,   0x43, 0x50, 0x54, 0x53};
    EXPECT_EQ(frames_[1], hello);
}

/* The image keeps the watchdog and sleeps: after two of its periods the chip is reset, and the ROM
 * elects another monitor and waits for an image again. */
TEST_F(BootRom, TheWatchdogBringsAChipBackThroughTheRom)
{
    bytes all = image();
    all[VARIABLES + 0x42] = 0;
    all[VARIABLES + 0x44] = 1;
    make(TOPOLOGY_RECTANGLE);
    boot(all);
    const uint32_t before = word({0, 0}, MONITOR);
    (void)machine_run_until(machine_, 2400 * MS);
    EXPECT_EQ(word({0, 0}, MONITOR), before);
    (void)machine_run_until(machine_, 2700 * MS);
    const uint32_t after = word({0, 0}, MONITOR);
    EXPECT_EQ(word({0, 0}, SYSCTL + 0x30), 1u); /* the watchdog was the cause */
    EXPECT_NE(after, before);
    EXPECT_LT(after, 18u);
    EXPECT_EQ(word({0, 0}, 0xf5007f7c), 0x5ec00000u | 1u << before | 1u << after);
    EXPECT_EQ(word({0, 0}, FAILURES + 4 * before), 0xcu);
    EXPECT_EQ(word({0, 0}, SET_OK) & ALL_CORES, ALL_CORES & ~(1u << before));
    all[VARIABLES + 0x44] = 0;
    send(boot_frame(1, 0, 1));
    for (uint32_t block = 0; block < 2; block++) {
        send(boot_frame(3, 0xff00 | block, 0, all.data() + 1024 * block, 1024));
    }
    send(boot_frame(5, 1, 0));
    EXPECT_EQ(word({0, 0}, NOTES + 12), 2u); /* System RAM has kept the first one */
}

} // namespace
