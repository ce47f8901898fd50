/* distribution.h - what the distributions share (train.distributed): how chips that each train on
 * their own images come to common parameters, between the same core of all chips.
 *
 * A program has one distribution: the file distribution_NAME.c with the four functions at the end
 * of this header, linked where programs with `allreduce` have workloads/exchange.  distribution.c
 * makes of them what roles call (exchange.h, train_core.h): so a role does not know which it is. */
#pragma once
#include <distribution_plan.h>
#include <exchange.h>
#include <frames_core.h>
#include <number.h>

struct distribution {
    struct distribution_plan plan;
    uint32_t words;  /* of this core's slice: gradients, and as many parameters */
    uint32_t update; /* counted over the run: 0, 1, ... */
    int32_t *sums;   /* of the gradients; free from the update on */
};
extern struct distribution distribution;

/* ---- for the distributions ---- */

/* A transfer of parameters between this rank and others: `words` of them are sent as they are, and
 * what comes is added to sums. */
void distribution_swap(uint32_t to, const nn_value *own, uint32_t from, int32_t *sums);

/* Copies the own parameters to the sums. */
void distribution_begin_average(const nn_value *own);

/* Replaces the parameters by sums / count, rounded to nearest, halves upwards; notes how far they
 * were from it. */
void distribution_end_average(nn_value *own, uint32_t count);

/* ---- what a distribution defines ---- */

/* The words of the slice that this rank updates. */
void distribution_owned(const struct distribution_plan *plan, uint32_t words, uint32_t *first,
                        uint32_t *count);

/* Before an update: leaves the sums over all chips in the words that this rank owns. */
void distribution_reduce(int32_t *sums);

/* Behind an update of the owned parameters: the others'. */
void distribution_give(nn_value *parameters);
