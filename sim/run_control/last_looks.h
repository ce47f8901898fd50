/* last_looks.h - where the cores of a run are in the last tenth of its run.simulated_time_limit, so
 * that the message about a run that is given up can name the busiest functions. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/run_control/outcome.h"
C_LINKAGE_BEGIN

struct last_looks {
    struct core_profile profile;
    uint64_t from_ps, until_ps; /* begin and end of the last tenth */
    unsigned count;             /* looks so far */
    bool failed;                /* out of memory: there is no profile */
};

/* The program of core outcome->core[index]; must outlive the looks. */
typedef const struct elf_image *last_looks_image(const void *context, size_t index);

void last_looks_init(struct last_looks *looks, uint64_t limit_ps);
void last_looks_deinit(struct last_looks *looks);

/* The next time at which to stop a run that is at now_ps and stops every step_ps. */
uint64_t last_looks_next_ps(const struct last_looks *looks, uint64_t now_ps, uint64_t step_ps);

/* Call this at each of these times: looks at all cores, once the last tenth has begun. */
void last_looks_take(struct last_looks *looks, const struct machine *machine,
                     const struct outcome *outcome, last_looks_image *image_of,
                     const void *context);

/* For session_state.h: what the looks have seen.  With another limit of the run they begin anew. */
struct session_stream;
void last_looks_visit(struct last_looks *looks, const struct outcome *outcome,
                      last_looks_image *image_of, const void *context,
                      struct session_stream *stream);

/* Writes "; in its last tenth the busiest functions were f (role) 70.1 %, g (role) 29.9 %", or ""
 * when no core has been seen. */
void last_looks_describe(struct last_looks *looks, const struct machine *machine, char *text,
                         size_t chars);

C_LINKAGE_END
