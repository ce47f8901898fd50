/* config_dump.c - writes a configuration as YAML that loads again, and as canonical text for
 * hashes. */
#include "sim/config/config_walk.h"

/* ---- YAML ---- */

enum { INDENT = 2 };

struct dump {
    FILE *stream;
    char above[CONFIG_PATH_CHARS]; /* where the value before was: "energy.core_cycle." */
};

/* How a line begins: behind the dash of an item of a list, if it is the item's first. */
static void begin_line(const struct dump *dump, int depth, bool *is_first)
{
    (void)fprintf(dump->stream, "%*s%s", (depth - (*is_first ? 1 : 0)) * INDENT, "",
                  *is_first ? "- " : "");
    *is_first = false;
}

/* Whether the value before was in the group, or in the list, that the first `length` characters
 * name. */
static bool was_in(const struct dump *dump, const char *path, size_t length)
{
    return strncmp(path, dump->above, length) == 0 && strchr("[.", dump->above[length]) != NULL;
}

/* Writes a line for each group and list on the way to the value in which the value before was not.
 * An item of a list is two levels deeper than the list: `stages[0].seed`. */
static void dump_entry(void *context, const struct config_entry *entry)
{
    struct dump *dump = context;
    bool is_first = false;
    int depth = 0;
    const char *at = entry->path;
    for (const char *dot = strchr(at, '.'); dot != NULL; dot = strchr(at, '.')) {
        const size_t length = strcspn(at, "[.");
        if (!was_in(dump, entry->path, (size_t)(at - entry->path) + length)) {
            begin_line(dump, depth, &is_first);
            (void)fprintf(dump->stream, "%.*s:\n", (int)length, at);
        }
        depth++;
        if (at[length] == '[') {
            is_first = !was_in(dump, entry->path, (size_t)(dot - entry->path));
            depth++;
        }
        at = dot + 1;
    }
    begin_line(dump, depth, &is_first);
    (void)fprintf(dump->stream, "%s: %s\n", at, entry->value);
    (void)snprintf(dump->above, sizeof dump->above, "%.*s", (int)(at - entry->path), entry->path);
}

static enum status walk_once(const struct sim_config *config, const struct config_visitor *visitor)
{
    ARENA struct config_arena *arena = config_arena_create();
    return arena == NULL ? STATUS_INTERNAL : config_walk(config, arena, visitor);
}

enum status config_dump(const struct sim_config *config, FILE *stream)
{
    struct dump dump = {.stream = stream};
    return walk_once(config, &(struct config_visitor){.visit = dump_entry, .context = &dump});
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
    static const char *const LATE[][2] = {
        {"board.shape", "rectangle"},     {"run.reinjector", "false"},
        {"run.sample.updates", "0"},      {"train.error_fraction", "0"},
        {"run.quiescent_limit", "20 ms"}, {"link.spread", "0 ppm"},
        {"sdram.policy", "closed"}};
    for (size_t i = 0; i < sizeof LATE / sizeof *LATE; i++) {
        if (strcmp(entry->path, LATE[i][0]) == 0 && strcmp(entry->value, LATE[i][1]) == 0) {
            return true;
        }
    }
    return false;
}

/* Keys and groups that no result depends on. */
static bool is_aside(const char *path)
{
    static const char *const ASIDE[] = {
        "name",        "question",          "accept",           "record",    "plot",
        "run.save_at", "run.save_at_epoch", "run.save_at_mark", "run.state",
    };
    bool is = false;
    for (size_t i = 0; i < sizeof ASIDE / sizeof *ASIDE && !is; i++) {
        is = begins(path, ASIDE[i]);
    }
    return is;
}

static void canonical_entry(void *context, const struct config_entry *entry)
{
    const struct canonical *canonical = context;
    const bool aside = is_aside(entry->path);
    /* no result has these, or has their content, which the caller adds */
    if (is_late_default(entry) || begins(entry->path, "energy.clocks") ||
        begins(entry->path, "data.train") || begins(entry->path, "data.test")) {
        return;
    }
    if (canonical->part == CONFIG_PART_ENERGY || !aside) {
        (void)fprintf(canonical->stream, "%s=%s\n", entry->path, entry->value);
    }
}

enum status config_canonical(const struct sim_config *config, enum config_part part, FILE *stream)
{
    struct canonical canonical = {stream, part};
    return walk_once(config, &(struct config_visitor){.visit = canonical_entry,
                                                      .context = &canonical,
                                                      .part = part == CONFIG_PART_ENERGY
                                                                  ? CONFIG_WALK_ENERGY
                                                                  : CONFIG_WALK_REST});
}
