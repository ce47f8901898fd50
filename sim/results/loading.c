/* loading.c - see loading.h. */
#include "sim/results/loading.h"

#include "models/common/units.h"

#include <inttypes.h>

bool loading_is_charged(const struct record *record)
{
    return record->job->config->data_input == CONFIG_DATA_INPUT_ETHERNET;
}

const char *loading_way(const struct record *record)
{
    return !loading_is_charged(record) ? "none: in SDRAM before the clock starts, not charged"
           : record->outcome->input.copies > 1
               ? "stated rate: one copy over the Ethernet of each board, multicast to its chips"
               : "stated rate: over the Ethernet of each board, multicast to the chip of each "
                 "image";
}

double loading_seconds(const struct record *record)
{
    return (double)record->outcome->input.time_ps / (double)PS_PER_S;
}

struct energy_joules loading_joules(const struct record *record)
{
    const struct data_input *input = &record->outcome->input;
    const struct energy_count count[] = {{"router.bits", input->router_bits},
                                         {"sdram.bytes_written", input->sdram_bytes}};
    const struct energy_activity activity = {.count = count,
                                             .count_count = sizeof count / sizeof *count,
                                             .time_ps = input->time_ps,
                                             .chips = record->outcome->chips,
                                             .boards = record->outcome->boards};
    return energy_total(&record->job->config->energy, &activity);
}

void loading_print(FILE *stream, const struct record *record)
{
    static const double MEGA = 1e-6;
    const struct data_input *input = &record->outcome->input;
    if (!record->job->has_network) {
        return;
    }
    if (loading_is_charged(record)) {
        const struct energy_joules joules = loading_joules(record);
        (void)fprintf(
            stream,
            "loading         apart: %.6g s, %.4g J (%.4g to %.4g), computed from a stated "
            "rate of %.6g Mbit/s; %.6g MB over Ethernet\n               ",
            loading_seconds(record), joules.value, joules.low, joules.high,
            MEGA * (double)record->job->config->data_input_rate,
            MEGA * (double)input->ethernet_bytes);
    } else {
        (void)fprintf(stream, "loading         not charged:");
    }
    (void)fprintf(stream, " %" PRIu64 " images, each on %" PRIu64 " chip%s, %.6g MB of SDRAM%s\n",
                  input->images, input->copies, input->copies == 1 ? "" : "s",
                  MEGA * (double)input->sdram_bytes,
                  loading_is_charged(record) ? "" : " filled before the clock starts");
}
