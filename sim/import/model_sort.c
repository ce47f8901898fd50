/* model_sort.c - model_sort() of readers.h: the nodes that the output needs, makers first. */
#include "sim/config/config_arena.h"
#include "sim/import/readers.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

/* Who makes a value. */
struct maker {
    const char *value;
    size_t node;
};

enum visit { UNSEEN, OPEN, DONE };

struct sorting {
    struct model *model;
    struct maker *maker; /* by value */
    size_t maker_count;
    unsigned char *visit; /* [node], enum visit */
    size_t *stack;        /* open nodes */
    size_t *next;         /* [node]: the next input to follow */
    struct model_node *sorted;
    size_t count;
    struct diagnostic *diagnostic;
};

static int by_value(const void *left, const void *right)
{
    return strcmp(((const struct maker *)left)->value, ((const struct maker *)right)->value);
}

static enum status list_makers(struct sorting *sorting)
{
    const struct model *model = sorting->model;
    for (size_t n = 0; n < model->node_count; n++) {
        for (size_t o = 0; o < model->node[n].output_count; o++) {
            const char *value = model->node[n].output[o];
            if (value[0] != '\0') {
                sorting->maker[sorting->maker_count++] = (struct maker){value, n};
            }
        }
    }
    qsort(sorting->maker, sorting->maker_count, sizeof *sorting->maker, by_value);
    for (size_t i = 1; i < sorting->maker_count; i++) {
        if (by_value(&sorting->maker[i - 1], &sorting->maker[i]) == 0) {
            return model_refuse(model, &model->node[sorting->maker[i].node], NULL,
                                sorting->diagnostic, "value %s is made by two nodes",
                                sorting->maker[i].value);
        }
    }
    return STATUS_OK;
}

static const struct maker *maker_of(const struct sorting *sorting, const char *value)
{
    const struct maker key = {.value = value};
    return sorting->maker_count == 0 ? NULL
                                     : bsearch(&key, sorting->maker, sorting->maker_count,
                                               sizeof *sorting->maker, by_value);
}

/* Opens the maker of a value that has one; constants and the model's input have none. */
static enum status open_maker(struct sorting *sorting, const struct model_node *user,
                              const char *value, size_t *depth)
{
    const struct model *model = sorting->model;
    const struct maker *maker = value[0] == '\0' ? NULL : maker_of(sorting, value);
    if (maker == NULL) {
        if (value[0] == '\0' || strcmp(value, model->input) == 0 ||
            model_find_tensor(model, value) != NULL) {
            return STATUS_OK;
        }
        return model_refuse(model, user, "a model has one input, and constants",
                            sorting->diagnostic, "value %s is made by no node, and no constant",
                            value);
    }
    if (sorting->visit[maker->node] == OPEN) {
        return model_refuse(model, &model->node[maker->node], NULL, sorting->diagnostic,
                            "the node needs its own output: a cycle through value %s", value);
    }
    if (sorting->visit[maker->node] == UNSEEN) {
        sorting->visit[maker->node] = OPEN;
        sorting->stack[(*depth)++] = maker->node;
    }
    return STATUS_OK;
}

static enum status visit_all(struct sorting *sorting)
{
    const struct model *model = sorting->model;
    size_t depth = 0;
    TRY(open_maker(sorting, NULL, model->output, &depth));
    while (depth > 0) {
        const size_t at = sorting->stack[depth - 1];
        const struct model_node *node = &model->node[at];
        if (sorting->next[at] < node->input_count) {
            TRY(open_maker(sorting, node, node->input[sorting->next[at]++], &depth));
        } else {
            sorting->visit[at] = DONE;
            sorting->sorted[sorting->count++] = *node;
            depth--;
        }
    }
    return STATUS_OK;
}

enum status model_sort(struct model *model, struct diagnostic *diagnostic)
{
    const size_t nodes = model->node_count + 1;
    size_t outputs = 1;
    for (size_t n = 0; n < model->node_count; n++) {
        outputs += model->node[n].output_count;
    }
    struct config_arena *arena = model->arena;
    struct sorting sorting = {
        .model = model,
        .maker = config_arena_take(arena, outputs * sizeof *sorting.maker),
        .visit = config_arena_take(arena, nodes * sizeof *sorting.visit),
        .stack = config_arena_take(arena, nodes * sizeof *sorting.stack),
        .next = config_arena_take(arena, nodes * sizeof *sorting.next),
        .sorted = config_arena_take(arena, nodes * sizeof *sorting.sorted),
        .diagnostic = diagnostic,
    };
    TRY(list_makers(&sorting));
    TRY(visit_all(&sorting));
    model->node = sorting.sorted;
    model->node_count = sorting.count;
    return STATUS_OK;
}
