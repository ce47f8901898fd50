/* main.c - what each core does after its memory tests: one is elected monitor, sets the chip up and
 * waits for an image; the others say that they work, and sleep. */
#include "workloads/boot_rom/rom.h"

enum {
    ARBITRATION_WON = 31, /* bits */
    HISTORY_LOCK = 31,
    PIN_SERIAL_ROM = 6, /* straps: there is a serial ROM, ... */
    PIN_READER = 3,     /* ... which this core reads, */
    READER_MASK = 7,
    PIN_NO_TEST = 1, /* no self-test */
    LED_PINS = 0xc3,
    LED = 1,
    SOURCE_LOCAL = 0x07000000, /* CC_SAR */
    DMA_RESTART = 4,
    DELAY_ROUNDS = 400, /* between two looks at what others do */

    TICK_CYCLES = 160000, /* 1 ms */
    TICK_CONTROL = 0xe2,  /* periodic, 32 bits, with interrupt */
    WATCHDOG_TICKS = 5,
    WATCHDOG_LOAD = 100000000, /* 1.25 s of the system clock */
    WATCHDOG_ON = 3,           /* with interrupt and reset */
    LED_TICKS = 1024,
    HELLO_TICKS = 4096,
    PHY_PRESENT = 31 /* bit of SC_SET_OK */
};

static volatile uint *const WDOG = (volatile uint *)WDOG_BASE;
static volatile uint *const HISTORY = (volatile uint *)ROM_HISTORY;

static uint straps; /* levels of the pins when this core left its reset */

static void wait_for(uint done)
{
    while ((sc[SC_MISC_CTRL] & done) == 0) {
        for (volatile uint round = 0; round < DELAY_ROUNDS; round++) {
        }
    }
}

static void tell(uint done)
{
    sc[SC_MISC_CTRL] |= done;
}

static void wait_for_interrupt(void)
{
    __asm__ volatile("mcr p15, 0, %0, c7, c0, 4" : : "r"(0) : "memory");
}

static uint strap(uint pin)
{
    return straps >> pin & 1;
}

static void set_up_dma(void)
{
    /* The matrix of CRC-32 (datasheet 7.4). */
    static const uint ROWS[] = {
        0xfb808b20, 0x7dc04590, 0xbee022c8, 0x5f701164, 0x2fb808b2, 0x97dc0459, 0xb06e890c,
        0x58374486, 0xac1ba243, 0xad8d5a01, 0xad462620, 0x56a31310, 0x2b518988, 0x95a8c4c4,
        0xcad46262, 0x656a3131, 0x493593b8, 0x249ac9dc, 0x924d64ee, 0xc926b277, 0x9f13d21b,
        0xb409622d, 0x21843a36, 0x90c21d1b, 0x33e185ad, 0x627049f6, 0x313824fb, 0xe31c995d,
        0x8a0ec78e, 0xc50763c7, 0x19033ac3, 0xf7011641};
    for (uint i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        dma[DMA_CRCT + i] = ROWS[i];
    }
    dma[DMA_GCTL] = 0;
    dma[DMA_CTRL] = DMA_RESTART;
}

static void find_serial_rom(uint core)
{
    if (!strap(PIN_SERIAL_ROM)) {
        return;
    }
    if ((straps >> PIN_READER & READER_MASK) != core) {
        wait_for(ROM_SERIAL_DONE);
        return;
    }
    *SERIAL_BLOCK = 0;
    serial_rom_read();
    tell(ROM_SERIAL_DONE);
}

/* The monitors since power-on: one that has failed is not to be elected again. */
static void begin_history(void)
{
    if ((sc[SC_TAS0 + HISTORY_LOCK] >> ARBITRATION_WON) == 0) {
        *HISTORY = SC_CODE;
        tell(ROM_HISTORY_DONE);
    } else {
        wait_for(ROM_HISTORY_DONE);
    }
}

static uint is_elected(uint core)
{
    if ((*HISTORY >> core & 1) != 0) {
        fail(ROM_FAILED_MONITOR);
    }
    if (sc[SC_ARB0 + core] >> ARBITRATION_WON == 0) {
        return 0;
    }
    *HISTORY |= 1u << core;
    return 1;
}

static void work_as_application_core(uint core)
{
    wait_for(ROM_SET_UP);
    sc[SC_SET_OK] = 1u << core;
    for (;;) {
        wait_for_interrupt();
    }
}

/* True: there is a PHY. */
static uint set_up_chip(uint core, uint tests)
{
    uint phy = 0;
    if (tests && march(SYSRAM_BASE_UNBUF, ROM_BLOCK_BUFFER) != 0) {
        fail(ROM_FAILED_SYSRAM);
    }
    sdram_set_up();
    router_set_up(core);
    if (strap(PIN_SERIAL_ROM)) {
        phy = phy_answers();
        if (phy) {
            sc[SC_SET_OK] = 1u << PHY_PRESENT;
        }
        if (phy && *SERIAL_BLOCK != 0) {
            ethernet_set_up();
        }
    }
    sc[GPIO_CLR] = LED;
    sc[GPIO_DIR] = ~(uint)LED_PINS;
    WDOG[WD_LOAD] = WATCHDOG_LOAD;
    WDOG[WD_CTRL] = WATCHDOG_ON;
    return phy && *SERIAL_BLOCK != 0;
}

static void tick(uint ticks, uint has_ethernet)
{
    if (ticks % WATCHDOG_TICKS == 0) {
        WDOG[WD_INTCLR] = 0;
    }
    if (ticks % LED_TICKS == 0) {
        sc[ticks / LED_TICKS % 2 == 0 ? GPIO_CLR : GPIO_SET] = LED;
    }
    if (has_ethernet && ticks % HELLO_TICKS == 0) {
        ethernet_say_hello();
    }
}

/* Interrupts only wake the core: it looks for all there may be. */
static void wait_for_image(uint has_ethernet)
{
    uint ticks = 0;
    tc[T1_LOAD] = TICK_CYCLES;
    tc[T1_CONTROL] = TICK_CONTROL;
    vic[VIC_ENABLE] = ROM_FLAG(TIMER1_INT) | ROM_FLAG(CC_RDY_INT) | ROM_FLAG(ETH_RX_INT);
    for (;;) {
        wait_for_interrupt();
        neighbour_take_packets();
        if (has_ethernet) {
            ethernet_take_frames();
        }
        if (tc[T1_RAW_INT] != 0) {
            tc[T1_INT_CLR] = 0;
            tick(++ticks, has_ethernet);
        }
    }
}

__attribute__((used)) void rom_main(uint core, uint pins)
{
    const uint is_cold = sc[SC_RST_CODE] == 0;
    straps = pins;
    cc[CC_SAR] = SOURCE_LOCAL;
    set_up_dma();
    find_serial_rom(core);
    if (is_cold) {
        begin_history();
    }
    if (!is_elected(core)) {
        work_as_application_core(core);
    }
    const uint has_ethernet = set_up_chip(core, is_cold && !strap(PIN_NO_TEST));
    sc[SC_SET_OK] = 1u << core;
    tell(ROM_SET_UP);
    wait_for_image(has_ethernet);
}
