/* step.c - a machine of one chip in C: boots it, loads an ARM program into core 1, and runs it
 * millisecond by millisecond.
 *     step PROGRAM.elf */
#include <inttypes.h>
#include <models/machine/machine.h>
#include <sim/load/machine_load.h>
#include <stdio.h>

static const struct machine_core CORE = {0, 0, 1};

/* Boots the machine, loads the program and starts it. */
static enum status start(struct machine *machine, const struct machine_parameters *parameters,
                         const struct elf_image *program, struct diagnostic *why)
{
    const struct program_options options = {.app_id = 1};
    enum status status = machine_check_program(parameters, program, why);
    if (status == STATUS_OK) {
        status = machine_boot_direct(machine, parameters, 0, why);
    }
    if (status == STATUS_OK) {
        status = machine_load_program(machine, CORE, program, &options, why);
    }
    return status == STATUS_OK ? machine_start_program(machine, CORE, program, options.app_id)
                               : status;
}

int main(int argc, char **argv)
{
    static const uint64_t MS = UINT64_C(1000000000); /* in picoseconds */
    const struct machine_config config = {.parameters = machine_parameters_default(),
                                          .timing = arm968_timing_default()};
    struct machine *machine = NULL;
    struct elf_image program = {0};
    struct diagnostic why = {0};
    enum status status = elf_image_read(&program, argc > 1 ? argv[1] : "", &why);
    if (status == STATUS_OK) {
        status = machine_create(&config, &machine, &why);
    }
    if (status == STATUS_OK) {
        status = start(machine, &config.parameters, &program, &why);
    }
    if (status != STATUS_OK) {
        (void)fprintf(stderr, "%s%s%s\n", why.text, why.hint[0] == '\0' ? "" : ": ", why.hint);
    }
    for (uint64_t ms = 1; status == STATUS_OK && ms <= 3; ms++) {
        (void)machine_run_until(machine, ms * MS + MS / 10);
        machine_print_console(machine, CORE, stdout);
        (void)printf("%" PRIu64 " instructions at %" PRIu64 " ms\n",
                     machine_core_counters(machine, CORE)->instructions, ms);
    }
    machine_destroy(machine);
    elf_image_deinit(&program);
    return status_exit_code(status);
}
