/* sysctl.c - see sysctl.h. */
#include "models/chip/sysctl.h"

#include "models/common/bits.h"
#include "models/common/register_field.h"

enum sysctl_register {
#define REG(name, offset, reset, access, help) name = offset,
#include "models/chip/sysctl_regs.def"
#undef REG
};

enum {
    WORDS = 32, /* of the arbiter and lock groups */
    CODE_SHIFT = 20,
    SECURITY_CODE = 0x5ec,
    ALL_CORES = (1 << SYSCTL_CORES) - 1,
    MONITOR_MASK = 0x1f,
    MONITOR_ARBITRATION = 8,
    MONITOR_WATCHDOG = 16,
    NO_MONITOR = 31,
    MISC_STORED = 0xffff,
    MISC_BOOT_AREA = 1,
    ALL_LEVELS = 0xffff, /* of parts; the two parts above have pulses only */
    ALL_PARTS = 0x3ffff,
    ALL_LINKS = 0x3f3f,
    PARITY_CONTROL = 1 << 16,
    PLL_TEST = 24,
    PLL_RESET = 0x0002010a
};
#define CHIP_ID        0x59111012u
#define TOP_BIT        0x80000000u
#define PINS_PULLED_UP 0x000f0000u /* the others down */
/* Parts whose reset does nothing here: accesses on the way end by themselves. */
#define IDLE_PARTS (1u << SYSCTL_PART_SYSTEM_NOC | 1u << SYSCTL_PART_AHB)
#define LOW_20     0x000fffffu

void sysctl_reset(struct sysctl *sysctl)
{
    *sysctl = (struct sysctl){.monitor_id = NO_MONITOR,
                              .arbitration = true,
                              .gpio_pulls = 0xffffffffu,
                              .gpio_direction = 0xffffffffu,
                              .pll1 = PLL_RESET,
                              .pll2 = PLL_RESET};
}

void sysctl_reset_with_chip(struct sysctl *sysctl, enum sysctl_reset_code code)
{
    const uint32_t monitor_id = sysctl->monitor_id;
    const uint32_t driven = sysctl->driven;
    const uint32_t boot_area =
        code == SYSCTL_RESET_WATCHDOG ? 0 : sysctl->misc_control & MISC_BOOT_AREA;
    sysctl_reset(sysctl);
    sysctl->monitor_id = code == SYSCTL_RESET_POWER_ON ? NO_MONITOR : monitor_id;
    sysctl->misc_control = code == SYSCTL_RESET_POWER_ON ? 0 : boot_area;
    sysctl->reset_code = code;
    sysctl->driven = driven;
}

void sysctl_drive(struct sysctl *sysctl, uint32_t mask, uint32_t levels)
{
    sysctl->driven = (sysctl->driven & ~mask) | (levels & mask);
}

bool sysctl_boot_from_ram(const struct sysctl *sysctl)
{
    return (sysctl->misc_control & MISC_BOOT_AREA) != 0;
}

static bool in_group(uint32_t offset, uint32_t first, unsigned *index)
{
    *index = (offset - first) / 4;
    return offset >= first && *index < WORDS;
}

/* Pins: outputs show the port, undriven inputs show their pull-up or pull-down.  Low levels from
 * outside only matter at pins that are pulled down. */
uint32_t sysctl_pins(const struct sysctl *sysctl)
{
    const uint32_t up = PINS_PULLED_UP & sysctl->gpio_pulls;
    return (sysctl->gpio_port & ~sysctl->gpio_direction) |
           ((up | sysctl->driven) & sysctl->gpio_direction);
}

static uint32_t arbitrate(struct sysctl *sysctl, unsigned candidate)
{
    if (!sysctl->arbitration || candidate == sysctl->monitor_id) {
        return 0;
    }
    sysctl->arbitration = false;
    sysctl->monitor_id = candidate;
    return TOP_BIT;
}

/* Returns the old value of a lock, and sets it to `held`. */
static uint32_t take_lock(struct sysctl *sysctl, unsigned lock, bool held)
{
    const uint32_t old = bits_test(sysctl->locks, lock) ? TOP_BIT : 0;
    const uint32_t bit = 1u << lock;
    sysctl->locks = held ? sysctl->locks | bit : sysctl->locks & ~bit;
    return old;
}

static uint32_t monitor_register(const struct sysctl *sysctl)
{
    return sysctl->monitor_id | (sysctl->arbitration ? 1u << MONITOR_ARBITRATION : 0u) |
           (sysctl->watchdog_resets_monitor ? 1u << MONITOR_WATCHDOG : 0u);
}

/* Properties of a write to a register: tags of its row. */
enum {
    CODED = 1, /* it is ignored without the security code */
    CORES = 2,
    LEVELS = 4,
    CLOCKS = 8
};

static const struct register_field FIELDS[] = {
#define ROW(offset, member, write, tag, mask)                                                      \
    {                                                                                              \
        offset, REGISTER_MEMBER(sysctl, member), REGISTER_##write, tag, mask                       \
    }
    ROW(SC_CPU_DIS, cpu_disable, STORES, CODED | CORES, ALL_CORES),
    ROW(SC_SET_IRQ, irq, SETS, CODED, ALL_CORES),
    ROW(SC_CLR_IRQ, irq, CLEARS, CODED, LOW_20),
    ROW(SC_SET_OK, cpu_ok, SETS, 0, UINT32_MAX),
    ROW(SC_CLR_OK, cpu_ok, CLEARS, 0, UINT32_MAX),
    ROW(SC_SOFT_RST_L, soft_reset, STORES, CODED | CORES, ALL_CORES),
    ROW(SC_HARD_RST_L, hard_reset, STORES, CODED | CORES, ALL_CORES),
    ROW(SC_SUBS_RST_L, subsystem_reset, STORES, CODED | LEVELS, ALL_LEVELS),
    ROW(SC_SOFT_RST_P, soft_reset, READ_ONLY, CODED | CORES,
        0), /* pulses do not change the levels */
    ROW(SC_HARD_RST_P, hard_reset, READ_ONLY, CODED | CORES, 0),
    ROW(SC_SUBS_RST_P, subsystem_reset, READ_ONLY, CODED | LEVELS, 0),
    ROW(SC_RST_CODE, reset_code, READ_ONLY, 0, 0),
    ROW(SC_MISC_CTRL, misc_control, STORES, 0, MISC_STORED),
    ROW(GPIO_RES, gpio_pulls, STORES, 0, UINT32_MAX),
    ROW(GPIO_PORT, gpio_port, STORES, 0, UINT32_MAX),
    ROW(GPIO_DIR, gpio_direction, STORES, 0, UINT32_MAX),
    ROW(GPIO_SET, gpio_port, SETS, 0, UINT32_MAX), /* reads return the pins */
    ROW(GPIO_CLR, gpio_port, CLEARS, 0, UINT32_MAX),
    ROW(SC_PLL1, pll1, STORES, CLOCKS, UINT32_MAX),
    ROW(SC_PLL2, pll2, STORES, CLOCKS, UINT32_MAX),
    ROW(SC_SETFLAG, flags, SETS, 0, UINT32_MAX),
    ROW(SC_CLRFLAG, flags, CLEARS, 0, UINT32_MAX),
    ROW(SC_CLKMUX, clock_mux, STORES, CLOCKS, UINT32_MAX),
    ROW(SC_SLEEP, sleeping, READ_ONLY, 0, 0),
    ROW(SC_LINK_DIS, link_disable, STORES, CODED | LEVELS, ALL_LINKS | PARITY_CONTROL),
#undef ROW
    /* writes are ignored: the boot ROM prints through this address */
    {SC_CHIP_ID, REGISTER_NO_WORD, REGISTER_READ_ONLY, 0, 0},
    {SC_MON_ID, REGISTER_NO_WORD, REGISTER_READ_ONLY, CODED, 0},
};

static const struct register_field *find(uint32_t offset)
{
    return register_find(FIELDS, sizeof FIELDS / sizeof *FIELDS, offset);
}

static enum register_reply read_plain(const struct sysctl *sysctl, uint32_t offset, uint32_t *value)
{
    switch (offset) {
    case SC_CHIP_ID:
        *value = CHIP_ID;
        return REGISTER_OK;
    case SC_MON_ID:
        *value = monitor_register(sysctl);
        return REGISTER_OK;
    case GPIO_SET:
    case GPIO_CLR:
        *value = sysctl_pins(sysctl);
        return REGISTER_OK;
    default:
        return register_read(find(offset), sysctl, value);
    }
}

enum register_reply sysctl_read32(struct sysctl *sysctl, uint32_t offset, bool privileged,
                                  uint32_t *value)
{
    *value = 0;
    if ((offset & 3) != 0 || !privileged) {
        return REGISTER_BUS_ERROR;
    }
    unsigned index;
    if (in_group(offset, SC_ARB0, &index)) {
        *value = arbitrate(sysctl, index);
        return REGISTER_OK;
    }
    if (in_group(offset, SC_TAS0, &index)) {
        *value = take_lock(sysctl, index, true);
        return REGISTER_OK;
    }
    if (in_group(offset, SC_TAC0, &index)) {
        *value = take_lock(sysctl, index, false);
        return REGISTER_OK;
    }
    if (offset >= SC_TS0 && offset < SC_TS0 + 4 * SYSCTL_TEMPERATURES) {
        *value = sysctl->temperature[(offset - SC_TS0) / 4];
        return REGISTER_OK;
    }
    return read_plain(sysctl, offset, value);
}

/* Cores or parts that a write to a reset register resets: those whose level rises, and those with a
 * pulse. */
static void find_resets(const struct sysctl *sysctl, uint32_t offset, uint32_t value,
                        struct sysctl_effects *effects)
{
    const uint32_t cores = value & ALL_CORES;
    effects->soft_reset = offset == SC_SOFT_RST_P   ? cores
                          : offset == SC_SOFT_RST_L ? cores & ~sysctl->soft_reset
                                                    : 0;
    effects->hard_reset = offset == SC_HARD_RST_P   ? cores
                          : offset == SC_HARD_RST_L ? cores & ~sysctl->hard_reset
                                                    : 0;
    effects->parts = offset == SC_SUBS_RST_P   ? value & ALL_PARTS
                     : offset == SC_SUBS_RST_L ? value & ALL_LEVELS & ~sysctl->subsystem_reset
                                               : 0;
}

/* False if a PLL is in test mode (not modelled), or a clock's source is off. */
static bool clocks_known(const struct sysctl *sysctl)
{
    struct clock clock;
    bool all = !bits_test(sysctl->pll1, PLL_TEST) && !bits_test(sysctl->pll2, PLL_TEST);
    for (unsigned i = 0; i < SYSCTL_CLOCKS; i++) {
        all = sysctl_clock_now(sysctl, (enum sysctl_clock)i, HZ_PER_MHZ, &clock) && all;
    }
    return all;
}

static void write_monitor(struct sysctl *sysctl, uint32_t value)
{
    sysctl->monitor_id = value & MONITOR_MASK;
    sysctl->arbitration = sysctl->arbitration || bits_test(value, MONITOR_ARBITRATION);
    sysctl->watchdog_resets_monitor = bits_test(value, MONITOR_WATCHDOG);
}

/* Whether a write requests something that is not modelled. */
static bool asks_too_much(const struct sysctl *sysctl, uint32_t offset, unsigned tag,
                          uint32_t value)
{
    return ((offset == SC_SUBS_RST_L || offset == SC_SUBS_RST_P) && (value & IDLE_PARTS) != 0) ||
           (offset == SC_LINK_DIS && (value & PARITY_CONTROL) != 0) ||
           ((tag & CLOCKS) != 0 && !clocks_known(sysctl));
}

enum register_reply sysctl_write32(struct sysctl *sysctl, uint32_t offset, bool privileged,
                                   uint32_t value, struct sysctl_effects *effects)
{
    *effects = (struct sysctl_effects){0};
    if ((offset & 3) != 0 || !privileged) {
        return REGISTER_BUS_ERROR;
    }
    if (offset >= SC_TS0 && offset < SC_TS0 + 4 * SYSCTL_TEMPERATURES) {
        sysctl->temperature[(offset - SC_TS0) / 4] = value;
        return REGISTER_UNMODELLED;
    }
    const struct register_field *row = find(offset);
    if (row == NULL) {
        return REGISTER_UNMODELLED;
    }
    if ((row->tag & CODED) != 0) {
        if (value >> CODE_SHIFT != SECURITY_CODE) {
            return REGISTER_OK; /* ignored, as the hardware does */
        }
        value &= LOW_20;
    }
    const uint32_t before = sysctl->irq;
    effects->cores = (row->tag & CORES) != 0;
    effects->levels = (row->tag & LEVELS) != 0;
    effects->clocks = (row->tag & CLOCKS) != 0;
    find_resets(sysctl, offset, value, effects);
    if (offset == SC_MON_ID) {
        write_monitor(sysctl, value);
    }
    (void)register_write(row, sysctl, value);
    effects->irq = before ^ sysctl->irq;
    return asks_too_much(sysctl, offset, row->tag, value) ? REGISTER_UNMODELLED : REGISTER_OK;
}
