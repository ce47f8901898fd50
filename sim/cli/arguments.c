/* arguments.c - see arguments.h. */
#include "sim/cli/arguments.h"

#include "models/common/memory.h"
#include "models/common/run_ahead.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void argument_add(struct argument_list *list, const char *what, char *text,
                  struct argp_state *state)
{
    if (list->count == ARGUMENT_FILES_MAX) {
        argp_error(state, "more than %d of %s", ARGUMENT_FILES_MAX, what);
    }
    list->text[list->count++] = text;
}

uint64_t argument_whole(const char *option, const char *text, uint64_t minimum, uint64_t maximum,
                        struct argp_state *state)
{
    char *end;
    errno = 0;
    const uint64_t value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || value < minimum ||
        value > maximum) {
        argp_error(state, "%s: %s is not a number from %" PRIu64 " to %" PRIu64, option, text,
                   minimum, maximum);
    }
    return value;
}

enum tier argument_tier(const char *text, struct argp_state *state)
{
    enum tier tier = TIER_AUTO;
    if (!tier_of(text, &tier)) {
        argp_error(state, "--tier: %s is none of auto, interpreter, translator", text);
    }
    return tier;
}

enum tier argument_default_tier(void)
{
    const char *text = getenv("SPINNSIM_TIER");
    enum tier tier = TIER_AUTO;
    return text != NULL && tier_of(text, &tier) ? tier : TIER_AUTO;
}

uint64_t argument_run_ahead(const char *text, struct argp_state *state)
{
    uint64_t run_ahead = RUN_AHEAD_AUTO;
    if (!run_ahead_of(text, &run_ahead)) {
        argp_error(state, "--run-ahead: %s is none of auto, off, a number", text);
    }
    return run_ahead;
}

uint64_t argument_default_run_ahead(void)
{
    const char *text = getenv("SPINNSIM_RUN_AHEAD");
    uint64_t run_ahead = RUN_AHEAD_AUTO;
    return text != NULL && run_ahead_of(text, &run_ahead) ? run_ahead : RUN_AHEAD_AUTO;
}

void arguments_parse(const struct argp *parser, const char *name, int argc, char **argv,
                     void *input)
{
    char *own = strdup(name);
    if (own != NULL) {
        argv[0] = own;
    }
    if (argp_parse(parser, argc, argv, 0, NULL, input) != 0) { /* usage errors end there */
        memory_exhausted();
    }
    free(own);
}
