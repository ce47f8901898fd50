/* config_field.c - see config_schema.h: finds a row, and reads and writes the field that it names.
 */
#include "sim/config/config_schema.h"

const struct config_key *config_row_find(const struct config_key *rows, const char *map,
                                         const char *name)
{
    const size_t length = strlen(map);
    const char first = length > 0 ? map[0] : name[0];
    for (; rows->name != NULL; rows++) {
        if (rows->name[0] == first && /* for speed: most rows are of another map */
            strncmp(rows->name, map, length) == 0 && strcmp(rows->name + length, name) == 0) {
            return rows;
        }
    }
    return NULL;
}

_Static_assert(sizeof(enum config_mode) == sizeof(unsigned), "enums are read as unsigned");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "the low bytes of a whole number are its first, for fields of any size");

uint64_t config_field_whole(const void *fields, const struct config_key *key)
{
    uint64_t value = 0;
    memcpy(&value, (const unsigned char *)fields + key->offset, key->bytes);
    return value;
}

void config_set_whole(void *fields, const struct config_key *key, uint64_t value)
{
    memcpy((unsigned char *)fields + key->offset, &value, key->bytes);
}

double config_field_real(const void *fields, const struct config_key *key)
{
    double value;
    memcpy(&value, (const unsigned char *)fields + key->offset, sizeof value);
    return value;
}

void config_set_real(void *fields, const struct config_key *key, double value)
{
    memcpy((unsigned char *)fields + key->offset, &value, sizeof value);
}

const char *config_field_text(const void *fields, const struct config_key *key)
{
    if (key->kind == KIND_CHOICE) {
        return key->choices[config_field_whole(fields, key)];
    }
    const char *value;
    memcpy(&value, (const unsigned char *)fields + key->offset, sizeof value);
    return value;
}

void config_set_text(void *fields, const struct config_key *key, const char *value)
{
    memcpy((unsigned char *)fields + key->offset, &value, sizeof value);
}

void config_set_defaults(void *fields, const struct config_key *rows)
{
    for (const struct config_key *key = rows; key->name != NULL; key++) {
        if (key->kind == KIND_NAME || key->kind == KIND_TEXT) {
            config_set_text(fields, key, key->text);
        } else if (key->kind == KIND_CHOICE) {
            uint64_t choice = 0;
            while (key->text != NULL && strcmp(key->choices[choice], key->text) != 0) {
                choice++;
            }
            config_set_whole(fields, key, choice);
        } else if (key->kind == KIND_FLAG || key->kind == KIND_SET || key->kind < KIND_FRACTION) {
            config_set_whole(fields, key, key->whole.standard);
        } else if (key->kind < KIND_FLAG) {
            config_set_real(fields, key, key->real.standard);
        } else if (key->kind == KIND_MAP) {
            config_set_defaults((unsigned char *)fields + key->offset, key->group->rows);
        }
    }
}

_Static_assert((int)KIND_SIZE == (int)UNITS_SIZE && (int)KIND_POWER == (int)UNITS_POWER,
               "one list in two places");

enum units_kind config_units(enum config_kind kind)
{
    return (enum units_kind)kind;
}
