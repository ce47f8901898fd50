/* command_regress.c - `spinnsim regress`: what moved, where, by how much. */
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/experiment/regress.h"
#include "sim/results/json.h"
#include "sim/results/printable.h"

#include <stdio.h>

struct arguments {
    unsigned format; /* text, json, junit */
    struct argument_list sets;
    const char *golden, *workloads, *only;
    bool bless;
};

#define AT(field) offsetof(struct arguments, field)

static const struct command_option OPTIONS[] = {
    {"format", ARGUMENT_CHOICE, AT(format), "text|json|junit", "how to tell what moved", 0, 0},
    {"bless", ARGUMENT_FLAG, AT(bless), NULL, "record what is measured as the new goldens", 0, 0},
    {"set", ARGUMENT_LIST, AT(sets), "KEY=VALUE",
     "override a value of every experiment; may be repeated", 0, 0},
    {"golden", ARGUMENT_TEXT, AT(golden), "DIR", "where the goldens lie", 0, 0},
    {"workloads", ARGUMENT_TEXT, AT(workloads), "DIR", "where built ARM programs lie", 0, 0},
    {0}};

static void check(void *given, struct argp_state *state)
{
    const struct arguments *arguments = given;
    if (arguments->bless && arguments->sets.count > 0) {
        argp_error(state, "--bless with --set would record another experiment");
    }
}

/* ---- telling ---- */

static const char *const VERDICT[] = {"passed", "FAILED", "skipped", "blessed"};

static double percent(const struct regress_change *change)
{
    static const double PERCENT = 100;
    const double from = (double)change->golden;
    return from == 0 ? 0 : PERCENT * ((double)change->now - from) / from;
}

static void print_text(const struct regress_result *result)
{
    for (size_t i = 0; i < result->count; i++) {
        const struct regress_case *at = &result->of[i];
        (void)printf("%-7s %s", VERDICT[at->verdict], at->name);
        if (at->verdict == REGRESS_PASSED) {
            (void)printf(": %zu counts", at->counts);
        } else if (at->reason[0] != '\0') {
            (void)printf(": %s", at->reason);
        }
        (void)fputc('\n', stdout);
        for (size_t c = 0; c < at->change_count; c++) {
            const struct regress_change *change = &at->change[c];
            (void)printf("    %-52s %16llu -> %16llu  %+lld", change->name, change->golden,
                         change->now, (long long)(change->now - change->golden));
            if (change->golden == 0) {
                (void)puts(" (new)");
            } else {
                (void)printf(" (%+.4f %%)\n", percent(change));
            }
        }
    }
    (void)printf("%zu goldens: %zu failed, %zu skipped\n", result->count, result->failed,
                 result->skipped);
}

static void print_json(const struct regress_result *result)
{
    struct json json;
    json_begin(&json, stdout);
    json_whole(&json, "failed", result->failed);
    json_whole(&json, "skipped", result->skipped);
    json_array(&json, "goldens");
    for (size_t i = 0; i < result->count; i++) {
        const struct regress_case *at = &result->of[i];
        json_object(&json, NULL);
        json_text(&json, "name", at->name);
        json_text(&json, "verdict", VERDICT[at->verdict]);
        json_text(&json, "reason", at->reason);
        json_array(&json, "changes");
        for (size_t c = 0; c < at->change_count; c++) {
            json_object(&json, NULL);
            json_text(&json, "count", at->change[c].name);
            json_whole(&json, "golden", at->change[c].golden);
            json_whole(&json, "now", at->change[c].now);
            json_real(&json, "percent", percent(&at->change[c]));
            json_end_object(&json);
        }
        json_end_array(&json);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end(&json);
}

static void print_xml_text(const char *text)
{
    static const char *const ENTITY[] = {
        ['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;"};
    char character[PRINTABLE_BYTES];
    while (*text != '\0') {
        text = printable_next(text, character);
        const unsigned char first = (unsigned char)character[0];
        const bool plain = first >= sizeof ENTITY / sizeof *ENTITY || ENTITY[first] == NULL;
        (void)fputs(plain ? character : ENTITY[first], stdout);
    }
}

static void print_junit_case(const struct regress_case *at)
{
    (void)fputs("  <testcase classname=\"spinnsim.regress\" name=\"", stdout);
    print_xml_text(at->name);
    (void)fputs("\">\n", stdout);
    if (at->verdict == REGRESS_SKIPPED) {
        (void)fputs("    <skipped message=\"", stdout);
        print_xml_text(at->reason);
        (void)fputs("\"/>\n", stdout);
    } else if (at->verdict == REGRESS_FAILED) {
        (void)printf("    <failure message=\"%zu counts moved\">", at->change_count);
        print_xml_text(at->reason);
        for (size_t c = 0; c < at->change_count; c++) {
            print_xml_text(at->change[c].name);
            (void)printf(": %llu, now %llu (%+.4f %%)\n", at->change[c].golden, at->change[c].now,
                         percent(&at->change[c]));
        }
        (void)fputs("</failure>\n", stdout);
    }
    (void)fputs("  </testcase>\n", stdout);
}

static void print_junit(const struct regress_result *result)
{
    (void)printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<testsuite name=\"goldens\" tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\">\n",
                 result->count, result->failed, result->skipped);
    for (size_t i = 0; i < result->count; i++) {
        print_junit_case(&result->of[i]);
    }
    (void)fputs("</testsuite>\n", stdout);
}

static int run(int argc, char **argv, const struct folders *folders)
{
    static void (*const PRINT[])(const struct regress_result *) = {print_text, print_json,
                                                                   print_junit};
    struct arguments arguments = {.golden = folders->golden, .workloads = folders->workloads};
    struct regress_result result;
    struct diagnostic diagnostic = {0};
    command_parse(&COMMAND_regress, argc, argv, &arguments);
    const struct regress_request request = {.golden_folder = arguments.golden,
                                            .configs_folder = folders->configs,
                                            .tier = command_default_tier(),
                                            .workloads_folder = arguments.workloads,
                                            .sets = arguments.sets.text,
                                            .set_count = arguments.sets.count,
                                            .only = arguments.only,
                                            .bless = arguments.bless};
    const enum status status = regress_run(&request, &result, &diagnostic);
    if (status != STATUS_OK) {
        return message_error(status, &diagnostic);
    }
    PRINT[arguments.format](&result);
    const int exit_status = result.failed == 0 ? 0 : status_exit_code(STATUS_REJECTED);
    regress_result_deinit(&result);
    return exit_status;
}

const struct command COMMAND_regress = {
    .name = "regress",
    .summary = "compare exact counts with the recorded goldens: what moved, where, by how much",
    .operands = "[GOLDEN]",
    .noun = "golden",
    .operand_at = AT(only),
    .text = "Runs the experiments of all goldens, or of one, and compares every count exactly.  "
            "Other guest programs than the recorded ones are a skip, with the reason."
            "\vExit status 5 when a count moved.",
    .options = OPTIONS,
    .check = check,
    .run = run};
