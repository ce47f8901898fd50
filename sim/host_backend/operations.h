/* operations.h - the operations of a backend (sim/backends/spinnsim_backend.h) as the host's
 * trainings ask for them: each is the backend's own or, where that is missing or switched off, its
 * fallback.  All are counted.
 *
 * No function returns a status: after the first failure nothing more is asked of the backend, and
 * operations_check() reports it. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/backends/backends.h"
C_LINKAGE_BEGIN

/* What was asked for, by capability. */
struct operations_log {
    struct {
        uint64_t calls;     /* of the backend */
        uint64_t elements;  /* products of gemv and convolution; bytes of load and dump; of others
                               the elements that they read or set */
        uint64_t fallbacks; /* times that the fallback took its place */
    } of[BACKEND_CAPABILITIES];
    double seconds, joules; /* what the backend says of itself; NAN: nothing */
};

struct operations {
    const struct spinnsim_backend *backend;
    void *context;
    uint32_t missing; /* capabilities that are switched off, or that the backend has not */
    struct operations_log *log;
    struct spinnsim_events events;          /* so far */
    const char *failed;                     /* the first operation that has failed; NULL: none */
    struct spinnsim_memory *products, *sum; /* of fallbacks: totals */
    struct spinnsim_memory *zero;           /* a total, 0 */
    struct spinnsim_memory *ones;           /* values, 1 */
};

/* `longest`: of a vector that is multiplied.  `without`: capabilities that are switched off.
 * STATUS_INTERNAL when the backend cannot be opened; call operations_close() in either case. */
enum status operations_open(struct operations *operations, const struct spinnsim_backend *backend,
                            uint32_t without, size_t longest, struct operations_log *log,
                            struct diagnostic *diagnostic);
void operations_close(struct operations *operations);

/* STATUS_INTERNAL with the name of the operation that has failed, if one has. */
enum status operations_check(const struct operations *operations, struct diagnostic *diagnostic);

/* Whether the backend itself does it. */
static inline bool operations_has(const struct operations *operations,
                                  enum backend_capability capability)
{
    return (operations->missing >> capability & 1) == 0;
}

/* Element `first` and those `step` further. */
static inline struct spinnsim_vector operations_at(struct spinnsim_memory *memory, size_t first,
                                                   size_t step)
{
    return (struct spinnsim_vector){memory, first, step};
}

size_t operations_value_bytes(const struct operations *operations);
size_t operations_total_bytes(const struct operations *operations);

/* ---- the minimal set ---- */

struct spinnsim_memory *operations_allocate(struct operations *operations, enum spinnsim_type type,
                                            size_t count);
void operations_free(struct operations *operations, struct spinnsim_memory *memory);
void operations_load(struct operations *operations, struct spinnsim_memory *memory,
                     enum spinnsim_type type, size_t count, const void *from);
/* `to` is left alone when the backend fails. */
void operations_dump(struct operations *operations, struct spinnsim_memory *memory,
                     enum spinnsim_type type, size_t count, void *to);
void operations_gemv(struct operations *operations, const struct spinnsim_gemv *gemv);
void operations_elementwise(struct operations *operations,
                            const struct spinnsim_elementwise *elementwise);
void operations_reduce(struct operations *operations, const struct spinnsim_reduce *reduce);
void operations_sync(struct operations *operations);
void operations_cost(struct operations *operations);

/* to = 0, totals. */
void operations_clear(struct operations *operations, struct spinnsim_vector to, size_t count);

/* ---- optional (operations_layers.c) ----
 *
 * `patches`: values, operations_patches() of the window; used where there is no convolution. */

static inline size_t operations_patch(const struct spinnsim_window *window)
{
    return (size_t)window->channels * window->kernel * window->kernel;
}

static inline size_t operations_patches(const struct spinnsim_window *window)
{
    return operations_patch(window) * window->out_height * window->out_width;
}

/* Adds to the output; keeps the patches for the gradient. */
void operations_convolve(struct operations *operations, const struct spinnsim_window *window,
                         struct spinnsim_memory *patches);
void operations_convolve_gradient(struct operations *operations,
                                  const struct spinnsim_window *window,
                                  struct spinnsim_memory *patches);
void operations_convolve_back(struct operations *operations, const struct spinnsim_window *window);

/* `scratch`: values, two rows of the output; used where there is no pooling. */
void operations_pool(struct operations *operations, const struct spinnsim_window *window);
void operations_pool_back(struct operations *operations, const struct spinnsim_window *window,
                          struct spinnsim_memory *scratch);

/* `scratch`: totals, as many as classes, and two; `one`: a value, the error 1. */
void operations_softmax(struct operations *operations, const struct spinnsim_softmax *softmax,
                        struct spinnsim_memory *scratch, struct spinnsim_memory *one);

/* False: the backend has no such optimizer, and nothing has been done. */
bool operations_optimize(struct operations *operations, const struct spinnsim_update *update);

C_LINKAGE_END
