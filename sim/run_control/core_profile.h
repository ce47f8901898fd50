/* core_profile.h - where the cores of a run spend their active time, by role and function.
 *
 * A core is looked at after every so many of its active cycles (machine_observer.sample); what it
 * does until the next look is booked to the function that it is in.  So sums are exact and their
 * shares are samples, the same in every run of the same configuration.  After every cycle is exact.
 */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
#include "sim/profile/function_map.h"
C_LINKAGE_BEGIN

enum { CORE_PROFILE_ROLE_CHARS = 64 };

/* A line of profile.csv. */
struct core_profile_row {
    char role[CORE_PROFILE_ROLE_CHARS];
    struct function_range range; /* its symbol is the program's */
    uint64_t samples, instructions, cycles;
};

struct core_profile_group; /* cores of one role with one program */
struct core_profile_core;

struct core_profile {
    struct core_profile_group *group;
    size_t group_count;
    struct core_profile_core *core;
    size_t core_count, core_room;
    uint32_t *place; /* 1 + index in `core` by x, y and physical number */
    bool failed;     /* out of memory */
};

/* A core that is loaded.  STATUS_INTERNAL: out of memory.  The image is to last. */
enum status core_profile_add(struct core_profile *profile, struct machine_core core,
                             const char *role, const struct elf_image *image);
void core_profile_deinit(struct core_profile *profile);

/* machine_observer.sample. */
void core_profile_sample(struct core_profile *profile, const struct machine *machine,
                         struct machine_core core, uint32_t pc);

/* At the end of a run: books what cores have done since they were looked at last, and gives all
 * rows in malloc'ed memory, by role, most cycles first. */
enum status core_profile_finish(struct core_profile *profile, const struct machine *machine,
                                struct core_profile_row **row, size_t *count);

C_LINKAGE_END
