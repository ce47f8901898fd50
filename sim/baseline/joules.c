/* joules.c - see joules.h. */
#include "sim/baseline/joules.h"

#include "sim/file.h"
#include "sim/results/result_table.h"
#include "sim/steps.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- measured ---- */

/* The first line of a file. */
static bool read_line(const char *path, char *line, int chars)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return false;
    }
    const bool read = fgets(line, chars, file) != NULL;
    (void)fclose(file);
    return read;
}

static bool read_whole(const char *path, uint64_t *value)
{
    enum { DECIMAL = 10 };
    char line[32];
    char *end;
    if (!read_line(path, line, sizeof line)) {
        return false;
    }
    *value = strtoull(line, &end, DECIMAL);
    return end != line;
}

/* folder/name; false when it is too long. */
static bool path_in(char path[JOULE_PATH_CHARS], const char *folder, const char *name)
{
    const int chars = snprintf(path, JOULE_PATH_CHARS, "%s/%s", folder, name);
    return chars > 0 && chars < JOULE_PATH_CHARS;
}

/* A zone is a package when its file `name` says package-N: others are parts of one. */
static bool is_package(const char *zone)
{
    char path[JOULE_PATH_CHARS];
    char name[16];
    return path_in(path, zone, "name") && read_line(path, name, sizeof name) &&
           strncmp(name, "package-", strlen("package-")) == 0;
}

static void add_package(struct joule_meter *meter, const char *zone)
{
    char range[JOULE_PATH_CHARS];
    char *path = meter->package[meter->packages].path;
    uint64_t *wraps_at = &meter->package[meter->packages].wraps_at_uj;
    uint64_t now;
    if (path_in(path, zone, "energy_uj") && path_in(range, zone, "max_energy_range_uj") &&
        is_package(zone) && read_whole(path, &now) && read_whole(range, wraps_at)) {
        meter->packages++;
    }
}

void joule_meter_open(struct joule_meter *meter, const char *folder)
{
    struct file_names zones;
    *meter = (struct joule_meter){0};
    (void)file_names_take(&zones, AT_FDCWD, folder);
    for (size_t i = 0; i < zones.count && meter->packages < JOULE_PACKAGES; i++) {
        char zone[JOULE_PATH_CHARS];
        if (zones.entry[i]->d_name[0] != '.' && path_in(zone, folder, zones.entry[i]->d_name)) {
            add_package(meter, zone);
        }
    }
    file_names_deinit(&zones);
}

void joule_meter_begin(struct joule_meter *meter)
{
    for (size_t i = 0; i < meter->packages; i++) {
        if (!read_whole(meter->package[i].path, &meter->package[i].last_uj)) {
            meter->packages = 0;
        }
    }
    meter->joules = meter->packages == 0 ? NAN : 0;
}

void joule_meter_read(struct joule_meter *meter)
{
    static const double UJ = 1e-6;
    for (size_t i = 0; i < meter->packages; i++) {
        const uint64_t last = meter->package[i].last_uj;
        uint64_t now;
        if (!read_whole(meter->package[i].path, &now)) {
            meter->packages = 0;
            meter->joules = NAN;
            return;
        }
        const uint64_t grown =
            now >= last ? now - last : now + meter->package[i].wraps_at_uj - last;
        meter->joules += UJ * (double)grown;
        meter->package[i].last_uj = now;
    }
}

/* ---- assumed ---- */

enum status assumed_watts_read(struct assumed_watts *watts, const char *path,
                               struct diagnostic *diagnostic)
{
    struct result_table table;
    bool found = false;
    TRY(result_table_open(&table, "", path, diagnostic));
    while (!found && result_table_next(&table)) {
        found = strcmp(result_table_text(&table, "device"), JOULE_CORE) == 0;
    }
    const bool good = found && result_table_take_real(&table, "watts_low", &watts->low) &&
                      result_table_take_real(&table, "watts_high", &watts->high) &&
                      watts->low > 0 && watts->high >= watts->low;
    TRY(result_table_end(&table, STATUS_OK, diagnostic));
    watts->value = sqrt(watts->low * watts->high);
    return good ? STATUS_OK
                : file_refuse(path, "watts_low above 0, and watts_high, at least as much",
                              diagnostic, "there is no row \"" JOULE_CORE "\" with its watts");
}
