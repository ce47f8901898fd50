/* noc_devices.c - see noc_devices.h. */
#include "models/machine/noc_devices.h"

#include <stdlib.h>
#include <string.h>

struct noc_devices {
    unsigned count;
    bool is_early;
    struct noc_early early;
    struct machine_noc_device *list;
};

enum status noc_devices_add(struct noc_devices **devices, const struct machine_noc_device *device)
{
    struct noc_devices *made = *devices == NULL ? calloc(1, sizeof *made) : *devices;
    if (made == NULL) {
        return STATUS_INTERNAL;
    }
    *devices = made;
    struct machine_noc_device *list = realloc(made->list, (made->count + 1) * sizeof *list);
    if (list == NULL) {
        return STATUS_INTERNAL;
    }
    list[made->count++] = *device;
    made->list = list;
    return STATUS_OK;
}

void noc_devices_destroy(struct noc_devices *devices)
{
    if (devices != NULL) {
        free(devices->list);
        free(devices);
    }
}

/* The device that has all of these addresses; NULL: none. */
static const struct machine_noc_device *find(const struct noc_devices *devices, uint32_t address,
                                             uint32_t bytes)
{
    for (unsigned i = 0; devices != NULL && i < devices->count; i++) {
        const struct machine_noc_device *device = &devices->list[i];
        const uint32_t offset = address - device->first;
        if (offset < device->bytes && device->bytes - offset >= bytes) {
            return device;
        }
    }
    return NULL;
}

bool noc_devices_have(const struct noc_devices *devices, uint32_t address)
{
    return find(devices, address, 1) != NULL;
}

bool noc_devices_meet(const struct noc_devices *devices, uint32_t first, uint32_t bytes)
{
    for (unsigned i = 0; devices != NULL && i < devices->count; i++) {
        const struct machine_noc_device *device = &devices->list[i];
        if (first - device->first < device->bytes || device->first - first < bytes) {
            return true;
        }
    }
    return false;
}

bool noc_devices_access(struct noc_devices *devices, uint32_t address, uint64_t *time_ps,
                        uint8_t *data, uint32_t bytes, bool write)
{
    const struct machine_noc_device *device = find(devices, address, bytes);
    if (device == NULL) {
        return false;
    }
    const uint64_t arrival_ps = *time_ps;
    const uint64_t done_ps =
        device->access(device->context, arrival_ps, address - device->first, data, bytes, write);
    if (done_ps == MACHINE_NOC_ERROR) {
        return false;
    }
    if (done_ps < arrival_ps && !devices->is_early) {
        devices->is_early = true;
        devices->early = (struct noc_early){address, arrival_ps, done_ps};
    }
    *time_ps = done_ps < arrival_ps ? arrival_ps : done_ps;
    return true;
}

bool noc_devices_word(struct noc_devices *devices, uint32_t address, bool write, uint32_t *word,
                      uint64_t now_ps)
{
    const struct machine_noc_device *device = find(devices, address, sizeof *word);
    if (device == NULL) {
        return false;
    }
    uint8_t bytes[sizeof *word];
    memcpy(bytes, word, sizeof bytes);
    const uint64_t done_ps = device->access(device->context, now_ps, address - device->first, bytes,
                                            sizeof bytes, write);
    memcpy(word, bytes, sizeof bytes);
    return done_ps != MACHINE_NOC_ERROR;
}

bool noc_devices_early(const struct noc_devices *devices, struct noc_early *early)
{
    if (devices == NULL || !devices->is_early) {
        return false;
    }
    *early = devices->early;
    return true;
}
