/* machine_parts.h - a machine's state as data and pages, to be packed into a file: pages stay where
 * they are until they are packed, and equal ones can be told.
 *
 * The state is that of machine_save(), and when the next sample of each core is due.  Marks and
 * purposes are set again by whoever loads the programs, before the state is loaded; observers and
 * memory ports belong to the machine that loads it. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
C_LINKAGE_BEGIN

enum { MACHINE_PAGE_BYTES = 4096 };

struct machine_parts {
    uint8_t *data; /* whatever is no page */
    size_t data_bytes;
    const uint8_t **page; /* MACHINE_PAGE_BYTES each; NULL: a page of zeros */
    size_t pages;
};

/* The state between two runs.  The pages are the machine's own memory: they are valid until it runs
 * or is changed.  STATUS_CONFIGURATION: a chip's memory port has been replaced, and the state is
 * not the machine's alone.  STATUS_INTERNAL: out of memory.  machine_parts_free() in either
 * case. */
enum status machine_save_parts(const struct machine *machine, struct machine_parts *parts,
                               struct diagnostic *diagnostic);

/* Frees the lists; not the pages, which belong to somebody else. */
void machine_parts_free(struct machine_parts *parts);

/* Restores a state into a machine of the same topology and timing, with the same parameters but for
 * those that are free (free_parameters.def).  All bytes are believed.  STATUS_CONFIGURATION: the
 * parts do not fit the machine, which is then only good for another load. */
enum status machine_load_parts(struct machine *machine, const struct machine_parts *parts);

/* The parameters from now on, between two runs: what is under way keeps its times.
 * STATUS_CONFIGURATION: one that is not free differs. */
enum status machine_set_parameters(struct machine *machine,
                                   const struct machine_parameters *parameters);

C_LINKAGE_END
