/* noc_devices.h - the devices on one chip's system NoC (devices.h).  Private to models/machine. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/devices.h"
C_LINKAGE_BEGIN

struct noc_devices;

/* All functions take NULL for a chip without devices. */

/* Adds a device, whose addresses are free: the first makes *devices.  STATUS_INTERNAL: out of
 * memory. */
enum status noc_devices_add(struct noc_devices **devices, const struct machine_noc_device *device);
void noc_devices_destroy(struct noc_devices *devices);

/* Whether a device has the address; whether one has any of `bytes` addresses. */
bool noc_devices_have(const struct noc_devices *devices, uint32_t address);
bool noc_devices_meet(const struct noc_devices *devices, uint32_t first, uint32_t bytes);

/* Performs an access that arrives at *time_ps, which is then the time of its completion; false: a
 * bus error. */
bool noc_devices_access(struct noc_devices *devices, uint32_t address, uint64_t *time_ps,
                        uint8_t *data, uint32_t bytes, bool write);

/* Accesses a word without taking time; false: nobody answers. */
bool noc_devices_word(struct noc_devices *devices, uint32_t address, bool write, uint32_t *word,
                      uint64_t now_ps);

/* The first answer that came before its question, if there was one. */
struct noc_early {
    uint32_t address;
    uint64_t arrival_ps, done_ps;
};
bool noc_devices_early(const struct noc_devices *devices, struct noc_early *early);

C_LINKAGE_END
