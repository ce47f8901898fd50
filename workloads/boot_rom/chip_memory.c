/* chip_memory.c - the SDRAM's controller and size; the router's tables. */
#include "workloads/boot_rom/rom.h"

enum {
    GO = 0, /* commands of the controller */
    PAUSE = 3,
    CONFIGURE = 4,
    PRECHARGE = 0x00000, /* of the memory */
    REFRESH = 0x40000,
    MODE = 0x80033,
    EXTENDED_MODE = 0xa0000,
    NO_OPERATION = 0xc0000,
    DLL_ON = 1 << 24,
    DLL_LOCKED = 1 << 18,
    DLL_READS = 256,
    SDRAM_BYTES = 0x08000000,

    MC_ENTRIES = 1024,
    P2P_WORDS = 8192,
    ALL_DROP = 0x00db6db6, /* eight destinations */
    COUNTERS_ON = 0x0000ffff,
    ROUTER_ON = 0x2f2f0007, /* waits of 108 cycles, interrupts, on */
    ROUTER_MONITOR = 8
};
#define NO_ROUTE       0xff000000u
#define COUNTERS_CLEAR 0xffff0000u

static volatile uint *const MC = (volatile uint *)PL340_BASE;

/* Mobile DDR of 128 MiB at 130 MHz (SpiNNaker boot ROM 2.1). */
static void set_up_controller(void)
{
    static const struct {
        ushort at, value;
    } TIMES[] = {{MC_CASL, 6},   {MC_DQSS, 1},   {MC_MRD, 2},     {MC_RAS, 7},
                 {MC_RC, 10},    {MC_RCD, 3},    {MC_RFC, 0x275}, {MC_RP, 3},
                 {MC_RRD, 2},    {MC_WR, 3},     {MC_WTR, 1},     {MC_XP, 5},
                 {MC_XSR, 0x17}, {MC_ESR, 0x14}, {MC_REFP, 1000}, {MC_CHIP0, 0x60e0}};
    static const uint COMMANDS[] = {NO_OPERATION, PRECHARGE, REFRESH, REFRESH, MODE, EXTENDED_MODE};
    MC[MC_CMD] = PAUSE;
    MC[MC_CMD] = CONFIGURE;
    for (uint i = 0; i < sizeof TIMES / sizeof *TIMES; i++) {
        MC[TIMES[i].at] = TIMES[i].value;
    }
    MC[MC_MCFG] = 0x18012; /* bursts of 8, 13 bits of row, 10 of column */
    for (uint i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
        MC[MC_DIRC] = COMMANDS[i];
    }
    MC[MC_CMD] = GO;
    MC[DLL_CONFIG1] = 0;
    MC[DLL_CONFIG0] = DLL_ON;
}

static uint dll_locks(void)
{
    for (uint i = 0; i < DLL_READS; i++) {
        if ((MC[DLL_STATUS] & DLL_LOCKED) != 0) {
            return 1;
        }
    }
    return 0;
}

/* The memory repeats behind its end. */
void sdram_set_up(void)
{
    volatile uint *const found = (volatile uint *)ROM_SDRAM;
    volatile uint *const first = (volatile uint *)SDRAM_BASE_UNBUF;
    volatile uint *const behind = first + SDRAM_BYTES / sizeof *first;
    set_up_controller();
    if (!dll_locks()) {
        found[0] = 0;
        found[1] = 0xffffffff;
        return;
    }
    const uint before = *first;
    *first = ~before;
    *behind = before;
    found[0] = *first == before ? SDRAM_BYTES : 2 * SDRAM_BYTES;
    found[1] = 0;
    *first = before;
}

void router_set_up(uint monitor)
{
    volatile uint *const p2p = (volatile uint *)RTR_P2P_BASE;
    for (uint i = 0; i < MC_ENTRIES; i++) {
        rtr_ram[i] = NO_ROUTE;
        rtr_mask[i] = 0;
        rtr_key[i] = 0xffffffff;
    }
    for (uint i = 0; i < P2P_WORDS; i++) {
        p2p[i] = ALL_DROP;
    }
    rtr[RTR_DIAG_CTL] = COUNTERS_CLEAR;
    rtr[RTR_DIAG_CTL] = COUNTERS_ON;
    rtr[RTR_CONTROL] = ROUTER_ON | monitor << ROUTER_MONITOR;
}
