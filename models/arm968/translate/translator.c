/* translator.c - native code made in the background, as declared in arm968.h.
 *
 * Cores are sampled now and then.  When a code has enough samples, its busiest functions are
 * written as C (emit.h), compiled by the host's compiler on a thread of the translator, loaded, and
 * installed in place of the blocks' operations.  Results are the same before, after and without. */
#include "models/arm968/interpreter.h"
#include "models/arm968/translate/choose.h"
#include "models/arm968/translate/compile.h"
#include "models/arm968/translate/emit.h"
#include "models/arm968/translate/keeper.h"
#include "models/arm968/translate/known.h"
#include "models/common/check.h"
#include "models/common/memory.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SAMPLE_CYCLES = 4500,
    RARE_SAMPLE_CYCLES = 50000, /* where code has been translated */
    SAMPLE_SPREAD_BITS = 10,    /* random addition to the interval: see next_sample() */
    SAMPLES = 2000,      /* before code is translated; twice as many after each translation ... */
    DOUBLINGS_MOST = 6,  /* ... up to so many */
    EARLY_SAMPLES = 100, /* the same if cores wait for the translation */
    TEST_SAMPLES = 20,
    FEW_SAMPLES = 500, /* before its busiest part is translated in a hurry */
    HURRY_INSNS =
        900 /* a function with more instructions than this cannot be compiled in a hurry */
};

/* What a compiler takes for a byte of generated C: 0.09 s for 23 KB, 0.20 s for 50 KB, 0.33 s for
 * 88 KB, by gcc 12 -O2 on a core of 2.5 GHz that nobody else uses. */
static const double COMPILER_SECONDS_PER_BYTE = 4e-6;

struct job {
    struct job *next;
    struct choice of;
    unsigned generation;
    struct text text;
    struct object_key digest; /* of the text; also stored in the object */
    struct object_key bytes;  /* of the instructions */
    struct region region;     /* its blocks are valid as long as the generation is the code's */
};

struct arm968_translator {
    struct translator_ports ports;
    struct arm968_translator_options options;
    pthread_mutex_t mutex;
    pthread_cond_t wanted;
    pthread_t thread;
    bool has_thread, ends;
    struct compile_process process; /* one at a time */
    struct job *first, **last;
    struct job *left; /* not done when the translator was given up */
    struct arm968_translator_counts counts;
    struct timespec begin; /* when it was created */
};

/* ---- installation ---- */

/* Tells native code which functions it may call, and its own identity: calls lead from one
 * translation to another, and each has its own numbers of blocks. */
static void bind(const struct native *native, const struct native_roots *roots)
{
    void (*bind_code)(const void *, const void *) = NULL;
    *(void **)&bind_code = dlsym(native->handle, "spinnsim_bind");
    CHECK(bind_code != NULL, "generated code lacks its table");
    bind_code(roots->slot, native);
}

/* Installs the native code of a job; the caller holds the code's lock. */
static void publish(const struct job *job, void *handle)
{
    const struct region *region = &job->region;
    struct native *native = calloc(1, sizeof *native);
    memory_need(native);
    native->handle = handle;
    native->load_base = job->of.memory.base;
    native->load_size = job->of.memory.size;
    native->blocks = calloc((size_t)region->block_count + 1, sizeof(struct block *));
    native->entries = calloc((size_t)region->block_count + 1, sizeof *native->entries);
    memory_need(native->blocks);
    memory_need(native->entries);
    native_function *const *functions = dlsym(handle, "spinnsim_functions");
    CHECK(functions != NULL, "generated code lacks its table");
    native->block_count = region->block_count;
    for (int i = 0; i < region->block_count; i++) { /* before any entry can lead to them */
        const bool inside = region->blocks[i].function != REGION_NONE;
        native->blocks[i] = inside ? region->blocks[i].block : NULL;
    }
    ANNOUNCE(native); /* to who leaves it, having come from other native code */
    struct native_roots *roots = code_add_native(job->of.code, native);
    bind(native, roots);
    for (int i = 0; i < region->block_count; i++) {
        const struct region_block *block = &region->blocks[i];
        if (block->function != REGION_NONE && !block->copied && !job->of.hurry) {
            atomic_store_explicit(&block->block->translated, true, memory_order_relaxed);
        }
        if (block->entry == REGION_NONE) {
            continue;
        }
        struct native_entry *entry = &native->entries[i];
        entry->op.label = interpreter_labels()[OP_NATIVE];
        entry->run = functions[block->function];
        entry->number = (uint32_t)block->entry;
        entry->native = native;
        entry->pc = block->block->pc | (block->block->thumb ? 1u : 0u);
        entry->needs = (int32_t)block->needs;
        if (block->entry == REGION_ROOT && block->block->pending == NULL) {
            native_roots_add(roots, entry);
        }
        atomic_store_explicit(&block->block->entry, &entry->op, memory_order_release);
    }
}

/* Whether the job's blocks are still those of the code; the caller holds the code's lock. */
static bool is_current(const struct job *job)
{
    bool current = code_generation(job->of.code) == job->generation;
    for (int i = 0; current && i < job->region.block_count; i++) {
        current = !job->region.blocks[i].block->dropped;
    }
    return current;
}

static void discard(struct job *job)
{
    region_free(&job->region);
    code_release(job->of.code);
    free(job->text.at);
    free(job);
}

static struct compile_request request_of(struct arm968_translator *translator,
                                         const struct job *job)
{
    const struct arm968_translator_options *options = &translator->options;
    return (struct compile_request){.compiler = options->compiler,
                                    .effort = options->quick  ? COMPILE_PLAINLY
                                              : job->of.hurry ? COMPILE_FAIRLY
                                                              : COMPILE_WELL,
                                    .cached = options->cached && !job->of.hurry,
                                    .digest = &job->digest,
                                    .text = job->text.at,
                                    .size = job->text.size,
                                    .process = &translator->process};
}

/* Records the translation for the next run. */
static void remember(const struct job *job, struct object_key object)
{
    if (job->of.has_list) {
        const struct known_translation translation = {
            .object = object, .digest = job->digest, .bytes = job->bytes};
        known_add(job->of.list, &translation, &job->region);
        varying_keep(job->of.code, job->of.list);
    }
}

/* Compiles a job and installs it. */
static bool finish_job(struct arm968_translator *translator, const struct job *job)
{
    const struct compile_request request = request_of(translator, job);
    struct compile_result result;
    compile(&request, &result);
    void *handle = result.handle;
    code_lock(job->of.code);
    if (handle != NULL && is_current(job)) {
        publish(job, handle);
        if (result.kept) {
            remember(job, result.key);
        }
    } else if (handle != NULL) {
        (void)dlclose(handle);
    }
    code_unlock(job->of.code);
    if (handle != NULL && !job->of.hurry) {
        code_sample_again(job->of.code);
    }
    (void)pthread_mutex_lock(&translator->mutex);
    translator->counts.cpu_seconds += result.cpu_seconds;
    translator->counts.from_cache += result.from_cache;
    translator->counts.translations += handle != NULL;
    translator->counts.failures += handle == NULL;
    (void)pthread_mutex_unlock(&translator->mutex);
    return handle != NULL;
}

/* ---- what is known from earlier ---- */

/* The blocks of a translation in a code, as far as publish() asks; false: they are not its. */
static bool find_blocks(struct region *region, const struct known_block *blocks, uint64_t count,
                        unsigned functions)
{
    region->blocks = calloc(count + 1, sizeof *region->blocks);
    memory_need(region->blocks);
    for (uint64_t i = 0; i < count; i++) {
        const struct known_block *from = &blocks[i];
        const bool aligned = (from->pc & (from->thumb != 0 ? 1u : 3u)) == 0;
        const bool inside = from->function == REGION_NONE ||
                            (from->function >= 0 && (unsigned)from->function < functions);
        struct block *block =
            !aligned || !inside
                ? NULL
                : code_block(region->code, region->memory, from->pc, from->thumb != 0,
                             from->waits != 0 ? &from->pending : NULL);
        if (block == NULL || block_digest(block) != from->digest ||
            ((from->function == REGION_NONE || from->copied != 0) && from->entry != REGION_NONE)) {
            return false;
        }
        region->blocks[region->block_count++] = (struct region_block){.block = block,
                                                                      .function = from->function,
                                                                      .entry = from->entry,
                                                                      .needs = from->needs,
                                                                      .copied = from->copied != 0};
    }
    return true;
}

/* How many functions an object has. */
static unsigned functions_in(void *handle)
{
    const unsigned *count = dlsym(handle, "spinnsim_function_count");
    return count == NULL ? 0 : *count;
}

/* False: the object is not there, or not what the list says. */
static bool put_in_place(const struct choice *of, const struct known_translation *translation,
                         const struct known_block *blocks)
{
    struct job job = {.of = *of, .region = {.code = of->code, .memory = of->bytes}};
    void *handle = compile_load(translation->object, &translation->digest);
    if (handle == NULL) {
        return false;
    }
    const bool good = find_blocks(&job.region, blocks, translation->blocks, functions_in(handle));
    if (good) {
        code_lock(of->code);
        publish(&job, handle);
        code_unlock(of->code);
    } else {
        (void)dlclose(handle);
    }
    region_free(&job.region);
    return good;
}

/* Whether a translation has something that has not been translated. */
static bool is_wanted(struct code *code, const struct known_translation *translation,
                      const struct known_block *blocks)
{
    for (uint64_t i = 0; i < translation->blocks; i++) {
        const struct block *block = code_find(code, blocks[i].pc, blocks[i].thumb != 0,
                                              blocks[i].waits != 0 ? &blocks[i].pending : NULL);
        if (blocks[i].function != REGION_NONE && blocks[i].copied == 0 &&
            (block == NULL || !atomic_load_explicit(&block->translated, memory_order_relaxed))) {
            return true;
        }
    }
    return false;
}

/* Puts in place what is known of a code and fits what is there now; false: nothing. */
static bool use_known(const struct choice *of)
{
    struct known_list list;
    struct known_translation translation;
    const struct known_block *blocks;
    bool used = false;
    if (!of->has_list) {
        return false;
    }
    const struct arm968_memory code = code_memory(of->code);
    const struct arm968_memory memory = {code.base, code.size, (uint8_t *)of->bytes};
    varying_restore(of->code, of->list);
    known_read(of->list, &list);
    while (known_next(&list, &translation, &blocks)) {
        if (is_wanted(of->code, &translation, blocks) &&
            known_fits(&translation, blocks, &memory) && put_in_place(of, &translation, blocks)) {
            code_sample_again(of->code);
            used = true;
        }
    }
    free(list.bytes);
    return used;
}

static struct choice choice_of(const struct arm968 *cpu)
{
    const struct arm968_translator_options *options = &cpu->config.translator->options;
    struct choice choice = {
        .code = cpu->code,
        .bytes = cpu->config.code.bytes,
        .memory = {cpu->config.data.base, cpu->config.data.size, cpu->flat},
        .everything = options->everything,
    };
    choice.has_list =
        options->cached &&
        known_key(cpu->code, &choice.memory, cpu->has_loaded ? &cpu->loaded : NULL, &choice.list);
    return choice;
}

/* Whether a core has left the code that it shared: often for a moment only, as when it boots. */
static bool has_left_shared_code(const struct arm968 *cpu)
{
    return cpu->config.library != NULL && !code_is_shared(cpu->code);
}

/* Loads what is known of a code before it runs.  For a core that has left shared code this waits
 * until its own code has been sampled as if it were to be translated: each of a board's 800 cores
 * would load an object of its own, which takes the host 10 ms each. */
static void begin(struct arm968 *cpu)
{
    const struct arm968_translator *translator = cpu->config.translator;
    if (translator->options.cached && !has_left_shared_code(cpu) && code_first_look(cpu->code)) {
        const struct choice choice = choice_of(cpu);
        (void)use_known(&choice);
    }
}

void arm968_code_loaded(struct arm968 *cpu, uint32_t address, uint32_t bytes)
{
    const struct arm968_memory *memory = &cpu->config.code;
    const uint32_t offset = address - memory->base;
    const uint32_t place[] = {offset, bytes};
    if (offset >= memory->size || memory->size - offset < bytes) {
        return;
    }
    if (!cpu->has_loaded) {
        cpu->loaded = object_key_begin();
    }
    cpu->has_loaded = true;
    object_key_add(&cpu->loaded, place, sizeof place);
    object_key_add(&cpu->loaded, memory->bytes + offset, bytes);
}

/* ---- the thread ---- */

static void *work(void *context)
{
    struct arm968_translator *translator = context;
    (void)pthread_mutex_lock(&translator->mutex);
    for (;;) {
        while (translator->first == NULL && !translator->ends) {
            (void)pthread_cond_wait(&translator->wanted, &translator->mutex);
        }
        struct job *job = translator->first;
        if (job == NULL) {
            break;
        }
        translator->first = job->next;
        if (job->next == NULL) {
            translator->last = &translator->first;
        }
        const bool begins = !translator->ends;
        (void)pthread_mutex_unlock(&translator->mutex);
        const bool done = begins && finish_job(translator, job);
        (void)pthread_mutex_lock(&translator->mutex);
        if (!done && translator->ends) {
            job->next = translator->left;
            translator->left = job;
        } else {
            discard(job);
        }
    }
    (void)pthread_mutex_unlock(&translator->mutex);
    return NULL;
}

struct arm968_translator_counts arm968_translator_counts(struct arm968_translator *translator)
{
    (void)pthread_mutex_lock(&translator->mutex);
    const struct arm968_translator_counts counts = translator->counts;
    (void)pthread_mutex_unlock(&translator->mutex);
    return counts;
}

static void enqueue(struct arm968_translator *translator, struct job *job)
{
    (void)pthread_mutex_lock(&translator->mutex);
    if (!translator->has_thread) {
        translator->has_thread = pthread_create(&translator->thread, NULL, work, translator) == 0;
    }
    *translator->last = job;
    translator->last = &job->next;
    (void)pthread_cond_signal(&translator->wanted);
    (void)pthread_mutex_unlock(&translator->mutex);
}

/* ---- requests ---- */

/* What has been chosen, written as C; NULL: nothing, or too much for somebody in a hurry. */
static struct job *new_job(const struct choice *of)
{
    struct job *job = calloc(1, sizeof *job);
    memory_need(job);
    job->of = *of;
    job->region = (struct region){.code = of->code, .memory = of->bytes};
    code_retain(of->code);
    code_lock(of->code);
    job->generation = code_generation(of->code);
    choose(&job->region, of);
    const bool none =
        job->region.function_count == 0 || (of->hurry && job->region.insns > HURRY_INSNS);
    if (!none) {
        emit_region(&job->text, &job->region, &of->memory);
        job->bytes = known_bytes(&job->region);
    }
    region_forget(&job->region);
    code_unlock(of->code);
    if (none) {
        discard(job);
        return NULL;
    }
    job->digest = object_key_begin();
    object_key_add(&job->digest, job->text.at, job->text.size);
    text_add(&job->text, "const u64 spinnsim_digest[2]={0x%" PRIx64 "ull,0x%" PRIx64 "ull};\n",
             job->digest.high, job->digest.low);
    return job;
}

bool arm968_translate(struct arm968 *cpu)
{
    if (cpu->config.translator == NULL || cpu->code == NULL) {
        return false;
    }
    struct choice all = choice_of(cpu);
    all.everything = true;
    struct job *job = new_job(&all);
    const bool done = job != NULL && finish_job(cpu->config.translator, job);
    if (job != NULL) {
        discard(job);
    }
    return done;
}

uint64_t arm968_native_runs(const struct arm968 *cpu)
{
    return cpu->native_runs;
}

static void request(struct arm968_translator *translator, const struct arm968 *cpu, bool hurry)
{
    struct choice choice = choice_of(cpu);
    choice.hurry = hurry;
    if (use_known(&choice)) {
        return;
    }
    struct job *job = new_job(&choice);
    if (job == NULL) {
        if (!hurry) {
            code_sample_again(cpu->code);
        }
    } else if (translator->options.wait) {
        (void)finish_job(translator, job);
        discard(job);
    } else {
        enqueue(translator, job);
    }
}

/* How often a code is to be sampled before it is translated. */
static uint64_t enough_samples(const struct arm968_translator *translator, const struct code *code)
{
    const uint64_t first = translator->options.samples == 0 ? SAMPLES : translator->options.samples;
    const uint32_t round = code_sample_round(code);
    return first << (round < DOUBLINGS_MOST ? round : DOUBLINGS_MOST);
}

/* Loops take the same time again and again, so samples at equal distances end up at a few of their
 * places only: the distances differ. */
static uint64_t next_sample(const struct arm968 *cpu, uint64_t cycles)
{
    static const uint32_t GOLDEN = 0x9e3779b1u; /* 2^32 by the golden ratio */
    return cpu->cycle + cycles + (((uint32_t)cpu->cycle * GOLDEN) >> (32 - SAMPLE_SPREAD_BITS));
}

static void sample(struct arm968 *cpu, struct block *block)
{
    struct arm968_translator *translator = cpu->config.translator;
    cpu->sample_cycle = next_sample(cpu, SAMPLE_CYCLES);
    if (cpu->code == NULL || block->transient) {
        return;
    }
    if (atomic_load_explicit(&block->translated, memory_order_relaxed)) {
        cpu->sample_cycle = next_sample(cpu, RARE_SAMPLE_CYCLES);
        return;
    }
    (void)atomic_fetch_add_explicit(&block->samples, 1, memory_order_relaxed);
    const uint32_t samples = code_sampled(cpu->code);
    if (samples == enough_samples(translator, cpu->code)) {
        request(translator, cpu, false);
    } else if (samples == translator->options.few_samples && code_sample_round(cpu->code) == 0) {
        request(translator, cpu, true);
    }
}

/* ---- the beginning and the end ---- */

struct arm968_translator *arm968_translator_create(const struct arm968_translator_options *options)
{
    struct arm968_translator *translator = calloc(1, sizeof *translator);
    if (translator == NULL) {
        return NULL;
    }
    translator->ports = (struct translator_ports){begin, sample};
    translator->options = *options;
    if (translator->options.compiler == NULL) {
        translator->options.compiler = "cc";
    }
    translator->last = &translator->first;
    (void)clock_gettime(CLOCK_MONOTONIC, &translator->begin);
    if (pthread_mutex_init(&translator->mutex, NULL) != 0 ||
        pthread_mutex_init(&translator->process.mutex, NULL) != 0 ||
        pthread_cond_init(&translator->wanted, NULL) != 0) {
        free(translator);
        return NULL;
    }
    return translator;
}

struct arm968_translator *arm968_translator_for(enum tier tier)
{
    static const struct arm968_translator_options BY_TIER[] = {
        [TIER_AUTO] = {.few_samples = FEW_SAMPLES, .cached = true},
        [TIER_TRANSLATOR] = {.samples = EARLY_SAMPLES, .wait = true, .cached = true},
        [TIER_EVERYTHING] = {
            .samples = TEST_SAMPLES, .everything = true, .wait = true, .quick = true}};
    return tier == TIER_INTERPRETER ? NULL : arm968_translator_create(&BY_TIER[tier]);
}

/* Whether the run has taken longer than a compilation of this text.  Otherwise that would be a
 * waste, unless the program is run again. */
static bool is_worth(const struct arm968_translator *translator, const struct text *text)
{
    struct timespec now;
    static const double NANO = 1e-9;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
        return false;
    }
    const double seconds = (double)(now.tv_sec - translator->begin.tv_sec) +
                           (double)(now.tv_nsec - translator->begin.tv_nsec) * NANO;
    return seconds >= (double)text->size * COMPILER_SECONDS_PER_BYTE;
}

/* Leaves to a keeper what was to be compiled of a code, chosen anew by all that is known of it
 * now. */
static void leave(struct arm968_translator *translator, const struct choice *of)
{
    struct job *job = of->hurry || !of->has_list ? NULL : new_job(of);
    if (job == NULL) {
        return;
    }
    const struct compile_request request = request_of(translator, job);
    struct object_key object;
    if (compile_later(&request, is_worth(translator, &job->text), &object)) {
        remember(job, object);
    }
    discard(job);
}

static void leave_all(struct arm968_translator *translator)
{
    while (translator->left != NULL) {
        struct job *job = translator->left;
        translator->left = job->next;
        leave(translator, &job->of);
        discard(job);
    }
    if (translator->options.cached) {
        keeper_start(); /* also if another run has left something, and its keeper was killed */
    }
}

void arm968_translator_destroy(struct arm968_translator *translator)
{
    if (translator == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&translator->mutex);
    translator->ends = true;
    (void)pthread_cond_signal(&translator->wanted);
    (void)pthread_mutex_unlock(&translator->mutex);
    compile_cancel(&translator->process);
    if (translator->has_thread) {
        (void)pthread_join(translator->thread, NULL);
    }
    leave_all(translator);
    (void)pthread_cond_destroy(&translator->wanted);
    (void)pthread_mutex_destroy(&translator->process.mutex);
    (void)pthread_mutex_destroy(&translator->mutex);
    free(translator);
}
