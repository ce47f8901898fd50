/* ahead.c - see ahead.h. */
#include "models/machine/core/ahead.h"

#include "models/common/check.h"
#include "models/common/memory.h"
#include "models/machine/core/private.h"

#include <stdlib.h>
#include <string.h>

/* Length of a span ahead, in cycles: starts at SPAN_FIRST, grows by a quarter after a success and
 * halves after a rollback. */
enum { SPAN_LEAST = 64, SPAN_FIRST = 1024, SPAN_MOST = 1 << 20 };

/* Bytes of struct core_data that belong to the checkpoint. */
enum { KEPT_BYTES = offsetof(struct core_data, buffer) };

struct core_checkpoint {
    uint8_t own[KEPT_BYTES];
};

/* A span drawn at random, for tests (xorshift64; G. Marsaglia 2003). */
static uint64_t draw_span(struct core *core)
{
    uint64_t x = core->ahead.random;
    if (x == 0) {
        x = core->on.run_ahead * UINT64_C(0x9e3779b97f4a7c15) + core->on.place;
    }
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    core->ahead.random = x;
    return 1 + (x >> 32) % (1u << (x % 13));
}

static uint64_t span_of(struct core *core)
{
    if (core->on.run_ahead != RUN_AHEAD_AUTO) {
        return draw_span(core);
    }
    if (core->ahead.span_cycles == 0) {
        core->ahead.span_cycles = SPAN_FIRST;
    }
    return core->ahead.span_cycles;
}

void core_ahead_begin(struct core *core, uint64_t now_ps)
{
    struct core_ahead *ahead = &core->ahead;
    if (ahead->checkpoint == NULL) {
        ahead->checkpoint = malloc(sizeof *ahead->checkpoint);
        memory_need(ahead->checkpoint);
    }
    memcpy(ahead->checkpoint->own, &core->d, KEPT_BYTES);
    arm968_ahead_begin(core->cpu);
    ahead->on = true;
    ahead->begin_ps = now_ps;
    ahead->let_in = core->d.vic.enable;
    ahead->end_ps = now_ps + cycles_to_ps(core_pace(core)->clock, span_of(core));
    core->comms_ps = core->hard_ps;
}

/* Time up to which the core has been awake. */
static uint64_t awake_ps(const struct core *core)
{
    return core->d.state == CORE_WAITING ? core->d.slept_from_ps : core_time_ps(core);
}

/* Whether the core has been awake after time_ps.  A core stopped before an access or a mark has
 * already decided what it does at its own time. */
static bool has_passed(const struct core *core, uint64_t time_ps)
{
    const bool decided = core->d.state == CORE_ACCESS || core->d.marked;
    return awake_ps(core) > time_ps || (decided && awake_ps(core) == time_ps);
}

uint64_t core_settled_ps(const struct core *core)
{
    return core->ahead.on ? core->ahead.begin_ps : core_time_ps(core);
}

static void end(struct core *core)
{
    core->on.ports->reached(core->on.chip, core_time_ps(core));
    core->ahead.on = false;
    core_accesses_settle(core);
}

void core_ahead_stopped(struct core *core)
{
    if (!has_passed(core, core->ahead.begin_ps)) {
        arm968_ahead_settle(core->cpu);
        end(core);
    }
}

void core_ahead_end(struct core *core, uint64_t now_ps)
{
    /* A run with a bound stops at most one instruction after that bound. */
    CHECK(awake_ps(core) <= now_ps || core->outer_ps <= now_ps || core->d.send_ps <= now_ps,
          "a core that is ahead has been reached from behind");
    arm968_ahead_settle(core->cpu);
    end(core);
    core_sample(core); /* a sample for which the core has stopped: there may be no next run */
    const uint32_t span = core->ahead.span_cycles + core->ahead.span_cycles / 4;
    core->ahead.span_cycles = span < SPAN_MOST ? span : SPAN_MOST;
}

static void roll_back(struct core *core)
{
    memcpy(&core->d, core->ahead.checkpoint->own, KEPT_BYTES);
    arm968_ahead_roll_back(core->cpu);
    core->ahead.on = false;
    core_accesses_drop(core);
    const uint32_t span = core->ahead.span_cycles / 2;
    core->ahead.span_cycles = span > SPAN_LEAST ? span : SPAN_LEAST;
    core->on.ports->rolled_back(core->on.chip);
    core_private_plan(core);
    core_plan(core);
}

void core_foresee(struct core *core, uint32_t sources, uint64_t event_ps)
{
    if (core->ahead.on && has_passed(core, event_ps)) {
        roll_back(core);
        CHECK((core->d.vic.enable & sources) == 0 || core->d.horizon_ps <= event_ps,
              "an interrupt comes within the lookahead");
    }
}

void core_ahead_drop(struct core *core)
{
    if (core->ahead.on) {
        roll_back(core);
    }
}

void core_ahead_deinit(struct core *core)
{
    free(core->ahead.checkpoint);
}
