/* quantity.c - see quantity.h. */
#include "sim/results/quantity.h"

#include "sim/config/config_schema.h"
#include "sim/results/result_files.h"
#include "sim/results/summary.h"
#include "sim/results/tally.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- where quantities are declared ---- */

static bool find_in_summary(const char *name, struct quantity *quantity)
{
    return summary_find(name, &quantity->unit, &quantity->meaning);
}

static bool find_in_counters(const char *name, struct quantity *quantity)
{
    const struct counter_info *counter = tally_counter(name);
    if (counter != NULL) {
        quantity->unit = counter->unit;
        quantity->meaning = counter->help;
    }
    return counter != NULL;
}

static bool find_in_config(const char *name, struct quantity *quantity)
{
    size_t count;
    const struct config_key *key = config_keys(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(key[i].name, name) == 0) {
            const bool number = key[i].kind <= KIND_FRACTION;
            quantity->unit = number ? units_base(config_units(key[i].kind)) : "";
            quantity->meaning = key[i].help;
            return true;
        }
    }
    return false;
}

static bool find_in_tables(const char *name, struct quantity *quantity)
{
    static const char SUFFIX[] = ".csv";
    for (size_t i = 0; i < RESULT_FILE_COUNT; i++) {
        const struct result_file *file = &RESULT_FILES[i];
        const char *suffix = strstr(file->name, SUFFIX);
        const size_t length = suffix == NULL ? 0 : (size_t)(suffix - file->name);
        for (size_t c = 0; c < file->columns && suffix != NULL; c++) {
            if (strncmp(name, file->name, length) == 0 && name[length] == '.' &&
                result_column_is(&file->column[c], name + length + 1)) {
                quantity->unit = file->column[c].unit;
                quantity->meaning = file->column[c].meaning;
                return true;
            }
        }
    }
    return false;
}

/* ---- titles ---- */

static const struct title {
    const char *name, *title;
    enum quantity_better better;
} TITLES[] = {
#define QUANTITY(name, title, better) {name, title, QUANTITY_##better},
#include "sim/results/quantities.def"
#undef QUANTITY
};

/* "router.wait_cycles" -> "Router wait cycles". */
static void title_of_name(const char *name, char *title, size_t size)
{
    size_t i = 0;
    for (; name[i] != '\0' && i + 1 < size; i++) {
        title[i] = name[i] == '.' || name[i] == '_' ? ' ' : name[i];
    }
    title[i] = '\0';
    title[0] = (char)toupper((unsigned char)title[0]);
}

static void put_title(const char *name, struct quantity *quantity)
{
    static const struct {
        const char *suffix, *text;
    } END[] = {{"", ""},
               {".low", ", low coefficients"},
               {".default", ", default coefficients"},
               {".high", ", high coefficients"}};
    for (size_t i = 0; i < sizeof TITLES / sizeof *TITLES; i++) {
        const size_t length = strlen(TITLES[i].name);
        for (size_t e = 0;
             e < sizeof END / sizeof *END && strncmp(name, TITLES[i].name, length) == 0; e++) {
            if (strcmp(name + length, END[e].suffix) == 0) {
                (void)snprintf(quantity->title, sizeof quantity->title, "%s%s", TITLES[i].title,
                               END[e].text);
                quantity->better = TITLES[i].better;
                return;
            }
        }
    }
    title_of_name(name, quantity->title, sizeof quantity->title);
}

bool quantity_find(const char *name, struct quantity *quantity)
{
    static bool (*const FIND[])(const char *name, struct quantity *quantity) = {
        find_in_summary, find_in_counters, find_in_config, find_in_tables};
    *quantity = (struct quantity){.better = QUANTITY_NEITHER};
    for (size_t i = 0; i < sizeof FIND / sizeof *FIND; i++) {
        if (FIND[i](name, quantity)) {
            put_title(name, quantity);
            return true;
        }
    }
    return false;
}

/* ---- labels ---- */

/* "image/s" -> "images/s": units that are words of three letters or more.  bit/s is a symbol. */
struct quantity_unit quantity_unit(const char *unit)
{
    struct quantity_unit shown;
    const size_t word = strcspn(unit, "/");
    size_t letters = 0;
    while (letters < word && islower((unsigned char)unit[letters])) {
        letters++;
    }
    const bool plural = letters == word && word > 2 && strcmp(unit, "bit/s") != 0;
    const bool hisses = plural && (unit[word - 1] == 's' || unit[word - 1] == 'h');
    const bool done = plural && unit[word - 1] == 's' && unit[word - 2] != 's';
    (void)snprintf(shown.text, sizeof shown.text, "%.*s%s%s", (int)word, unit,
                   !plural || done ? ""
                   : hisses        ? "es"
                                   : "s",
                   unit + word);
    return shown;
}

struct quantity_label quantity_label(const char *name, const char *unit)
{
    struct quantity_label label;
    struct quantity quantity;
    if (!quantity_find(name, &quantity)) {
        (void)snprintf(quantity.title, sizeof quantity.title, "%s", name);
        quantity.unit = "";
    }
    const struct quantity_unit shown = quantity_unit(unit != NULL ? unit : quantity.unit);
    if (shown.text[0] == '\0') {
        (void)snprintf(label.text, sizeof label.text, "%s", quantity.title);
    } else {
        (void)snprintf(label.text, sizeof label.text, "%s (%s)", quantity.title, shown.text);
    }
    return label;
}
