/* elf_profile.h - writes the profile of a program under `spinnsim elf` to files. */
#pragma once
#include "sim/file.h"
#include "sim/profile/call_profile.h"

/* The file name that stands for standard error in an option. */
#define STANDARD_ERROR_NAME "-"

struct elf_profile {
    struct call_profile *calls; /* NULL: no profile was requested */
    bool table;                 /* a readable table on standard error */
    struct file_writer csv;     /* stream NULL: not requested */
    struct file_writer stacks;
};

/* Opens the files, so that a wrong name is reported before the run.  `functions` and `stacks` are
 * paths, STANDARD_ERROR_NAME (functions only) or NULL. */
enum status elf_profile_open(struct elf_profile *profile, const struct elf_image *image,
                             const char *functions, const char *stacks,
                             struct diagnostic *diagnostic);

/* Writes the profile, even of a program that has not reached its end, and closes the files.
 * STATUS_CONFIGURATION when a file could not be written; the first failure counts. */
enum status elf_profile_finish(struct elf_profile *profile, struct diagnostic *diagnostic);

/* Closes without writing; harmless after elf_profile_finish(). */
void elf_profile_discard(struct elf_profile *profile);
