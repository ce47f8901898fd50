/* varying.c - see varying.h. */
#include "models/arm968/translate/varying.h"

#include "models/common/memory.h"

#include <stdlib.h>
#include <string.h>

static struct object_key key_of(struct object_key list)
{
    static const char WHAT[] = "words that vary";
    object_key_add(&list, WHAT, sizeof WHAT);
    return list;
}

void varying_keep(const struct code *code, struct object_key list)
{
    const size_t most = code_memory(code).size / sizeof(uint32_t);
    uint32_t *addresses = malloc((most + 1) * sizeof *addresses);
    memory_need(addresses);
    const size_t count = code_list_varying(code, addresses, most);
    if (count != 0) {
        object_cache_store(key_of(list), OBJECT_LIST, (const uint8_t *)addresses,
                           count * sizeof *addresses);
    }
    free(addresses);
}

void varying_restore(struct code *code, struct object_key list)
{
    size_t size;
    uint8_t *bytes = object_cache_read(key_of(list), OBJECT_LIST, &size);
    if (bytes == NULL) {
        return;
    }
    uint32_t address;
    for (size_t at = 0; at + sizeof address + OBJECT_TAIL_BYTES <= size; at += sizeof address) {
        memcpy(&address, bytes + at, sizeof address);
        code_vary(code, address);
    }
    free(bytes);
}
