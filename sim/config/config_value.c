/* config_value.c - see config_value.h. */
#include "sim/config/config_value.h"

#include "sim/config/config_text.h"
#include "sim/config/suggestion.h"
#include "sim/steps.h"

#include <stdarg.h>
#include <strings.h>

static const char *format_text(struct config_arena *arena, const char *format, ...)
    PRINTF_LIKE(2, 3);

static const char *format_text(struct config_arena *arena, const char *format, ...)
{
    char text[DIAGNOSTIC_TEXT_CHARS];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return config_arena_try_text(arena, text);
}

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

/* error UNITS_OK: the text is valid, but the number is out of range. */
static enum status refuse_number(const struct config_node *node, const struct bounds *bounds,
                                 enum units_error error, struct diagnostic *diagnostic)
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
    const bool plain = bounds->kind == UNITS_COUNT || bounds->kind == UNITS_CYCLES;
    const bool base = error == UNITS_NOT_WHOLE && !plain;
    char text[DIAGNOSTIC_TEXT_CHARS];
    (void)snprintf(
        text, sizeof text, TEXT[error == UNITS_NOT_WHOLE && plain ? UNITS_NO_NUMBER : error],
        config_show(node).text, base ? units_base(bounds->kind) : units_kind_text(bounds->kind));
    const enum status status = config_refuse_value(diagnostic, node, NULL, "%s", text);
    const char *nearest =
        error == UNITS_UNKNOWN_UNIT ? units_nearest(bounds->kind, node->text) : NULL;
    if (nearest != NULL) {
        diagnostic_hint(diagnostic, "did you mean \"%s\"? units: %s", nearest,
                        units_of_kind(bounds->kind));
    } else {
        hint_number(diagnostic, bounds);
    }
    return status;
}

/* Checks that a value is a single scalar, and not quoted if `kind` is a number. */
static enum status expect_number(const struct config_node *node, const struct bounds *bounds,
                                 struct diagnostic *diagnostic)
{
    enum status status = STATUS_OK;
    if (node->shape != CONFIG_SCALAR) {
        status = config_refuse_value(diagnostic, node, NULL, "%s where %s is expected",
                                     config_show(node).text, units_kind_text(bounds->kind));
    } else if (node->quoted && (bounds->kind == UNITS_COUNT || bounds->kind == UNITS_FRACTION)) {
        status =
            config_refuse_value(diagnostic, node, NULL, "a text in quotes where %s is expected",
                                units_kind_text(bounds->kind));
    }
    if (status != STATUS_OK) {
        hint_number(diagnostic, bounds);
    }
    return status;
}

enum status config_whole_read(const struct config_node *node, enum units_kind kind,
                              uint64_t minimum, uint64_t maximum, uint64_t *value,
                              struct diagnostic *diagnostic)
{
    const struct bounds bounds = whole_bounds(kind, minimum, maximum);
    TRY(expect_number(node, &bounds, diagnostic));
    uint64_t read = 0;
    const enum units_error error = units_read_whole(kind, node->text, &read);
    if (error != UNITS_OK) {
        return refuse_number(node, &bounds, error, diagnostic);
    }
    if (read < minimum || read > maximum) {
        return refuse_number(node, &bounds, UNITS_OK, diagnostic);
    }
    *value = read;
    return STATUS_OK;
}

enum status config_real_read(const struct config_node *node, enum units_kind kind, double minimum,
                             double maximum, double *value, struct diagnostic *diagnostic)
{
    const struct bounds bounds = real_bounds(kind, minimum, maximum);
    TRY(expect_number(node, &bounds, diagnostic));
    double read = 0;
    const enum units_error error = units_read_real(kind, node->text, &read);
    if (error != UNITS_OK) {
        return refuse_number(node, &bounds, error, diagnostic);
    }
    if (read < minimum || read > maximum) {
        return refuse_number(node, &bounds, UNITS_OK, diagnostic);
    }
    *value = read;
    return STATUS_OK;
}

/* ---- texts ---- */

bool config_is_name(const char *text)
{
    return text[0] != '\0' &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-") == strlen(text);
}

static enum status expect_scalar(const struct config_node *node, const char *what,
                                 struct diagnostic *diagnostic)
{
    if (node->shape == CONFIG_SCALAR) {
        return STATUS_OK;
    }
    return config_refuse_value(diagnostic, node, NULL, "%s where %s is expected",
                               config_show(node).text, what);
}

const char *config_path_read(const struct config_node *node, struct diagnostic *diagnostic)
{
    if (expect_scalar(node, "a text", diagnostic) != STATUS_OK) {
        return NULL;
    }
    if (node->text[0] == '\0') {
        (void)config_refuse_value(diagnostic, node, NULL, "an empty text");
        return NULL;
    }
    return node->text;
}

const char *config_text_read(const struct config_node *node, struct diagnostic *diagnostic)
{
    const char *text = config_path_read(node, diagnostic);
    if (text != NULL && !config_text_printable(text, strlen(text))) {
        (void)config_refuse_value(diagnostic, node, NULL, "%s has control characters",
                                  config_show(node).text);
        return NULL;
    }
    return text;
}

static enum status read_text(void *fields, const struct config_key *key,
                             const struct config_node *node, struct config_arena *arena,
                             struct diagnostic *diagnostic)
{
    const bool name = key->kind == KIND_NAME;
    TRY(expect_scalar(node, name ? "a name" : "a text", diagnostic));
    const size_t length = strlen(node->text);
    if (name && length > 0 && !config_is_name(node->text)) {
        return config_refuse_value(diagnostic, node, "made of a-z, 0-9, \"_\" and \"-\"",
                                   "%s is not a name", config_show(node).text);
    }
    if (length < key->whole.minimum || length > key->whole.maximum) {
        (void)config_refuse_value(diagnostic, node, NULL, "%s of %zu characters",
                                  name ? "a name" : "a text", length);
        diagnostic_hint(diagnostic, "from %llu to %llu characters",
                        (unsigned long long)key->whole.minimum,
                        (unsigned long long)key->whole.maximum);
        return STATUS_CONFIGURATION;
    }
    config_set_text(fields, key, config_arena_text(arena, node->text, length));
    return STATUS_OK;
}

/* "a, b or c" */
static void list_choices(const char *const *choices, char *text, size_t capacity)
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; choices[i] != NULL && length < capacity; i++) {
        if (choices[i][0] != '\0') {
            const char *comma = length == 0 ? "" : choices[i + 1] == NULL ? " or " : ", ";
            length += (size_t)snprintf(text + length, capacity - length, "%s%s", comma, choices[i]);
        }
    }
}

static enum status read_choice(void *fields, const struct config_key *key,
                               const struct config_node *node, struct diagnostic *diagnostic)
{
    char allowed[DIAGNOSTIC_TEXT_CHARS / 2];
    list_choices(key->choices, allowed, sizeof allowed);
    TRY(expect_scalar(node, allowed, diagnostic));
    struct suggestion suggestion = suggestion_begin(node->text);
    for (size_t i = 0; key->choices[i] != NULL; i++) {
        if (key->choices[i][0] == '\0') {
            continue;
        }
        if (strcmp(key->choices[i], node->text) == 0) {
            config_set_whole(fields, key, i);
            return STATUS_OK;
        }
        suggestion_offer(&suggestion, key->choices[i]);
    }
    (void)config_refuse_value(diagnostic, node, NULL, "%s is not one of the choices",
                              config_show(node).text);
    const bool near = suggestion.best != NULL;
    diagnostic_hint(diagnostic, "%s%s%schoices: %s", near ? "did you mean \"" : "",
                    near ? suggestion.best : "", near ? "\"? " : "", allowed);
    return STATUS_CONFIGURATION;
}

static enum status read_flag(void *fields, const struct config_key *key,
                             const struct config_node *node, struct diagnostic *diagnostic)
{
    TRY(expect_scalar(node, "true or false", diagnostic));
    const bool yes = strcmp(node->text, "true") == 0;
    if (node->quoted || (!yes && strcmp(node->text, "false") != 0)) {
        return config_refuse_value(diagnostic, node, "true or false, without quotes",
                                   "%s is not true or false", config_show(node).text);
    }
    config_set_whole(fields, key, yes ? 1 : 0);
    return STATUS_OK;
}

/* ---- a key's value ---- */

enum status config_value_read(void *fields, const struct config_key *key,
                              const struct config_node *node, struct config_arena *arena,
                              struct diagnostic *diagnostic)
{
    uint64_t whole = 0;
    double real = 0;
    switch (key->kind) {
    case KIND_NAME:
    case KIND_TEXT:
        return read_text(fields, key, node, arena, diagnostic);
    case KIND_CHOICE:
        return read_choice(fields, key, node, diagnostic);
    case KIND_FLAG:
        return read_flag(fields, key, node, diagnostic);
    case KIND_FRACTION:
        TRY(config_real_read(node, UNITS_FRACTION, key->real.minimum, key->real.maximum, &real,
                             diagnostic));
        config_set_real(fields, key, real);
        return STATUS_OK;
    case KIND_COUNT:
    case KIND_CYCLES:
    case KIND_FREQUENCY:
    case KIND_TIME:
    case KIND_SIZE:
    default:
        TRY(config_whole_read(node, config_units(key->kind), key->whole.minimum, key->whole.maximum,
                              &whole, diagnostic));
        config_set_whole(fields, key, whole);
        return STATUS_OK;
    }
}

/* ---- back to text ---- */

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

const char *config_value_text(const struct sim_config *config, const struct config_key *key,
                              struct config_arena *arena)
{
    switch (key->kind) {
    case KIND_NAME:
    case KIND_TEXT:
        return config_yaml_text(config_field_text(config, key), arena);
    case KIND_CHOICE:
        return config_field_text(config, key);
    case KIND_FLAG:
        return config_field_whole(config, key) != 0 ? "true" : "false";
    case KIND_FRACTION:
        return format_text(arena, "%s",
                           units_write_real(UNITS_FRACTION, config_field_real(config, key)).text);
    case KIND_COUNT:
    case KIND_CYCLES:
    case KIND_FREQUENCY:
    case KIND_TIME:
    case KIND_SIZE:
    default:
        return format_text(
            arena, "%s",
            units_write_whole(config_units(key->kind), config_field_whole(config, key)).text);
    }
}

const char *config_range_text(const struct config_key *key, struct config_arena *arena)
{
    char allowed[DIAGNOSTIC_TEXT_CHARS / 2];
    struct bounds bounds;
    switch (key->kind) {
    case KIND_NAME:
    case KIND_TEXT:
        return "";
    case KIND_FLAG:
        return "true or false";
    case KIND_CHOICE:
        list_choices(key->choices, allowed, sizeof allowed);
        return format_text(arena, "%s", allowed);
    case KIND_FRACTION:
        bounds = real_bounds(UNITS_FRACTION, key->real.minimum, key->real.maximum);
        break;
    case KIND_COUNT:
    case KIND_CYCLES:
    case KIND_FREQUENCY:
    case KIND_TIME:
    case KIND_SIZE:
    default:
        bounds = whole_bounds(config_units(key->kind), key->whole.minimum, key->whole.maximum);
        break;
    }
    return format_text(arena, "%s to %s", bounds.minimum.text, bounds.maximum.text);
}
