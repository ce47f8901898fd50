/* board_trace.h - an experiment of one chip that is executed without GDB and without a history, and
 * looked at in every cycle: where a core reaches an address, and what stores to a word. */
#pragma once
#include "tests/system/program.h"

extern "C" {
#include "models/arm968/arm968.h"
#include "sim/experiment/experiment.h"
}

struct board_moment {
    uint64_t cycle = 0; /* of the core */
    uint64_t time_ps = 0;
    uint32_t pc = 0;
};

class BoardTrace
{
  public:
    BoardTrace(const std::string &file, machine_core breaks, const std::string &function,
               machine_core stores, const std::string &object)
        : breaks_(breaks), stores_(stores)
    {
        experiment_request request = {};
        diagnostic diagnostic = {};
        struct experiment run = {};
        const std::string configs = std::string(SPINN_SOURCE_DIR) + "/configs";
        request.file = file.c_str();
        request.configs_folder = configs.c_str();
        request.job.workloads_folder = SPINN_WORKLOAD_DIR;
        request.job.threads = 1;
        request.job.run_until = run_until;
        request.job.run_context = this;
        if (experiment_prepare(&run, &request, &diagnostic) != STATUS_OK) {
            ADD_FAILURE() << diagnostic.text;
            return;
        }
        const elf_image *image = &run.job.program[0].image;
        function_address = elf_image_find(image, function.c_str())->address;
        object_address = elf_image_find(image, object.c_str())->address;
        EXPECT_EQ(experiment_execute(&run, &diagnostic), STATUS_OK) << diagnostic.text;
        stats_hash = run.outcome.stats_hash;
        experiment_deinit(&run);
    }

    uint32_t function_address = 0, object_address = 0;
    std::string stats_hash;
    board_moment reached;             /* the function, by the one core, for the first time */
    board_moment store, behind_store; /* the first that changes the object of the other core */

  private:
    static constexpr uint64_t CYCLE_PS = 5000; /* 200 MHz */

    static machine_stop run_until(void *context, machine *machine, uint64_t time_ps)
    {
        machine_stop stop = MACHINE_REACHED;
        for (uint64_t at_ps = machine_time_ps(machine); stop == MACHINE_REACHED && at_ps < time_ps;
             at_ps += CYCLE_PS) {
            static_cast<BoardTrace *>(context)->look(machine);
            stop = machine_run_until(machine, std::min(at_ps + CYCLE_PS, time_ps));
        }
        return stop;
    }

    static board_moment moment_of(const machine *machine, machine_core core)
    {
        board_moment moment;
        moment.cycle = arm968_cycle(machine_core_processor(machine, core));
        moment.time_ps = machine_core_time_ps(machine, core);
        moment.pc = machine_core_register(machine, core, 15);
        return moment;
    }

    void look(const machine *machine)
    {
        const board_moment now = moment_of(machine, stores_);
        uint32_t word = 0;
        EXPECT_EQ(machine_read(machine, stores_, object_address, &word, sizeof word), STATUS_OK);
        if (word != word_ && behind_store.cycle == 0) {
            store = last_;
            behind_store = now;
        }
        word_ = word;
        last_ = now;
        const board_moment other = moment_of(machine, breaks_);
        if (other.pc == function_address && reached.cycle == 0) {
            reached = other;
        }
    }

    machine_core breaks_, stores_;
    board_moment last_;
    uint32_t word_ = 0;
};
