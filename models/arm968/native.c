/* native.c - see native.h. */
#include "models/arm968/native.h"

#include <dlfcn.h>
#include <stdlib.h>

void native_destroy(struct native *native)
{
    if (native != NULL) {
        if (native->handle != NULL) {
            (void)dlclose(native->handle);
        }
        free((void *)native->blocks);
        free(native->entries);
        free(native);
    }
}

struct native_roots *native_roots_create(uint32_t load_base, uint32_t load_size)
{
    struct native_roots *roots = calloc(1, sizeof *roots);
    if (roots != NULL) {
        roots->load_base = load_base;
        roots->load_size = load_size;
    }
    return roots;
}

void native_roots_add(struct native_roots *roots, const struct native_entry *entry)
{
    const uint32_t first = (entry->pc * NATIVE_ROOT_MULTIPLIER) >> NATIVE_ROOT_SHIFT;
    const struct native_entry *there =
        atomic_load_explicit(&roots->slot[first], memory_order_relaxed);
    const bool taken = there != NULL && there->pc != entry->pc;
    atomic_store_explicit(&roots->slot[first + taken], entry, memory_order_release);
}

void native_roots_remove(struct native_roots *list, const struct native *native)
{
    for (struct native_roots *roots = list; roots != NULL; roots = roots->next) {
        for (unsigned i = 0; i <= NATIVE_ROOTS; i++) {
            const struct native_entry *entry =
                atomic_load_explicit(&roots->slot[i], memory_order_relaxed);
            if (entry != NULL && entry->native == native) {
                atomic_store_explicit(&roots->slot[i], NULL, memory_order_relaxed);
            }
        }
    }
}
