/* translator.c - see translator.h. */
#include "models/arm968/translate/translator.h"

#include "models/arm968/interpreter.h"
#include "models/arm968/translate/compile.h"
#include "models/arm968/translate/emit.h"
#include "models/arm968/translate/functions.h"
#include "models/arm968/translate/known.h"
#include "models/arm968/translate/object_cache.h"
#include "models/arm968/translate/varying.h"
#include "models/common/check.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLE_CYCLES = 4500,
    RARE_SAMPLE_CYCLES = 50000, /* once code has been translated */
    SAMPLE_SPREAD_BITS = 10,    /* and up to so many cycles more: see next_sample() */
    SAMPLES = 2000,             /* before code is translated */
    EARLY_SAMPLES = 20,
    HOT_SHARE = 1000, /* a block with one of so many samples is worth it */
    MOST_INSNS = 6000 /* guest instructions in one translation */
};

struct job {
    struct job *next;
    struct code *code;
    unsigned generation;
    struct text text;
    struct object_key digest; /* of the text; stands in the object, too */
    struct region region;     /* its blocks are valid as long as the generation is the code's */
    struct emit_memory memory;
};

struct arm968_translator {
    struct arm968_translator_options options;
    pthread_mutex_t mutex;
    pthread_cond_t wanted;
    pthread_t thread;
    bool has_thread, ends;
    struct compile_process process; /* one at a time */
    struct job *first, **last;
    struct arm968_translator_counts counts;
};

/* ---- what is translated ---- */

static bool is_hot(const struct block *block, uint64_t total, bool all)
{
    const uint64_t samples = atomic_load_explicit(&block->samples, memory_order_relaxed);
    return all || samples * HOT_SHARE > total;
}

/* The beginning of the function that a block seems to belong to: the nearest in front of it. */
static struct block *function_of(struct code *code, struct block *block)
{
    struct block *root = block;
    bool found = false;
    for (struct block *it = code_first_block(code); it != NULL; it = it->next) {
        if (it->begins_function && it->thumb == block->thumb && it->pc <= block->pc &&
            (!found || it->pc > root->pc)) {
            root = it;
            found = true;
        }
    }
    return root;
}

struct hot {
    struct block *block;
};

static int by_samples(const void *a, const void *b)
{
    const struct block *first = ((const struct hot *)a)->block;
    const struct block *second = ((const struct hot *)b)->block;
    const uint32_t x = atomic_load_explicit(&first->samples, memory_order_relaxed);
    const uint32_t y = atomic_load_explicit(&second->samples, memory_order_relaxed);
    if (x != y) {
        return x < y ? 1 : -1;
    }
    return (first->pc > second->pc) - (first->pc < second->pc);
}

/* What hot functions call, be it ever so short: a call out of native code costs more than all of
 * it. */
static void add_called(struct region *region)
{
    for (int i = 0; i < region->block_count && region->insns < MOST_INSNS; i++) {
        struct block *called = region_called(region, i);
        if (called != NULL && !atomic_load_explicit(&called->translated, memory_order_relaxed)) {
            region_add_function(region, called);
        }
    }
}

static void choose(struct region *region, bool all)
{
    size_t count = 0;
    uint64_t total = 0;
    functions_find(region->code, region->memory);
    for (struct block *it = code_first_block(region->code); it != NULL; it = it->next) {
        count++;
        total += atomic_load_explicit(&it->samples, memory_order_relaxed);
    }
    struct hot *hot = malloc((count + 1) * sizeof *hot);
    CHECK(hot != NULL, "out of memory");
    count = 0;
    for (struct block *it = code_first_block(region->code); it != NULL; it = it->next) {
        const bool done = atomic_load_explicit(&it->translated, memory_order_relaxed);
        if (!done && region_can_hold(it) && is_hot(it, total, all)) {
            hot[count++].block = it;
        }
    }
    qsort(hot, count, sizeof *hot, by_samples);
    for (size_t i = 0; i < count && region->insns < MOST_INSNS; i++) {
        region_add_function(region, function_of(region->code, hot[i].block));
        region_add_function(region, hot[i].block); /* not reached from there */
    }
    free(hot);
    add_called(region);
    region_finish(region);
}

/* ---- putting it in place ---- */

/* Gives native code the table of functions that it may call. */
static void bind(void *handle, const struct native_roots *roots)
{
    void (*bind_roots)(const void *) = NULL;
    *(void **)&bind_roots = dlsym(handle, "spinnsim_bind");
    CHECK(bind_roots != NULL, "generated code lacks its table");
    bind_roots(roots->slot);
}

/* The native code of a job; the caller holds the code's lock. */
static void publish(const struct job *job, void *handle)
{
    const struct region *region = &job->region;
    struct native *native = calloc(1, sizeof *native);
    CHECK(native != NULL, "out of memory");
    native->handle = handle;
    native->load_base = job->memory.base;
    native->load_size = job->memory.size;
    native->blocks = calloc((size_t)region->block_count + 1, sizeof(struct block *));
    native->entries = calloc((size_t)region->block_count + 1, sizeof *native->entries);
    CHECK(native->blocks != NULL && native->entries != NULL, "out of memory");
    native_function *const *functions = dlsym(handle, "spinnsim_functions");
    CHECK(functions != NULL, "generated code lacks its table");
    native->block_count = region->block_count;
    for (int i = 0; i < region->block_count; i++) { /* before any entry can lead to them */
        const bool inside = region->blocks[i].function != REGION_NONE;
        native->blocks[i] = inside ? region->blocks[i].block : NULL;
    }
    struct native_roots *roots = code_add_native(job->code, native);
    bind(handle, roots);
    for (int i = 0; i < region->block_count; i++) {
        const struct region_block *block = &region->blocks[i];
        if (block->function != REGION_NONE && !block->copied) {
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

/* Whether an object has been made from the text of this digest. */
static bool is_of(void *handle, const struct object_key *digest)
{
    const uint64_t *found = dlsym(handle, "spinnsim_digest");
    return found != NULL && found[0] == digest->high && found[1] == digest->low;
}

/* Whether its blocks are still what the code runs; the caller holds the code's lock. */
static bool is_current(const struct job *job)
{
    bool current = code_generation(job->code) == job->generation;
    for (int i = 0; current && i < job->region.block_count; i++) {
        current = !job->region.blocks[i].block->dropped;
    }
    return current;
}

static void discard(struct job *job)
{
    region_free(&job->region);
    code_release(job->code);
    free(job->text.at);
    free(job);
}

/* What the next run is to begin with. */
static void remember(const struct job *job, const struct compile_result *result)
{
    struct object_key key;
    if (result->kept && known_key(job->code, &job->memory, &key)) {
        const struct known_translation translation = {.object = result->key, .digest = job->digest};
        known_add(key, &translation, &job->region);
        varying_keep(job->code, key);
    }
}

static bool finish_job(struct arm968_translator *translator, struct job *job)
{
    const struct arm968_translator_options *options = &translator->options;
    const struct compile_request request = {.compiler = options->compiler,
                                            .quick = options->quick,
                                            .cached = options->cached,
                                            .text = job->text.at,
                                            .size = job->text.size,
                                            .process = &translator->process};
    struct compile_result result;
    compile(&request, &result);
    void *handle = result.handle;
    code_lock(job->code);
    if (handle != NULL && is_current(job) && is_of(handle, &job->digest)) {
        publish(job, handle);
        remember(job, &result);
    } else if (handle != NULL) {
        (void)dlclose(handle);
    }
    code_unlock(job->code);
    if (handle != NULL) {
        code_sample_again(job->code);
    }
    (void)pthread_mutex_lock(&translator->mutex);
    translator->counts.cpu_seconds += result.cpu_seconds;
    translator->counts.from_cache += result.from_cache;
    translator->counts.translations += handle != NULL;
    translator->counts.failures += handle == NULL;
    (void)pthread_mutex_unlock(&translator->mutex);
    discard(job);
    return handle != NULL;
}

/* ---- what is known from earlier ---- */

/* The blocks of a translation in a code, as far as publish() asks; false: they are not its. */
static bool find_blocks(struct region *region, const struct known_block *blocks, uint64_t count,
                        unsigned functions)
{
    region->blocks = calloc(count + 1, sizeof *region->blocks);
    CHECK(region->blocks != NULL, "out of memory");
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

/* False: the object is no longer there, or not what the list says. */
static bool put_in_place(const struct arm968 *cpu, const struct emit_memory *memory,
                         const struct known_translation *translation,
                         const struct known_block *blocks)
{
    struct job job = {.code = cpu->code,
                      .region = {.code = cpu->code, .memory = cpu->config.code.bytes},
                      .memory = *memory};
    void *handle = compile_load(translation->object);
    if (handle == NULL) {
        return false;
    }
    const bool good = is_of(handle, &translation->digest) &&
                      find_blocks(&job.region, blocks, translation->blocks, functions_in(handle));
    if (good) {
        code_lock(cpu->code);
        publish(&job, handle);
        code_unlock(cpu->code);
    } else {
        (void)dlclose(handle);
    }
    region_free(&job.region);
    return good;
}

static struct emit_memory memory_of(const struct arm968 *cpu)
{
    return (struct emit_memory){cpu->config.data.base, cpu->config.data.size, cpu->flat};
}

void translator_begin(struct arm968 *cpu)
{
    struct object_key key;
    const struct arm968_translator *translator = cpu->config.translator;
    if (translator == NULL || !translator->options.cached || !code_first_look(cpu->code)) {
        return;
    }
    const struct emit_memory memory = memory_of(cpu);
    if (!known_key(cpu->code, &memory, &key)) {
        return;
    }
    struct known_list list;
    struct known_translation translation;
    const struct known_block *blocks;
    bool good = true;
    varying_restore(cpu->code, key);
    known_read(key, &list);
    while (known_next(&list, &translation, &blocks)) {
        good = put_in_place(cpu, &memory, &translation, blocks) && good;
    }
    if (!good) { /* the next run begins a new one */
        object_cache_drop(key, OBJECT_LIST);
    }
    free(list.bytes);
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
        const bool ends = translator->ends;
        (void)pthread_mutex_unlock(&translator->mutex);
        if (ends) {
            discard(job);
        } else {
            (void)finish_job(translator, job);
        }
        (void)pthread_mutex_lock(&translator->mutex);
    }
    (void)pthread_mutex_unlock(&translator->mutex);
    return NULL;
}

struct arm968_translator *arm968_translator_create(const struct arm968_translator_options *options)
{
    struct arm968_translator *translator = calloc(1, sizeof *translator);
    if (translator == NULL) {
        return NULL;
    }
    translator->options = *options;
    if (translator->options.compiler == NULL) {
        translator->options.compiler = "cc";
    }
    translator->last = &translator->first;
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
    const struct arm968_translator_options early = {
        .samples = EARLY_SAMPLES, .everything = true, .wait = true, .quick = true};
    const struct arm968_translator_options usual = {.cached = true};
    return tier == TIER_INTERPRETER ? NULL
                                    : arm968_translator_create(tier == TIER_AUTO ? &usual : &early);
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
    (void)pthread_cond_destroy(&translator->wanted);
    (void)pthread_mutex_destroy(&translator->process.mutex);
    (void)pthread_mutex_destroy(&translator->mutex);
    free(translator);
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

/* What is to be translated of a core's code, written as C; NULL: nothing. */
static struct job *new_job(const struct arm968 *cpu, bool everything)
{
    struct job *job = calloc(1, sizeof *job);
    CHECK(job != NULL, "out of memory");
    job->code = cpu->code;
    job->memory = memory_of(cpu);
    job->region = (struct region){.code = cpu->code, .memory = cpu->config.code.bytes};
    code_retain(cpu->code);
    code_lock(cpu->code);
    job->generation = code_generation(cpu->code);
    choose(&job->region, everything);
    emit_region(&job->text, &job->region, &job->memory);
    region_forget(&job->region);
    job->digest = object_key_begin();
    object_key_add(&job->digest, job->text.at, job->text.size);
    text_add(&job->text, "const u64 spinnsim_digest[2]={0x%" PRIx64 "ull,0x%" PRIx64 "ull};\n",
             job->digest.high, job->digest.low);
    code_unlock(cpu->code);
    if (job->region.function_count == 0) {
        discard(job);
        return NULL;
    }
    return job;
}

bool arm968_translate(struct arm968 *cpu)
{
    if (cpu->config.translator == NULL || cpu->code == NULL) {
        return false;
    }
    struct job *job = new_job(cpu, true);
    return job != NULL && finish_job(cpu->config.translator, job);
}

uint64_t arm968_native_runs(const struct arm968 *cpu)
{
    return cpu->native_runs;
}

static void request(struct arm968_translator *translator, const struct arm968 *cpu)
{
    struct job *job = new_job(cpu, translator->options.everything);
    if (job == NULL) {
        return;
    }
    if (translator->options.wait) {
        (void)finish_job(translator, job);
    } else {
        enqueue(translator, job);
    }
}

/* Loops take the same time again and again, so samples at equal distances end up at a few of their
 * places only: the distances differ. */
static uint64_t next_sample(const struct arm968 *cpu)
{
    static const uint32_t GOLDEN = 0x9e3779b1u; /* 2^32 by the golden ratio */
    const uint32_t spread = ((uint32_t)cpu->cycle * GOLDEN) >> (32 - SAMPLE_SPREAD_BITS);
    const bool rare = cpu->code != NULL && code_has_native(cpu->code);
    return cpu->cycle + (rare ? RARE_SAMPLE_CYCLES : SAMPLE_CYCLES) + spread;
}

void translator_sample(struct arm968 *cpu, struct block *block)
{
    struct arm968_translator *translator = cpu->config.translator;
    cpu->sample_cycle = next_sample(cpu);
    if (cpu->code == NULL || block->transient) {
        return;
    }
    if (atomic_load_explicit(&block->translated, memory_order_relaxed)) {
        return;
    }
    (void)atomic_fetch_add_explicit(&block->samples, 1, memory_order_relaxed);
    const uint32_t enough =
        translator->options.samples == 0 ? SAMPLES : translator->options.samples;
    if (code_sampled(cpu->code, enough)) {
        request(translator, cpu);
    }
}
