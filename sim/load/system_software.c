/* system_software.c - see system_software.h.  Layouts and values: spinnaker_tools 4.0.0,
 * include/sark.h, boot/sark.struct, scamp/scamp-3.c. */
#include "sim/load/system_software.h"

#include "models/common/bits.h"
#include "sim/load/handover.h"
#include "sim/load/machine_load.h"
#include "sim/load/sark_layout.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

struct view {
    struct machine *machine;
    struct machine_core core;
};

static void put(const struct view *view, uint32_t address, uint64_t value, uint32_t bytes)
{
    (void)machine_write(view->machine, view->core, address, &value, bytes);
}

static uint32_t get(const struct view *view, uint32_t address, uint32_t bytes)
{
    uint32_t value = 0;
    (void)machine_read(view->machine, view->core, address, &value, bytes);
    return value;
}

/* A heap as SARK 4 has it: with the bytes that are free, and a list of free blocks that ends with
 * NULL.  One block of `taken` bytes is in use, at its beginning; returns its address. */
static uint32_t put_heap(const struct view *view, uint32_t first, uint32_t end, uint32_t taken)
{
    enum { FREE_BYTES = 12, BUFFER = 16 };
    static const uint32_t IN_USE = 0xffff0000;
    const uint32_t block = first + BUFFER;
    const uint32_t rest = block + HEAP_BLOCK_BYTES + ((taken + 7) & ~7u);
    const uint32_t last = (end & ~7u) - HEAP_BLOCK_BYTES;
    const uint32_t free = taken == 0 ? block : rest;
    put(view, first + HEAP_FREE, free, 4);
    put(view, first + HEAP_FIRST, block, 4);
    put(view, first + HEAP_LAST, last, 4);
    put(view, first + FREE_BYTES, last - free - HEAP_BLOCK_BYTES, 4);
    put(view, block, rest, 4);
    put(view, block + 4, IN_USE, 4);
    put(view, free, last, 4);
    put(view, free + 4, 0, 4);
    put(view, last, 0, 4);
    put(view, last + 4, 0, 4);
    return block + HEAP_BLOCK_BYTES;
}

/* ---- tables ---- */

enum {
    HOP_ENTRIES = 65536,
    ROUTER_ENTRIES = 1024,
    ROUTER_ENTRY_BYTES = 16, /* half words: next, free; words: route, key, mask */
    ROUTER_FIRST = 1,        /* entry 0 is SC&MP's own */
    TAG_ENTRIES = 65536,
    APPLICATIONS = 256,
    APPLICATION_BYTES = 8, /* bytes: cores, clean, semaphore, lead; word: mask */
    MESSAGES = 7,
    MESSAGE_BYTES = 292,

    HOPS = 0,
    ROUTER = HOPS + 4 * HOP_ENTRIES,
    TAGS = ROUTER + (ROUTER_ENTRIES + 1) * ROUTER_ENTRY_BYTES,
    APPLICATION = TAGS + 4 * TAG_ENTRIES,
    CHIPS =
        APPLICATION + APPLICATIONS * APPLICATION_BYTES, /* words, at the root: for our monitors */
    TABLE_BYTES = CHIPS + 4 * APPLICATIONS
};

static void set(uint8_t *table, uint32_t offset, uint32_t word)
{
    memcpy(table + offset, &word, sizeof word);
}

/* The tables of a chip on which nothing has run: no route has been heard of (hop tables are made
 * while the machine starts, which is not simulated), the multicast table is one free block, no
 * memory has a tag. */
static void make_tables(uint8_t *table)
{
    static const uint32_t NO_HOPS = 0x8000ffff;
    static const uint32_t NOWHERE = 0xff000000;
    for (uint32_t i = 0; i < HOP_ENTRIES; i++) {
        set(table, HOPS + 4 * i, NO_HOPS);
    }
    for (uint32_t i = 0; i <= ROUTER_ENTRIES; i++) {
        const uint32_t entry = ROUTER + i * ROUTER_ENTRY_BYTES;
        set(table, entry, i == ROUTER_FIRST ? ROUTER_ENTRIES : 0);
        set(table, entry + 4, NOWHERE);
        set(table, entry + 8, i < ROUTER_ENTRIES ? UINT32_MAX : 0);
    }
}

/* Messages that cores of a chip pass to each other: a list. */
static void put_messages(const struct view *view, uint32_t at)
{
    for (uint32_t i = 0; i < MESSAGES; i++) {
        const uint32_t message = at + i * MESSAGE_BYTES;
        put(view, message, i + 1 < MESSAGES ? message + MESSAGE_BYTES : 0, 4);
    }
}

/* ---- system variables ---- */

/* Flags of the system controller: cores that wait for a signal wait for theirs to become 0. */
static const uint32_t SYSCTL_SET_FLAGS = 0xf2000058;
static const uint32_t ALL_CORES = (1u << SARK_CORES) - 1;

/* Constants of SC&MP's own. */
static const struct {
    uint32_t offset, bytes, value;
} CONSTANTS[] = {
    {SV_P2PB_REPEATS, 1, 4},   {SV_P2P_SQL, 1, 4},    {SV_FORWARD, 1, 0x3f},
    {SV_PEEK_TIME, 1, 200},    {SV_LED_PERIOD, 1, 1}, {SV_NETINIT_BC_WAIT, 1, 50},
    {SV_NUM_BUF, 1, MESSAGES}, {SV_SOFT_WDOG, 1, 3},  {SV_SYSBUF_SIZE, 4, SARK_CORE_BUFFER_WORDS},
};

/* Pins of LEDs: their number, then one in each digit (spinnaker_tools, boot/spin3.conf and
 * spin5.conf). */
static uint32_t leds_of(enum topology_shape shape)
{
    return shape == TOPOLOGY_SPIN3 ? 0x502 : 1;
}

/* SC&MP leaves the pins of LEDs as outputs, and the LEDs off: a pin that is low lights one. */
static void put_leds_off(const struct view *view, uint32_t leds)
{
    enum { PORT = 0xf2000040, DIRECTION = 0xf2000044, DIGIT = 15, DIGIT_BITS = 4 };
    const struct machine_chip chip = {view->core.x, view->core.y};
    uint32_t pins = 0;
    for (uint32_t i = 1; i <= (leds & DIGIT); i++) {
        pins |= 1u << (leds >> DIGIT_BITS * i & DIGIT);
    }
    (void)machine_write_word(view->machine, chip, PORT, pins);
    (void)machine_write_word(view->machine, chip, DIRECTION, ~pins);
}

static void put_variable(const struct view *view, uint32_t offset, uint64_t value, uint32_t bytes)
{
    put(view, SARK_SV_BASE + offset, value, bytes);
}

/* The chip at which monitors agree: the first one that has a monitor. */
static struct machine_core root_of(const struct machine *machine)
{
    const struct topology *topology = machine_topology(machine);
    size_t i = 0;
    while (i + 1 < topology->count && topology->chip[i].cores == 0) {
        i++;
    }
    const struct topology_chip *chip = &topology->chip[i];
    return (struct machine_core){chip->x, chip->y, (uint8_t)bits_lowest(chip->cores)};
}

/* Cores without a program run SC&MP's default application, which is idle. */
static void put_cores(const struct view *view, uint32_t version)
{
    const uint32_t cores = get(view, SARK_SV_BASE + SV_NUM_CPUS, 1);
    for (uint32_t v = 0; v < cores; v++) {
        const uint32_t block = SARK_VCPU_BASE + v * SARK_VCPU_BYTES;
        put(view, block + VCPU_CPU_STATE, v == 0 ? CPU_STATE_RUN : CPU_STATE_IDLE, 1);
        put(view, block + VCPU_SW_VER, version, 4);
    }
}

static void write_chip(const struct view *view, const struct system_software *software,
                       const uint8_t *table)
{
    const uint32_t sdram_end = SARK_SDRAM_BASE + (uint32_t)software->sdram_bytes;
    const uint32_t area = sdram_end - SARK_SYSTEM_BYTES;
    const uint32_t heap = sdram_end - SARK_SYSTEM_HEAP_BYTES;
    for (size_t i = 0; i < sizeof CONSTANTS / sizeof *CONSTANTS; i++) {
        put_variable(view, CONSTANTS[i].offset, CONSTANTS[i].value, CONSTANTS[i].bytes);
    }
    put_variable(view, SV_HW_VER, handover_hardware_version(software->shape), 1);
    put_variable(view, SV_LED0, leds_of(software->shape), 4);
    put_leds_off(view, leds_of(software->shape));
    put_variable(view, SV_SDRAM_BUFS, SARK_SDRAM_BASE, 4);
    put_variable(view, SV_SDRAM_BASE, SARK_SDRAM_BASE + SARK_CORES * 4 * SARK_CORE_BUFFER_WORDS, 4);
    put_variable(view, SV_SDRAM_SYS, area, 4);
    put_variable(view, SV_SW_VER, software->version, 4);
    const uint32_t messages =
        put_heap(view, SARK_SYSRAM_HEAP, SARK_SYSRAM_HEAP_END, MESSAGES * MESSAGE_BYTES);
    put_messages(view, messages);
    put_variable(view, SV_SHM_BUF, messages, 4);
    put_variable(view, SV_SHM_ROOT, messages, 4);
    (void)put_heap(view, get(view, SARK_SV_BASE + SV_SDRAM_HEAP, 4), area, 0);
    const uint32_t tables = put_heap(view, heap, sdram_end, TABLE_BYTES);
    (void)machine_write(view->machine, view->core, tables, table, TABLE_BYTES);
    put_variable(view, SV_HOP_TABLE, tables + HOPS, 4);
    put_variable(view, SV_RTR_COPY, tables + ROUTER, 4);
    put_variable(view, SV_RTR_FREE, ROUTER_FIRST, 2);
    put_variable(view, SV_ALLOC_TAG, tables + TAGS, 4);
    put_variable(view, SV_APP_DATA, tables + APPLICATION, 4);
    const struct machine_core root = root_of(view->machine);
    put_variable(view, SV_P2P_ROOT, (uint32_t)root.x << 8 | root.y, 2);
    put_cores(view, software->version);
}

enum status system_software_write(struct machine *machine, const struct system_software *software,
                                  struct diagnostic *diagnostic)
{
    FREED uint8_t *table = calloc(1, TABLE_BYTES);
    if (table == NULL) {
        return no_memory(diagnostic);
    }
    make_tables(table);
    const struct topology *topology = machine_topology(machine);
    for (size_t i = 0; i < topology->count; i++) {
        const struct topology_chip *chip = &topology->chip[i];
        if (chip->cores != 0) {
            const struct view view = {machine,
                                      {chip->x, chip->y, (uint8_t)bits_lowest(chip->cores)}};
            write_chip(&view, software, table);
            (void)machine_write_word(machine, (struct machine_chip){chip->x, chip->y},
                                     SYSCTL_SET_FLAGS, ALL_CORES);
        }
    }
    return STATUS_OK;
}

/* Another chip runs an application. */
static void count_chip(const struct view *view, uint8_t app_id)
{
    const struct view root = {view->machine, root_of(view->machine)};
    const uint32_t at =
        get(&root, SARK_SV_BASE + SV_APP_DATA, 4) + CHIPS - APPLICATION + 4u * app_id;
    put(&root, at, get(&root, at, 4) + 1, 4);
}

void system_software_enter(struct machine *machine, struct machine_core core, uint8_t app_id,
                           bool is_sark)
{
    const struct view view = {machine, core};
    const uint32_t v = machine_virtual_core(machine, core);
    const uint32_t at =
        get(&view, SARK_SV_BASE + SV_APP_DATA, 4) + (uint32_t)app_id * APPLICATION_BYTES;
    enum { CORES = 0, LEAD = 3, MASK = 4 };
    const uint32_t cores = get(&view, at + CORES, 1);
    if (cores == 0) {
        put(&view, at + LEAD, v, 1);
        count_chip(&view, app_id);
    }
    put(&view, at + CORES, cores + 1, 1);
    if (!is_sark) {
        put(&view, SARK_VCPU_BASE + v * SARK_VCPU_BYTES + VCPU_SW_VER, 0, 4);
    }
    put(&view, at + MASK, get(&view, at + MASK, 4) | 1u << v, 4);
}
