/* energy_against.c - see energy_account.h: one run's joules by two tables of coefficients. */
#include "sim/csv.h"
#include "sim/results/energy_account.h"
#include "sim/results/json.h"
#include "sim/run_control/job.h"
#include "sim/steps.h"

#include <math.h>
#include <string.h>

enum status energy_load_other(const char *path, const char *configs_folder,
                              const struct sim_config *config, struct sim_config *other,
                              struct diagnostic *diagnostic)
{
    enum { PROFILE_CHARS = 256 };
    const struct config_request request = {
        .path = path, .configs_folder = configs_folder, .fragment = true};
    char profile[PROFILE_CHARS];
    (void)snprintf(profile, sizeof profile, "energy.board_profile=%s",
                   config->energy.board_profile);
    const char *const sets[] = {profile};
    TRY(config_load(&request, other, diagnostic));
    other->fragment = false; /* what it lacks is an error now */
    TRY(config_set_energy(other, sets, 1, diagnostic));
    return job_check_energy(other, diagnostic);
}

static void put_line(FILE *stream, bool csv, const char *name, double first, double second)
{
    static const double PERCENT = 100;
    char text[3][REAL_TEXT_CHARS];
    if (csv) {
        csv_text(stream, name);
        (void)fprintf(stream, ",%s,%s,%s\n", real_text(first, text[0]), real_text(second, text[1]),
                      real_text(second - first, text[2]));
    } else {
        (void)fprintf(stream, "%-20s %14.6g %14.6g %14.6g", name, first, second, second - first);
        (void)(first > 0 ? fprintf(stream, " %+8.1f %%\n", PERCENT * (second / first - 1))
                         : fputc('\n', stream));
    }
}

static const struct energy_term_row *term_of(const struct energy_account *account, const char *term)
{
    for (size_t i = 0; i < account->term_count; i++) {
        if (strcmp(account->term[i].term, term) == 0) {
            return &account->term[i];
        }
    }
    return NULL;
}

static double value_of(const struct energy_term_row *row)
{
    return row == NULL ? 0 : row->joules.value;
}

static void put_scopes(FILE *stream, bool csv, const char *of, const struct energy_scopes *first,
                       const struct energy_scopes *second)
{
    for (unsigned s = 0; s < ENERGY_SCOPES; s++) {
        const double values[] = {first->joules[s].value, second->joules[s].value};
        char name[40];
        if (isfinite(values[0]) && isfinite(values[1])) {
            (void)snprintf(name, sizeof name, "%s%s", of, energy_scope_text((enum energy_scope)s));
            put_line(stream, csv, name, values[0], values[1]);
        }
    }
}

void energy_print_against(FILE *stream, const struct energy_account *first,
                          const struct energy_account *second, const char *const names[2], bool csv)
{
    (void)fprintf(
        stream,
        csv ? "term,joules_first,joules_second,difference\n"
            : "first: %s\nsecond: %s\n\nterm                      first [J]     second [J]"
              " difference [J]\n",
        names[0], names[1]);
    for (size_t i = 0; i < first->term_count; i++) {
        const char *term = first->term[i].term;
        put_line(stream, csv, term, first->term[i].joules.value, value_of(term_of(second, term)));
    }
    for (size_t i = 0; i < second->term_count; i++) {
        if (term_of(first, second->term[i].term) == NULL) {
            put_line(stream, csv, second->term[i].term, 0, second->term[i].joules.value);
        }
    }
    put_line(stream, csv, "total", first->total.value, second->total.value);
    put_scopes(stream, csv, "scope ", &first->scopes, &second->scopes);
    if (first->epoch.value > 0) {
        put_line(stream, csv, "an epoch", first->epoch.value, second->epoch.value);
        put_scopes(stream, csv, "an epoch, ", &first->epoch_scopes, &second->epoch_scopes);
    }
}
