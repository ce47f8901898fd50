/* semihosting_calls.c - see semihosting_calls.h. */
#include "sim/flat/semihosting_calls.h"

#include "sim/flat/flat_core.h"

#include <errno.h>
#include <string.h>

bool semihosting_put(struct semihosting *semihosting, uint32_t address, const void *bytes,
                     uint32_t size)
{
    uint8_t *to = flat_core_bytes(semihosting->core, address, size);
    if (to != NULL) {
        memcpy(to, bytes, size);
        arm968_code_written(semihosting->core->cpu, address, size);
    }
    return to != NULL;
}

/* Up to this number newlib's errno values equal those of Linux; some of the others differ. */
enum { SAME_ERRORS_MOST = ERANGE, NEWLIB_NOT_SUPPORTED = 88, NEWLIB_NAME_TOO_LONG = 91 };

void semihosting_note_error(struct semihosting *semihosting, int error)
{
    semihosting->error_number = error <= SAME_ERRORS_MOST ? (uint32_t)error
                                : error == ENAMETOOLONG   ? NEWLIB_NAME_TOO_LONG
                                : error == ENOSYS         ? NEWLIB_NOT_SUPPORTED
                                : error == EDQUOT         ? ENOSPC
                                                          : EIO;
}
