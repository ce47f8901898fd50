/* arguments.h - what the parsers of several commands share. */
#pragma once
#include "models/common/tier.h"
#include <argp.h>
#include <stddef.h>
#include <stdint.h>

enum { ARGUMENT_SETS_MAX = 256, ARGUMENT_FILES_MAX = 256 };

/* A list of texts of the command line. */
struct argument_list {
    const char *text[ARGUMENT_FILES_MAX];
    size_t count;
};

/* Adds; more than fit is a usage error that names `what`. */
void argument_add(struct argument_list *list, const char *what, char *text,
                  struct argp_state *state);

/* A whole number within bounds, else a usage error that names the option. */
uint64_t argument_whole(const char *option, const char *text, uint64_t minimum, uint64_t maximum,
                        struct argp_state *state);

/* --tier: a usage error when the text is none of them.  Unless it is given, the environment's
 * SPINNSIM_TIER says which, otherwise auto; a text there that is none counts as auto.  The fourth,
 * everything, is for tests and not told to users. */
#define ARGUMENT_TIERS "auto|interpreter|translator"
#define ARGUMENT_TIER_HELP                                                                         \
    "how ARM code is executed: auto makes native code, in the background, of what runs long; "     \
    "translator makes it early, and waits for it.  What a run has made, the next run of the same " \
    "program begins with.  Results are the same; default auto, or SPINNSIM_TIER"
enum tier argument_tier(const char *text, struct argp_state *state);
enum tier argument_default_tier(void);

/* --run-ahead: models/common/run_ahead.h; a usage error when the text is none of them.
 * Unless it is given, the environment's SPINNSIM_RUN_AHEAD says which, otherwise auto. */
#define ARGUMENT_RUN_AHEADS "auto|off|SEED"
#define ARGUMENT_RUN_AHEAD_HELP                                                                    \
    "how far cores run ahead of what may interrupt them, before they are taken back: off is the "  \
    "slow reference, a seed draws it.  Results are the same; default auto, or SPINNSIM_RUN_AHEAD"
uint64_t argument_run_ahead(const char *text, struct argp_state *state);
uint64_t argument_default_run_ahead(void);

/* Runs argp; `name` ("spinnsim run") stands in its messages. */
void arguments_parse(const struct argp *parser, const char *name, int argc, char **argv,
                     void *input);
