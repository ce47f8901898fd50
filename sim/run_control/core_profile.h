/* core_profile.h - where the cores of a run spend their active time, by role and function.
 *
 * A core is sampled at a fixed interval of its active cycles (machine_observer.sample); its
 * instructions and cycles up to the next sample are attributed to the function that it is in.  So
 * totals are exact, and their shares are estimates, the same in every run of a configuration.  With
 * an interval of one cycle the shares are exact, too. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
#include "sim/profile/function_map.h"
C_LINKAGE_BEGIN

enum { CORE_PROFILE_ROLE_CHARS = 64 };

/* A line of profile.csv. */
struct core_profile_row {
    char role[CORE_PROFILE_ROLE_CHARS];
    struct function_range range; /* its symbol points into the program's image */
    uint64_t samples, instructions, cycles;
};

struct core_profile_group; /* cores of one role with one program */
struct core_profile_core;

struct core_profile {
    struct core_profile_group *group;
    size_t group_count;
    struct core_profile_core *core;
    size_t core_count, core_room;
    uint32_t *place; /* [x, y, physical core number]: 1 + index in `core` */
    bool failed;     /* out of memory */
};

/* Adds a loaded core to the profile.  STATUS_INTERNAL when out of memory.  The image must outlive
 * the profile. */
enum status core_profile_add(struct core_profile *profile, struct machine_core core,
                             const char *role, const struct elf_image *image);
void core_profile_deinit(struct core_profile *profile);

/* Begins with a core that has run before: nothing of that is attributed to a function. */
void core_profile_join(struct core_profile *profile, const struct machine *machine,
                       struct machine_core core);

/* Callback for machine_observer.sample. */
void core_profile_sample(struct core_profile *profile, const struct machine *machine,
                         struct machine_core core, uint32_t pc);

/* For session_state.h: writes or reads what has been counted so far, of the same cores. */
struct session_stream;
void core_profile_visit(struct core_profile *profile, struct session_stream *stream);

/* At the end of a run: attributes what cores have done since their last sample, and returns all
 * rows in malloc'ed memory, by role, most cycles first. */
enum status core_profile_finish(struct core_profile *profile, const struct machine *machine,
                                struct core_profile_row **row, size_t *count);

C_LINKAGE_END
