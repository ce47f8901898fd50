/* host_facts.c - see host_facts.h. */
#include "sim/baseline/host_facts.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* One cell of a table: no commas, quotes or line ends. */
static void make_cell(char *text)
{
    for (char *at = text; *at != '\0'; at++) {
        if (*at == ',' || *at == '"' || (unsigned char)*at < ' ') {
            *at = ' ';
        }
    }
    for (size_t end = strlen(text); end > 0 && text[end - 1] == ' '; end--) {
        text[end - 1] = '\0';
    }
}

static void read_cpu(char cpu[FACT_CHARS])
{
    static const char *const NAMES[] = {"model name", "Model", "Hardware"};
    char line[2 * FACT_CHARS];
    FILE *file = fopen("/proc/cpuinfo", "r");
    (void)snprintf(cpu, FACT_CHARS, "unknown");
    if (file == NULL) {
        return;
    }
    bool found = false;
    while (!found && fgets(line, sizeof line, file) != NULL) {
        for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES && !found; i++) {
            const char *value = strchr(line, ':');
            found = value != NULL && strncmp(line, NAMES[i], strlen(NAMES[i])) == 0;
            if (found) {
                (void)snprintf(cpu, FACT_CHARS, "%.*s", FACT_CHARS - 1,
                               value + 1 + strspn(value + 1, " "));
            }
        }
    }
    (void)fclose(file);
}

void host_facts_of(struct host_facts *facts)
{
    read_cpu(facts->cpu);
    (void)snprintf(facts->compiler, sizeof facts->compiler, "%s %s", COMPILER, SPINN_C_FLAGS);
    if (getloadavg(&facts->load, 1) != 1) {
        facts->load = NAN;
    }
    make_cell(facts->cpu);
    make_cell(facts->compiler);
}
