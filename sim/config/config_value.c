/* config_value.c - see config_value.h. */
#include "sim/config/config_value.h"

#include "sim/config/config_text.h"
#include "sim/config/suggestion.h"
#include "sim/steps.h"

#include <math.h>
#include <strings.h>

/* ---- numbers ---- */

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
    TRY(config_expect_scalar(from->node, what, diagnostic));
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

/* The number of a text among others, which NULL ends. */
static enum status find_choice(const struct config_node *node, const char *const *choices,
                               uint64_t *number, struct diagnostic *diagnostic)
{
    char allowed[DIAGNOSTIC_TEXT_CHARS / 2];
    config_list_names(choices, " or ", allowed, sizeof allowed);
    TRY(config_expect_scalar(node, allowed, diagnostic));
    for (size_t i = 0; choices[i] != NULL; i++) {
        if (node->text[0] != '\0' && strcmp(choices[i], node->text) == 0) {
            *number = i;
            return STATUS_OK;
        }
    }
    const char *near = suggestion_among(node->text, choices);
    return config_refuse_value(diagnostic, node, "%s is not one of the choices\v%s%s%schoices: %s",
                               config_show(node).text, near == NULL ? "" : "did you mean \"",
                               near == NULL ? "" : near, near == NULL ? "" : "\"? ", allowed);
}

static enum status read_choice(const struct config_reading *from)
{
    uint64_t number = 0;
    TRY(find_choice(from->node, from->key->choices, &number, from->reader->diagnostic));
    config_set_whole(from->fields, from->key, number);
    return STATUS_OK;
}

static enum status read_member(const struct config_reader *reader, const struct config_node *entry,
                               const void *about, void *item)
{
    return find_choice(entry, about, item, reader->diagnostic);
}

static int compare_members(const void *a, const void *b)
{
    const uint64_t *first = a;
    const uint64_t *second = b;
    return (*first > *second) - (*first < *second);
}

/* [first, second], or one of them alone. */
static enum status read_set(const struct config_reading *from)
{
    const struct config_list list = {sizeof(uint64_t), from->key->choices, read_member,
                                     compare_members, true};
    struct config_items items;
    uint64_t bits = 0;
    TRY(config_read_items(from->reader, from->node, &list, &items));
    for (size_t i = 0; i < items.count; i++) {
        bits |= UINT64_C(1) << ((const uint64_t *)items.item)[i];
    }
    config_set_whole(from->fields, from->key, bits);
    return STATUS_OK;
}

static enum status read_flag(const struct config_reading *from)
{
    struct diagnostic *diagnostic = from->reader->diagnostic;
    TRY(config_expect_scalar(from->node, "true or false", diagnostic));
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

static const char *set_text(const struct config_writing *of)
{
    const uint64_t bits = config_field_whole(of->fields, of->key);
    const char *text = "";
    for (size_t i = 0; of->key->choices[i] != NULL && text != NULL; i++) {
        if ((bits >> i & 1) != 0) {
            text = config_arena_print(of->arena, "%s%s%s", text, text[0] == '\0' ? "" : ", ",
                                      of->key->choices[i]);
        }
    }
    return text == NULL ? NULL : config_arena_print(of->arena, "[%s]", text);
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

const struct config_form CONFIG_FORMS[KINDS] = {
    [KIND_COUNT] = {read_whole, whole_text},
    [KIND_CYCLES] = {read_whole, whole_text},
    [KIND_FREQUENCY] = {read_whole, whole_text},
    [KIND_TIME] = {read_whole, whole_text},
    [KIND_RATE] = {read_whole, whole_text},
    [KIND_SIZE] = {read_whole, whole_text},
    [KIND_SHARE] = {read_whole, whole_text},
    [KIND_FRACTION] = {read_real, real_text},
    [KIND_ENERGY] = {read_real, real_text},
    [KIND_POWER] = {read_real, real_text},
    [KIND_FLAG] = {read_flag, flag_text},
    [KIND_NAME] = {read_text, name_text},
    [KIND_TEXT] = {read_text, line_text},
    [KIND_CHOICE] = {read_choice, choice_text},
    [KIND_SET] = {read_set, set_text},
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

const char *config_value_text(const struct config_writing *of)
{
    return CONFIG_FORMS[of->key->kind].text == NULL ? "" : CONFIG_FORMS[of->key->kind].text(of);
}

enum status config_table_read(const struct config_node *map, const struct config_key *keys,
                              void *fields, struct config_arena *arena,
                              struct diagnostic *diagnostic)
{
    const struct config_reader reader = {
        .arena = arena, .diagnostic = diagnostic, .forms = CONFIG_FORMS};
    return config_item_read(&reader, &(struct config_group){.rows = keys}, map, fields);
}

enum status config_table_read_key(const struct config_node *map, const struct config_key *key,
                                  void *fields, struct config_arena *arena,
                                  struct diagnostic *diagnostic)
{
    const struct config_reader reader = {
        .arena = arena, .diagnostic = diagnostic, .forms = CONFIG_FORMS};
    const struct config_node *node = config_node_given(map, key->name);
    return node == NULL
               ? config_refuse_missing(&reader, map, key)
               : CONFIG_FORMS[key->kind].read(&(struct config_reading){&reader, key, node, fields});
}
