/* bench.h - what the SystemC examples share: a machine of one chip, booted, with a program on
 * core 1. */
#pragma once
#include <models/systemc/simulation.h>
#include <sim/load/machine_load.h>

#include <cstdio>
#include <cstdlib>

struct Bench {
    machine *made = nullptr;
    machine_parameters parameters = machine_parameters_default();
    elf_image program = {};
    diagnostic why = {};

    /* Ends the process with the reason if something has failed. */
    void need(status status)
    {
        if (status != STATUS_OK) {
            std::fprintf(stderr, "%s%s%s\n", why.text, why.hint[0] != 0 ? ": " : "", why.hint);
            std::exit(2);
        }
    }

    Bench()
    {
        machine_config config = {};
        config.parameters = parameters;
        config.timing = arm968_timing_default();
        need(machine_create(&config, &made, &why));
    }

    ~Bench()
    {
        elf_image_deinit(&program);
        machine_destroy(made);
    }

    /* Loads a program, runs it for some milliseconds, and prints what it has printed. */
    void run(spinn::Simulation &simulation, const char *path, uint64_t milliseconds)
    {
        const program_options options = {1, 0};
        simulation.elaborate();
        need(elf_image_read(&program, path == nullptr ? "" : path, &why));
        need(machine_boot_direct(made, &parameters, 0, &why));
        need(machine_check_program(&parameters, &program, &why));
        need(machine_load_program(made, {0, 0, 1}, &program, &options, &why));
        need(machine_start_program(made, {0, 0, 1}, &program, options.app_id));
        (void)simulation.run_until(milliseconds * 1000000000);
        machine_print_console(made, {0, 0, 1}, stdout);
    }
};
