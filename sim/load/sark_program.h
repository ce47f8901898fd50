/* sark_program.h - programs that need what SC&MP does on a chip (system_software.h): all that are
 * linked with SARK, the runtime of spinnaker_tools, and some of workloads/runtime. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/load/elf_image.h"
C_LINKAGE_BEGIN

/* By the head of its code, which says where its stacks and its heap lie. */
bool sark_program_is(const struct elf_image *program);

/* A program of workloads/runtime: by the symbol of a function that tells it whether SC&MP is there,
 * which is linked where it is called.  It runs without, too. */
bool sark_program_uses_system(const struct elf_image *program);

/* The version of SC&MP that it asks for, as it is in sv->sw_ver: major << 16 | minor << 8 | patch.
 * SARK has its own as a text; SARK_PROGRAM_VERSION if there is none. */
enum { SARK_PROGRAM_VERSION = 0x040000 };
uint32_t sark_program_version(const struct elf_image *program);

C_LINKAGE_END
