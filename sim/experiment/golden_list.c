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
    struct file_names names;
    enum status status = STATUS_OK;
    if (!file_names_take(&names, AT_FDCWD, folder)) {
        return file_cannot("read", folder, diagnostic);
    }
    for (size_t i = 0; i < names.count && status == STATUS_OK; i++) {
        if (is_golden(names.entry[i]->d_name)) {
            status = add_entry(list, file_join(folder, names.entry[i]->d_name), diagnostic);
        }
    }
    file_names_deinit(&names);
    TRY(status);
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
    char *file = NULL;
    if (asprintf(&file, "%s/%s%s", golden_folder, name, SUFFIX) < 0) {
        return no_memory(diagnostic);
    }
    if (access(file, F_OK) == 0) {
        return add_entry(list, file, diagnostic);
    }
    free(file);
    struct golden_list all = {0};
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
    golden_list_deinit(&all);
    return STATUS_CONFIGURATION;
}

/* ---- experiments ---- */

static char *find_experiment(const char *golden_file, const char *configs_folder, const char *name)
{
    struct config_arena *arena = config_arena_create();
    if (arena == NULL) {
        return NULL;
    }
    const char *found = config_find(arena, golden_file, configs_folder, name);
    char *path = found == NULL ? NULL : strdup(found);
    config_arena_destroy(arena);
    return path;
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
    static const char UP[] = "../";
    char *base = file_join(folder, ""); /* a slash at the end */
    size_t same = 0;
    if (base == NULL) {
        return NULL;
    }
    for (size_t i = 0; base[i] != '\0' && base[i] == file[i]; i++) {
        same = base[i] == '/' ? i + 1 : same;
    }
    size_t up = 0;
    for (const char *at = base + same; (at = strchr(at, '/')) != NULL; at++) {
        up++;
    }
    free(base);
    const size_t size = up * strlen(UP) + strlen(file + same) + 1;
    char *path = malloc(size);
    for (size_t i = 0; i < up && path != NULL; i++) {
        (void)snprintf(path + i * strlen(UP), size - i * strlen(UP), "%s", UP);
    }
    if (path != NULL) {
        (void)snprintf(path + up * strlen(UP), size - up * strlen(UP), "%s", file + same);
    }
    return path;
}

/* What stands in the golden for a file of the configurations; NULL: it is none, or another file has
 * that name beside the golden. */
static const char *configured_name(const char *golden_file, const char *configs_folder,
                                   const char *file)
{
    char *real = realpath(configs_folder, NULL);
    const size_t length = real == NULL ? 0 : strlen(real);
    const bool inside = length > 0 && strncmp(file, real, length) == 0 && file[length] == '/';
    const char *name = inside ? file + length + 1 : NULL;
    char *found = inside ? find_experiment(golden_file, configs_folder, name) : NULL;
    char *resolved = found == NULL ? NULL : realpath(found, NULL);
    if (resolved == NULL || strcmp(resolved, file) != 0) {
        name = NULL;
    }
    free(resolved);
    free(found);
    free(real);
    return name;
}

static enum status add_experiment(struct golden_entry *entry, const char *configs_folder,
                                  const char *path, struct diagnostic *diagnostic)
{
    char *file = realpath(path, NULL);
    if (file == NULL) {
        return file_cannot("read", path, diagnostic);
    }
    char *folder = real_folder(entry->file);
    if (folder == NULL) {
        free(file);
        return file_cannot("write", entry->file, diagnostic);
    }
    char *relative = relative_path(folder, file);
    const char *name = configured_name(entry->file, configs_folder, file);
    entry->experiment = strdup(path);
    enum status status =
        relative == NULL || entry->experiment == NULL ? no_memory(diagnostic) : STATUS_OK;
    if (status == STATUS_OK &&
        !golden_add(&entry->golden, "experiment", name == NULL ? relative : name)) {
        status = file_refuse(path, NULL, diagnostic, "a golden has no room for so long a path");
    }
    free(relative);
    free(folder);
    free(file);
    return status;
}

static enum status add_tolerance(struct golden *golden, const char *text,
                                 struct diagnostic *diagnostic)
{
    char *name = NULL;
    const char *equals = strrchr(text, '=');
    const int length =
        asprintf(&name, "tolerance %.*s", equals == NULL ? 0 : (int)(equals - text), text);
    if (length < 0) {
        return no_memory(diagnostic);
    }
    const bool good = equals != NULL && golden_value(golden, name) == NULL &&
                      golden_add(golden, name, equals + 1);
    free(name);
    return good ? STATUS_OK
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
    char *name = stem(experiment);
    char *with_suffix = NULL;
    char *file = NULL;
    if (name != NULL && asprintf(&with_suffix, "%s%s", name, SUFFIX) >= 0) {
        file = file_join(folder, with_suffix);
        free(with_suffix);
    }
    free(name);
    return file;
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
