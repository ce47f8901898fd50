/* config_value.c - see config_value.h. */
#include "sim/config/config_value.h"

#include "sim/config/config_text.h"
#include "sim/config/suggestion.h"
#include "sim/steps.h"

#include <math.h>
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

static enum status read_whole(const struct config_reading *from)
{
    uint64_t whole = 0;
    TRY(config_whole_read(from->node, config_units(from->key->kind), from->key->whole.minimum,
                          from->key->whole.maximum, &whole, from->reader->diagnostic));
    config_set_whole(from->fields, from->key, whole);
    return STATUS_OK;
}

static enum status read_real(const struct config_reading *from)
{
    double real = 0;
    TRY(config_real_read(from->node, config_units(from->key->kind), from->key->real.minimum,
                         from->key->real.maximum, &real, from->reader->diagnostic));
    config_set_real(from->fields, from->key, real);
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
    return node->shape == CONFIG_SCALAR
               ? STATUS_OK
               : config_refuse_value(diagnostic, node, "%s where %s is expected",
                                     config_show(node).text, what);
}

enum status config_text_read(const struct config_node *node, const char **text,
                             struct diagnostic *diagnostic)
{
    TRY(expect_scalar(node, "a text", diagnostic));
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

static enum status read_line(const struct config_reading *from)
{
    const char *text = NULL;
    TRY(config_text_read(from->node, &text, from->reader->diagnostic));
    config_set_text(from->fields, from->key, text);
    return STATUS_OK;
}

static enum status read_text(const struct config_reading *from)
{
    struct diagnostic *diagnostic = from->reader->diagnostic;
    const bool name = from->key->kind == KIND_NAME;
    const char *what = name ? "a name" : "a text";
    TRY(expect_scalar(from->node, what, diagnostic));
    const size_t length = strlen(from->node->text);
    if (name && length > 0 && !config_is_name(from->node->text)) {
        return config_refuse_value(diagnostic, from->node,
                                   "%s is not a name\vmade of a-z, 0-9, \"_\" and \"-\"",
                                   config_show(from->node).text);
    }
    if (length < from->key->whole.minimum || length > from->key->whole.maximum) {
        return config_refuse_value(diagnostic, from->node,
                                   "%s of %zu characters\vfrom %llu to %llu characters", what,
                                   length, (unsigned long long)from->key->whole.minimum,
                                   (unsigned long long)from->key->whole.maximum);
    }
    config_set_text(from->fields, from->key,
                    config_arena_text(from->reader->arena, from->node->text, length));
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

static enum status read_choice(const struct config_reading *from)
{
    struct diagnostic *diagnostic = from->reader->diagnostic;
    char allowed[DIAGNOSTIC_TEXT_CHARS / 2];
    config_list_names(from->key->choices, " or ", allowed, sizeof allowed);
    TRY(expect_scalar(from->node, allowed, diagnostic));
    for (size_t i = 0; from->key->choices[i] != NULL; i++) {
        if (from->node->text[0] != '\0' && strcmp(from->key->choices[i], from->node->text) == 0) {
            config_set_whole(from->fields, from->key, i);
            return STATUS_OK;
        }
    }
    const char *near = suggestion_among(from->node->text, from->key->choices);
    return config_refuse_value(diagnostic, from->node,
                               "%s is not one of the choices\v%s%s%schoices: %s",
                               config_show(from->node).text, near == NULL ? "" : "did you mean \"",
                               near == NULL ? "" : near, near == NULL ? "" : "\"? ", allowed);
}

static enum status read_flag(const struct config_reading *from)
{
    struct diagnostic *diagnostic = from->reader->diagnostic;
    TRY(expect_scalar(from->node, "true or false", diagnostic));
    const bool yes = strcmp(from->node->text, "true") == 0;
    if (from->node->quoted || (!yes && strcmp(from->node->text, "false") != 0)) {
        return config_refuse_value(diagnostic, from->node,
                                   "%s is not true or false\vtrue or false, without quotes",
                                   config_show(from->node).text);
    }
    config_set_whole(from->fields, from->key, yes ? 1 : 0);
    return STATUS_OK;
}

static enum status read_node(const struct config_reading *from)
{
    memcpy((unsigned char *)from->fields + from->key->offset, &from->node, sizeof from->node);
    return STATUS_OK;
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

static const char *whole_text(const struct config_writing *of)
{
    return config_arena_print(
        of->arena, "%s",
        units_write_whole(config_units(of->key->kind), config_field_whole(of->fields, of->key))
            .text);
}

static const char *real_text(const struct config_writing *of)
{
    const double value = config_field_real(of->fields, of->key);
    return isinf(value)
               ? ""
               : config_arena_print(of->arena, "%s",
                                    units_write_real(config_units(of->key->kind), value).text);
}

static const char *flag_text(const struct config_writing *of)
{
    return config_field_whole(of->fields, of->key) != 0 ? "true" : "false";
}

static const char *choice_text(const struct config_writing *of)
{
    return config_field_text(of->fields, of->key);
}

static const char *line_text(const struct config_writing *of)
{
    return config_yaml_text(config_field_text(of->fields, of->key), of->arena);
}

static const char *name_text(const struct config_writing *of)
{
    const char *name = config_field_text(of->fields, of->key);
    return name[0] == '\0' ? "" : config_yaml_text(name, of->arena);
}

/* ---- kinds ---- */

static const struct {
    enum status (*read)(const struct config_reading *from);
    const char *(*text)(const struct config_writing *of);
} KIND_TABLE[KINDS] = {
    [KIND_COUNT] = {read_whole, whole_text},
    [KIND_CYCLES] = {read_whole, whole_text},
    [KIND_FREQUENCY] = {read_whole, whole_text},
    [KIND_TIME] = {read_whole, whole_text},
    [KIND_RATE] = {read_whole, whole_text},
    [KIND_SIZE] = {read_whole, whole_text},
    [KIND_FRACTION] = {read_real, real_text},
    [KIND_ENERGY] = {read_real, real_text},
    [KIND_POWER] = {read_real, real_text},
    [KIND_FLAG] = {read_flag, flag_text},
    [KIND_NAME] = {read_text, name_text},
    [KIND_TEXT] = {read_text, line_text},
    [KIND_CHOICE] = {read_choice, choice_text},
    [KIND_LINE] = {read_line, line_text},
    [KIND_AMOUNT] = {config_read_amount, config_text_amount},
    [KIND_PER] = {config_read_per, config_text_per},
    [KIND_FREE] = {config_read_free, config_text_free},
    [KIND_CHIPS] = {config_read_chips, config_text_chips},
    [KIND_CORES] = {config_read_cores, config_text_cores},
    [KIND_FAULTS] = {config_read_faults, config_text_faults},
    [KIND_STAGES] = {read_node, config_text_stages},
    [KIND_FRACTIONS] = {config_read_fractions, config_text_fractions},
    [KIND_AXES] = {config_read_axes, NULL},
    [KIND_NODE] = {read_node, NULL},
    [KIND_MAP] = {config_read_map, NULL},
    [KIND_LIST] = {config_read_list, NULL},
};

enum status config_value_read(const struct config_reading *from)
{
    return KIND_TABLE[from->key->kind].read(from);
}

const char *config_value_text(const struct config_writing *of)
{
    return KIND_TABLE[of->key->kind].text == NULL ? "" : KIND_TABLE[of->key->kind].text(of);
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
    if (key->kind > KIND_FLAG) {
        return "";
    }
    const enum units_kind units = config_units(key->kind);
    const struct bounds bounds = key->kind < KIND_FRACTION
                                     ? whole_bounds(units, key->whole.minimum, key->whole.maximum)
                                     : real_bounds(units, key->real.minimum, key->real.maximum);
    return config_arena_print(arena, "%s to %s", bounds.minimum.text, bounds.maximum.text);
}
