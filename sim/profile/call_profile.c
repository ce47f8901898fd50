/* call_profile.c - see call_profile.h. */
#include "sim/profile/call_profile.h"

#include "sim/grow.h"

#define HIGH_VECTORS 0xffff0000u
#define NO_NODE      UINT32_MAX

enum {
    MODE_BITS = 0x1f,
    THUMB_BIT = 1u << 5,
    VECTOR_BYTES = 0x20,
    MOST_FRAMES = 1 << 20, /* calls beyond this depth are not tracked */
    SEARCHED_FRAMES = 4096 /* frames searched for the activation that a jump unwinds to */
};

/* A function in one stack of calls. */
struct node {
    uint32_t function;
    uint32_t parent, child, last_child, sibling;
    uint64_t cycles;
};

/* An activation. */
struct frame {
    uint32_t node, function;
    uint32_t return_address, sp, mode; /* of the caller */
    bool exception;
    uint16_t depth; /* of the node */
};

struct activity {
    struct function_account account;
    uint64_t since; /* the cycle at which it became active */
    uint32_t active;
};

struct call_profile {
    struct function_map map;
    struct function_range here; /* range of the next instruction */
    struct activity *function;
    size_t functions_allocated;
    struct node *node;
    size_t nodes_allocated;
    uint32_t nodes;
    uint32_t first_root, last_root;
    struct frame *frame; /* MOST_FRAMES; the host allocates their pages on first use */
    size_t frames;
    uint64_t cycle;
};

struct core_view core_view_of(const struct arm968 *cpu)
{
    return (struct core_view){.pc = arm968_register(cpu, 15),
                              .lr = arm968_register(cpu, 14),
                              .sp = arm968_register(cpu, 13),
                              .cpsr = arm968_cpsr(cpu),
                              .instructions = arm968_counters(cpu)->instructions,
                              .cycle = arm968_cycle(cpu)};
}

struct call_profile *call_profile_create(const struct elf_image *image)
{
    struct call_profile *profile = calloc(1, sizeof *profile);
    if (profile == NULL) {
        return NULL;
    }
    profile->first_root = profile->last_root = NO_NODE;
    profile->frame = calloc(MOST_FRAMES, sizeof *profile->frame);
    if (profile->frame == NULL || function_map_init(&profile->map, image) != STATUS_OK) {
        call_profile_destroy(profile);
        return NULL;
    }
    return profile;
}

void call_profile_destroy(struct call_profile *profile)
{
    if (profile != NULL) {
        function_map_deinit(&profile->map);
        free(profile->function);
        free(profile->node);
        free(profile->frame);
        free(profile);
    }
}

/* ---- where the core is ---- */

static bool is_here(const struct call_profile *profile, uint32_t address)
{
    return address - profile->here.first <= profile->here.last - profile->here.first;
}

static bool go_to(struct call_profile *profile, uint32_t address)
{
    const struct function_range *range = function_map_at(&profile->map, address);
    if (range == NULL) {
        return false;
    }
    profile->here = *range;
    struct activity *grown = grow(profile->function, &profile->functions_allocated, range->function,
                                  sizeof *profile->function);
    if (grown == NULL) {
        return false;
    }
    profile->function = grown;
    grown[range->function].account.range = *range;
    return true;
}

/* ---- the tree of stacks ---- */

static uint32_t new_node(struct call_profile *profile, uint32_t parent, uint32_t function)
{
    struct node *grown =
        grow(profile->node, &profile->nodes_allocated, profile->nodes, sizeof *profile->node);
    if (grown == NULL) {
        return NO_NODE;
    }
    profile->node = grown;
    const uint32_t new = profile->nodes++;
    profile->node[new] = (struct node){.function = function,
                                       .parent = parent,
                                       .child = NO_NODE,
                                       .last_child = NO_NODE,
                                       .sibling = NO_NODE};
    uint32_t *first = parent == NO_NODE ? &profile->first_root : &profile->node[parent].child;
    uint32_t *last = parent == NO_NODE ? &profile->last_root : &profile->node[parent].last_child;
    if (*first == NO_NODE) {
        *first = new;
    } else {
        profile->node[*last].sibling = new;
    }
    *last = new;
    return new;
}

static uint32_t node_below(struct call_profile *profile, uint32_t parent, uint32_t function)
{
    uint32_t node = parent == NO_NODE ? profile->first_root : profile->node[parent].child;
    while (node != NO_NODE && profile->node[node].function != function) {
        node = profile->node[node].sibling;
    }
    return node != NO_NODE ? node : new_node(profile, parent, function);
}

/* ---- activations ---- */

static void enter(struct call_profile *profile, uint32_t function)
{
    struct activity *activity = &profile->function[function];
    if (activity->active++ == 0) {
        activity->since = profile->cycle;
    }
}

static void leave(struct call_profile *profile, uint32_t function)
{
    struct activity *activity = &profile->function[function];
    if (--activity->active == 0) {
        activity->account.cycles_with_callees += profile->cycle - activity->since;
    }
}

static bool push(struct call_profile *profile, const struct core_view *caller,
                 uint32_t return_address, bool exception)
{
    if (profile->frames == MOST_FRAMES) {
        return true;
    }
    struct frame above = {.node = NO_NODE};
    if (profile->frames > 0) {
        above = profile->frame[profile->frames - 1];
    }
    struct frame frame = {.function = profile->here.function,
                          .return_address = return_address,
                          .sp = caller->sp,
                          .mode = caller->cpsr & MODE_BITS,
                          .exception = exception,
                          .node = above.node,
                          .depth = above.depth};
    if (above.depth < CALL_STACK_DEPTH) {
        frame.node = node_below(profile, above.node, frame.function);
        frame.depth++;
    }
    if (frame.node == NO_NODE) {
        return false;
    }
    profile->frame[profile->frames++] = frame;
    enter(profile, frame.function);
    return true;
}

static void pop_to(struct call_profile *profile, size_t frames)
{
    while (profile->frames > frames) {
        leave(profile, profile->frame[--profile->frames].function);
    }
}

/* A tail call: replaces the function on top of the stack. */
static bool replace(struct call_profile *profile)
{
    struct frame *top = &profile->frame[profile->frames - 1];
    if (top->function == profile->here.function) {
        return true;
    }
    leave(profile, top->function);
    top->function = profile->here.function;
    enter(profile, top->function);
    const bool told_apart =
        profile->frames < 2 || profile->frame[profile->frames - 2].depth < CALL_STACK_DEPTH;
    if (told_apart) {
        top->node = node_below(profile, profile->node[top->node].parent, top->function);
    }
    return top->node != NO_NODE;
}

/* ---- control flow ---- */

static bool returns(const struct frame *frame, const struct core_view *before,
                    const struct core_view *after)
{
    if (frame->sp != after->sp || frame->mode != (after->cpsr & MODE_BITS)) {
        return false;
    }
    return frame->exception ? ((before->cpsr ^ after->cpsr) & MODE_BITS) != 0
                            : frame->return_address == after->pc;
}

static bool is_exception(const struct core_view *before, const struct core_view *after)
{
    return ((before->cpsr ^ after->cpsr) & MODE_BITS) != 0 &&
           (after->pc < VECTOR_BYTES || after->pc - HIGH_VECTORS < VECTOR_BYTES);
}

/* A jump that is neither a call nor a return of the function on top of the stack. */
static bool jump(struct call_profile *profile, const struct core_view *before,
                 const struct core_view *after, bool left_function)
{
    if (!left_function) {
        return true;
    }
    if (after->pc == profile->here.first) {
        profile->function[profile->here.function].account.calls++;
        return replace(profile);
    }
    size_t searched = 0;
    for (size_t i = profile->frames; i > 1 && searched < SEARCHED_FRAMES; i--, searched++) {
        const struct frame *frame = &profile->frame[i - 1];
        if (returns(frame, before, after) ||
            profile->frame[i - 2].function == profile->here.function) {
            pop_to(profile, i - 1);
            break;
        }
    }
    return replace(profile);
}

/* Handles an instruction that did not continue at its successor in the same function. */
static bool transfer(struct call_profile *profile, const struct core_view *before,
                     const struct core_view *after)
{
    const uint32_t successor = before->pc + ((before->cpsr & THUMB_BIT) != 0 ? 2 : 4);
    const bool left_function = !is_here(profile, after->pc);
    if (left_function && !go_to(profile, after->pc)) {
        return false;
    }
    const bool linked = (after->lr & ~1u) == successor;
    if (after->pc == successor && !(linked && left_function && before->lr != after->lr)) {
        return replace(profile);
    }
    if (is_exception(before, after) || linked) {
        profile->function[profile->here.function].account.calls++;
        return push(profile, before, successor, is_exception(before, after));
    }
    if (profile->frames > 1 && returns(&profile->frame[profile->frames - 1], before, after)) {
        pop_to(profile, profile->frames - 1);
        return replace(profile);
    }
    return jump(profile, before, after, left_function);
}

static bool begin(struct call_profile *profile, const struct core_view *first)
{
    profile->cycle = first->cycle;
    if (!go_to(profile, first->pc)) {
        return false;
    }
    profile->function[profile->here.function].account.calls++;
    return push(profile, first, 0, false);
}

enum status call_profile_step(struct call_profile *profile, const struct core_view *before,
                              const struct core_view *after)
{
    if (profile->frames == 0 && !begin(profile, before)) {
        return STATUS_INTERNAL;
    }
    const uint64_t cycles = after->cycle - before->cycle;
    struct function_account *account = &profile->function[profile->here.function].account;
    account->instructions += after->instructions - before->instructions;
    account->cycles += cycles;
    profile->node[profile->frame[profile->frames - 1].node].cycles += cycles;
    profile->cycle = after->cycle;
    const uint32_t ahead = after->pc - before->pc;
    if (ahead <= 4 && is_here(profile, after->pc) &&
        ahead == ((before->cpsr & THUMB_BIT) != 0 ? 2 : 4)) {
        return STATUS_OK;
    }
    if (ahead == 0 && cycles == 0) {
        return STATUS_OK; /* the core stopped before executing the instruction */
    }
    return transfer(profile, before, after) ? STATUS_OK : STATUS_INTERNAL;
}

/* ---- results ---- */

static int by_cycles(const void *a, const void *b)
{
    const struct function_account *first = a;
    const struct function_account *second = b;
    if (first->cycles != second->cycles) {
        return first->cycles > second->cycles ? -1 : 1;
    }
    return first->range.first < second->range.first ? -1 : first->range.first > second->range.first;
}

struct function_account *call_profile_functions(const struct call_profile *profile, size_t *count)
{
    *count = 0;
    struct function_account *list = calloc(profile->map.functions + 1u, sizeof *list);
    if (list == NULL) {
        return NULL;
    }
    const size_t known = profile->map.functions < profile->functions_allocated
                             ? profile->map.functions
                             : profile->functions_allocated;
    for (size_t i = 0; i < known; i++) {
        const struct activity *activity = &profile->function[i];
        if (activity->account.instructions == 0 && activity->account.cycles == 0) {
            continue;
        }
        list[*count] = activity->account;
        if (activity->active != 0) {
            list[*count].cycles_with_callees += profile->cycle - activity->since;
        }
        ++*count;
    }
    qsort(list, *count, sizeof *list, by_cycles);
    return list;
}

void call_profile_stacks(const struct call_profile *profile,
                         void (*visit)(void *context, const struct function_range *const *stack,
                                       unsigned depth, uint64_t cycles),
                         void *context)
{
    const struct function_range *stack[CALL_STACK_DEPTH];
    unsigned depth = 0;
    uint32_t at = profile->first_root;
    while (at != NO_NODE) {
        const struct node *node = &profile->node[at];
        stack[depth++] = &profile->function[node->function].account.range;
        if (node->cycles != 0) {
            visit(context, stack, depth, node->cycles);
        }
        uint32_t next = node->child;
        while (next == NO_NODE && at != NO_NODE) {
            next = profile->node[at].sibling;
            at = profile->node[at].parent;
            depth--;
        }
        at = next;
    }
}
