/* aplx.h - SpiNNaker's own file format for programs (.aplx): a table of commands that a loader on
 * the core carries out, and behind it what they copy.  Source: AppNote 3 of the University of
 * Manchester, "The SpiNNaker application loader"; tools/mkaplx of spinnaker_tools.
 *
 * A command has four words, little-endian: the operation, and three arguments.
 *
 *     1  copy     to, from (an address of the core), bytes
 *     2  copy     to, from (bytes from this command on), bytes
 *     3  fill     address, bytes, the word
 *     4  execute  address; a program's start never returns
 *     else        the end
 *
 * Bytes are rounded up to a multiple of 32, as the loader copies 32 at a time. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/load/elf_image.h"
C_LINKAGE_BEGIN

/* Whether a file can be one: its first command copies from the file. */
bool aplx_is(const uint8_t *file, size_t bytes);

/* Fills segments and entry of an image whose file has been read.  The entry is what is executed
 * first; commands behind it never run.  STATUS_CONFIGURATION for a table without an end or without
 * an entry, for copies from beyond the file, and for copies from addresses that no command before
 * has filled: the simulated core's memory is empty then. */
enum status aplx_read(struct elf_image *image, struct diagnostic *diagnostic);

C_LINKAGE_END
