/* command_vectors.c - `spinnsim vectors`: the core, instruction by instruction. */
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/flat/vectors.h"

#include <inttypes.h>

enum { REPORTED = 10 };

struct arguments {
    const char *file;
    enum tier tier; /* vectors are single steps: interpreted in each tier */
};

static const struct command_option OPTIONS[] = {OPTION_TIER(offsetof(struct arguments, tier)), {0}};

static int run(int argc, char **argv, const struct folders *folders)
{
    (void)folders;
    struct arguments arguments = {0};
    struct vectors_result result;
    struct diagnostic diagnostic = {0};
    command_parse(&COMMAND_vectors, argc, argv, &arguments);
    const enum status status = vectors_run(arguments.file, stderr, REPORTED, &result, &diagnostic);
    if (status != STATUS_OK) {
        return message_error(status, &diagnostic);
    }
    (void)printf("%" PRIu64 " passed, %" PRIu64 " failed\n", result.passed, result.failed);
    return result.failed == 0 ? 0 : status_exit_code(STATUS_REJECTED);
}

const struct command COMMAND_vectors = {
    .name = "vectors",
    .summary = "check the core against instruction vectors",
    .operands = "FILE[.gz]",
    .noun = "file",
    .wanted = "name a file of vectors",
    .operand_at = offsetof(struct arguments, file),
    .text = "Steps the core through instruction vectors (state before, code, state after) and "
            "counts those that agree.  Describes the first few that do not.",
    .options = OPTIONS,
    .run = run};
