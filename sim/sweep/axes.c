/* axes.c - see axes.h. */
#include "sim/sweep/axes.h"

#include "sim/config/value_range.h"
#include "sim/steps.h"

#include <stdlib.h>

static const char AXES_OPTION[] = "--axis"; /* the place of an axis of the command line */
static const char HINT[] =
    "--axis KEY=A,B,C: --axis mapping.cores_per_chip=4,8,16 or --axis seed=1..16";

/* ---- one axis of the command line ---- */

/* The end of the value at `text`: a comma outside brackets and quotes, or the end. */
static const char *value_end(const char *text)
{
    int depth = 0;
    char quote = '\0';
    for (; *text != '\0'; text++) {
        if (quote != '\0') {
            quote = *text == quote ? '\0' : quote;
        } else if (*text == '"' || *text == '\'') {
            quote = *text;
        } else if (*text == '[' || *text == '{') {
            depth++;
        } else if (*text == ']' || *text == '}') {
            depth--;
        } else if (*text == ',' && depth <= 0) {
            break;
        }
    }
    return text;
}

/* A text between `from` and `end`, which ends there, less blanks before it. */
static char *cut(char *from, char *end)
{
    *end = '\0';
    return from + strspn(from, " ");
}

static enum status refuse(const char *text, const char *what, struct diagnostic *diagnostic)
{
    return diagnose(diagnostic, STATUS_CONFIGURATION, "--axis %s: %s\v%s", text, what, HINT);
}

static enum status refuse_range(const char *text, struct diagnostic *diagnostic)
{
    char key[DIAGNOSTIC_KEY_CHARS];
    (void)snprintf(key, sizeof key, "%.*s", (int)strcspn(text, "="), text);
    diagnostic_at(diagnostic, AXES_OPTION, 0, 0);
    diagnostic_key(diagnostic, key);
    return STATUS_CONFIGURATION;
}

/* The values of `copy`, which is cut into pieces: their number and, unless `value` is NULL, their
 * texts; `room` has VALUE_RANGE_CHARS for each value of a range. */
static enum status split(char *copy, const char *text, const char **value, char *room,
                         size_t *count, struct diagnostic *diagnostic)
{
    *count = 0;
    for (bool more = true; more;) {
        char *end = copy + (value_end(copy) - copy);
        more = *end != '\0';
        const char *piece = cut(copy, end);
        struct value_range range = {.count = 1};
        const bool is_range = value_range_is(piece);
        copy = end + 1;
        if (piece[0] == '\0') {
            return refuse(text, "a value is empty", diagnostic);
        }
        if (is_range && value_range_read(&range, piece, diagnostic) != STATUS_OK) {
            return refuse_range(text, diagnostic);
        }
        for (size_t i = 0; value != NULL && i < range.count; i++) {
            value[*count + i] = is_range ? room : piece;
            if (is_range) {
                value_range_value(&range, i, room);
                room += VALUE_RANGE_CHARS;
            }
        }
        *count += range.count;
    }
    return *count <= AXES_POINTS ? STATUS_OK : refuse(text, "too many values", diagnostic);
}

static enum status count_values(const char *values, const char *text, size_t *count,
                                struct diagnostic *diagnostic)
{
    FREED char *copy = strdup(values);
    return copy == NULL ? no_memory(diagnostic) : split(copy, text, NULL, NULL, count, diagnostic);
}

/* One block: the pointers to key and values, a copy of the text, cut into key and values, and the
 * values of ranges. */
static enum status parse(struct axes *axes, const char *text, struct config_axis *axis,
                         struct diagnostic *diagnostic)
{
    static const struct config_place PLACE = {AXES_OPTION, 0, 0};
    const char *equals = strchr(text, '=');
    size_t values = 0;
    if (equals == NULL || equals == text || equals[1] == '\0') {
        return refuse(text, "no KEY=A,B,C", diagnostic);
    }
    TRY(count_values(equals + 1, text, &values, diagnostic));
    const size_t bytes = strlen(text) + 1;
    const char **pointers =
        malloc((values + 1) * sizeof *pointers + bytes + values * VALUE_RANGE_CHARS);
    if (pointers == NULL) {
        return no_memory(diagnostic);
    }
    axes->owned[axes->owned_count++] = (void *)pointers;
    char *copy = (char *)(pointers + values + 1);
    memcpy(copy, text, bytes);
    pointers[0] = cut(copy, copy + (equals - text));
    TRY(split(copy + (equals - text) + 1, text, pointers + 1, copy + bytes, &values, diagnostic));
    *axis = (struct config_axis){1, values, pointers, pointers + 1, &PLACE};
    return STATUS_OK;
}

/* ---- contradictions ---- */

/* Whether `key` is the group `group`, or in it. */
static bool is_in(const char *key, const char *group)
{
    const size_t length = strlen(group);
    return strncmp(key, group, length) == 0 && (key[length] == '\0' || key[length] == '.');
}

static enum status refuse_key(const struct config_axis *axis, size_t k,
                              struct diagnostic *diagnostic)
{
    diagnostic_at(diagnostic, axis->place[k].file, axis->place[k].line, axis->place[k].column);
    diagnostic_key(diagnostic, axis->key[k]);
    return STATUS_CONFIGURATION;
}

/* An axis and --set may not give the same key: one of the two would have no effect.  --set may give
 * the group of an axis. */
static enum status check_sets(const struct config_axis *axis, const struct sim_config *config,
                              struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < config->set_count; i++) {
        const char *set = config->sets[i];
        char key[DIAGNOSTIC_KEY_CHARS];
        (void)snprintf(key, sizeof key, "%.*s", (int)strcspn(set, "="), set);
        for (size_t k = 0; k < axis->keys; k++) {
            if (is_in(key, axis->key[k])) {
                (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                               "an axis, and --set %s gives it one value\vremove one of both; "
                               "--axis %s tries one value, too",
                               set, set);
                return refuse_key(axis, k, diagnostic);
            }
        }
    }
    return STATUS_OK;
}

/* Whether axis number i is the file's and has this key alone: the command line replaces it. */
static bool is_replaced(const struct axes *axes, size_t i, const char *key)
{
    const struct config_axis *axis = &axes->axis[i];
    return axis->place[0].file != AXES_OPTION && axis->keys == 1 && strcmp(axis->key[0], key) == 0;
}

static enum status check_key(const struct axes *axes, const struct config_axis *axis, size_t k,
                             struct diagnostic *diagnostic)
{
    const char *key = axis->key[k];
    TRY(config_check_key(key, axis->place[k], diagnostic));
    for (size_t i = 0; i < axes->count; i++) {
        const struct config_axis *other = &axes->axis[i];
        const bool replaces = axis->place[k].file == AXES_OPTION && is_replaced(axes, i, key);
        for (size_t n = 0; n < other->keys && !replaces; n++) {
            const struct config_place *place = &other->place[n];
            if (!is_in(key, other->key[n]) && !is_in(other->key[n], key)) {
                continue;
            }
            (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                           "two axes give it; the other is %s, %s%s%.0d\vkeep one axis, with all "
                           "values: --axis %s=A,B,C",
                           other->key[n], place->file, place->line > 0 ? ":" : "", place->line,
                           key);
            return refuse_key(axis, k, diagnostic);
        }
    }
    return STATUS_OK;
}

/* ---- all ---- */

static enum status add(struct axes *axes, const struct config_axis *axis,
                       const struct sim_config *config, struct diagnostic *diagnostic)
{
    for (size_t k = 0; k < axis->keys; k++) {
        TRY(check_key(axes, axis, k, diagnostic));
    }
    TRY(check_sets(axis, config, diagnostic));
    for (size_t i = 0; i < axes->count && axis->place[0].file == AXES_OPTION; i++) {
        if (is_replaced(axes, i, axis->key[0])) {
            axes->axis[i] = *axis;
            return STATUS_OK;
        }
    }
    if (axes->count == AXES_MAX || axes->keys + axis->keys > AXES_KEYS) {
        return diagnose(diagnostic, STATUS_CONFIGURATION, "sweep: more than %d axes or %d keys",
                        AXES_MAX, AXES_KEYS);
    }
    axes->keys += axis->keys;
    axes->axis[axes->count++] = *axis;
    return STATUS_OK;
}

static enum status fill(struct axes *axes, const struct sim_config *config,
                        const char *const *texts, size_t text_count, struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < config->axis_count; i++) {
        TRY(add(axes, &config->axis[i], config, diagnostic));
    }
    if (text_count > AXES_MAX) {
        return diagnose(diagnostic, STATUS_CONFIGURATION, "sweep: more than %d axes", AXES_MAX);
    }
    for (size_t i = 0; i < text_count; i++) {
        struct config_axis axis;
        TRY(parse(axes, texts[i], &axis, diagnostic));
        TRY(add(axes, &axis, config, diagnostic));
    }
    axes->points = 1;
    for (size_t i = 0; i < axes->count; i++) {
        axes->points *= axes->axis[i].values;
        if (axes->points > AXES_POINTS) {
            return diagnose(diagnostic, STATUS_CONFIGURATION, "sweep: more than %d points",
                            AXES_POINTS);
        }
    }
    return STATUS_OK;
}

enum status axes_make(struct axes *axes, const struct sim_config *config, const char *const *texts,
                      size_t text_count, struct diagnostic *diagnostic)
{
    *axes = (struct axes){0};
    const enum status status = fill(axes, config, texts, text_count, diagnostic);
    if (status != STATUS_OK) {
        axes_deinit(axes);
    }
    return status;
}

void axes_deinit(struct axes *axes)
{
    for (size_t i = 0; i < axes->owned_count; i++) {
        free(axes->owned[i]);
    }
    *axes = (struct axes){0};
}

/* ---- asking ---- */

static const struct config_axis *axis_of(const struct axes *axes, size_t *k)
{
    const struct config_axis *axis = axes->axis;
    for (; *k >= axis->keys; axis++) {
        *k -= axis->keys;
    }
    return axis;
}

const char *axes_key(const struct axes *axes, size_t k)
{
    const struct config_axis *axis = axis_of(axes, &k);
    return axis->key[k];
}

const char *axes_value(const struct axes *axes, size_t point, size_t k)
{
    const struct config_axis *axis = axis_of(axes, &k);
    for (size_t i = axes->count; &axes->axis[i - 1] != axis; i--) {
        point /= axes->axis[i - 1].values;
    }
    return axis->value[point % axis->values * axis->keys + k];
}
