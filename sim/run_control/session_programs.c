/* session_programs.c - see session.h: the programs of a session's cores. */
#include "sim/run_control/session.h"

const struct elf_image *session_image_of(const void *context, size_t core)
{
    const struct session *session = context;
    return &session->loaded[core].program->image;
}

const struct elf_image *session_program_of(const struct session *session, struct machine_core core)
{
    const struct outcome *outcome = session->outcome;
    for (size_t i = 0; i < outcome->core_count; i++) {
        const struct machine_core at = outcome->core[i].core;
        if (at.x == core.x && at.y == core.y && at.p == core.p) {
            return session_image_of(session, i);
        }
    }
    return NULL;
}
