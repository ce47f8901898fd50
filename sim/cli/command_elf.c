/* command_elf.c - `spinnsim elf` and `spinnsim vectors`: the core without a chip around it. */
#include "sim/cli/arguments.h"
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/flat/elf_run.h"
#include "sim/flat/vectors.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* ---- elf ---- */

/* A guest's exit status passes through; failures of `elf` itself are told from it by this.  They
 * lie below what timeout(1), env(1) and shells have for themselves. */
enum { OWN_FAILURE = 110 };

enum {
    KEY_BASE = 1,
    KEY_FILES,
    KEY_COUNT,
    KEY_MAX,
    KEY_TIER,
    KEY_STOP,
    KEY_PROFILE,
    KEY_STACKS,
    KEY_TRACE,
    KEY_TRACE_FROM,
    KEY_TRACE_COUNT
};

enum { TRACE_LINES = 100000 }; /* unless told otherwise */

enum { SYMBOL_CHARS = 256 };

struct elf_arguments {
    struct elf_run_options options;
    char from[SYMBOL_CHARS], to[SYMBOL_CHARS];
};

static const char ELF_DOCUMENTATION[] =
    "Runs a bare ARM program on one core with flat memory, every access one cycle, and ARM "
    "semihosting for its output.  The last line on standard error tells instructions and cycles.  "
    "What stands behind -- are the program's arguments."
    "\vThe exit status is the program's own.  spinnsim's failures are 111 internal (or output that "
    "could not be written), 112 usage (or a region that the program did not run through), 113 the "
    "program did what it must not, 114 a limit was reached.  SIGINT, SIGTERM and SIGHUP end the "
    "program, and spinnsim with them, when it has said where the program was.";

static const struct argp_option ELF_OPTIONS[] = {
    {"base", KEY_BASE, "flat|sdram", 0,
     "memory from 0 (256 MiB) or from 0x60000000 (128 MiB); default flat", 0},
    {"count", KEY_COUNT, "FROM:TO", 0,
     "count a region, from the first arrival at FROM to the first at TO: symbols or addresses", 0},
    {"files", KEY_FILES, "DIR", 0,
     "let the program read and write the regular files in this folder and below; without it no "
     "host "
     "file is opened",
     0},
    {"max-instructions", KEY_MAX, "N", 0, "give up after so many", 0},
    {"profile", KEY_PROFILE, "FILE", 0,
     "instructions and cycles of each function, as CSV; \"-\": a table on standard error.  Exact, "
     "and the same in each tier: the core is stopped at every instruction, which makes it 20 to 30 "
     "times slower",
     0},
    {"profile-stacks", KEY_STACKS, "FILE", 0,
     "cycles of each stack of calls, a line \"main;f;g 1234\" for each, as flame graphs are made "
     "from; as exact and as slow",
     0},
    {"trace", KEY_TRACE, "FILE", 0,
     "each instruction: cycle, cycles, address, word, text, changed registers; \"-\": on standard "
     "error",
     0},
    {"trace-from", KEY_TRACE_FROM, "AT", 0,
     "begin the trace at the first arrival at a symbol or 0x address, or with instruction number "
     "AT; "
     "until then the program runs at full speed",
     0},
    {"trace-count", KEY_TRACE_COUNT, "N", 0,
     "instructions in the trace, default 100000; then the program runs on at full speed", 0},
    {"tier", KEY_TIER, ARGUMENT_TIERS, 0, ARGUMENT_TIER_HELP, 0},
    {"stop-every", KEY_STOP, "CYCLES", 0,
     "stop the core so often, as it is among others on a board: for measurements of host speed", 0},
    {0}};

static void take_region(struct elf_arguments *arguments, const char *text, struct argp_state *state)
{
    const char *colon = strchr(text, ':');
    if (colon == NULL || colon == text || colon[1] == '\0' ||
        (size_t)(colon - text) >= SYMBOL_CHARS || strlen(colon + 1) >= SYMBOL_CHARS) {
        argp_error(state, "--count: %s is not FROM:TO", text);
        return;
    }
    memcpy(arguments->from, text, (size_t)(colon - text));
    memcpy(arguments->to, colon + 1, strlen(colon + 1) + 1);
    arguments->options.count_from = arguments->from;
    arguments->options.count_to = arguments->to;
}

static error_t parse_elf(int key, char *text, struct argp_state *state)
{
    struct elf_arguments *arguments = state->input;
    switch (key) {
    case KEY_BASE:
        if (strcmp(text, "flat") != 0 && strcmp(text, "sdram") != 0) {
            argp_error(state, "--base: %s is none of flat, sdram", text);
        }
        arguments->options.sdram_base = strcmp(text, "sdram") == 0;
        return 0;
    case KEY_FILES:
        arguments->options.files = text;
        return 0;
    case KEY_COUNT:
        take_region(arguments, text, state);
        return 0;
    case KEY_MAX:
        arguments->options.max_instructions =
            argument_whole("--max-instructions", text, 1, UINT64_MAX, state);
        return 0;
    case KEY_TIER:
        arguments->options.tier = argument_tier(text, state);
        return 0;
    case KEY_STOP:
        arguments->options.stop_every = argument_whole("--stop-every", text, 1, UINT64_MAX, state);
        return 0;
    case KEY_PROFILE:
        arguments->options.profile = text;
        return 0;
    case KEY_STACKS:
        arguments->options.stacks = text;
        return 0;
    case KEY_TRACE:
        arguments->options.trace = text;
        return 0;
    case KEY_TRACE_FROM:
        arguments->options.trace_from = text;
        return 0;
    case KEY_TRACE_COUNT:
        arguments->options.trace_count =
            argument_whole("--trace-count", text, 1, UINT64_MAX, state);
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->options.file != NULL) {
            argp_error(state, "more than one file: %s and %s", arguments->options.file, text);
        }
        arguments->options.file = text;
        return 0;
    case ARGP_KEY_END:
        if (arguments->options.file == NULL) {
            argp_error(state, "no file: name a program");
        }
        if (arguments->options.trace == NULL &&
            (arguments->options.trace_from != NULL || arguments->options.trace_count != 0)) {
            argp_error(state, "--trace-from and --trace-count need --trace");
        }
        if (arguments->options.trace_count == 0) {
            arguments->options.trace_count = TRACE_LINES;
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The only variables of the program that are not somebody's: a signal's handler has no other. */
static struct elf_interrupt interrupt = {.descriptor = -1};
static int interrupt_writer = -1;

static void on_signal(int number)
{
    const int error = errno;
    interrupt.signal = number;
    (void)!write(interrupt_writer, "", 1);
    errno = error;
}

static const int SIGNALS[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
enum { SIGNAL_COUNT = sizeof SIGNALS / sizeof *SIGNALS };

/* From now on these signals end the guest, but for those that whoever has started us ignores.  A
 * second one ends us at once, even while we wait for a compiler. */
static void catch_signals(void)
{
    struct sigaction on = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    struct sigaction before;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        return; /* then they end us at once */
    }
    interrupt.descriptor = ends[0];
    interrupt_writer = ends[1];
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        if (sigaction(SIGNALS[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            (void)sigaction(SIGNALS[i], &on, NULL);
        }
    }
}

/* Ends as the signal would have ended us. */
static void end_by(int number)
{
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

/* Says how the run has ended; returns the exit status. */
static int finish_elf(enum status status, const struct elf_run_result *result,
                      const struct diagnostic *diagnostic)
{
    if (result->signal == SIGPIPE) { /* nobody wants to know any more */
        end_by(result->signal);
    }
    const int exit_status =
        status == STATUS_OK ? result->exit_status : OWN_FAILURE + message_error(status, diagnostic);
    if (result->has_run) {
        (void)fprintf(stderr,
                      "instructions %" PRIu64 " cycles %" PRIu64 " region_instructions %" PRIu64
                      " region_cycles %" PRIu64 "\n",
                      result->instructions, result->cycles, result->region_instructions,
                      result->region_cycles);
    }
    if (result->signal != 0) {
        end_by(result->signal);
    }
    return exit_status;
}

/* The first "--", or argc. */
static int find_separator(int argc, char **argv)
{
    static const char SEPARATOR[] = "--";
    int at = 1;
    while (at < argc && strcmp(argv[at], SEPARATOR) != 0) {
        at++;
    }
    return at;
}

int command_elf(int argc, char **argv, const struct folders *folders)
{
    static const struct argp PARSER = {
        ELF_OPTIONS, parse_elf, "FILE.elf [-- ARGUMENT...]", ELF_DOCUMENTATION, NULL, NULL, NULL};
    (void)folders;
    struct elf_arguments arguments = {0};
    arguments.options.tier = argument_default_tier();
    arguments.options.interrupt = &interrupt;
    arguments.options.warn = message_warning;
    struct elf_run_result result = {0};
    struct diagnostic diagnostic = {0};
    const int separator = find_separator(argc, argv);
    if (separator < argc) {
        arguments.options.argument = (const char *const *)argv + separator + 1;
        arguments.options.argument_count = (size_t)(argc - separator - 1);
    }
    argp_err_exit_status = OWN_FAILURE + EXIT_USAGE;
    arguments_parse(&PARSER, "spinnsim elf", separator, argv, &arguments);
    catch_signals();
    const enum status status = elf_run(&arguments.options, &result, &diagnostic);
    return finish_elf(status, &result, &diagnostic);
}

/* ---- vectors ---- */

enum { REPORTED = 10 };

static const char VECTORS_DOCUMENTATION[] =
    "Steps the core through instruction vectors (state before, code, state after) and counts those "
    "that agree.  Describes the first few that do not.";

static const struct argp_option VECTORS_OPTIONS[] = {
    {"tier", KEY_TIER, ARGUMENT_TIERS, 0, ARGUMENT_TIER_HELP, 0}, {0}};

static error_t parse_vectors(int key, char *text, struct argp_state *state)
{
    const char **file = state->input;
    switch (key) {
    case KEY_TIER:
        (void)argument_tier(text, state); /* vectors are single steps: interpreted in each tier */
        return 0;
    case ARGP_KEY_ARG:
        if (*file != NULL) {
            argp_error(state, "more than one file: %s and %s", *file, text);
        }
        *file = text;
        return 0;
    case ARGP_KEY_END:
        if (*file == NULL) {
            argp_error(state, "no file: name a file of vectors");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int command_vectors(int argc, char **argv, const struct folders *folders)
{
    static const struct argp PARSER = {
        VECTORS_OPTIONS, parse_vectors, "FILE[.gz]", VECTORS_DOCUMENTATION, NULL, NULL, NULL};
    (void)folders;
    const char *file = NULL;
    struct vectors_result result;
    struct diagnostic diagnostic = {0};
    arguments_parse(&PARSER, "spinnsim vectors", argc, argv, &file);
    const enum status status = vectors_run(file, stderr, REPORTED, &result, &diagnostic);
    if (status != STATUS_OK) {
        return message_error(status, &diagnostic);
    }
    (void)printf("%" PRIu64 " passed, %" PRIu64 " failed\n", result.passed, result.failed);
    return result.failed == 0 ? 0 : status_exit_code(STATUS_REJECTED);
}
