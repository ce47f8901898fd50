/* power_figure.c - see figure.h: power over machine time, from a run's intervals.csv. */
#include "models/common/units.h"
#include "sim/file.h"
#include "sim/reports/axis.h"
#include "sim/reports/figure.h"
#include "sim/reports/gnuplot.h"
#include "sim/results/json.h"
#include "sim/results/result_table.h"
#include "sim/steps.h"

#include <math.h>
#include <string.h>

static const char TABLE[] = "intervals.csv";
static const char HINT[] = "record.interval: 1 ms makes a run write it";

struct power {
    const char *folder;
    double end_s, greatest_w;
};

/* Three rows of an interval, in this order. */
static const char *const QUANTITY[] = {"watts_low", "watts", "watts_high"};
enum { QUANTITIES = sizeof QUANTITY / sizeof *QUANTITY };

static enum status put_intervals(FILE *stream, struct power *power, struct diagnostic *diagnostic)
{
    struct result_table table;
    TRY(result_table_open(&table, power->folder, TABLE, diagnostic));
    double watts[QUANTITIES] = {NAN, NAN, NAN};
    while (result_table_next(&table)) {
        const char *quantity = result_table_text(&table, "quantity");
        unsigned which = 0;
        while (which < QUANTITIES && strcmp(quantity, QUANTITY[which]) != 0) {
            which++;
        }
        if (which == QUANTITIES) {
            continue;
        }
        watts[which] = result_table_number(&table, "value");
        if (which + 1 == QUANTITIES) {
            const double begin_s = result_table_number(&table, "begin_ps") / (double)PS_PER_S;
            power->end_s = result_table_number(&table, "end_ps") / (double)PS_PER_S;
            power->greatest_w = fmax(power->greatest_w, watts[which]);
            if (stream != NULL) {
                const double field[] = {begin_s, power->end_s, watts[0], watts[1], watts[2]};
                char text[REAL_TEXT_CHARS];
                for (unsigned i = 0; i < sizeof field / sizeof *field; i++) {
                    (void)fprintf(stream, "%s%s", i == 0 ? "" : ",", real_text(field[i], text));
                }
                (void)fputc('\n', stream);
            }
        }
    }
    const bool good =
        isfinite(power->end_s) && isfinite(power->greatest_w) && power->greatest_w > 0;
    return result_table_end(
        &table, good ? STATUS_OK : result_table_refuse(&table, "power", HINT, diagnostic),
        diagnostic);
}

static enum status write_table(FILE *stream, void *context, struct diagnostic *diagnostic)
{
    (void)fputs("begin_s,end_s,watts_low,watts,watts_high\n", stream);
    return put_intervals(stream, context, diagnostic);
}

/* A box for each interval from the low coefficients' power to the high ones', and a line at the
 * default ones', joined by steps. */
static void write_script(FILE *stream, void *context)
{
    static const double ROOM = 0.05;
    const struct power *power = context;
    const struct axis time = axis_named("Machine time", "s", power->end_s);
    const struct axis watts = axis_named("Power", "W", power->greatest_w);
    char text[REAL_TEXT_CHARS];
    figure_set(stream, "xlabel", time.label);
    figure_set(stream, "ylabel", watts.label);
    (void)fprintf(stream, "sx = %s\n", real_text(time.scale, text));
    (void)fprintf(stream, "sy = %s\n", real_text(watts.scale, text));
    (void)fprintf(stream, "set xrange [0:%s]\n", real_text(power->end_s * time.scale, text));
    axis_put_range(stream, "y", 0, power->greatest_w * watts.scale, ROOM, 0);
    figure_legend_below(stream, "horizontal", NULL);
    (void)fputs("plot table every ::1 using (($1+$2)/2*sx):($4*sy):($1*sx):($2*sx):($3*sy):($5*sy) "
                "with boxxyerror fc rgb '#b3d4e8' lw 0 fs solid 1 noborder "
                "title 'low to high coefficients', \\\n"
                "     table every ::1 using ($1*sx):($4*sy):(($2-$1)*sx):(0) "
                "with vectors nohead lt 1 lw 2 title 'default coefficients', \\\n"
                "     table every ::1 using ($1*sx):($4*sy) with steps lt 1 lw 1 notitle\n",
                stream);
}

/* Where every run has recorded intervals, as the figures of each run. */
static bool is_wanted(const struct plotter *plotter)
{
    const struct plot_request *request = plotter->request;
    bool is = request->x == NULL && request->map == NULL;
    for (size_t i = 0; i < request->folder_count && is; i++) {
        is = file_is_in(request->folder[i], TABLE);
    }
    return is;
}

static enum status draw(const struct plotter *plotter, const struct results *results)
{
    struct power power = {.folder = results->folder};
    char folder[FIGURE_NAME_CHARS];
    char name[FIGURE_NAME_CHARS + 16];
    figure_name_of_folder(power.folder, folder);
    (void)snprintf(name, sizeof name, "%s_power", folder);
    if (!file_is_in(power.folder, TABLE)) {
        return file_refuse(power.folder, HINT, plotter->diagnostic, "there is no %s", TABLE);
    }
    TRY(put_intervals(NULL, &power, plotter->diagnostic));
    const struct figure figure = {.write_table = write_table,
                                  .write_script = write_script,
                                  .context = &power,
                                  .below_mm = FIGURE_LINE_MM};
    return figure_make(plotter, name, &figure);
}

const struct figure_kind FIGURE_POWER = {
    .about = {"power", "Power of a run over machine time, of runs with record.interval."},
    .is_wanted = is_wanted,
    .draw_each = draw};
