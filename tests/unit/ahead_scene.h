/* ahead_scene.h - random guest programs that interrupt each other in every way that a machine has,
 * and everything that can be observed of their run.  For comparing the ways to run a machine.
 *
 * Cores compute, store, send, poll, sleep, transfer, raise signals, commit faults and change their
 * code, while packets, timers, DMA controllers and signals interrupt them, by IRQ, with vectors or
 * without, by FIQ, and nested. */
#pragma once
#include "tests/unit/machine_fixture.h"

constexpr uint32_t COMMS = 0x10000000;
constexpr int32_t CC_TCR = 0x00, CC_TXDATA = 0x04, CC_TXKEY = 0x08, CC_RSR = 0x0c, CC_RXDATA = 0x10,
                  CC_RXKEY = 0x14;
constexpr uint32_t VIC_SELECT = VIC + 0x0c, VIC_ENABLE = VIC + 0x10, VIC_DISABLE = VIC + 0x14,
                   VIC_SOFT_SET = VIC + 0x18, VIC_SOFT_CLR = VIC + 0x1c, VIC_VADDR = VIC + 0x30,
                   VIC_ADDR = VIC + 0x100, VIC_CNTL = VIC + 0x200;

struct scene_core {
    machine_core id;
    std::vector<Program> parts; /* the core begins with the last one */
    std::vector<uint32_t> marks;
};

struct scene {
    scene();
    uint32_t seed = 0;
    uint32_t chips = 1;            /* in a row */
    machine_parameters parameters; /* of the bench, with little SDRAM */
    uint64_t sample_cycles = 0;
    uint64_t end_ps = 100 * US;
    std::vector<scene_core> cores;
};

/* chips 0: one or two. */
scene random_scene(uint32_t seed, uint32_t chips = 0);

/* The multicast routes of a scene's machine. */
struct scene_route {
    uint8_t x;
    uint32_t key, mask, route;
};
std::vector<scene_route> scene_routes(const scene &scene);

/* The key of packets that are routed to a core. */
uint32_t key_to(machine_core core, uint32_t low = 0);

/* How a machine is run. */
struct way {
    uint64_t run_ahead = RUN_AHEAD_AUTO;
    unsigned threads = 1;
    enum tier tier = TIER_INTERPRETER;
    uint64_t slice_ps = 0; /* step of machine_run_until(); 0: in one go */
    uint64_t change_ps =
        0; /* time at which the machine is saved and loaded into one that runs in the other way */
};

/* Everything that can be observed of a run, line by line. */
struct sight {
    std::vector<std::string> lines;
    std::string memory;
    uint64_t late = 0;
    uint64_t native_runs = 0;
    uint64_t sum(const std::string &counter) const;
};

sight run_scene(const scene &scene, const way &way);

/* What can be observed of a scene's machine where it stands, as one text. */
std::string scene_state(const machine *machine, const scene &scene);

/* The machine of a scene, loaded and started, with an observer; to be destroyed by the caller. */
machine *scene_machine(const scene &scene, const way &way, const machine_observer &observer);

/* The first differences between two runs; empty: no difference, and no interrupt was late. */
std::string difference(const sight &one, const sight &other);
