/* axes.c - see axes.h. */
#include "sim/sweep/axes.h"

#include "sim/steps.h"

#include <stdlib.h>

static const char HINT[] = "--axis KEY=A,B,C: --axis mapping.cores_per_chip=4,8,16";

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

static size_t count_values(const char *values)
{
    size_t count = 1;
    for (const char *end = value_end(values); *end != '\0'; end = value_end(end + 1)) {
        count++;
    }
    return count;
}

/* One block: the pointers, then a copy of the text, cut into key and values. */
static enum status parse(struct axes *axes, const char *text, struct config_axis *axis,
                         struct diagnostic *diagnostic)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text || equals[1] == '\0') {
        return diagnose(diagnostic, STATUS_CONFIGURATION, "--axis %s: no KEY=A,B,C\v%s", text,
                        HINT);
    }
    const size_t values = count_values(equals + 1);
    const char **pointers = malloc((values + 1) * sizeof *pointers + strlen(text) + 1);
    if (pointers == NULL) {
        return no_memory(diagnostic);
    }
    axes->owned[axes->owned_count++] = (void *)pointers;
    char *copy = (char *)(pointers + values + 1);
    memcpy(copy, text, strlen(text) + 1);
    pointers[0] = copy;
    copy[equals - text] = '\0';
    char *from = copy + (equals - text) + 1;
    for (size_t v = 0; v < values; v++) {
        char *end = from + (value_end(from) - from);
        *end = '\0';
        pointers[1 + v] = from;
        if (from == end) {
            return diagnose(diagnostic, STATUS_CONFIGURATION, "--axis %s: a value is empty\v%s",
                            text, HINT);
        }
        from = end + 1;
    }
    *axis = (struct config_axis){1, values, pointers, pointers + 1};
    return STATUS_OK;
}

/* ---- all ---- */

static bool has_key(const struct config_axis *axis, const char *key)
{
    for (size_t k = 0; k < axis->keys; k++) {
        if (strcmp(axis->key[k], key) == 0) {
            return true;
        }
    }
    return false;
}

static enum status add(struct axes *axes, const struct config_axis *axis, bool replaces,
                       struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < axes->count; i++) {
        for (size_t k = 0; k < axis->keys; k++) {
            if (!has_key(&axes->axis[i], axis->key[k])) {
                continue;
            }
            if (replaces && axes->axis[i].keys == 1) {
                axes->axis[i] = *axis;
                return STATUS_OK;
            }
            return diagnose(diagnostic, STATUS_CONFIGURATION, "sweep: %s stands in two axes",
                            axis->key[k]);
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
        TRY(add(axes, &config->axis[i], false, diagnostic));
    }
    if (text_count > AXES_MAX) {
        return diagnose(diagnostic, STATUS_CONFIGURATION, "sweep: more than %d axes", AXES_MAX);
    }
    for (size_t i = 0; i < text_count; i++) {
        struct config_axis axis;
        TRY(parse(axes, texts[i], &axis, diagnostic));
        TRY(add(axes, &axis, true, diagnostic));
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
