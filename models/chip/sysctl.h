/* sysctl.h - the system controller of a chip (SpiNNaker datasheet v2.02, 14).
 * Word access in privileged modes only.  Plain state: copying the struct saves it.  Effects outside
 * the block are returned to the owner as what has changed.  Not modelled yet: resets, clock
 * changes, temperature, link disable (what is written can be read).  Owner: the chip. */
#ifndef MODELS_CHIP_SYSCTL_H
#define MODELS_CHIP_SYSCTL_H
#include "models/chip/register_reply.h"
#include <stdbool.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

enum { SYSCTL_CORES = 18, SYSCTL_TEMPERATURES = 3 };

struct sysctl {
    uint32_t cpu_disable, irq, cpu_ok;
    uint32_t soft_reset, hard_reset, subsystem_reset;
    uint32_t monitor_id; /* bits 4:0; arbitration bit apart */
    bool arbitration;
    bool watchdog_resets_monitor;
    uint8_t gap[2]; /* named, so that saved states are the same bytes with every compiler */
    uint32_t misc_control;
    uint32_t gpio_pulls, gpio_port, gpio_direction;
    uint32_t pll1, pll2, clock_mux;
    uint32_t flags;
    uint32_t temperature[SYSCTL_TEMPERATURES];
    uint32_t locks;
    uint32_t link_disable;
    uint32_t sleeping; /* kept up to date by the owner */
};

void sysctl_reset(struct sysctl *sysctl);

enum register_reply sysctl_read32(struct sysctl *sysctl, uint32_t offset, bool privileged,
                                  uint32_t *value);

/* *irq_changed gets the cores whose interrupt bit a write has changed. */
enum register_reply sysctl_write32(struct sysctl *sysctl, uint32_t offset, bool privileged,
                                   uint32_t value, uint32_t *irq_changed);

#ifdef __cplusplus
}
#endif
#endif
