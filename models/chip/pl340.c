/* pl340.c - see pl340.h. */
#include "models/chip/pl340.h"

#include "models/common/bits.h"

#include <stdbool.h>
#include <stddef.h>

enum pl340_register {
#define REG(name, offset, reset, access, help)   name = offset,
#define SETTING(name, offset, reset, mask, help) name = offset,
#include "models/chip/pl340_regs.def"
#undef REG
#undef SETTING
};

/* Registers with no further effect that can be read back, besides the settings. */
#define MASTER_STORED 0x000003ffu
#define CHIP_STORED   0x0001ffffu
#define CHIP_RESET    0x0000ff00u
#define BUILT_IN      0x000000b4u /* of the status: one chip, mobile DDR, 32 bits wide */
#define LOCKED        (1u << 18)

enum { DLL_ENABLE = 24, COMMAND_HIGH = 2 };

enum pl340_command {
    COMMAND_GO,
    COMMAND_SLEEP,
    COMMAND_WAKE,
    COMMAND_PAUSE,
    COMMAND_CONFIGURE,
    COMMAND_ACTIVE_PAUSE = 7
};

struct setting {
    uint32_t offset, reset, mask;
};

static const struct setting SETTING[PL340_SETTINGS] = {
#define REG(...)
#define SETTING(name, offset, reset, mask, help) {offset, reset, mask},
#include "models/chip/pl340_regs.def"
#undef REG
#undef SETTING
};

void pl340_reset(struct pl340 *pl340)
{
    *pl340 = (struct pl340){.state = PL340_CONFIGURE};
    for (unsigned i = 0; i < PL340_SETTINGS; i++) {
        pl340->setting[i] = SETTING[i].reset;
    }
    for (unsigned i = 0; i < PL340_CHIPS; i++) {
        pl340->chip[i] = CHIP_RESET;
    }
}

/* Whether offset is one of `count` words from `first` on. */
static bool within(uint32_t offset, uint32_t first, uint32_t count)
{
    return offset >= first && offset < first + 4 * count;
}

/* The word that stores a register, and its existing bits; NULL: no such register. */
static uint32_t *stored(struct pl340 *pl340, uint32_t offset, uint32_t *mask)
{
    if (within(offset, MC_MCFG, PL340_SETTINGS)) {
        const uint32_t index = (offset - MC_MCFG) / 4;
        *mask = SETTING[index].mask;
        return &pl340->setting[index];
    }
    if (within(offset, MC_ID0, PL340_MASTERS)) {
        *mask = MASTER_STORED;
        return &pl340->master[(offset - MC_ID0) / 4];
    }
    if (within(offset, MC_CHIP0, PL340_CHIPS)) {
        *mask = CHIP_STORED;
        return &pl340->chip[(offset - MC_CHIP0) / 4];
    }
    return NULL;
}

enum register_reply pl340_read32(struct pl340 *pl340, uint32_t offset, uint32_t *value)
{
    uint32_t mask;
    *value = 0;
    if ((offset & 3) != 0) {
        return REGISTER_BUS_ERROR;
    }
    const uint32_t *word = stored(pl340, offset, &mask);
    if (word != NULL) {
        *value = *word;
        return REGISTER_OK;
    }
    switch (offset) {
    case MC_STAT:
        *value = BUILT_IN | pl340->state;
        return REGISTER_OK;
    case DLL_STATUS:
        *value = bits_test(pl340->dll[0], DLL_ENABLE) ? LOCKED : 0;
        return REGISTER_OK;
    default:
        return REGISTER_UNMODELLED;
    }
}

/* A command that the state does not allow has no effect. */
static uint32_t state_after(uint32_t state, uint32_t command)
{
    switch (command) {
    case COMMAND_GO:
        return state == PL340_CONFIGURE || state == PL340_PAUSED ? PL340_READY : state;
    case COMMAND_SLEEP:
        return state == PL340_PAUSED ? PL340_LOW_POWER : state;
    case COMMAND_WAKE:
        return state == PL340_LOW_POWER ? PL340_PAUSED : state;
    case COMMAND_PAUSE:
    case COMMAND_ACTIVE_PAUSE:
        return state == PL340_READY ? PL340_PAUSED : state;
    case COMMAND_CONFIGURE:
        return state == PL340_PAUSED ? PL340_CONFIGURE : state;
    default:
        return state;
    }
}

enum register_reply pl340_write32(struct pl340 *pl340, uint32_t offset, uint32_t value)
{
    uint32_t mask;
    if ((offset & 3) != 0) {
        return REGISTER_BUS_ERROR;
    }
    uint32_t *word = stored(pl340, offset, &mask);
    if (word != NULL) {
        *word = value & mask;
        return REGISTER_OK;
    }
    switch (offset) {
    case MC_CMD:
        pl340->state = state_after(pl340->state, bits_get(value, COMMAND_HIGH, 0));
        return REGISTER_OK;
    case DLL_CONFIG0:
    case DLL_CONFIG1:
        pl340->dll[(offset - DLL_CONFIG0) / 4] = value;
        return REGISTER_OK;
    case MC_DIRC:
    case MC_STAT:
    case DLL_STATUS:
        return REGISTER_OK; /* without effect here, or read only */
    default:
        return REGISTER_UNMODELLED;
    }
}

/* ---- as a block of the chip ---- */

static enum register_reply read_block(const struct register_access *at, uint32_t *word)
{
    return pl340_read32(at->state, at->offset, word);
}

static enum register_reply write_block(const struct register_access *at, uint32_t word)
{
    return pl340_write32(at->state, at->offset, word);
}

static void reset_block(void *state, uint64_t tick)
{
    (void)tick;
    pl340_reset(state);
}

const struct register_block PL340_BLOCK = {.place = MEMORY_PL340,
                                           .state_bytes = sizeof(struct pl340),
                                           .read = read_block,
                                           .write = write_block,
                                           .reset = reset_block,
                                           .part = SYSCTL_PART_PL340};
