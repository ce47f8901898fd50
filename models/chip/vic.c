/* vic.c - see vic.h.
 * Priorities: reading VIC_VADDR puts a slot into service.  This blocks the slot, all slots of lower
 * priority and the non-vectored interrupts until VIC_VADDR is written; services nest.  A read that
 * finds no vectored interrupt returns the default address and blocks non-vectored interrupts
 * only. */
#include "models/chip/vic.h"

#include "models/common/bits.h"
#include "models/common/register_field.h"

#include <string.h>

enum vic_register {
#define REG(name, offset, reset, access, help) name = offset,
#include "models/chip/vic_regs.def"
#undef REG
};

enum {
    SLOT_ENABLE_BIT = 5,
    SLOT_SOURCE_MASK = 0x1f,
    SLOT_MASK = 0x3f,
    NON_VECTORED = VIC_SLOTS,
    PERIPH_ID0 = 0x90
};

/* Determines the slot that serves each source. */
static void find_slots(struct vic *vic)
{
    memset(vic->slot_of, VIC_SLOTS, sizeof vic->slot_of);
    for (unsigned slot = VIC_SLOTS; slot-- > 0;) {
        const uint32_t control = vic->slot_control[slot];
        if (bits_test(control, SLOT_ENABLE_BIT)) {
            vic->slot_of[control & SLOT_SOURCE_MASK] = (uint8_t)slot;
        }
    }
}

void vic_reset(struct vic *vic)
{
    const uint32_t input = vic->input;
    *vic = (struct vic){.input = input};
    find_slots(vic);
}

void vic_set_input(struct vic *vic, enum vic_source source, bool level)
{
    const uint32_t bit = 1u << source;
    vic->input = level ? vic->input | bit : vic->input & ~bit;
}

static uint32_t raw(const struct vic *vic)
{
    return vic->input | vic->soft;
}

static uint32_t irq_status(const struct vic *vic)
{
    return vic_pending(vic) & ~vic->select;
}

/* The most urgent slot with an active source; NON_VECTORED if only non-vectored sources are
 * active. */
static unsigned active_slot(const struct vic *vic)
{
    unsigned active = NON_VECTORED;
    for (uint32_t left = irq_status(vic); left != 0; left &= left - 1) {
        const unsigned slot = vic->slot_of[bits_lowest(left)];
        active = slot < active ? slot : active;
    }
    return active;
}

/* The most urgent level in service; above NON_VECTORED if there is none. */
static unsigned serving(const struct vic *vic)
{
    return vic->in_service == 0 ? NON_VECTORED + 1u : bits_lowest(vic->in_service);
}

bool vic_irq(const struct vic *vic)
{
    return irq_status(vic) != 0 && active_slot(vic) < serving(vic);
}

bool vic_fiq(const struct vic *vic)
{
    return (raw(vic) & vic->enable & vic->select) != 0;
}

static uint32_t start_service(struct vic *vic)
{
    unsigned slot = irq_status(vic) == 0 ? NON_VECTORED : active_slot(vic);
    if (slot >= serving(vic)) {
        slot = NON_VECTORED;
    }
    vic->in_service |= 1u << slot;
    return slot == NON_VECTORED ? vic->default_address : vic->slot_address[slot];
}

static void end_service(struct vic *vic)
{
    vic->in_service &= vic->in_service - 1;
}

static bool is_slot(uint32_t offset, uint32_t first, unsigned *slot)
{
    *slot = (offset - first) / 4;
    return offset >= first && *slot < VIC_SLOTS;
}

bool vic_knows(uint32_t offset)
{
    unsigned slot;
    return (offset & 3) == 0 &&
           (offset <= VIC_PROTECT || offset == VIC_VADDR || offset == VIC_DEFADDR ||
            is_slot(offset, VIC_ADDR0, &slot) || is_slot(offset, VIC_CNTL0, &slot));
}

uint32_t vic_lets_in(const struct vic *vic, uint32_t offset, uint32_t value)
{
    return offset == VIC_ENABLE ? value & ~vic->enable : 0;
}

static const struct register_field FIELDS[] = {
    {VIC_SELECT, REGISTER_MEMBER(vic, select), REGISTER_STORES, 0, UINT32_MAX},
    {VIC_ENABLE, REGISTER_MEMBER(vic, enable), REGISTER_SETS, 0, UINT32_MAX},
    {VIC_DISABLE, REGISTER_MEMBER(vic, enable), REGISTER_CLEARS, 0, UINT32_MAX}, /* reads 0 */
    {VIC_SOFT_SET, REGISTER_MEMBER(vic, soft), REGISTER_SETS, 0, UINT32_MAX},
    {VIC_SOFT_CLR, REGISTER_MEMBER(vic, soft), REGISTER_CLEARS, 0, UINT32_MAX}, /* reads 0 */
    {VIC_PROTECT, REGISTER_MEMBER(vic, protection), REGISTER_STORES, 0, 1},
    {VIC_DEFADDR, REGISTER_MEMBER(vic, default_address), REGISTER_STORES, 0, UINT32_MAX},
    {VIC_IRQST, REGISTER_NO_WORD, REGISTER_READ_ONLY, 0, 0},
    {VIC_FIQST, REGISTER_NO_WORD, REGISTER_READ_ONLY, 0, 0},
    {VIC_RAW, REGISTER_NO_WORD, REGISTER_READ_ONLY, 0, 0},
    {VIC_PERIPH_ID0, REGISTER_NO_WORD, REGISTER_READ_ONLY, 0, 0},
};

static const struct register_field *find(uint32_t offset)
{
    return register_find(FIELDS, sizeof FIELDS / sizeof *FIELDS, offset);
}

static bool refused(const struct vic *vic, uint32_t offset, bool privileged)
{
    return (offset & 3) != 0 || (!privileged && vic->protection != 0);
}

enum register_reply vic_read32(struct vic *vic, uint32_t offset, bool privileged, uint32_t *value)
{
    *value = 0;
    if (refused(vic, offset, privileged)) {
        return REGISTER_BUS_ERROR;
    }
    unsigned slot;
    if (is_slot(offset, VIC_ADDR0, &slot)) {
        *value = vic->slot_address[slot];
        return REGISTER_OK;
    }
    if (is_slot(offset, VIC_CNTL0, &slot)) {
        *value = vic->slot_control[slot];
        return REGISTER_OK;
    }
    switch (offset) {
    case VIC_IRQST:
        *value = irq_status(vic);
        return REGISTER_OK;
    case VIC_FIQST:
        *value = raw(vic) & vic->enable & vic->select;
        return REGISTER_OK;
    case VIC_RAW:
        *value = raw(vic);
        return REGISTER_OK;
    case VIC_VADDR:
        *value = start_service(vic);
        return REGISTER_OK;
    case VIC_PERIPH_ID0:
        *value = PERIPH_ID0;
        return REGISTER_OK;
    case VIC_DISABLE:
    case VIC_SOFT_CLR:
        return REGISTER_OK; /* read as 0 */
    default:
        return register_read(find(offset), vic, value);
    }
}

enum register_reply vic_write32(struct vic *vic, uint32_t offset, bool privileged, uint32_t value)
{
    if (refused(vic, offset, privileged)) {
        return REGISTER_BUS_ERROR;
    }
    unsigned slot;
    if (is_slot(offset, VIC_ADDR0, &slot)) {
        vic->slot_address[slot] = value;
        return REGISTER_OK;
    }
    if (is_slot(offset, VIC_CNTL0, &slot)) {
        vic->slot_control[slot] = value & SLOT_MASK;
        find_slots(vic);
        return REGISTER_OK;
    }
    if (offset == VIC_VADDR) {
        end_service(vic);
        return REGISTER_OK;
    }
    return register_write(find(offset), vic, value);
}
