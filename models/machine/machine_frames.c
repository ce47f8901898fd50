/* machine_frames.c - frames between the host and a machine's Ethernet chips.  See machine.h. */
#include "models/chip/ethernet.h"
#include "models/machine/machine_state.h"

_Static_assert((int)MACHINE_FRAME_BYTES_MIN == (int)ETHERNET_BYTES_MIN, "the same frames");
_Static_assert((int)MACHINE_FRAME_BYTES_MAX == (int)ETHERNET_BYTES_MAX, "the same frames");

/* NULL: the chip has none. */
static struct ethernet *find_ethernet(const struct machine *machine, struct machine_chip at)
{
    const int32_t index = topology_find(&machine->topology, at.x, at.y);
    const struct blocks *blocks = index == TOPOLOGY_NO_CHIP ? NULL : &machine->chip[index].blocks;
    return blocks != NULL && blocks_have(blocks, &ETHERNET_BLOCK) ? blocks->state[MEMORY_ETHERNET]
                                                                  : NULL;
}

bool machine_has_ethernet(const struct machine *machine, struct machine_chip chip)
{
    return find_ethernet(machine, chip) != NULL;
}

uint64_t machine_frame_time_ps(uint32_t count)
{
    return ethernet_wire_ps(count);
}

unsigned machine_frame_room(const struct machine *machine, struct machine_chip chip)
{
    const struct ethernet *ethernet = find_ethernet(machine, chip);
    return ethernet == NULL ? 0 : ethernet_room(ethernet);
}

enum status machine_send_frame(struct machine *machine, struct machine_chip chip,
                               const uint8_t *bytes, uint32_t count, uint64_t time_ps)
{
    struct ethernet *ethernet = find_ethernet(machine, chip);
    if (ethernet == NULL || count == 0 || count > MACHINE_FRAME_BYTES_MAX ||
        ethernet_room(ethernet) == 0) {
        return STATUS_CONFIGURATION;
    }
    ethernet_send(ethernet, bytes, count, later_of(time_ps, machine->time_ps));
    return STATUS_OK;
}
