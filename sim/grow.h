/* grow.h - arrays that grow while they are filled. */
#pragma once
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Returns the array, moved if needed, with room for element number `at` of `bytes` each; new
 * elements are zero.  `room` is the number of elements that it has room for, initially 0.  NULL:
 * out of memory, and the array is as before. */
static inline void *grow(void *array, size_t *room, size_t at, size_t bytes)
{
    if (array != NULL && at < *room) {
        return array;
    }
    const size_t more = 2 * at + 16;
    char *grown = (char *)realloc(array, more * bytes);
    if (grown != NULL) {
        memset(grown + *room * bytes, 0, (more - *room) * bytes);
        *room = more;
    }
    return grown;
}
