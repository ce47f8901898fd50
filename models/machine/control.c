/* control.c - see control.h. */
#include "models/machine/control.h"

#include "models/common/bits.h"
#include "models/machine/chip.h"
#include "models/machine/core/private.h"

/* ---- clocks ---- */

/* The clock as the registers define it; the present clock if their source gives none. */
static struct clock clock_by_registers(const struct chip *chip, enum sysctl_clock which,
                                       struct clock present)
{
    struct clock clock;
    const uint64_t crystal_hz = chip->parameters.clock_crystal_hz;
    return sysctl_clock_now(&chip->d.sysctl, which, crystal_hz, &clock) ? clock : present;
}

static struct clock configured_system_clock(const struct machine_parameters *parameters)
{
    return clock_of(2 * parameters->clock_cpu_hz, (uint32_t)parameters->clock_system_divider);
}

void control_init(struct chip *chip)
{
    const struct machine_parameters *parameters = &chip->parameters;
    struct pace *pace = chip->d.pace;
    pace[SYSCTL_CLOCK_CPU_A].clock = clock_of(parameters->clock_cpu_hz, 1);
    pace[SYSCTL_CLOCK_CPU_B].clock = clock_of(parameters->clock_cpu_hz, 1);
    pace[SYSCTL_CLOCK_SYSTEM].clock = configured_system_clock(parameters);
    pace[SYSCTL_CLOCK_ROUTER].clock =
        clock_of(2 * parameters->clock_cpu_hz, (uint32_t)parameters->clock_router_divider);
    pace[SYSCTL_CLOCK_MEMORY].clock = clock_of(2 * parameters->clock_sdram_hz, 1);
    sysctl_show_clocks(&chip->d.sysctl, parameters->clock_crystal_hz, parameters->clock_cpu_hz,
                       (uint32_t)parameters->clock_system_divider,
                       (uint32_t)parameters->clock_router_divider, parameters->clock_sdram_hz);
    for (unsigned i = 0; i < SYSCTL_CLOCKS; i++) {
        chip->d.control.clock[i] = clock_by_registers(chip, (enum sysctl_clock)i, pace[i].clock);
    }
    chip->d.control.at_ps = TIME_NEVER;
}

/* A time of the system bus, given for the configured clock, at the current clock. */
static uint64_t with_system_clock(const struct chip *chip, uint64_t time_ps)
{
    const struct clock from = configured_system_clock(&chip->parameters);
    const struct clock to = chip->d.pace[SYSCTL_CLOCK_SYSTEM].clock;
    return (uint64_t)((uint128)time_ps * to.period_ps_numerator * from.period_ps_denominator /
                      ((uint128)from.period_ps_numerator * to.period_ps_denominator));
}

void control_set_bus_times(struct chip *chip)
{
    struct ahb *ahb = &chip->d.ahb;
    ahb->service_ps = with_system_clock(chip, chip->parameters.chip_ahb_service_ps);
    ahb->latency_ps = with_system_clock(chip, chip->parameters.chip_ahb_latency_ps);
}

static void set_clock(struct chip *chip, enum sysctl_clock which, struct clock clock,
                      uint64_t now_ps)
{
    pace_change(&chip->d.pace[which], clock, now_ps);
    if (which == SYSCTL_CLOCK_ROUTER) {
        fabric_set_clock(chip, clock, now_ps);
    } else if (which == SYSCTL_CLOCK_MEMORY) {
        chip->d.sdram.config.clock = clock_slower(clock, 2);
    } else if (which == SYSCTL_CLOCK_SYSTEM) {
        control_set_bus_times(chip);
    }
}

/* Changes the clocks whose registers have changed. */
static void change_clocks(struct chip *chip, uint64_t now_ps)
{
    for (unsigned i = 0; i < SYSCTL_CLOCKS; i++) {
        struct clock *before = &chip->d.control.clock[i];
        const struct clock clock = clock_by_registers(chip, (enum sysctl_clock)i, *before);
        if (!clock_equal(clock, *before)) {
            *before = clock;
            set_clock(chip, (enum sysctl_clock)i, clock, now_ps);
        }
    }
}

/* ---- requests ---- */

static void set_time(struct chip *chip, uint64_t now_ps)
{
    const uint64_t interval_ps = chip->parameters.chip_control_interval_ps;
    const uint64_t least_ps = now_ps + chip->parameters.chip_signal_floor_ps;
    const uint64_t at_ps = (least_ps + interval_ps - 1) / interval_ps * interval_ps;
    chip->d.control.at_ps = at_ps < chip->d.control.at_ps ? at_ps : chip->d.control.at_ps;
}

static void set_parts(struct chip *chip, uint32_t reset, uint64_t now_ps)
{
    const struct sysctl *sysctl = &chip->d.sysctl;
    blocks_reset(chip, reset, now_ps);
    fabric_set_parts(chip, reset, sysctl->subsystem_reset, sysctl->link_disable, now_ps);
}

void control_ask(struct chip *chip, const struct sysctl_effects *effects, uint64_t now_ps)
{
    struct control *control = &chip->d.control;
    const uint32_t levels = chip->d.sysctl.soft_reset | chip->d.sysctl.hard_reset;
    control->soft_reset |= effects->soft_reset;
    control->hard_reset |= effects->hard_reset;
    control->pulsed |= (effects->soft_reset | effects->hard_reset) & ~levels;
    if (effects->levels) {
        set_parts(chip, effects->parts & ~(1u << SYSCTL_PART_CHIP), now_ps);
    }
    if (bits_test(effects->parts, SYSCTL_PART_CHIP)) {
        control->chip_code = SYSCTL_RESET_CHIP;
    }
    if (effects->cores || effects->clocks || control->chip_code != 0) {
        set_time(chip, now_ps);
    }
}

void control_request(struct chip *chip, enum register_request request, uint64_t now_ps)
{
    struct control *control = &chip->d.control;
    struct sysctl *sysctl = &chip->d.sysctl;
    if (request == REGISTER_REQUEST_CHIP_RESET) {
        control->chip_code = SYSCTL_RESET_WATCHDOG;
        set_time(chip, now_ps);
    } else if (sysctl->watchdog_resets_monitor && sysctl->monitor_id < chip->core_count) {
        sysctl->reset_code = SYSCTL_RESET_MONITOR;
        control->soft_reset |= 1u << sysctl->monitor_id;
        control->pulsed |= 1u << sysctl->monitor_id;
        set_time(chip, now_ps);
    }
}

/* What the board ties GPIO pins to, for its boot ROM (SpiNNaker software design v0.01, 2.1). */
enum { STRAP_READER = 3, STRAP_READERS = 7, STRAP_SERIAL_ROM = 6 };

static uint32_t straps(const struct chip *chip)
{
    const uint32_t reader = chip->working_cores == 0 ? 0 : bits_lowest(chip->working_cores);
    return chip->d.serial_rom.fitted == 0
               ? 0
               : 1u << STRAP_SERIAL_ROM | (reader & STRAP_READERS) << STRAP_READER;
}

void control_power_on(struct chip *chip, uint64_t now_ps)
{
    struct control *control = &chip->d.control;
    sysctl_reset(&chip->d.sysctl);
    sysctl_drive(&chip->d.sysctl, UINT32_MAX, straps(chip));
    control->hard_reset = control->pulsed = UINT32_MAX;
    set_time(chip, now_ps);
}

/* ---- effects ---- */

static void reset_chip(struct chip *chip, uint64_t now_ps)
{
    struct control *control = &chip->d.control;
    for (unsigned p = 0; p < chip->core_count; p++) {
        if (bits_test(chip->d.sysctl.irq, p)) {
            core_signal(&chip->core[p], VIC_SOURCE_SYSCTL, false,
                        now_ps + chip->parameters.chip_signal_floor_ps);
        }
    }
    sysctl_reset_with_chip(&chip->d.sysctl, (enum sysctl_reset_code)control->chip_code);
    control->chip_code = 0;
    set_parts(chip, UINT32_MAX, now_ps); /* also lowers the watchdog's line */
    control->hard_reset = control->pulsed = UINT32_MAX;
}

static void settle_core(struct chip *chip, struct core *core, uint32_t held, uint64_t now_ps)
{
    const struct control *control = &chip->d.control;
    const unsigned p = core->on.index;
    const bool hard = bits_test(control->hard_reset, p);
    const bool reset = hard || bits_test(control->soft_reset, p);
    if (reset) {
        core_reset(core, hard, now_ps);
    }
    if ((reset || bits_test(control->held, p)) && !bits_test(held, p)) {
        const struct clock bus = chip->d.pace[SYSCTL_CLOCK_SYSTEM].clock;
        const uint64_t pulse_ps = cycles_to_ps(bus, chip->parameters.chip_reset_pulse_clocks);
        core_leave_reset(core, now_ps, now_ps + (bits_test(control->pulsed, p) ? pulse_ps : 0));
    }
    core_stall(core, bits_test(chip->d.sysctl.cpu_disable, p), now_ps);
}

void control_plan(struct chip *chip)
{
    for (unsigned p = 0; p < chip->core_count; p++) {
        core_private_plan(&chip->core[p]);
        core_plan(&chip->core[p]);
    }
    blocks_plan(chip);
}

void control_event(struct chip *chip)
{
    struct control *control = &chip->d.control;
    const uint64_t now_ps = control->at_ps;
    control->at_ps = TIME_NEVER;
    if (control->chip_code != 0) {
        reset_chip(chip, now_ps);
    }
    change_clocks(chip, now_ps);
    const uint32_t held = chip->d.sysctl.soft_reset | chip->d.sysctl.hard_reset;
    for (unsigned p = 0; p < chip->core_count; p++) {
        if (bits_test(chip->working_cores, p)) {
            settle_core(chip, &chip->core[p], held, now_ps);
        }
    }
    control->held = held;
    control->soft_reset = control->hard_reset = control->pulsed = 0;
    control_plan(chip); /* clocks may have changed */
}
