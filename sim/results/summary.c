/* summary.c - summary.json, and the few lines of it that a terminal shows. */
#include "sim/results/incidents.h"
#include "sim/results/json.h"
#include "sim/results/recorder.h"
#include "sim/results/training.h"
#include "sim/version.h"

#include <math.h>
#include <string.h>

enum { SCHEMA = 1 };

/* ---- numbers ---- */

static uint64_t sum_of(const struct record *record, const char *counter)
{
    return tally_value(&record->tally.total, counter);
}

static uint64_t sdram_bytes(const struct record *record)
{
    return sum_of(record, "sdram.bytes_read") + sum_of(record, "sdram.bytes_written");
}

/* In all tests of the run. */
static double images_tested(const struct outcome *outcome)
{
    return (double)outcome->result_count * (outcome->tests > 0 ? outcome->tests : 1);
}

/* Joules of what the run is for, per image: of the test stage. */
static struct energy_joules joules_per_image(const struct record *record)
{
    const struct energy_joules joules = record->energy.stage[STAGE_TEST];
    const double images = images_tested(record->outcome);
    return (struct energy_joules){joules.low / images, joules.value / images, joules.high / images};
}

static struct energy_joules mean_watts(const struct record *record)
{
    const struct energy_joules joules = record->energy.total;
    const double seconds = record_seconds(record);
    return (struct energy_joules){joules.low / seconds, joules.value / seconds,
                                  joules.high / seconds};
}

static double images_per_second(const struct record *record)
{
    return images_tested(record->outcome) / record_stage_seconds(record, STAGE_TEST);
}

static const char *limited_by(const struct outcome_core_time *time)
{
    const struct {
        const char *name;
        uint64_t cycles;
    } part[] = {{"compute", time->compute},
                {"bus_stall", time->bus_stall},
                {"dma_wait", time->dma_wait},
                {"packet_wait", time->packet_wait},
                {"idle", time->idle}};
    size_t most = 0;
    for (size_t i = 1; i < sizeof part / sizeof *part; i++) {
        most = part[i].cycles > part[most].cycles ? i : most;
    }
    return part[most].cycles > 0 ? part[most].name : "nothing: no core has run";
}

/* The digests of the images in use, and whether they are the published ones. */
static void put_data_digest(struct json *json, const struct job *job)
{
    if (!job->has_network) {
        json_null(json, "data_digest");
        return;
    }
    json_object(json, "data_digest");
    if (job->train.count > 0) {
        json_text(json, "train", job->train.digest_hex);
    }
    json_text(json, "test", job->test.digest_hex);
    json_flag(json, "original",
              job->test.original && (job->train.count == 0 || job->train.original));
    json_end_object(json);
}

/* ---- parts ---- */

static void put_program(struct json *json, const struct job_program *program)
{
    json_object(json, NULL);
    json_text(json, "program", program->name);
    json_text(json, "sha256", program->digest);
    json_end_object(json);
}

static void put_identity(struct json *json, const struct record *record)
{
    const struct job *job = record->job;
    json_object(json, "identity");
    json_text(json, "sim_hash", job->identity.sim_hash);
    json_text(json, "energy_hash", job->identity.energy_hash);
    json_text(json, "stats_hash", record->outcome->stats_hash);
    json_text(json, "version", SPINNSIM_VERSION);
    json_text(json, "commit", SPINNSIM_COMMIT);
    json_whole(json, "seed", job->config->seed);
    json_text(json, "guest_compiler",
              job->program_count == 0 ? "none" : job->program[0].image.compiler);
    json_array(json, "elf_digests");
    for (size_t i = 0; i < job->program_count; i++) {
        put_program(json, &job->program[i]);
    }
    if (job->has_reinjector) {
        put_program(json, &job->reinjector);
    }
    json_end_array(json);
    put_data_digest(json, job);
    json_end_object(json);
}

static void put_job(struct json *json, const struct record *record)
{
    const struct sim_config *config = record->job->config;
    json_text(json, "backend", config_backend_text(config->backend));
    if (!record->job->has_network) {
        return;
    }
    json_text(json, "network", config->network_name);
    json_text(json, "variant", config_variant_text(config->network_variant));
    json_text(json, "mode", config_mode_text(config->mode));
    json_text(json, "number_format", config_number_format_text(config->network_number_format));
    json_text(json, "mapping", config_mapping_kind_text(config->mapping_kind));
    json_text(json, "dataset", config_data_set_text(config->data_set));
    if (config->mode == CONFIG_MODE_TRAIN) {
        if (record->job->resumes) {
            json_whole(json, "resumed_after_epoch", record->job->checkpoint.epochs);
        }
        json_whole(json, "global_batch", config->train_global_batch);
        json_whole(json, "updates", record->outcome->updates);
        json_whole(json, "images_trained", record->outcome->images_trained);
    }
    json_whole(json, "images_tested", record->outcome->result_count);
    json_real(json, "accuracy", record_accuracy(record));
    json_real(json, "loss", record->outcome->loss);
    json_real(json, "reference_accuracy", record->outcome->reference_accuracy);
}

static void put_core_time(struct json *json, const struct outcome_core_time *time)
{
    json_object(json, "core_time");
    json_whole(json, "compute", time->compute);
    json_whole(json, "bus_stall", time->bus_stall);
    json_whole(json, "dma_wait", time->dma_wait);
    json_whole(json, "packet_wait", time->packet_wait);
    json_whole(json, "idle", time->idle);
    json_end_object(json);
}

static void put_machine(struct json *json, const struct record *record)
{
    const struct outcome *outcome = record->outcome;
    json_whole(json, "chips", outcome->chips);
    json_whole(json, "boards", outcome->boards);
    json_whole(json, "cores_used", outcome->cores_used);
    json_real(json, "seconds", record_seconds(record));
    for (unsigned s = 0; s < STAGES; s++) {
        char name[32];
        (void)snprintf(name, sizeof name, "seconds_%s", stage_text((enum stage)s));
        json_real(json, name, record_stage_seconds(record, (enum stage)s));
    }
    json_real(json, "images_per_second", images_per_second(record));
    training_put(json, record);
    json_whole(json, "core_cycles",
               sum_of(record, "core.active_cycles") + sum_of(record, "core.sleep_cycles"));
    json_whole(json, "instructions", sum_of(record, "core.instructions"));
    json_whole(json, "packets_sent", tally_packets_sent(&record->tally.total));
    json_whole(json, "deliveries", tally_deliveries(&record->tally.total));
    json_whole(json, "dropped_packets", outcome_dropped_packets(outcome));
    json_whole(json, "late_interrupts", outcome->late_interrupts);
    json_whole(json, "sdram_bytes", sdram_bytes(record));
    put_core_time(json, &outcome->core_time);
    json_text(json, "limited_by", limited_by(&outcome->core_time));
}

static void put_joules(struct json *json, const char *name, struct energy_joules joules)
{
    json_object(json, name);
    json_real(json, "low", joules.low);
    json_real(json, "default", joules.value);
    json_real(json, "high", joules.high);
    json_end_object(json);
}

static void put_energy(struct json *json, const struct record *record)
{
    const char *profile = record->job->config->energy.board_profile;
    json_object(json, "energy");
    json_text(json, "scope", strcmp(profile, "none") == 0 ? "chips" : "board");
    json_text(json, "board_profile", profile);
    put_joules(json, "joules", record->energy.total);
    put_joules(json, "dynamic_joules", record->energy.dynamic);
    put_joules(json, "mean_watts", mean_watts(record));
    if (record->outcome->result_count > 0) {
        put_joules(json, "joules_per_image", joules_per_image(record));
    }
    json_end_object(json);
}

static void put_phases(struct json *json, const struct record *record)
{
    json_array(json, "phases");
    for (size_t i = 0; i < record->energy.row_count; i++) {
        const struct energy_row *row = &record->energy.row[i];
        json_object(json, NULL);
        json_text(json, "stage", row->stage);
        json_text(json, "phase", row->phase);
        json_text(json, "layer", row->layer);
        json_whole(json, "core_cycles", row->core_cycles);
        json_whole(json, "sdram_bytes", row->sdram_bytes);
        json_real(json, "joules", row->joules.value);
        json_end_object(json);
    }
    json_end_array(json);
}

static void put_memory(struct json *json, const struct outcome *outcome)
{
    uint32_t itcm = 0;
    uint32_t dtcm = 0;
    for (size_t i = 0; i < outcome->core_count; i++) {
        itcm = outcome->core[i].itcm_bytes > itcm ? outcome->core[i].itcm_bytes : itcm;
        dtcm = outcome->core[i].dtcm_bytes > dtcm ? outcome->core[i].dtcm_bytes : dtcm;
    }
    json_object(json, "memory");
    json_whole(json, "itcm_bytes", itcm);
    json_whole(json, "dtcm_bytes", dtcm);
    json_whole(json, "sdram_bytes", outcome->sdram_bytes_used);
    json_end_object(json);
}

/* head_room: how often the largest sum of gradients would fit into 32 bits. */
static void put_training(struct json *json, const struct outcome_training *training)
{
    json_object(json, "training_numerics");
    json_whole(json, "saturations", training->saturations);
    json_whole(json, "overflows", training->overflows);
    json_whole(json, "error_saturations", training->error_saturations);
    json_whole(json, "weight_saturations", training->weight_saturations);
    json_whole(json, "largest_sum", training->largest_sum);
    json_real(json, "head_room", 0x1p31 / training->largest_sum);
    json_end_object(json);
}

static void put_findings(struct json *json, const struct record *record)
{
    const struct outcome *outcome = record->outcome;
    json_object(json, "numerics");
    json_whole(json, "saturations", outcome->saturations);
    json_whole(json, "overflows", outcome->overflows);
    json_end_object(json);
    if (outcome->training.largest_sum > 0) {
        put_training(json, &outcome->training);
    }
    json_array(json, "unmodelled");
    for (size_t i = 0; i < outcome->unmodelled_count; i++) {
        const struct machine_unmodelled *at = &outcome->unmodelled[i];
        json_object(json, NULL);
        json_text(json, "block", at->block);
        json_whole(json, "offset", at->offset);
        json_text(json, "access", at->write ? "write" : "read");
        json_whole(json, "count", at->count);
        json_whole(json, "first_core", at->first_core);
        json_end_object(json);
    }
    json_end_array(json);
    json_whole(json, "guest_errors", outcome->guest_errors);
    if (outcome->drop_count > 0 || outcome->drops_unrecorded > 0) {
        json_object(json, "drops"); /* copies: a row of drops.csv each, or none */
        json_whole(json, "recorded", outcome->drop_count);
        json_whole(json, "unrecorded", outcome->drops_unrecorded);
        json_end_object(json);
    }
    if (outcome->has_reinjector) {
        const struct outcome_reinjector *reinjector = &outcome->reinjector;
        json_object(json, "reinjector");
        json_whole(json, "dropped", reinjector->dropped);
        json_whole(json, "missed", reinjector->missed);
        json_whole(json, "sent", reinjector->sent);
        json_whole(json, "partial", reinjector->partial);
        json_whole(json, "refused", reinjector->refused);
        json_whole(json, "queued", reinjector->queued);
        json_end_object(json);
    }
    if (outcome->failure[0] != '\0') {
        json_text(json, "failure", outcome->failure);
    }
}

static void put_accept(struct json *json, const struct record *record)
{
    const struct sim_config *config = record->job->config;
    json_object(json, "accept");
    for (size_t i = 0; i < config->accept_count; i++) {
        const struct config_accept *bound = &config->accept[i];
        json_object(json, config_metric_text(bound->metric));
        json_real(json, "value", record->verdict.value[bound->metric]);
        if (bound->has_min) {
            json_real(json, "min", bound->min);
        }
        if (bound->has_max) {
            json_real(json, "max", bound->max);
        }
        json_flag(json, "good", verdict_holds(&record->verdict, bound));
        json_end_object(json);
    }
    json_end_object(json);
}

static void put_host(struct json *json, const struct record *record)
{
    static const double MILLION = 1e6;
    const struct outcome *outcome = record->outcome;
    json_object(json, "host");
    const double seconds = outcome->run_seconds > 0 ? outcome->run_seconds : outcome->wall_seconds;
    json_real(json, "wall_seconds", outcome->wall_seconds);
    json_real(json, "run_seconds", outcome->run_seconds);
    json_real(json, "mips", (double)sum_of(record, "core.instructions") / seconds / MILLION);
    json_whole(json, "threads", outcome->threads);
    json_text(json, "tier", tier_name(outcome->tier));
    json_whole(json, "translations", outcome->native.translations);
    json_whole(json, "native_runs", outcome->native.runs);
    json_end_object(json);
}

/* ---- the whole ---- */

static const char *status_of(const struct record *record)
{
    if (record->outcome->end != OUTCOME_DONE) {
        return outcome_end_text(record->outcome->end);
    }
    return record->verdict.good ? "done" : "rejected";
}

void summary_write(FILE *stream, const struct record *record)
{
    const bool machine = record->job->config->backend == CONFIG_BACKEND_SPINNAKER;
    struct json json;
    json_begin(&json, stream);
    json_whole(&json, "schema", SCHEMA);
    json_text(&json, "name", record->job->config->name);
    json_text(&json, "status", status_of(record));
    put_identity(&json, record);
    put_job(&json, record);
    if (machine) {
        put_machine(&json, record);
        put_energy(&json, record);
        put_phases(&json, record);
        put_memory(&json, record->outcome);
    }
    put_findings(&json, record);
    put_accept(&json, record);
    put_host(&json, record);
    json_end(&json);
}

static void print_machine(FILE *stream, const struct record *record)
{
    static const double MILLI = 1e3;
    static const double MICRO = 1e6;
    const struct energy_joules joules = record->energy.total;
    (void)fprintf(stream, "machine time    %.6g ms", MILLI * record_seconds(record));
    if (record->job->has_network) {
        (void)fprintf(stream, " (%.6g ms of it loading)",
                      MILLI * record_stage_seconds(record, STAGE_LOAD));
    }
    (void)fprintf(stream, ", %u chip%s, %u core%s\n", record->outcome->chips,
                  record->outcome->chips == 1 ? "" : "s", record->outcome->cores_used,
                  record->outcome->cores_used == 1 ? "" : "s");
    if (record->outcome->result_count > 0) {
        (void)fprintf(stream, "%s %.6g images/s\n",
                      training_has_epochs(record->outcome) ? "testing        " : "speed          ",
                      images_per_second(record));
    }
    training_print(stream, record);
    (void)fprintf(stream, "energy          %.4g J (%.4g to %.4g), %.1f %% of it dynamic\n",
                  joules.value, joules.low, joules.high,
                  joules.value > 0 ? 100 * record->energy.dynamic.value / joules.value : 0);
    if (record->outcome->result_count > 0) {
        const struct energy_joules image = joules_per_image(record);
        (void)fprintf(stream, "per image       %.4g uJ (%.4g to %.4g)\n", MICRO * image.value,
                      MICRO * image.low, MICRO * image.high);
    }
    (void)fprintf(stream, "instructions    %llu, limited by %s\n",
                  (unsigned long long)sum_of(record, "core.instructions"),
                  limited_by(&record->outcome->core_time));
}

void summary_print(FILE *stream, const struct record *record)
{
    static const double PERCENT = 100;
    const struct outcome *outcome = record->outcome;
    (void)fprintf(stream, "%s: %s\n", record->job->config->name, status_of(record));
    if (outcome->result_count > 0) {
        (void)fprintf(stream, "accuracy        %.2f %% of %u images",
                      PERCENT * record_accuracy(record), outcome->result_count);
        if (isfinite(outcome->reference_accuracy)) {
            (void)fprintf(stream, " (float64: %.2f %%)", PERCENT * outcome->reference_accuracy);
        }
        (void)fputc('\n', stream);
    }
    if (record->job->config->backend == CONFIG_BACKEND_SPINNAKER) {
        print_machine(stream, record);
        incidents_print_drops(stream, record);
        incidents_print_reinjector(stream, record);
    }
    (void)fprintf(stream, "stats_hash      %s\n", outcome->stats_hash);
}
