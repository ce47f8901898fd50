/* bytecode.c - the same bytecode interpreted by one switch and by a table of functions; it finds
 * primes by division, with a subroutine, and sorts words.  Exercises indirect jumps and calls with
 * many targets from one place.  For one flat memory, so that its speed can be compared with other
 * simulators on the same file. */
#include <stdbool.h>
#include <stdint.h>

/* ROUNDS: the run takes several times as long as its translation.  EXPECTED: the result of a build
 * for the host. */
enum { WORDS = 64, LEVELS = 8, REGISTERS = 16, ROUNDS = 500, EXPECTED = 0x3ef0 };

enum operation {
    HALT,
    SET,
    MOVE,
    ADD,
    SUBTRACT,
    MULTIPLY,
    LESS,
    JUMP,
    UNLESS,
    LOAD,
    STORE,
    CALL,
    RETURN,
    PUT
};

/* Most operations name registers: a = b OPERATION c.  SET: a = the number b.  JUMP and CALL: go to
 * instruction a.  UNLESS: goes to instruction b if a is 0.  LOAD and STORE: a from or to word
 * number b.  PUT: mixes a into the sum. */
struct instruction {
    uint8_t operation, a, b, c;
};

struct machine {
    const struct instruction *code, *pc;
    const struct instruction *stack[LEVELS];
    uint32_t registers[REGISTERS];
    uint32_t level, sum;
};

/* Register 0: a limit.  Puts the primes below it. */
static const struct instruction PRIMES[] = {
    {SET, 1, 2, 0},      /*  0: register 1, the candidate */
    {SET, 9, 1, 0},      /*  1: register 9, one */
    {LESS, 3, 1, 0},     /*  2 */
    {UNLESS, 3, 16, 0},  /*  3 */
    {SET, 4, 2, 0},      /*  4: register 4, the divisor */
    {MULTIPLY, 5, 4, 4}, /*  5 */
    {LESS, 6, 1, 5},     /*  6 */
    {UNLESS, 6, 10, 0},  /*  7 */
    {PUT, 1, 0, 0},      /*  8 */
    {JUMP, 14, 0, 0},    /*  9 */
    {CALL, 17, 0, 0},    /* 10 */
    {UNLESS, 7, 14, 0},  /* 11 */
    {ADD, 4, 4, 9},      /* 12 */
    {JUMP, 5, 0, 0},     /* 13 */
    {ADD, 1, 1, 9},      /* 14 */
    {JUMP, 2, 0, 0},     /* 15 */
    {HALT, 0, 0, 0},     /* 16 */
    {MOVE, 7, 1, 0},     /* 17: register 7, what the division leaves */
    {LESS, 8, 7, 4},     /* 18 */
    {UNLESS, 8, 21, 0},  /* 19 */
    {RETURN, 0, 0, 0},   /* 20 */
    {SUBTRACT, 7, 7, 4}, /* 21 */
    {JUMP, 18, 0, 0},    /* 22 */
};

/* Register 0: how many words.  Swaps neighbours until all are in order. */
static const struct instruction SORT[] = {
    {SET, 9, 1, 0},      /*  0: register 9, one */
    {SET, 5, 0, 0},      /*  1: register 5, whether words were exchanged */
    {SET, 1, 1, 0},      /*  2: register 1, which word */
    {LESS, 3, 1, 0},     /*  3 */
    {UNLESS, 3, 15, 0},  /*  4 */
    {SUBTRACT, 6, 1, 9}, /*  5 */
    {LOAD, 7, 6, 0},     /*  6 */
    {LOAD, 8, 1, 0},     /*  7 */
    {LESS, 4, 8, 7},     /*  8 */
    {UNLESS, 4, 13, 0},  /*  9 */
    {STORE, 8, 6, 0},    /* 10 */
    {STORE, 7, 1, 0},    /* 11 */
    {SET, 5, 1, 0},      /* 12 */
    {ADD, 1, 1, 9},      /* 13 */
    {JUMP, 3, 0, 0},     /* 14 */
    {UNLESS, 5, 17, 0},  /* 15 */
    {JUMP, 1, 0, 0},     /* 16 */
    {HALT, 0, 0, 0},     /* 17 */
};

static uint32_t words[WORDS];

void begin(void);
void end(void);

/* The counted region (spinnsim elf --count begin:end). */
__attribute__((noipa)) void begin(void)
{
}
__attribute__((noipa)) void end(void)
{
}

static uint32_t mixed(uint32_t sum, uint32_t value)
{
    return (sum ^ value) * 16777619u; /* FNV */
}

/* ---- by one switch ---- */

__attribute__((noipa)) static void by_switch(struct machine *machine)
{
    uint32_t *r = machine->registers;
    for (const struct instruction *pc = machine->code;; pc++) {
        switch ((enum operation)pc->operation) {
        case SET:
            r[pc->a] = pc->b;
            break;
        case MOVE:
            r[pc->a] = r[pc->b];
            break;
        case ADD:
            r[pc->a] = r[pc->b] + r[pc->c];
            break;
        case SUBTRACT:
            r[pc->a] = r[pc->b] - r[pc->c];
            break;
        case MULTIPLY:
            r[pc->a] = r[pc->b] * r[pc->c];
            break;
        case LESS:
            r[pc->a] = r[pc->b] < r[pc->c];
            break;
        case JUMP:
            pc = &machine->code[pc->a] - 1;
            break;
        case UNLESS:
            if (r[pc->a] == 0) {
                pc = &machine->code[pc->b] - 1;
            }
            break;
        case LOAD:
            r[pc->a] = words[r[pc->b] % WORDS];
            break;
        case STORE:
            words[r[pc->b] % WORDS] = r[pc->a];
            break;
        case CALL:
            machine->stack[machine->level++ % LEVELS] = pc;
            pc = &machine->code[pc->a] - 1;
            break;
        case RETURN:
            pc = machine->stack[--machine->level % LEVELS];
            break;
        case PUT:
            machine->sum = mixed(machine->sum, r[pc->a]);
            break;
        case HALT:
        default:
            return;
        }
    }
}

/* ---- by a table of functions ---- */

/* Returns false at the end of the program. */
typedef bool operation_function(struct machine *machine, const struct instruction *at);

static bool halt(struct machine *machine, const struct instruction *at)
{
    (void)machine;
    (void)at;
    return false;
}
static bool set(struct machine *machine, const struct instruction *at)
{
    machine->registers[at->a] = at->b;
    return true;
}
static bool move(struct machine *machine, const struct instruction *at)
{
    machine->registers[at->a] = machine->registers[at->b];
    return true;
}
static bool add(struct machine *machine, const struct instruction *at)
{
    machine->registers[at->a] = machine->registers[at->b] + machine->registers[at->c];
    return true;
}
static bool subtract(struct machine *machine, const struct instruction *at)
{
    machine->registers[at->a] = machine->registers[at->b] - machine->registers[at->c];
    return true;
}
static bool multiply(struct machine *machine, const struct instruction *at)
{
    machine->registers[at->a] = machine->registers[at->b] * machine->registers[at->c];
    return true;
}
static bool less(struct machine *machine, const struct instruction *at)
{
    machine->registers[at->a] = machine->registers[at->b] < machine->registers[at->c];
    return true;
}
static bool jump(struct machine *machine, const struct instruction *at)
{
    machine->pc = &machine->code[at->a];
    return true;
}
static bool unless(struct machine *machine, const struct instruction *at)
{
    if (machine->registers[at->a] == 0) {
        machine->pc = &machine->code[at->b];
    }
    return true;
}
static bool load(struct machine *machine, const struct instruction *at)
{
    machine->registers[at->a] = words[machine->registers[at->b] % WORDS];
    return true;
}
static bool store(struct machine *machine, const struct instruction *at)
{
    words[machine->registers[at->b] % WORDS] = machine->registers[at->a];
    return true;
}
static bool call(struct machine *machine, const struct instruction *at)
{
    machine->stack[machine->level++ % LEVELS] = machine->pc;
    machine->pc = &machine->code[at->a];
    return true;
}
static bool back(struct machine *machine, const struct instruction *at)
{
    (void)at;
    machine->pc = machine->stack[--machine->level % LEVELS];
    return true;
}
static bool put(struct machine *machine, const struct instruction *at)
{
    machine->sum = mixed(machine->sum, machine->registers[at->a]);
    return true;
}

static operation_function *const FUNCTIONS[] = {
    [HALT] = halt,         [SET] = set,   [MOVE] = move,   [ADD] = add,       [SUBTRACT] = subtract,
    [MULTIPLY] = multiply, [LESS] = less, [JUMP] = jump,   [UNLESS] = unless, [LOAD] = load,
    [STORE] = store,       [CALL] = call, [RETURN] = back, [PUT] = put,
};

__attribute__((noipa)) static void by_table(struct machine *machine)
{
    const struct instruction *at;
    machine->pc = machine->code;
    do {
        at = machine->pc++;
    } while (FUNCTIONS[at->operation](machine, at));
}

/* What both come to, from the same words; 0 when they differ. */
static uint32_t executed(const struct instruction *code, uint32_t argument, uint32_t sum)
{
    struct machine machines[2];
    for (int i = 0; i < 2; i++) {
        machines[i].code = code;
        machines[i].registers[0] = argument;
        machines[i].level = 0;
        machines[i].sum = sum;
        for (uint32_t word = 0; word < WORDS; word++) {
            words[word] = (sum ^ word) * 2654435761u;
        }
        (i == 0 ? by_switch : by_table)(&machines[i]);
        for (uint32_t word = 0; word < WORDS; word++) {
            machines[i].sum = mixed(machines[i].sum, words[word]);
        }
    }
    return machines[0].sum == machines[1].sum ? machines[0].sum : 0;
}

int main(void)
{
    uint32_t sum = 968;
    begin();
    for (uint32_t round = 0; round < ROUNDS; round++) {
        sum = executed(PRIMES, 100 + round % 32, sum);
        sum = executed(SORT, WORDS, sum);
    }
    end();
    return (sum & 0xffff) == EXPECTED ? 0 : 1;
}
