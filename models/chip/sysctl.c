/* sysctl.c - see sysctl.h. */
#include "models/chip/sysctl.h"

#include "models/common/bits.h"

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
    ALL_LEVELS = 0xffff, /* of parts: the two above are pulses only */
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
    const uint32_t boot_area =
        code == SYSCTL_RESET_WATCHDOG ? 0 : sysctl->misc_control & MISC_BOOT_AREA;
    sysctl_reset(sysctl);
    sysctl->monitor_id = code == SYSCTL_RESET_POWER_ON ? NO_MONITOR : monitor_id;
    sysctl->misc_control = code == SYSCTL_RESET_POWER_ON ? 0 : boot_area;
    sysctl->reset_code = code;
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

/* Pins: outputs show the port, inputs that nothing drives what they are pulled to. */
uint32_t sysctl_pins(const struct sysctl *sysctl)
{
    const uint32_t up = PINS_PULLED_UP & sysctl->gpio_pulls;
    return (sysctl->gpio_port & ~sysctl->gpio_direction) | (up & sysctl->gpio_direction);
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

/* Old value of a lock, which becomes `held`. */
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

static enum register_reply read_plain(const struct sysctl *sysctl, uint32_t offset, uint32_t *value)
{
    switch (offset) {
    case SC_CHIP_ID:
        *value = CHIP_ID;
        return REGISTER_OK;
    case SC_CPU_DIS:
        *value = sysctl->cpu_disable;
        return REGISTER_OK;
    case SC_SET_IRQ:
    case SC_CLR_IRQ:
        *value = sysctl->irq;
        return REGISTER_OK;
    case SC_SET_OK:
    case SC_CLR_OK:
        *value = sysctl->cpu_ok;
        return REGISTER_OK;
    case SC_SOFT_RST_L:
    case SC_SOFT_RST_P:
        *value = sysctl->soft_reset;
        return REGISTER_OK;
    case SC_HARD_RST_L:
    case SC_HARD_RST_P:
        *value = sysctl->hard_reset;
        return REGISTER_OK;
    case SC_SUBS_RST_L:
    case SC_SUBS_RST_P:
        *value = sysctl->subsystem_reset;
        return REGISTER_OK;
    case SC_RST_CODE:
        *value = sysctl->reset_code;
        return REGISTER_OK;
    case SC_MON_ID:
        *value = monitor_register(sysctl);
        return REGISTER_OK;
    case SC_MISC_CTRL:
        *value = sysctl->misc_control;
        return REGISTER_OK;
    case GPIO_RES:
        *value = sysctl->gpio_pulls;
        return REGISTER_OK;
    case GPIO_PORT:
        *value = sysctl->gpio_port;
        return REGISTER_OK;
    case GPIO_DIR:
        *value = sysctl->gpio_direction;
        return REGISTER_OK;
    case GPIO_SET:
    case GPIO_CLR:
        *value = sysctl_pins(sysctl);
        return REGISTER_OK;
    case SC_PLL1:
        *value = sysctl->pll1;
        return REGISTER_OK;
    case SC_PLL2:
        *value = sysctl->pll2;
        return REGISTER_OK;
    case SC_SETFLAG:
    case SC_CLRFLAG:
        *value = sysctl->flags;
        return REGISTER_OK;
    case SC_CLKMUX:
        *value = sysctl->clock_mux;
        return REGISTER_OK;
    case SC_SLEEP:
        *value = sysctl->sleeping;
        return REGISTER_OK;
    case SC_LINK_DIS:
        *value = sysctl->link_disable;
        return REGISTER_OK;
    default:
        return REGISTER_UNMODELLED;
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

/* Registers that ignore a write without the security code. */
static bool needs_code(uint32_t offset)
{
    switch (offset) {
    case SC_CPU_DIS:
    case SC_SET_IRQ:
    case SC_CLR_IRQ:
    case SC_SOFT_RST_L:
    case SC_HARD_RST_L:
    case SC_SUBS_RST_L:
    case SC_SOFT_RST_P:
    case SC_HARD_RST_P:
    case SC_SUBS_RST_P:
    case SC_MON_ID:
    case SC_LINK_DIS:
        return true;
    default:
        return false;
    }
}

/* A level that rises resets; a pulse leaves the level alone. */
static void set_level(uint32_t *level, uint32_t value, uint32_t *reset)
{
    *reset |= value & ~*level;
    *level = value;
}

static void reset_cores(struct sysctl *sysctl, uint32_t offset, uint32_t value,
                        struct sysctl_effects *effects)
{
    value &= ALL_CORES;
    effects->cores = true;
    if (offset == SC_SOFT_RST_L) {
        set_level(&sysctl->soft_reset, value, &effects->soft_reset);
    } else if (offset == SC_HARD_RST_L) {
        set_level(&sysctl->hard_reset, value, &effects->hard_reset);
    } else if (offset == SC_SOFT_RST_P) {
        effects->soft_reset |= value;
    } else {
        effects->hard_reset |= value;
    }
}

static enum register_reply reset_parts(struct sysctl *sysctl, uint32_t offset, uint32_t value,
                                       struct sysctl_effects *effects)
{
    effects->levels = true;
    if (offset == SC_SUBS_RST_L) {
        set_level(&sysctl->subsystem_reset, value & ALL_LEVELS, &effects->parts);
    } else {
        effects->parts |= value & ALL_PARTS;
    }
    return (value & IDLE_PARTS) == 0 ? REGISTER_OK : REGISTER_UNMODELLED;
}

static enum register_reply write_coded(struct sysctl *sysctl, uint32_t offset, uint32_t value,
                                       struct sysctl_effects *effects)
{
    switch (offset) {
    case SC_CPU_DIS:
        sysctl->cpu_disable = value & ALL_CORES;
        effects->cores = true;
        return REGISTER_OK;
    case SC_SET_IRQ:
        sysctl->irq |= value & ALL_CORES;
        return REGISTER_OK;
    case SC_CLR_IRQ:
        sysctl->irq &= ~value;
        return REGISTER_OK;
    case SC_SOFT_RST_L:
    case SC_HARD_RST_L:
    case SC_SOFT_RST_P:
    case SC_HARD_RST_P:
        reset_cores(sysctl, offset, value, effects);
        return REGISTER_OK;
    case SC_SUBS_RST_L:
    case SC_SUBS_RST_P:
        return reset_parts(sysctl, offset, value, effects);
    case SC_MON_ID:
        sysctl->monitor_id = value & MONITOR_MASK;
        sysctl->arbitration = sysctl->arbitration || bits_test(value, MONITOR_ARBITRATION);
        sysctl->watchdog_resets_monitor = bits_test(value, MONITOR_WATCHDOG);
        return REGISTER_OK;
    case SC_LINK_DIS:
    default:
        sysctl->link_disable = value & (ALL_LINKS | PARITY_CONTROL);
        effects->levels = true;
        return (value & PARITY_CONTROL) == 0 ? REGISTER_OK : REGISTER_UNMODELLED;
    }
}

/* A PLL in test is not modelled, nor a clock whose source is off. */
static enum register_reply write_clocks(struct sysctl *sysctl, uint32_t *stored, uint32_t value)
{
    struct clock clock;
    *stored = value;
    bool all = !bits_test(sysctl->pll1, PLL_TEST) && !bits_test(sysctl->pll2, PLL_TEST);
    for (unsigned i = 0; i < SYSCTL_CLOCKS; i++) {
        all = sysctl_clock_now(sysctl, (enum sysctl_clock)i, HZ_PER_MHZ, &clock) && all;
    }
    return all ? REGISTER_OK : REGISTER_UNMODELLED;
}

static enum register_reply write_plain(struct sysctl *sysctl, uint32_t offset, uint32_t value,
                                       struct sysctl_effects *effects)
{
    effects->clocks = offset == SC_PLL1 || offset == SC_PLL2 || offset == SC_CLKMUX;
    switch (offset) {
    case SC_SET_OK:
        sysctl->cpu_ok |= value;
        return REGISTER_OK;
    case SC_CLR_OK:
        sysctl->cpu_ok &= ~value;
        return REGISTER_OK;
    case SC_MISC_CTRL:
        sysctl->misc_control = value & MISC_STORED;
        return REGISTER_OK;
    case GPIO_RES:
        sysctl->gpio_pulls = value;
        return REGISTER_OK;
    case GPIO_PORT:
        sysctl->gpio_port = value;
        return REGISTER_OK;
    case GPIO_DIR:
        sysctl->gpio_direction = value;
        return REGISTER_OK;
    case GPIO_SET:
        sysctl->gpio_port |= value;
        return REGISTER_OK;
    case GPIO_CLR:
        sysctl->gpio_port &= ~value;
        return REGISTER_OK;
    case SC_PLL1:
        return write_clocks(sysctl, &sysctl->pll1, value);
    case SC_PLL2:
        return write_clocks(sysctl, &sysctl->pll2, value);
    case SC_CLKMUX:
        return write_clocks(sysctl, &sysctl->clock_mux, value);
    case SC_SETFLAG:
        sysctl->flags |= value;
        return REGISTER_OK;
    case SC_CLRFLAG:
        sysctl->flags &= ~value;
        return REGISTER_OK;
    case SC_CHIP_ID: /* writes are ignored: the boot ROM prints through this address */
    case SC_RST_CODE:
    case SC_SLEEP:
        return REGISTER_OK;
    default:
        return REGISTER_UNMODELLED;
    }
}

enum register_reply sysctl_write32(struct sysctl *sysctl, uint32_t offset, bool privileged,
                                   uint32_t value, struct sysctl_effects *effects)
{
    *effects = (struct sysctl_effects){0};
    if ((offset & 3) != 0 || !privileged) {
        return REGISTER_BUS_ERROR;
    }
    if (needs_code(offset)) {
        if (value >> CODE_SHIFT != SECURITY_CODE) {
            return REGISTER_OK; /* ignored, as the hardware does */
        }
        const uint32_t before = sysctl->irq;
        const enum register_reply reply = write_coded(sysctl, offset, value & LOW_20, effects);
        effects->irq = before ^ sysctl->irq;
        return reply;
    }
    if (offset >= SC_TS0 && offset < SC_TS0 + 4 * SYSCTL_TEMPERATURES) {
        sysctl->temperature[(offset - SC_TS0) / 4] = value;
        return REGISTER_UNMODELLED;
    }
    return write_plain(sysctl, offset, value, effects);
}
