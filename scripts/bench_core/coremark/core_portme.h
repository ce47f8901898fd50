/* core_portme.h - CoreMark's description of its platform: a core with a C library, without a clock
 * and without output. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HAS_FLOAT         0
#define HAS_TIME_H        0
#define USE_CLOCK         0
#define HAS_STDIO         0
#define HAS_PRINTF        0
#define MULTITHREAD       1
#define MAIN_HAS_NOARGC   1
#define MAIN_HAS_NORETURN 0
#define SEED_METHOD       SEED_VOLATILE
#define MEM_METHOD        MEM_STATIC
#define MEM_LOCATION      ""
#define COMPILER_VERSION  ""
#define COMPILER_FLAGS    ""

typedef int16_t ee_s16;
typedef uint16_t ee_u16;
typedef int32_t ee_s32;
typedef uint8_t ee_u8;
typedef uint32_t ee_u32;
typedef float ee_f32;
typedef uintptr_t ee_ptr_int;
typedef size_t ee_size_t;
typedef uint32_t CORE_TICKS;

/* The next multiple of a word. */
#define align_mem(at) ((void *)(((ee_ptr_int)(at) + 3) & ~(ee_ptr_int)3))

typedef struct CORE_PORTABLE_S {
    ee_u8 portable_id;
} core_portable;

extern ee_u32 default_num_contexts;
void portable_init(core_portable *port, int *argc, char *argv[]);
void portable_fini(core_portable *port);
