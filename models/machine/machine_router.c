/* machine_router.c - routers as the host sees them: tables and registers set from outside. */
#include "models/machine/machine_state.h"

const struct topology *machine_topology(const struct machine *machine)
{
    return &machine->topology;
}

static struct chip *find_chip(const struct machine *machine, uint8_t x, uint8_t y)
{
    const int32_t index = topology_find(&machine->topology, x, y);
    return index == TOPOLOGY_NO_CHIP ? NULL : &machine->chip[index];
}

enum status machine_set_route(struct machine *machine, uint8_t x, uint8_t y, unsigned index,
                              uint32_t key, uint32_t mask, uint32_t route)
{
    static const uint32_t OUTPUTS = ROUTER_LINK_OUTPUTS | ROUTER_CORE_OUTPUTS;
    struct chip *chip = find_chip(machine, x, y);
    if (chip == NULL || index >= MC_TABLE_ENTRIES || (route & ~OUTPUTS) != 0) {
        return STATUS_CONFIGURATION;
    }
    struct mc_table *table = &chip->d.fabric.router.mc;
    mc_table_write_route(table, index, route);
    mc_table_write_key(table, index, key);
    mc_table_write_mask(table, index, mask);
    return STATUS_OK;
}

enum status machine_delete_route(struct machine *machine, uint8_t x, uint8_t y, uint32_t key)
{
    struct chip *chip = find_chip(machine, x, y);
    struct mc_table *table = chip == NULL ? NULL : &chip->d.fabric.router.mc;
    const int entry = table == NULL ? MC_TABLE_MISS : mc_table_lookup(table, key);
    if (entry == MC_TABLE_MISS) {
        return STATUS_CONFIGURATION;
    }
    mc_table_write_mask(table, (unsigned)entry, 0);
    mc_table_write_key(table, (unsigned)entry, UINT32_MAX); /* matches nothing */
    mc_table_write_route(table, (unsigned)entry, 0);
    return STATUS_OK;
}

enum status machine_set_p2p_route(struct machine *machine, uint8_t x, uint8_t y,
                                  uint16_t destination, unsigned route)
{
    struct chip *chip = find_chip(machine, x, y);
    if (chip == NULL || route > P2P_ROUTE_MONITOR) {
        return STATUS_CONFIGURATION;
    }
    p2p_table_set(&chip->d.fabric.router.p2p, destination, route);
    return STATUS_OK;
}

enum status machine_write_router(struct machine *machine, uint8_t x, uint8_t y, uint32_t offset,
                                 uint32_t value)
{
    struct chip *chip = find_chip(machine, x, y);
    const bool done =
        chip != NULL && fabric_write32(chip, offset, value, machine->time_ps) == REGISTER_OK;
    return done ? STATUS_OK : STATUS_CONFIGURATION;
}

enum status machine_read_router(struct machine *machine, uint8_t x, uint8_t y, uint32_t offset,
                                uint32_t *value)
{
    struct chip *chip = find_chip(machine, x, y);
    const bool done =
        chip != NULL && fabric_read32(chip, offset, machine->time_ps, value) == REGISTER_OK;
    return done ? STATUS_OK : STATUS_CONFIGURATION;
}
