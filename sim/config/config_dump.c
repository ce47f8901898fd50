/* config_dump.c - writes a configuration as YAML that loads again, and as canonical text for
 * hashes. */
#include "sim/config/config_walk.h"

/* ---- YAML ---- */

enum { INDENT = 2 };

struct dump {
    FILE *stream;
    char above[CONFIG_PATH_CHARS]; /* the group of the value before: "energy.core_cycle" */
};

static bool in_app(const char *path)
{
    return strncmp(path, "app[", 4) == 0;
}

/* Writes the header line of each group that the previous value was not in.  Returns the depth of
 * the innermost group. */
static int open_groups(struct dump *dump, const char *group)
{
    int depth = 0;
    for (const char *at = group; *at != '\0'; depth++) {
        const size_t length = strcspn(at, ".");
        const size_t end = (size_t)(at - group) + length;
        const bool open = strncmp(group, dump->above, end) == 0 &&
                          (dump->above[end] == '\0' || dump->above[end] == '.');
        if (!open) {
            (void)fprintf(dump->stream, "%*s%.*s:\n", depth * INDENT, "", (int)length, at);
        }
        at += length;
        at += *at == '.' ? 1 : 0;
    }
    return depth;
}

static void dump_entry(void *context, const struct config_entry *entry)
{
    struct dump *dump = context;
    const char *dot = strrchr(entry->path, '.');
    const char *name = dot == NULL ? entry->path : dot + 1;
    char group[CONFIG_PATH_CHARS];
    (void)snprintf(group, sizeof group, "%.*s", dot == NULL ? 0 : (int)(dot - entry->path),
                   entry->path);
    if (in_app(entry->path)) {
        (void)fprintf(dump->stream, "%s  %s %s: %s\n", in_app(dump->above) ? "" : "app:\n",
                      strcmp(group, dump->above) == 0 ? " " : "-", name, entry->value);
    } else {
        const int depth = open_groups(dump, group);
        (void)fprintf(dump->stream, "%*s%s: %s\n", depth * INDENT, "", name, entry->value);
    }
    (void)snprintf(dump->above, sizeof dump->above, "%s", group);
}

static enum status walk_once(const struct sim_config *config, const struct config_visitor *visitor)
{
    struct config_arena *arena = config_arena_create();
    const enum status status =
        arena == NULL ? STATUS_INTERNAL : config_walk(config, arena, visitor);
    config_arena_destroy(arena);
    return status;
}

enum status config_dump(const struct sim_config *config, FILE *stream)
{
    struct dump dump = {.stream = stream};
    return walk_once(config, &(struct config_visitor){dump_entry, &dump});
}

/* ---- canonical ---- */

struct canonical {
    FILE *stream;
    enum config_part part;
};

static bool begins(const char *path, const char *group)
{
    const size_t length = strlen(group);
    return strncmp(path, group, length) == 0 && (path[length] == '\0' || path[length] == '.');
}

/* Keys added later are omitted at their defaults, so that hashes of earlier runs stay valid. */
static bool is_late_default(const struct config_entry *entry)
{
    static const char *const LATE[][2] = {{"board.shape", "rectangle"},
                                          {"run.reinjector", "false"},
                                          {"run.quiescent_limit", "20 ms"}};
    for (size_t i = 0; i < sizeof LATE / sizeof *LATE; i++) {
        if (strcmp(entry->path, LATE[i][0]) == 0 && strcmp(entry->value, LATE[i][1]) == 0) {
            return true;
        }
    }
    return false;
}

static void canonical_entry(void *context, const struct config_entry *entry)
{
    const struct canonical *canonical = context;
    const bool energy = begins(entry->path, "energy");
    const bool aside = begins(entry->path, "name") || begins(entry->path, "accept") ||
                       begins(entry->path, "record");
    if (is_late_default(entry)) {
        return;
    }
    if (canonical->part == CONFIG_PART_ENERGY ? energy : !energy && !aside) {
        (void)fprintf(canonical->stream, "%s=%s\n", entry->path, entry->value);
    }
}

enum status config_canonical(const struct sim_config *config, enum config_part part, FILE *stream)
{
    struct canonical canonical = {stream, part};
    return walk_once(config, &(struct config_visitor){canonical_entry, &canonical});
}
