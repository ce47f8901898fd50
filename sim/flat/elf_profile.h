/* elf_profile.h - the profile of a program under `spinnsim elf`, as files. */
#pragma once
#include "sim/file.h"
#include "sim/profile/call_profile.h"

/* The name of standard error among the files of an option. */
#define STANDARD_ERROR_NAME "-"

struct elf_profile {
    struct call_profile *calls; /* NULL: no profile is wanted */
    bool table;                 /* a readable table on standard error */
    struct file_writer csv;     /* stream NULL: not wanted */
    struct file_writer stacks;
};

/* Files are opened at once, so that a wrong name is found before the run.  `functions` and `stacks`
 * are paths, STANDARD_ERROR_NAME (functions only) or NULL. */
enum status elf_profile_open(struct elf_profile *profile, const struct elf_image *image,
                             const char *functions, const char *stacks,
                             struct diagnostic *diagnostic);

/* Writes what was found, of however much of the program has run, and closes.  An earlier failure
 * `status` is passed on. */
enum status elf_profile_finish(struct elf_profile *profile, enum status status,
                               struct diagnostic *diagnostic);

/* Closes without writing; harmless after elf_profile_finish(). */
void elf_profile_discard(struct elf_profile *profile);
