/* run_folders.c - see run_folders.h. */
#include "sim/reports/run_folders.h"

#include "sim/file.h"
#include "sim/grow.h"
#include "sim/results/results.h"
#include "sim/steps.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

static enum status add_folder(struct run_folders *runs, const char *folder,
                              struct diagnostic *diagnostic)
{
    void *larger = grow(runs->folder, &runs->room, runs->count, sizeof *runs->folder);
    if (larger == NULL) {
        return no_memory(diagnostic);
    }
    runs->folder = larger;
    runs->folder[runs->count] = strdup(folder);
    return runs->folder[runs->count++] == NULL ? no_memory(diagnostic) : STATUS_OK;
}

/* The runs in a folder, in the order of their names; without one, the folder, of which
 * results_open() tells what is wrong. */
static enum status add_folders_in(struct run_folders *runs, const char *folder,
                                  struct diagnostic *diagnostic)
{
    RELEASED(file_names_deinit) struct file_names names;
    const size_t before = runs->count;
    (void)file_names_take(&names, AT_FDCWD, folder);
    for (size_t i = 0; i < names.count; i++) {
        const bool hidden = names.entry[i]->d_name[0] == '.';
        FREED char *path = hidden ? NULL : file_join(folder, names.entry[i]->d_name);
        if (path != NULL && results_exist(path)) {
            TRY(add_folder(runs, path, diagnostic));
        }
    }
    return runs->count == before ? add_folder(runs, folder, diagnostic) : STATUS_OK;
}

enum status run_folders_find(struct run_folders *runs, const char *const *folder, size_t count,
                             struct diagnostic *diagnostic)
{
    *runs = (struct run_folders){.folder = NULL};
    for (size_t i = 0; i < count; i++) {
        const bool is = results_exist(folder[i]);
        runs->any_found |= !is;
        TRY((is ? add_folder : add_folders_in)(runs, folder[i], diagnostic));
    }
    return STATUS_OK;
}

void run_folders_deinit(struct run_folders *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        free((void *)runs->folder[i]);
    }
    free((void *)runs->folder);
    *runs = (struct run_folders){.folder = NULL};
}
