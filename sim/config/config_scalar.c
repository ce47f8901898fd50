/* config_scalar.c - see config_value.h: numbers within bounds, texts, and how both are written. */
#include "sim/config/config_value.h"

#include "sim/config/config_text.h"
#include "sim/steps.h"

#include <strings.h>

/* ---- numbers ---- */

struct bounds {
    enum units_kind kind;
    struct units_text minimum, maximum;
};

static struct bounds whole_bounds(enum units_kind kind, uint64_t minimum, uint64_t maximum)
{
    return (struct bounds){kind, units_write_whole(kind, minimum),
                           units_write_whole(kind, maximum)};
}

static struct bounds real_bounds(enum units_kind kind, double minimum, double maximum)
{
    return (struct bounds){kind, units_write_real(kind, minimum), units_write_real(kind, maximum)};
}

static void hint_number(struct diagnostic *diagnostic, const struct bounds *bounds)
{
    const char *units = units_of_kind(bounds->kind);
    diagnostic_hint(diagnostic, "%s from %s to %s%s%s%s", units_kind_text(bounds->kind),
                    bounds->minimum.text, bounds->maximum.text,
                    units[0] == '\0' ? "" : "; units: ", units,
                    bounds->kind == UNITS_COUNT ? ", in decimal digits" : "");
}

/* Rejects a node that is no single scalar, a number in quotes, a text that could not be read, and a
 * number that is not within the bounds. */
static enum status check_number(const struct config_node *node, const struct bounds *bounds,
                                enum units_error error, bool within, struct diagnostic *diagnostic)
{
    static const char *const TEXT[] = {[UNITS_OK] = "%s is out of range",
                                       [UNITS_TOO_LARGE] = "%s is out of range",
                                       [UNITS_NO_UNIT] = "%s has no unit",
                                       [UNITS_UNKNOWN_UNIT] = "%s has an unknown unit",
                                       [UNITS_UNWANTED_UNIT] =
                                           "%s: this key takes %s without a unit",
                                       [UNITS_NOT_WHOLE] = "%s is no whole number of %s",
                                       [UNITS_NO_NUMBER] = "%s is not %s",
                                       [UNITS_OTHER_KIND] = "%s is not %s"};
    const enum units_kind kind = bounds->kind;
    const bool plain = kind == UNITS_COUNT || kind == UNITS_CYCLES;
    const char *nearest = NULL;
    if (node->shape != CONFIG_SCALAR) {
        (void)config_refuse_value(diagnostic, node, "%s where %s is expected",
                                  config_show(node).text, units_kind_text(kind));
    } else if (node->quoted && (kind == UNITS_COUNT || kind == UNITS_FRACTION)) {
        (void)config_refuse_value(diagnostic, node, "a text in quotes where %s is expected",
                                  units_kind_text(kind));
    } else if (error == UNITS_OK && within) {
        return STATUS_OK;
    } else if (error == UNITS_NOT_WHOLE && !plain) {
        (void)config_refuse_value(diagnostic, node, TEXT[error], config_show(node).text,
                                  units_base(kind));
    } else {
        (void)config_refuse_value(diagnostic, node,
                                  TEXT[error == UNITS_NOT_WHOLE ? UNITS_NO_NUMBER : error],
                                  config_show(node).text, units_kind_text(kind));
        nearest = error == UNITS_UNKNOWN_UNIT ? units_nearest(kind, node->text) : NULL;
    }
    if (nearest != NULL) {
        diagnostic_hint(diagnostic, "did you mean \"%s\"? units: %s", nearest, units_of_kind(kind));
    } else {
        hint_number(diagnostic, bounds);
    }
    return STATUS_CONFIGURATION;
}

enum status config_real_read(const struct config_node *node, enum units_kind kind, double minimum,
                             double maximum, double *value, struct diagnostic *diagnostic)
{
    double read = 0;
    const struct bounds bounds = real_bounds(kind, minimum, maximum);
    const enum units_error error = units_read_real(kind, node->text, &read);
    TRY(check_number(node, &bounds, error, read >= minimum && read <= maximum, diagnostic));
    *value = read;
    return STATUS_OK;
}

enum status config_whole_read(const struct config_node *node, enum units_kind kind,
                              uint64_t minimum, uint64_t maximum, uint64_t *value,
                              struct diagnostic *diagnostic)
{
    uint64_t read = 0;
    const struct bounds bounds = whole_bounds(kind, minimum, maximum);
    const enum units_error error = units_read_whole(kind, node->text, &read);
    TRY(check_number(node, &bounds, error, read >= minimum && read <= maximum, diagnostic));
    *value = read;
    return STATUS_OK;
}

/* ---- texts ---- */

bool config_is_name(const char *text)
{
    return text[0] != '\0' &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-") == strlen(text);
}

enum status config_expect_scalar(const struct config_node *node, const char *what,
                                 struct diagnostic *diagnostic)
{
    return node->shape == CONFIG_SCALAR
               ? STATUS_OK
               : config_refuse_value(diagnostic, node, "%s where %s is expected",
                                     config_show(node).text, what);
}

enum status config_text_read(const struct config_node *node, const char **text,
                             struct diagnostic *diagnostic)
{
    TRY(config_expect_scalar(node, "a text", diagnostic));
    if (node->text[0] == '\0') {
        return config_refuse_value(diagnostic, node, "an empty text");
    }
    if (!config_text_printable(node->text, strlen(node->text))) {
        return config_refuse_value(diagnostic, node, "%s has control characters",
                                   config_show(node).text);
    }
    *text = node->text;
    return STATUS_OK;
}

void config_list_names(const char *const *names, const char *last, char *text, size_t capacity)
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; names[i] != NULL && length < capacity; i++) {
        if (names[i][0] != '\0') {
            const char *comma = length == 0 ? "" : names[i + 1] == NULL ? last : ", ";
            length += (size_t)snprintf(text + length, capacity - length, "%s%s", comma, names[i]);
        }
    }
}

/* Words that YAML parsers read as something other than a text. */
static bool is_yaml_word(const char *text)
{
    static const char *const WORDS[] = {"null", "true", "false", "yes", "no",
                                        "on",   "off",  "y",     "n"};
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        if (strcasecmp(text, WORDS[i]) == 0) {
            return true;
        }
    }
    return false;
}

const char *config_yaml_text(const char *text, struct config_arena *arena)
{
    enum { LONGEST_ESCAPE = sizeof "\\x00" - 1 };
    const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const char *others = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-";
    const size_t length = strlen(text);
    if (strspn(text, letters) > 0 && strspn(text, others) == length && !is_yaml_word(text)) {
        return text;
    }
    char *quoted = config_arena_try(arena, LONGEST_ESCAPE * length + 3);
    if (quoted == NULL) {
        return NULL;
    }
    size_t to = 0;
    quoted[to++] = '"';
    for (size_t from = 0; from < length;) {
        uint32_t code = 0;
        const size_t bytes = config_text_character(text, length, from, &code);
        if (bytes > 0 && config_text_is_control(code)) {
            to += (size_t)snprintf(quoted + to, LONGEST_ESCAPE + 1, "\\x%02x", (unsigned)code);
            from += bytes;
            continue;
        }
        if (text[from] == '"' || text[from] == '\\') {
            quoted[to++] = '\\';
        }
        quoted[to++] = text[from++];
    }
    quoted[to++] = '"';
    quoted[to] = '\0';
    return quoted;
}

const char *config_range_text(const struct config_key *key, struct config_arena *arena)
{
    char allowed[DIAGNOSTIC_TEXT_CHARS / 2];
    if (key->kind == KIND_FLAG) {
        return "true or false";
    }
    if (key->kind == KIND_CHOICE) {
        config_list_names(key->choices, " or ", allowed, sizeof allowed);
        return config_arena_print(arena, "%s", allowed);
    }
    if (key->kind == KIND_SET) {
        config_list_names(key->choices, " or ", allowed, sizeof allowed);
        return config_arena_print(arena, "a list of %s", allowed);
    }
    if (key->kind > KIND_FLAG) {
        return "";
    }
    const enum units_kind units = config_units(key->kind);
    const struct bounds bounds = key->kind < KIND_FRACTION
                                     ? whole_bounds(units, key->whole.minimum, key->whole.maximum)
                                     : real_bounds(units, key->real.minimum, key->real.maximum);
    return config_arena_print(arena, "%s to %s", bounds.minimum.text, bounds.maximum.text);
}
