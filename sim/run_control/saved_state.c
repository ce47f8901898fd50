/* saved_state.c - see saved_state.h. */
#include "sim/run_control/saved_state.h"

#include "models/machine/free_parameters.h"
#include "sim/file.h"
#include "sim/steps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { IDENTITY_VERSION = 1, SETTINGS_VERSION = 1, FORK_VERSION = 1 };

static const char IDENTITY[] = "identity";
static const char SETTINGS[] = "settings";
static const char FORK[] = "fork";

/* What a state is of; digests in hexadecimal. */
struct identity {
    uint64_t time_ps, fork_ps;
    char program[SHA256_HEX_CHARS];  /* of spinnsim's own file */
    char inputs[SHA256_HEX_CHARS];   /* of guest programs, weights and data */
    char sim_hash[SHA256_HEX_CHARS]; /* of the run that saved it */
    char energy_hash[SHA256_HEX_CHARS];
    char origin[SHA256_HEX_CHARS]; /* of struct saved_fork, if that run is a fork; else "" */
    char gap[3];                   /* named, so that equal states are the same bytes */
};

/* ---- of a job ---- */

bool saved_state_add_program(struct sha256 *hash)
{
    enum { PART = 1 << 16 };
    static const char OWN[] = "/proc/self/exe";
    FREED uint8_t *part = malloc(PART);
    FILE *file = part == NULL ? NULL : fopen(OWN, "rb");
    size_t count = 1;
    size_t all = 0;
    while (file != NULL && count > 0) {
        count = fread(part, 1, PART, file);
        sha256_update(hash, part, count);
        all += count;
    }
    const bool good = file != NULL && ferror(file) == 0 && all > 0;
    if (file != NULL) {
        (void)fclose(file);
    }
    return good;
}

static void finish(struct sha256 *hash, char hex[SHA256_HEX_CHARS])
{
    uint8_t digest[SHA256_BYTES];
    sha256_final(hash, digest);
    sha256_hex(digest, hex);
}

/* False: the program's own file cannot be read. */
static bool identify(const struct job *job, uint64_t time_ps, struct identity *identity)
{
    struct sha256 hash;
    memset(identity, 0, sizeof *identity);
    identity->time_ps = time_ps;
    sha256_init(&hash);
    const bool good = saved_state_add_program(&hash);
    finish(&hash, identity->program);
    sha256_init(&hash);
    job_add_inputs(job, &hash);
    finish(&hash, identity->inputs);
    memcpy(identity->sim_hash, job->identity.sim_hash, sizeof identity->sim_hash);
    memcpy(identity->energy_hash, job->identity.energy_hash, sizeof identity->energy_hash);
    if (saved_state_is_fork(job)) {
        memcpy(identity->origin, job->restored->fork.origin, sizeof identity->origin);
        identity->fork_ps = job->restored->fork.time_ps;
    }
    return good;
}

/* The keys of the simulated system, "key=value" in each line; NULL: out of memory. */
static char *settings_of(const struct job *job, size_t *size)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, size);
    if (stream == NULL) {
        return NULL;
    }
    const enum status status = config_canonical(job->config, CONFIG_PART_SIMULATION, stream);
    if (fclose(stream) != 0 || status != STATUS_OK) {
        free(text);
        return NULL;
    }
    return text;
}

/* The keys of a fork, for who goes on from it: the value before, then the value now. */
static bool describe_fork(const struct job *job, struct state_writer *writer)
{
    FREED char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        return false;
    }
    for (size_t i = 0; saved_state_is_fork(job) && i < job->restored->fork.changes; i++) {
        const struct saved_change *change = &job->restored->fork.change[i];
        (void)fprintf(stream, "%s=%s\n%s=%s\n", change->key, change->was, change->key,
                      change->now);
    }
    if (fclose(stream) != 0) {
        return false;
    }
    state_add(writer, FORK, FORK_VERSION, text, size);
    return !writer->failed;
}

bool saved_state_describe(const struct job *job, uint64_t time_ps, struct state_writer *writer)
{
    struct identity identity;
    size_t size = 0;
    FREED char *settings = settings_of(job, &size);
    if (settings == NULL || !identify(job, time_ps, &identity)) {
        return false;
    }
    state_add(writer, IDENTITY, IDENTITY_VERSION, &identity, sizeof identity);
    state_add(writer, SETTINGS, SETTINGS_VERSION, settings, size);
    return !writer->failed && describe_fork(job, writer);
}

/* ---- settings: which differ ---- */

/* A line "key=value" of a text. */
struct setting {
    const char *key, *value;
    size_t key_chars, value_chars;
};

/* Takes the next line; false: there is none. */
static bool next_setting(const char **at, struct setting *setting)
{
    const char *equals = strchr(*at, '=');
    const char *end = equals == NULL ? NULL : strchr(equals, '\n');
    if (end == NULL) {
        return false;
    }
    *setting = (struct setting){.key = *at,
                                .value = equals + 1,
                                .key_chars = (size_t)(equals - *at),
                                .value_chars = (size_t)(end - equals - 1)};
    *at = end + 1;
    return true;
}

/* The value of a key in a text, "(not given)" if it has none, in malloc'ed memory. */
static char *value_in(const char *text, const struct setting *of)
{
    struct setting found;
    while (next_setting(&text, &found)) {
        if (found.key_chars == of->key_chars && memcmp(found.key, of->key, of->key_chars) == 0) {
            return strndup(found.value, found.value_chars);
        }
    }
    return strdup("(not given)");
}

enum effect { BOUND, SAME_RUN, FORKS };

/* What another value of a key means for a run that goes on; *reason: why the state depends on it. */
static enum effect effect_of(const char *key, const char **reason)
{
    static const struct {
        const char *key;
        enum effect effect;
    } FREE_KEYS[] = {
#define SAME                          SAME_RUN
#define FORK                          FORKS
#define FREE_KEY(key, effect, reason) {key, effect},
#include "sim/run_control/free_keys.def"
#undef SAME
#undef FORK
    };
    static const struct {
        const char *beginning, *reason;
    } BOUND_KEYS[] = {
#define BOUND_KEYS(beginning, reason) {beginning, reason},
#include "sim/run_control/free_keys.def"
    };
    const struct free_parameter *parameter = free_parameter_of(key);
    if (parameter != NULL) {
        *reason = parameter->reason;
        return parameter->free ? FORKS : BOUND;
    }
    for (size_t i = 0; i < sizeof FREE_KEYS / sizeof *FREE_KEYS; i++) {
        if (strcmp(key, FREE_KEYS[i].key) == 0) {
            return FREE_KEYS[i].effect;
        }
    }
    size_t i = 0;
    while (strncmp(key, BOUND_KEYS[i].beginning, strlen(BOUND_KEYS[i].beginning)) != 0) {
        i++; /* the last one fits all */
    }
    *reason = BOUND_KEYS[i].reason;
    return BOUND;
}

static void free_change(struct saved_change *change)
{
    free(change->key);
    free(change->was);
    free(change->now);
    *change = (struct saved_change){.key = NULL};
}

/* The change moves into the list; false: out of memory. */
static bool add_change(struct saved_fork *fork, struct saved_change *change)
{
    struct saved_change *larger =
        realloc(fork->change, (fork->changes + 1) * sizeof *fork->change);
    if (larger == NULL) {
        return false;
    }
    fork->change = larger;
    larger[fork->changes++] = *change;
    *change = (struct saved_change){.key = NULL};
    return true;
}

static bool has_change(const struct saved_fork *fork, const char *key)
{
    bool has = false;
    for (size_t i = 0; i < fork->changes && !has; i++) {
        has = strcmp(fork->change[i].key, key) == 0;
    }
    return has;
}

static enum status refuse_change(const struct job *job, const struct saved_change *change,
                                 const char *reason, struct diagnostic *diagnostic)
{
    (void)config_refuse(job->config, change->key, NULL, diagnostic,
                        "%s, in the saved state %s: %s", change->now, change->was, reason);
    diagnostic_hint(diagnostic, "the saved value, or a run from the beginning");
    return STATUS_CONFIGURATION;
}

/* Compares one key. */
static enum status compare_key(const struct job *job, const struct setting *setting,
                               const char *saved, const char *own, struct diagnostic *diagnostic)
{
    RELEASED(free_change)
    struct saved_change change = {.key = strndup(setting->key, setting->key_chars),
                                  .was = value_in(saved, setting),
                                  .now = value_in(own, setting)};
    struct saved_fork *fork = &job->restored->fork;
    const char *reason = "";
    if (change.key == NULL || change.was == NULL || change.now == NULL) {
        return no_memory(diagnostic);
    }
    if (strcmp(change.was, change.now) == 0 || has_change(fork, change.key)) {
        return STATUS_OK;
    }
    switch (effect_of(change.key, &reason)) {
    case BOUND:
        return refuse_change(job, &change, reason, diagnostic);
    case FORKS:
        return add_change(fork, &change) ? STATUS_OK : no_memory(diagnostic);
    case SAME_RUN:
    default:
        return STATUS_OK;
    }
}

/* Collects the keys that differ; refuses the first on which the state depends. */
static enum status compare(const struct job *job, const char *saved, const char *own,
                           struct diagnostic *diagnostic)
{
    const char *const texts[] = {own, saved};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *at = texts[i];
        struct setting setting;
        while (next_setting(&at, &setting)) {
            TRY(compare_key(job, &setting, saved, own, diagnostic));
        }
    }
    return STATUS_OK;
}

/* ---- a job that goes on ---- */

static enum status read_identity(const struct saved_state *state, struct identity *identity,
                                 struct diagnostic *diagnostic)
{
    FREED uint8_t *bytes = NULL;
    size_t size = 0;
    TRY(state_section(&state->file, IDENTITY, IDENTITY_VERSION, &bytes, &size, diagnostic));
    if (size != sizeof *identity) {
        return file_refuse(state->file.path, NULL, diagnostic, "the state does not say what it is of");
    }
    memcpy(identity, bytes, sizeof *identity);
    return STATUS_OK;
}

static enum status check_program(const struct saved_state *state, const struct identity *saved,
                                 const struct identity *own, struct diagnostic *diagnostic)
{
    return memcmp(saved->program, own->program, sizeof own->program) == 0
               ? STATUS_OK
               : file_refuse(state->file.path, "save it again with this one: run.save_at",
                             diagnostic, "another build of spinnsim has written the saved state");
}

static enum status check_inputs(const struct saved_state *state, const struct identity *saved,
                                const struct identity *own, struct diagnostic *diagnostic)
{
    return memcmp(saved->inputs, own->inputs, sizeof own->inputs) == 0
               ? STATUS_OK
               : file_refuse(state->file.path,
                             "the programs, weights and data with which it was saved", diagnostic,
                             "the saved state has other guest programs, weights or data in its "
                             "memories than this run would load");
}

/* The keys of the fork that saved the state. */
static enum status inherit(struct saved_state *state, const struct identity *saved,
                           struct diagnostic *diagnostic)
{
    FREED uint8_t *text = NULL;
    size_t size = 0;
    struct setting was;
    struct setting now;
    TRY(state_section(&state->file, FORK, FORK_VERSION, &text, &size, diagnostic));
    const char *at = (const char *)text;
    memcpy(state->fork.origin, saved->origin, sizeof state->fork.origin);
    state->fork.time_ps = saved->fork_ps;
    while (next_setting(&at, &was) && next_setting(&at, &now)) {
        RELEASED(free_change)
        struct saved_change change = {.key = strndup(was.key, was.key_chars),
                                      .was = strndup(was.value, was.value_chars),
                                      .now = strndup(now.value, now.value_chars)};
        if (change.key == NULL || change.was == NULL || change.now == NULL ||
            !add_change(&state->fork, &change)) {
            return no_memory(diagnostic);
        }
    }
    return STATUS_OK;
}

/* A fork is another simulation than any run from the beginning: its hash is of the state and of what
 * differs. */
static void sign_fork(struct job *job, const struct identity *saved)
{
    struct saved_fork *fork = &job->restored->fork;
    struct sha256 hash;
    memcpy(fork->origin, saved->sim_hash, sizeof fork->origin);
    fork->time_ps = saved->time_ps;
    sha256_init(&hash);
    sha256_update(&hash, fork->origin, sizeof fork->origin);
    sha256_update(&hash, &fork->time_ps, sizeof fork->time_ps);
    for (size_t i = 0; i < fork->changes; i++) {
        sha256_update(&hash, fork->change[i].key, strlen(fork->change[i].key) + 1);
        sha256_update(&hash, fork->change[i].now, strlen(fork->change[i].now) + 1);
    }
    finish(&hash, job->identity.sim_hash);
}

/* Who the run is: a fork; the fork that saved the state; or a run from the beginning. */
static enum status sign(struct job *job, const struct identity *saved,
                        struct diagnostic *diagnostic)
{
    if (job->restored->fork.changes > 0) {
        sign_fork(job, saved);
    } else if (saved->origin[0] != '\0') {
        memcpy(job->identity.sim_hash, saved->sim_hash, sizeof job->identity.sim_hash);
        return inherit(job->restored, saved, diagnostic);
    }
    return STATUS_OK;
}

static enum status check(struct job *job, struct diagnostic *diagnostic)
{
    struct saved_state *state = job->restored;
    struct identity saved;
    struct identity own_identity;
    FREED uint8_t *settings = NULL;
    size_t size = 0;
    if (!identify(job, 0, &own_identity)) {
        return diagnose(diagnostic, STATUS_INTERNAL, "the program's own file cannot be read");
    }
    TRY(read_identity(state, &saved, diagnostic));
    TRY(check_program(state, &saved, &own_identity, diagnostic));
    TRY(state_section(&state->file, SETTINGS, SETTINGS_VERSION, &settings, &size, diagnostic));
    FREED char *own = settings_of(job, &size);
    if (own == NULL) {
        return no_memory(diagnostic);
    }
    TRY(compare(job, (const char *)settings, own, diagnostic));
    TRY(check_inputs(state, &saved, &own_identity, diagnostic));
    state->time_ps = saved.time_ps;
    state->same_energy = memcmp(saved.energy_hash, job->identity.energy_hash,
                                sizeof saved.energy_hash) == 0;
    return sign(job, &saved, diagnostic);
}

bool saved_state_is_fork(const struct job *job)
{
    return job->restored != NULL && job->restored->fork.changes > 0;
}

enum status saved_state_open(struct job *job, struct diagnostic *diagnostic)
{
    if (job->options.resume != NULL) {
        return file_refuse("--restore", "either --resume or --restore", diagnostic,
                           "a run goes on from one place");
    }
    job->restored = calloc(1, sizeof *job->restored);
    if (job->restored == NULL) {
        return no_memory(diagnostic);
    }
    TRY(state_open(&job->restored->file, job->options.restore, diagnostic));
    return check(job, diagnostic);
}

void saved_state_close(struct saved_state *state)
{
    if (state == NULL) {
        return;
    }
    for (size_t i = 0; i < state->fork.changes; i++) {
        free_change(&state->fork.change[i]);
    }
    free(state->fork.change);
    state_close(&state->file);
    free(state);
}
