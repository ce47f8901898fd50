/* gen_decoder.c - host tool: turns an instruction table (isa/NAME.decode) into C.
 *
 *   gen_decoder TABLE PREFIX BITS OUTPUT      PREFIX arm|thumb, BITS 32|16
 *
 * decode_PREFIX.c includes the output twice: first for an enum of the patterns, in table order,
 * then, with ISA_PATTERN_TABLE defined, for one struct isa_pattern each, with a sample word for the
 * tests.  The tool refuses, with file and line: malformed lines, duplicate names, patterns of the
 * wrong length, register letters that are not fields of a register's width, two patterns that can
 * match the same word without an `overlap` line, and `overlap` lines that are not needed or stand
 * in the wrong order. */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PATTERNS = 256, MAX_OVERLAPS = 32, MAX_WORD = 64, MAX_REGISTERS = 4, ROLES = 5 };

static const char ROLE_LETTERS[ROLES + 1] = "ESADZ";

struct pattern {
    char name[MAX_WORD];
    char bits[MAX_WORD];
    char form[MAX_WORD];
    char class_name[MAX_WORD];
    char registers[MAX_WORD];
    char role[ROLES][MAX_WORD]; /* letters, or "13" as one entry */
    uint32_t mask, value;
    bool conditional;
    int line;
};

struct overlap {
    char first[MAX_WORD], second[MAX_WORD];
    int line;
    bool used;
};

struct table {
    const char *path;
    unsigned bits;
    struct pattern pattern[MAX_PATTERNS];
    unsigned count;
    struct overlap overlap[MAX_OVERLAPS];
    unsigned overlap_count;
};

static int complain(const struct table *table, int line, const char *what, const char *which)
{
    (void)fprintf(stderr, "%s:%d: %s%s%s\n", table->path, line, what, *which ? ": " : "", which);
    return -1;
}

static int parse_bits(const struct table *table, struct pattern *pattern)
{
    if (strlen(pattern->bits) != table->bits) {
        return complain(table, pattern->line, "pattern has the wrong length", pattern->bits);
    }
    for (unsigned i = 0; i < table->bits; i++) {
        const char c = pattern->bits[i];
        const uint32_t bit = UINT32_C(1) << (table->bits - 1 - i);
        if (c == '0' || c == '1') {
            pattern->mask |= bit;
            pattern->value |= c == '1' ? bit : 0;
        } else if (c != '.' && !isalpha((unsigned char)c)) {
            return complain(table, pattern->line, "bad character in pattern", pattern->bits);
        }
    }
    pattern->conditional = table->bits == 32 && strncmp(pattern->bits, "cccc", 4) == 0;
    if (!pattern->conditional && strchr(pattern->bits, 'c') != NULL) {
        return complain(table, pattern->line, "c is the condition, bits 31 to 28", pattern->bits);
    }
    return 0;
}

/* "E=nm S=d" into the letters of each role; a number stands for itself. */
static int parse_registers(const struct table *table, struct pattern *pattern, char *rest)
{
    for (char *item = strtok(rest, " \t"); item != NULL; item = strtok(NULL, " \t")) {
        if (strcmp(item, "-") == 0) {
            continue;
        }
        const char *role = strchr(ROLE_LETTERS, item[0]);
        if (role == NULL || item[1] != '=' || item[2] == '\0') {
            return complain(table, pattern->line, "registers are E= S= A= D= Z= or -", item);
        }
        (void)snprintf(pattern->role[role - ROLE_LETTERS], MAX_WORD, "%s", item + 2);
    }
    return 0;
}

/* Segments of a field, high part first: fills shift/width, returns their number. */
static unsigned field_segments(const struct table *table, const struct pattern *pattern,
                               char letter, unsigned shift[2], unsigned width[2])
{
    unsigned segments = 0;
    char before = 0;
    for (unsigned i = 0; i < table->bits; i++) {
        if (pattern->bits[i] == letter) {
            if (before != letter || segments == 0) {
                if (segments == 2) {
                    return 3;
                }
                width[segments++] = 0;
            }
            width[segments - 1]++;
            shift[segments - 1] = table->bits - 1 - i;
        }
        before = pattern->bits[i];
    }
    return segments;
}

static int check_role(const struct table *table, const struct pattern *pattern, const char *letters)
{
    if (isdigit((unsigned char)letters[0])) {
        return strtol(letters, NULL, 10) < 15
                   ? 0
                   : complain(table, pattern->line, "no such register", letters);
    }
    if (strlen(letters) > MAX_REGISTERS) {
        return complain(table, pattern->line, "too many registers", letters);
    }
    for (const char *c = letters; *c != '\0'; c++) {
        unsigned shift[2];
        unsigned width[2] = {0, 0};
        const unsigned segments = field_segments(table, pattern, *c, shift, width);
        const unsigned total = width[0] + (segments == 2 ? width[1] : 0);
        if (segments == 0 || segments > 2 || total < 3 || total > 4) {
            return complain(table, pattern->line, "not a register field of the pattern", letters);
        }
    }
    return 0;
}

static int parse_line(struct table *table, char *text, int line)
{
    char *hash = strchr(text, '#');
    if (hash != NULL) {
        *hash = '\0';
    }
    char first[MAX_WORD];
    if (sscanf(text, "%63s", first) != 1) {
        return 0;
    }
    if (strcmp(first, "overlap") == 0) {
        if (table->overlap_count == MAX_OVERLAPS) {
            return complain(table, line, "too many overlap lines", "");
        }
        struct overlap *overlap = &table->overlap[table->overlap_count++];
        overlap->line = line;
        if (sscanf(text, "%*s %63s %63s", overlap->first, overlap->second) != 2) {
            return complain(table, line, "overlap needs two names", "");
        }
        return 0;
    }
    if (table->count == MAX_PATTERNS) {
        return complain(table, line, "too many patterns", "");
    }
    struct pattern *pattern = &table->pattern[table->count++];
    pattern->line = line;
    int at = 0;
    if (sscanf(text, "%63s %63s %63s %63s %n", pattern->name, pattern->bits, pattern->form,
               pattern->class_name, &at) != 4 ||
        at == 0) {
        return complain(table, line, "expected: name pattern form class registers", first);
    }
    if (text[at] == '\0' || text[at] == '\n') {
        return complain(table, line, "registers are missing (write - for none)", first);
    }
    char *newline = strchr(text + at, '\n');
    if (newline != NULL) {
        *newline = '\0';
    }
    if (parse_bits(table, pattern) != 0 || parse_registers(table, pattern, text + at) != 0) {
        return -1;
    }
    for (unsigned role = 0; role < ROLES; role++) {
        if (pattern->role[role][0] != '\0' &&
            check_role(table, pattern, pattern->role[role]) != 0) {
            return -1;
        }
    }
    return 0;
}

static int read_table(struct table *table)
{
    FILE *file = fopen(table->path, "r");
    if (file == NULL) {
        perror(table->path);
        return -1;
    }
    char text[512];
    int line = 0;
    int result = 0;
    while (result == 0 && fgets(text, sizeof text, file) != NULL) {
        result = parse_line(table, text, ++line);
    }
    (void)fclose(file);
    return result;
}

static bool can_match_same_word(const struct pattern *a, const struct pattern *b)
{
    if (((a->value ^ b->value) & a->mask & b->mask) != 0) {
        return false;
    }
    const uint32_t always =
        UINT32_C(0xf0000000); /* a conditional pattern never has condition 1111 */
    const bool a_never = (a->mask & always) == always && (a->value & always) == always;
    const bool b_never = (b->mask & always) == always && (b->value & always) == always;
    return !((a->conditional && b_never) || (b->conditional && a_never));
}

static int check_overlaps(struct table *table)
{
    for (unsigned i = 0; i < table->count; i++) {
        for (unsigned j = i + 1; j < table->count; j++) {
            struct pattern *a = &table->pattern[i];
            struct pattern *b = &table->pattern[j];
            if (strcmp(a->name, b->name) == 0) {
                return complain(table, b->line, "the name stands twice", b->name);
            }
            if (!can_match_same_word(a, b)) {
                continue;
            }
            bool declared = false;
            for (unsigned k = 0; k < table->overlap_count; k++) {
                struct overlap *overlap = &table->overlap[k];
                if (strcmp(overlap->first, a->name) == 0 && strcmp(overlap->second, b->name) == 0) {
                    overlap->used = declared = true;
                }
            }
            if (!declared) {
                char names[2 * MAX_WORD + 8];
                (void)snprintf(names, sizeof names, "%s and %s", a->name, b->name);
                return complain(table, b->line, "undeclared overlap", names);
            }
        }
    }
    for (unsigned k = 0; k < table->overlap_count; k++) {
        if (!table->overlap[k].used) {
            return complain(table, table->overlap[k].line,
                            "no such overlap (unknown name, wrong order, or not needed)",
                            table->overlap[k].first);
        }
    }
    return 0;
}

static void write_role(FILE *out, const struct table *table, const struct pattern *pattern,
                       const char *letters)
{
    (void)fprintf(out, "{");
    if (isdigit((unsigned char)letters[0])) {
        (void)fprintf(out, "{%ld, 0, 0, 0, 0}", strtol(letters, NULL, 10));
    } else {
        for (const char *c = letters; *c != '\0'; c++) {
            unsigned shift[2] = {0, 0};
            unsigned width[2] = {0, 0};
            const unsigned segments = field_segments(table, pattern, *c, shift, width);
            const unsigned low = segments == 2 ? 1 : 0; /* the low part, or the only one */
            (void)fprintf(out, "%s{0, %u, %u, %u, %u}", c == letters ? "" : ", ", shift[low],
                          width[low], segments == 2 ? shift[0] : 0, segments == 2 ? width[0] : 0);
        }
    }
    (void)fprintf(out, "}");
}

static unsigned role_count(const char *letters)
{
    return isdigit((unsigned char)letters[0]) ? 1 : (unsigned)strlen(letters);
}

static void write_upper(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        (void)fputc(toupper((unsigned char)*text), out);
    }
}

static int write_output(const struct table *table, const char *prefix, const char *path)
{
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        perror(path);
        return -1;
    }
    (void)fprintf(out, "/* Generated by gen_decoder from the %s table; do not edit. */\n", prefix);
    (void)fprintf(out, "#ifndef ISA_PATTERN_TABLE\nenum {\n");
    for (unsigned i = 0; i < table->count; i++) {
        (void)fprintf(out, "    ");
        write_upper(out, prefix);
        (void)fputc('_', out);
        write_upper(out, table->pattern[i].name);
        (void)fprintf(out, ",\n");
    }
    (void)fprintf(out, "    ");
    write_upper(out, prefix);
    (void)fprintf(out, "_PATTERNS\n};\n");
    for (unsigned i = 0; i < table->count; i++) {
        (void)fprintf(out, "void decode_%s_%s(struct insn *insn, const struct insn_place *at);\n",
                      prefix, table->pattern[i].form);
    }
    (void)fprintf(out, "#else\n");
    (void)fprintf(out, "static const struct isa_pattern PATTERNS[] = {\n");
    for (unsigned i = 0; i < table->count; i++) {
        const struct pattern *p = &table->pattern[i];
        const uint32_t sample = p->value | (p->conditional ? UINT32_C(0xe0000000) : 0);
        (void)fprintf(out, "    {\"%s\", \"%s\", 0x%08xu, 0x%08xu, 0x%08xu, %s, ", p->name, p->bits,
                      p->mask, p->value, sample, p->conditional ? "true" : "false");
        (void)fprintf(out, "decode_%s_%s, CLASS_", prefix, p->form);
        write_upper(out, p->class_name);
        (void)fprintf(out, ",\n     {");
        for (unsigned role = 0; role < ROLES; role++) {
            (void)fprintf(out, "%s%u", role == 0 ? "" : ", ", role_count(p->role[role]));
        }
        (void)fprintf(out, "},\n     {");
        for (unsigned role = 0; role < ROLES; role++) {
            (void)fprintf(out, "%s", role == 0 ? "" : ", ");
            if (role_count(p->role[role]) == 0) {
                (void)fprintf(out, "{{0}}");
            } else {
                write_role(out, table, p, p->role[role]);
            }
        }
        (void)fprintf(out, "}},\n");
    }
    (void)fprintf(out, "};\n#endif\n");
    const bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        perror(path);
        return -1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        (void)fprintf(stderr, "usage: gen_decoder TABLE PREFIX BITS OUTPUT\n");
        return 2;
    }
    static struct table table;
    table.path = argv[1];
    table.bits = strcmp(argv[3], "16") == 0 ? 16 : 32;
    if (read_table(&table) != 0 || check_overlaps(&table) != 0 ||
        write_output(&table, argv[2], argv[4]) != 0) {
        return 1;
    }
    return 0;
}
