/* collective_trial.c - a collective operation among the ranks of a machine, some rounds of it; each
 * core checks what it has then.
 *
 * For word i of a round rank r contributes x(i) (2 r + 1), so that the sum over n ranks is x(i) n
 * n, or, where the least or the largest is asked for, x(i) / 256 + r: a word that is lost, used
 * twice or put in the wrong place shows. */
#include <collectives_trial.h>
#include <frames_core.h>

enum { FREE_RUNNING = 0x82, SMALL_SHIFT = 8 };

static struct collectives_trial trial;
static struct collective_call call;
static int32_t *array, *own;
static uint longest, all_rounds; /* cycles */

static uint32_t word(uint round, uint index)
{
    uint32_t x = trial.seed + round * 0x85ebca6b;
    x = (x ^ index) * 0x27d4eb2d;
    x = (x ^ x >> 15) * 0x2c1b3c6d;
    return x ^ x >> 13;
}

static int32_t value(uint round, uint index, uint32_t rank)
{
    const uint32_t x = word(round, index);
    return (int32_t)(trial.combine == FRAMES_SUM ? x * (2 * rank + 1) : (x >> SMALL_SHIFT) + rank);
}

static int32_t combined(uint round, uint index)
{
    const uint32_t x = word(round, index);
    const uint32_t size = trial.plan.size;
    return (int32_t)(trial.combine == FRAMES_SUM   ? x * size * size
                     : trial.combine == FRAMES_MIN ? x >> SMALL_SHIFT
                                                   : (x >> SMALL_SHIFT) + size - 1);
}

static void fail(const char *what, uint round, uint index, int got, int expected)
{
    io_printf(IO_BUF, "round %u: %s %u is %d, not %d\n", round, what, index, got, expected);
    rt_error(RTE_SWERR);
}

/* ---- what should be there ---- */

static void check_from(uint round, const int32_t *from, uint32_t rank)
{
    for (uint i = 0; i < trial.words; i++) {
        if (from[i] != value(round, i, rank)) {
            fail("word", round, i, from[i], value(round, i, rank));
        }
    }
}

static void check_combined(uint round, uint first, uint end)
{
    for (uint i = first; i < end; i++) {
        if (array[i] != combined(round, i)) {
            fail("sum", round, i, array[i], combined(round, i));
        }
    }
}

static void check_all(uint round)
{
    check_combined(round, 0, trial.words);
}

static void check_root(uint round)
{
    if (trial.plan.rank == call.peer) {
        check_all(round);
    }
}

static void check_slice(uint round)
{
    const struct collective_slice slice =
        collective_slice_of(trial.words, trial.plan.size, trial.plan.rank);
    check_combined(round, slice.first, slice.end);
}

static void check_slices(uint round)
{
    for (uint32_t r = 0; r < trial.plan.size; r++) {
        const struct collective_slice slice = collective_slice_of(trial.words, trial.plan.size, r);
        for (uint i = slice.first; i < slice.end; i++) {
            if (array[i] != value(round, i, r)) {
                fail("word", round, i, array[i], value(round, i, r));
            }
        }
    }
}

static void check_broadcast(uint round)
{
    check_from(round, array, call.peer);
}

static void check_gather(uint round)
{
    for (uint32_t r = 0; r < trial.plan.size && trial.plan.rank == call.peer; r++) {
        check_from(round, array + r * trial.words, r);
    }
}

static void check_neighbours(uint round)
{
    for (uint link = 0; link < COLLECTIVES_LINKS; link++) {
        const uint32_t rank = trial.plan.neighbour[link];
        if (rank != COLLECTIVES_NOBODY) {
            check_from(round, array + link * trial.words, rank);
        }
    }
}

/* Even ranks send to the next one. */
static void check_pair(uint round)
{
    check_from(round, array, trial.plan.rank & ~1u);
}

/* A row of collectives.def; arrays: how many the call's array is long, 0: one for each rank. */
static const struct {
    collective_step *step;
    uint32_t arrays;
    void (*check)(uint round);
} OPERATION[COLLECTIVES_OPERATIONS] = {
    [COLLECTIVES_SEND] = {collective_send, 1, check_pair},
    [COLLECTIVES_RECEIVE] = {collective_receive, 1, check_pair},
    [COLLECTIVES_BROADCAST] = {collective_broadcast, 1, check_broadcast},
    [COLLECTIVES_GATHER] = {collective_gather, 0, check_gather},
    [COLLECTIVES_REDUCE] = {collective_reduce, 1, check_root},
    [COLLECTIVES_REDUCE_SCATTER] = {collective_reduce_scatter, 1, check_slice},
    [COLLECTIVES_ALL_GATHER] = {collective_all_gather, 1, check_slices},
    [COLLECTIVES_ALLREDUCE] = {collective_allreduce, 1, check_all},
    [COLLECTIVES_ALLREDUCE_RING] = {collective_allreduce_ring, 1, check_all},
    [COLLECTIVES_NEIGHBOURS] = {collective_neighbours, COLLECTIVES_LINKS, check_neighbours},
};

/* ---- the trial ---- */

static void *allocate(uint32_t words)
{
    void *memory = sark_alloc(words + 1, sizeof(int32_t));
    if (memory == NULL) {
        io_printf(IO_BUF, "no room for %u words\n", words);
        rt_error(RTE_MALLOC);
    }
    return memory;
}

/* The operation, and the arguments that do not change; NULL: this rank has none. */
static collective_step *choose(void)
{
    const uint32_t operation = trial.operation;
    const uint32_t size = trial.plan.size;
    const uint32_t rank = trial.plan.rank;
    uint32_t arrays = OPERATION[operation].arrays;
    collective_step *step = OPERATION[operation].step;
    call.peer = size / 3;
    call.words = trial.words;
    call.operation = trial.combine;
    if (operation == COLLECTIVES_SEND || operation == COLLECTIVES_RECEIVE) {
        call.peer = rank ^ 1;
        call.operation = FRAMES_STORE;
        step = call.peer >= size ? NULL : rank % 2 == 0 ? collective_send : collective_receive;
    }
    if (arrays == 0) {
        arrays = rank == call.peer ? size : 0;
    }
    array = allocate(arrays * trial.words);
    own = allocate(trial.words);
    call.array = array;
    call.own = own;
    return step;
}

static void do_round(collective_step *step, uint round)
{
    const uint32_t arrays = OPERATION[trial.operation].arrays;
    for (uint i = 0; i < trial.words; i++) {
        own[i] = value(round, i, trial.plan.rank);
        if (arrays == 1) {
            array[i] = own[i];
        }
    }
    const uint begin = tc[T1_COUNT];
    collectives_do(step, &call);
    const uint cycles = begin - tc[T1_COUNT];
    longest = cycles > longest ? cycles : longest;
    all_rounds += cycles;
    OPERATION[trial.operation].check(round);
}

void c_main(void)
{
    sark_word_cpy(&trial, (const void *)sark.vcpu->user0, sizeof trial);
    if (trial.plan.magic != COLLECTIVES_MAGIC) {
        return; /* not one of the ranks */
    }
    frames_core_begin(&trial.plan);
    sark_delay_us(trial.delay_us);
    collective_step *step = choose();
    tc[T1_LOAD] = 0;
    tc[T1_CONTROL] = FREE_RUNNING;
    for (uint round = 0; round < trial.rounds && step != NULL; round++) {
        do_round(step, round);
    }
    frames_core_end();
    io_printf(IO_BUF,
              "%u rounds of %u words: %u cycles, longest %u; %u packets, %u late, %u again\n",
              trial.rounds, trial.words, all_rounds, longest, frames_core.packets, frames_core.late,
              frames_core.again);
}
