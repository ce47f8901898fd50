/* command_elf.c - `spinnsim elf`: the core without a chip around it. */
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/flat/elf_run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Offset that distinguishes exit statuses of failures of `elf` itself from the guest's, which are
 * passed on.  The sums stay below the statuses used by timeout(1), env(1) and shells. */
enum { OWN_FAILURE = 110 };

enum { TRACE_LINES = 100000 }; /* default */

enum { SYMBOL_CHARS = 256 };

struct arguments {
    struct elf_run_options options;
    unsigned base;     /* flat or sdram */
    uint64_t gdb_port; /* 0: none */
    const char *count; /* FROM:TO */
    char from[SYMBOL_CHARS], to[SYMBOL_CHARS];
};

#define AT(field) offsetof(struct arguments, field)

static const struct command_option OPTIONS[] = {
    {"base", ARGUMENT_CHOICE, AT(base), "flat|sdram",
     "memory from 0 (256 MiB) or from 0x60000000 (128 MiB); default flat", 0, 0},
    {"count", ARGUMENT_TEXT, AT(count), "FROM:TO",
     "count a region, from the first arrival at FROM to the first at TO: symbols or addresses", 0,
     0},
    {"files", ARGUMENT_TEXT, AT(options.files), "DIR",
     "let the program read and write the regular files in this folder and below; without it no "
     "host file is opened",
     0, 0},
    {"max-instructions", ARGUMENT_WHOLE, AT(options.max_instructions), "N", "give up after so many",
     UINT64_MAX, 0},
    {"profile", ARGUMENT_TEXT, AT(options.profile), "FILE",
     "instructions and cycles of each function, as CSV; \"-\": a table on standard error.  Exact, "
     "and the same in each tier: the core is stopped at every instruction, which makes it 20 to 30 "
     "times slower",
     0, 0},
    {"profile-stacks", ARGUMENT_TEXT, AT(options.stacks), "FILE",
     "cycles of each stack of calls, a line \"main;f;g 1234\" for each, as flame graphs are made "
     "from; as exact and as slow",
     0, 0},
    {"trace", ARGUMENT_TEXT, AT(options.trace), "FILE",
     "each instruction: cycle, cycles, address, word, text, changed registers; \"-\": on standard "
     "error",
     0, 0},
    {"trace-from", ARGUMENT_TEXT, AT(options.trace_from), "AT",
     "begin the trace at the first arrival at a symbol or 0x address, or with instruction number "
     "AT; until then the program runs at full speed",
     0, 0},
    {"trace-count", ARGUMENT_WHOLE, AT(options.trace_count), "N",
     "instructions in the trace, default 100000; then the program runs on at full speed",
     UINT64_MAX, 0},
    {"gdb", ARGUMENT_WHOLE, AT(gdb_port), "PORT",
     "wait for GDB at this TCP port of 127.0.0.1 before the first instruction (gdb-multiarch: "
     "target remote :PORT); time in which the program is halted is no time of the program",
     UINT16_MAX, 0},
    OPTION_TIER(AT(options.tier)),
    {"stop-every", ARGUMENT_WHOLE, AT(options.stop_every), "CYCLES",
     "stop the core so often, as it is among others on a board: for measurements of host speed",
     UINT64_MAX, 0},
    {0}};

static void take_region(struct arguments *arguments, struct argp_state *state)
{
    const char *text = arguments->count;
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

static void check(void *given, struct argp_state *state)
{
    struct arguments *arguments = given;
    struct elf_run_options *options = &arguments->options;
    options->sdram_base = arguments->base != 0;
    options->gdb_port = (uint16_t)arguments->gdb_port;
    if (arguments->count != NULL) {
        take_region(arguments, state);
    }
    if (options->trace == NULL && (options->trace_from != NULL || options->trace_count != 0)) {
        argp_error(state, "--trace-from and --trace-count need --trace");
    }
    if (options->trace_count == 0) {
        options->trace_count = TRACE_LINES;
    }
}

/* The only global variables of the program: a signal handler has no context argument. */
static struct elf_interrupt interrupt = {.descriptor = -1};
static int interrupt_writer = -1;

static void on_signal(int number)
{
    const int error = errno;
    interrupt.signal = number;
    (void)!write(interrupt_writer, "", 1);
    errno = error;
}

static const int SIGNALS[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXCPU};
enum { SIGNAL_COUNT = sizeof SIGNALS / sizeof *SIGNALS };

/* Installs handlers by which these signals end the guest, except for signals that the parent
 * process ignores.  A second signal ends the process at once, even while it waits for a compiler.
 */
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

static void tell_port(uint16_t port)
{
    (void)fprintf(stderr, "waiting for GDB at 127.0.0.1:%u: target remote :%u\n", port, port);
}

/* Says how the run has ended; returns the exit status. */
static int finish_elf(enum status status, const struct elf_run_result *result,
                      const struct diagnostic *diagnostic)
{
    if (result->signal == SIGPIPE) { /* the reader has closed the output */
        end_by(result->signal);
    }
    const int exit_status =
        status == STATUS_OK ? result->exit_status : OWN_FAILURE + message_error(status, diagnostic);
    if (result->crash != NULL) {
        (void)fputs(result->crash, stderr);
    }
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

static int run(int argc, char **argv, const struct folders *folders)
{
    (void)folders;
    struct arguments arguments = {.options = {.tier = command_default_tier(),
                                              .gdb_waits = tell_port,
                                              .interrupt = &interrupt,
                                              .warn = message_warning}};
    struct elf_run_result result = {0};
    struct diagnostic diagnostic = {0};
    const int separator = find_separator(argc, argv);
    if (separator < argc) {
        arguments.options.argument = (const char *const *)argv + separator + 1;
        arguments.options.argument_count = (size_t)(argc - separator - 1);
    }
    command_parse(&COMMAND_elf, separator, argv, &arguments);
    catch_signals();
    const enum status status = elf_run(&arguments.options, &result, &diagnostic);
    const int exit_status = finish_elf(status, &result, &diagnostic);
    free(result.crash);
    return exit_status;
}

const struct command COMMAND_elf = {
    .name = "elf",
    .first_own_status = OWN_FAILURE,
    .summary =
        "run a bare program on one core with flat memory and semihosting; profile, trace, GDB",
    .operands = "FILE.elf [-- ARGUMENT...]",
    .noun = "file",
    .wanted = "name a program",
    .operand_at = AT(options.file),
    .text = "Runs a bare ARM program on one core with flat memory, every access one cycle, and ARM "
            "semihosting for its output.  The last line on standard error tells instructions and "
            "cycles.  "
            "What stands behind -- are the program's arguments."
            "\vThe exit status is the program's own.  spinnsim's failures are 111 internal (or "
            "output that "
            "could not be written), 112 usage (or a region that the program did not run through), "
            "113 the "
            "program did what it must not, 114 a limit was reached.  SIGINT, SIGTERM and SIGHUP "
            "end the "
            "program, and spinnsim with them, when it has said where the program was.",
    .options = OPTIONS,
    .check = check,
    .run = run};
