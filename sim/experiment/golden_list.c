/* golden_list.c - see golden_list.h. */
#include "sim/experiment/golden_list.h"

#include "sim/config/config_include.h"
#include "sim/config/suggestion.h"
#include "sim/file.h"
#include "sim/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char SUFFIX[] = ".csv";

/* ---- names ---- */

static bool is_golden(const char *file)
{
    return file_ends_in(file, SUFFIX);
}

/* The file's name without folder and ending; NULL: out of memory. */
static char *stem(const char *path)
{
    const char *name = file_name_of(path);
    const char *dot = strrchr(name, '.');
    return strndup(name, dot == NULL || dot == name ? strlen(name) : (size_t)(dot - name));
}

/* The folder that a path lies in, with a slash behind it; "" for the working folder. */
static int folder_length(const char *path)
{
    return (int)(file_name_of(path) - path);
}

/* ---- entries ---- */

/* Takes `file`, which is malloc'ed; NULL: out of memory. */
static enum status add_entry(struct golden_list *list, char *file, struct diagnostic *diagnostic)
{
    struct golden_entry *larger = realloc(list->of, (list->count + 1) * sizeof *list->of);
    char *name = file == NULL ? NULL : stem(file);
    if (larger != NULL) {
        list->of = larger;
    }
    if (larger == NULL || name == NULL) {
        free(name);
        free(file);
        return no_memory(diagnostic);
    }
    list->of[list->count++] = (struct golden_entry){.name = name, .file = file};
    return STATUS_OK;
}

static int by_name(const void *a, const void *b)
{
    const struct golden_entry *first = a;
    const struct golden_entry *second = b;
    return strcmp(first->name, second->name);
}

static enum status add_folder(struct golden_list *list, const char *folder,
                              struct diagnostic *diagnostic)
{
    RELEASED(file_names_deinit) struct file_names names;
    if (!file_names_take(&names, AT_FDCWD, folder)) {
        return file_cannot("read", folder, diagnostic);
    }
    for (size_t i = 0; i < names.count; i++) {
        if (is_golden(names.entry[i]->d_name)) {
            TRY(add_entry(list, file_join(folder, names.entry[i]->d_name), diagnostic));
        }
    }
    if (list->count == 0) {
        return file_refuse(folder, "a golden is a file NAME.csv; --add EXPERIMENT records one",
                           diagnostic, "no goldens here");
    }
    qsort(list->of, list->count, sizeof *list->of, by_name);
    return STATUS_OK;
}

/* A golden of spinnsim's own, by its name. */
static enum status add_own(struct golden_list *list, const char *name, const char *golden_folder,
                           struct diagnostic *diagnostic)
{
    char *file = file_print("%s/%s%s", golden_folder, name, SUFFIX);
    if (file == NULL || access(file, F_OK) == 0) {
        return add_entry(list, file, diagnostic);
    }
    free(file);
    RELEASED(golden_list_deinit) struct golden_list all = {0};
    struct diagnostic none;
    struct suggestion suggestion = suggestion_begin(name);
    (void)add_folder(&all, golden_folder, &none);
    for (size_t i = 0; i < all.count; i++) {
        suggestion_offer(&suggestion, all.of[i].name);
    }
    (void)file_refuse(name, "name a folder, a file NAME.csv, or a golden of spinnsim's own",
                      diagnostic, "there is no such folder, and no golden of that name");
    if (suggestion.best != NULL) {
        diagnostic_hint(diagnostic, "did you mean %s?", suggestion.best);
    }
    return STATUS_CONFIGURATION;
}

/* ---- experiments ---- */

static char *find_experiment(const char *golden_file, const char *configs_folder, const char *name)
{
    ARENA struct config_arena *arena = config_arena_create();
    const char *found =
        arena == NULL ? NULL : config_find(arena, golden_file, configs_folder, name);
    return found == NULL ? NULL : strdup(found);
}

static enum status read_entry(struct golden_entry *entry, const char *configs_folder,
                              struct diagnostic *diagnostic)
{
    TRY(golden_read(&entry->golden, entry->file, diagnostic));
    const char *name = golden_value(&entry->golden, "experiment");
    if (name == NULL) {
        return file_refuse(entry->file, NULL, diagnostic, "the golden names no experiment");
    }
    entry->experiment = find_experiment(entry->file, configs_folder, name);
    if (entry->experiment != NULL) {
        return STATUS_OK;
    }
    const int length = folder_length(entry->file);
    (void)file_refuse(entry->file, NULL, diagnostic, "there is no experiment %s", name);
    diagnostic_hint(diagnostic, "looked in %.*s and in %s", length == 0 ? 1 : length,
                    length == 0 ? "." : entry->file, configs_folder);
    return STATUS_CONFIGURATION;
}

enum status golden_list_read(struct golden_list *list, const char *which,
                             const struct golden_places *places, struct diagnostic *diagnostic)
{
    *list = (struct golden_list){0};
    enum status status;
    if (which == NULL || file_is_folder(which)) {
        status = add_folder(list, which == NULL ? places->golden_folder : which, diagnostic);
    } else if (is_golden(which)) {
        status = add_entry(list, strdup(which), diagnostic);
    } else {
        status = add_own(list, which, places->golden_folder, diagnostic);
    }
    for (size_t i = 0; i < list->count && status == STATUS_OK; i++) {
        status = read_entry(&list->of[i], places->configs_folder, diagnostic);
    }
    if (status != STATUS_OK) {
        golden_list_deinit(list);
    }
    return status;
}

/* ---- a new golden ---- */

/* The folder of a file, absolute and without links, as far as it exists; NULL, with errno: there
 * can be none. */
static char *real_folder(const char *file)
{
    const int length = folder_length(file);
    char *folder = length == 0 ? strdup(".") : strndup(file, (size_t)length);
    char *real = folder == NULL ? NULL : realpath(folder, NULL);
    if (folder != NULL && real == NULL && errno == ENOENT) {
        while (length > 1 && folder[strlen(folder) - 1] == '/') {
            folder[strlen(folder) - 1] = '\0';
        }
        char *above = real_folder(folder);
        real = above == NULL ? NULL : file_join(above, file_name_of(folder));
        free(above);
    }
    free(folder);
    return real;
}

/* How a file is named from a folder; both are absolute.  NULL: out of memory. */
static char *relative_path(const char *folder, const char *file)
{
    FREED char *base = file_join(folder, ""); /* a slash at the end */
    size_t same = 0;
    if (base == NULL) {
        return NULL;
    }
    for (size_t i = 0; base[i] != '\0' && base[i] == file[i]; i++) {
        same = base[i] == '/' ? i + 1 : same;
    }
    char *path = strdup(file + same);
    for (const char *at = base + same; path != NULL && (at = strchr(at, '/')) != NULL; at++) {
        FREED char *below = path;
        path = file_print("../%s", below);
    }
    return path;
}

/* What stands in the golden for a file of the configurations; NULL: it is none, or another file has
 * that name beside the golden. */
static const char *configured_name(const char *golden_file, const char *configs_folder,
                                   const char *file)
{
    FREED char *real = realpath(configs_folder, NULL);
    const size_t length = real == NULL ? 0 : strlen(real);
    if (length == 0 || strncmp(file, real, length) != 0 || file[length] != '/') {
        return NULL;
    }
    const char *name = file + length + 1;
    FREED char *found = find_experiment(golden_file, configs_folder, name);
    FREED char *resolved = found == NULL ? NULL : realpath(found, NULL);
    return resolved != NULL && strcmp(resolved, file) == 0 ? name : NULL;
}

static enum status add_experiment(struct golden_entry *entry, const char *configs_folder,
                                  const char *path, struct diagnostic *diagnostic)
{
    FREED char *file = realpath(path, NULL);
    if (file == NULL) {
        return file_cannot("read", path, diagnostic);
    }
    FREED char *folder = real_folder(entry->file);
    if (folder == NULL) {
        return file_cannot("write", entry->file, diagnostic);
    }
    FREED char *relative = relative_path(folder, file);
    const char *name = configured_name(entry->file, configs_folder, file);
    entry->experiment = strdup(path);
    if (relative == NULL || entry->experiment == NULL) {
        return no_memory(diagnostic);
    }
    return golden_add(&entry->golden, "experiment", name == NULL ? relative : name)
               ? STATUS_OK
               : file_refuse(path, NULL, diagnostic, "a golden has no room for so long a path");
}

static enum status add_tolerance(struct golden *golden, const char *text,
                                 struct diagnostic *diagnostic)
{
    const char *equals = strrchr(text, '=');
    FREED char *name =
        file_print("tolerance %.*s", equals == NULL ? 0 : (int)(equals - text), text);
    if (name == NULL) {
        return no_memory(diagnostic);
    }
    return equals != NULL && golden_value(golden, name) == NULL &&
                   golden_add(golden, name, equals + 1)
               ? STATUS_OK
               : diagnose(diagnostic, STATUS_CONFIGURATION,
                          "--tolerance %s is not PATTERN=PERCENT, each pattern once\v"
                          "for example --tolerance 'core.*=0.5 %%'; at most 100 %%",
                          text);
}

static enum status add_wish(struct golden_entry *entry, const char *configs_folder,
                            const struct golden_wish *wish, struct diagnostic *diagnostic)
{
    if (access(entry->file, F_OK) == 0) {
        return file_refuse(entry->file, "--bless renews its counts; --add begins a new one",
                           diagnostic, "there is a golden of that name");
    }
    TRY(add_experiment(entry, configs_folder, wish->experiment, diagnostic));
    if (wish->counters != NULL && !golden_add(&entry->golden, "counters", wish->counters)) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "--counters %s is no list of patterns\vfor example time_ps,core.*",
                        wish->counters);
    }
    for (size_t i = 0; i < wish->tolerances; i++) {
        TRY(add_tolerance(&entry->golden, wish->tolerance[i], diagnostic));
    }
    return entry->golden.incomplete ? no_memory(diagnostic) : STATUS_OK;
}

/* FOLDER/NAME.csv for an experiment NAME.yaml; NULL: out of memory. */
static char *file_for(const char *folder, const char *experiment)
{
    FREED char *name = stem(experiment);
    FREED char *with_suffix = name == NULL ? NULL : file_print("%s%s", name, SUFFIX);
    return with_suffix == NULL ? NULL : file_join(folder, with_suffix);
}

enum status golden_list_wish(struct golden_list *list, const char *which,
                             const struct golden_places *places, const struct golden_wish *wish,
                             struct diagnostic *diagnostic)
{
    *list = (struct golden_list){0};
    const bool named = which != NULL && is_golden(which) && !file_is_folder(which);
    char *file = named ? strdup(which)
                       : file_for(which == NULL ? places->golden_folder : which, wish->experiment);
    enum status status = add_entry(list, file, diagnostic);
    if (status == STATUS_OK) {
        status = add_wish(&list->of[0], places->configs_folder, wish, diagnostic);
    }
    if (status != STATUS_OK) {
        golden_list_deinit(list);
    }
    return status;
}

void golden_list_deinit(struct golden_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->of[i].name);
        free(list->of[i].file);
        free(list->of[i].experiment);
        golden_deinit(&list->of[i].golden);
    }
    free(list->of);
    *list = (struct golden_list){0};
}
