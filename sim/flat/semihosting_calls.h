/* semihosting_calls.h - what the files of semihosting share: guest memory, errors, and the calls
 * about files.  Each call takes the address of its argument block and returns what goes to r0. */
#pragma once
#include "sim/flat/semihosting.h"

#define SEMIHOSTING_FAILED 0xffffffffu

/* Guest memory, or NULL when the range is not wholly RAM. */
uint8_t *semihosting_guest(const struct semihosting *semihosting, uint32_t address, uint32_t bytes);

/* Word number `index` of the argument block, 0 when it is not in RAM. */
uint32_t semihosting_argument(const struct semihosting *semihosting, uint32_t block,
                              unsigned index);

/* Notes an errno of the host for SYS_ERRNO; returns SEMIHOSTING_FAILED. */
uint32_t semihosting_fail(struct semihosting *semihosting, int error);

uint32_t semihosting_open(struct semihosting *semihosting, uint32_t block);
uint32_t semihosting_close(struct semihosting *semihosting, uint32_t block);
uint32_t semihosting_read(struct semihosting *semihosting, uint32_t block);
uint32_t semihosting_write(struct semihosting *semihosting, uint32_t block);
uint32_t semihosting_seek(struct semihosting *semihosting, uint32_t block);
uint32_t semihosting_length(struct semihosting *semihosting, uint32_t block);
uint32_t semihosting_is_terminal(struct semihosting *semihosting, uint32_t block);
uint32_t semihosting_remove(struct semihosting *semihosting, uint32_t block);
uint32_t semihosting_rename(struct semihosting *semihosting, uint32_t block);
uint32_t semihosting_temporary_name(struct semihosting *semihosting, uint32_t block);
