/* investigation.cpp - see investigation.h. */
#include "tests/chaos/investigation.h"

#include "tests/chaos/guest/plan.h"

#include <cstring>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace
{

std::string difference_at(const chaos_program &program, const chaos_way &way, uint64_t end_ps,
                          bool wants_bytes)
{
    return difference(execute(program, reference_way(), end_ps, wants_bytes),
                      execute(program, way, end_ps, wants_bytes));
}

/* In a process of its own: the simulator may end it. */
bool differs(const chaos_program &program, const chaos_way &way)
{
    const pid_t child = fork();
    if (child == 0) {
        (void)close(STDERR_FILENO);
        _exit(difference_at(program, way, program.end_ps, false).empty() ? 0 : 1);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0) {
        abort();
    }
    return status != 0;
}

/* The earliest end of the run, within a step, at which the ways differ.  Native code of everything
 * is compiled for each run: fewer runs. */
uint64_t first_difference_ps(const chaos_program &program, const chaos_way &way)
{
    const uint64_t step_ps = way.tier == TIER_EVERYTHING ? program.end_ps / 16 : 100;
    uint64_t same_ps = 0;
    uint64_t differs_ps = program.end_ps;
    while (differs_ps - same_ps > step_ps) {
        const uint64_t middle_ps = same_ps + (differs_ps - same_ps) / 2;
        if (difference_at(program, way, middle_ps, false).empty()) {
            same_ps = middle_ps;
        } else {
            differs_ps = middle_ps;
        }
    }
    return differs_ps;
}

/* ---- shrinking ---- */

class shrinker
{
  public:
    shrinker(chaos_program program, const chaos_way &way) : program_(std::move(program)), way_(way)
    {
    }

    chaos_program all()
    {
        for (size_t i = program_.cores.size(); i-- > 0 && program_.cores.size() > 1;) {
            chaos_program without = program_;
            without.cores.erase(without.cores.begin() + static_cast<ptrdiff_t>(i));
            accept(without);
        }
        for (size_t i = 0; i < program_.cores.size() && program_.image != nullptr; i++) {
            shrink_core(i);
        }
        return program_;
    }

  private:
    bool accept(const chaos_program &smaller)
    {
        const bool still = differs(smaller, way_);
        if (still) {
            program_ = smaller;
        }
        return still;
    }

    template <typename Change> bool change_plan(size_t core, Change change)
    {
        chaos_program changed = program_;
        uint8_t *bytes = changed.cores[core].segments[0].bytes.data();
        plan plan;
        memcpy(&plan, bytes, sizeof plan);
        if (!change(&plan)) {
            return false;
        }
        memcpy(bytes, &plan, sizeof plan);
        return accept(changed);
    }

    void shrink_core(size_t core)
    {
        while (change_plan(core, [](plan *plan) {
            plan->rounds /= 2;
            return plan->rounds > 0;
        })) {
        }
        for (size_t op = 0; op < PLAN_OPS; op++) {
            change_plan(core, [op](plan *plan) {
                const plan_op nothing = {PLAN_DELAY, 0, 0, 0, 0};
                const bool was = memcmp(&plan->op[op], &nothing, sizeof nothing) != 0 &&
                                 (plan->op[op].operation != PLAN_WORK || plan->op[op].d != 0);
                plan->op[op] = nothing;
                return was;
            });
        }
    }

    chaos_program program_;
    const chaos_way &way_;
};

} // namespace

std::string investigate(const chaos_program &program, const chaos_way &way)
{
    const std::string last = difference_at(program, way, program.end_ps, true);
    if (last.empty()) {
        return last;
    }
    const uint64_t first_ps = first_difference_ps(program, way);
    std::ostringstream text;
    text << "first, in a run that ends at " << first_ps << " ps:\n"
         << difference_at(program, way, first_ps, true) << "at the end, at " << program.end_ps
         << " ps:\n"
         << last;
    return text.str();
}

chaos_program shrink(chaos_program program, const chaos_way &way)
{
    return shrinker(std::move(program), way).all();
}
