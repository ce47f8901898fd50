/* file_names.c - the names in a folder: see file.h. */
#include "sim/file.h"

#include <stdlib.h>

static int is_no_dots(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

bool file_names_take(struct file_names *names, int parent, const char *folder)
{
    *names = (struct file_names){.entry = NULL};
    const int count = scandirat(parent, folder, &names->entry, is_no_dots, alphasort);
    names->count = count < 0 ? 0 : (size_t)count;
    return count >= 0;
}

void file_names_deinit(struct file_names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        free(names->entry[i]);
    }
    free((void *)names->entry);
    *names = (struct file_names){.entry = NULL};
}
