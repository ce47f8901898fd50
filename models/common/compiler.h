/* compiler.h - the only place where compiler extensions are named (gcc and clang, checked in CI).
 * Everything else in models/ is plain C17. */
#pragma once

#if !defined(__GNUC__)
#error "spinnsim needs gcc or clang: the interpreter's dispatch uses labels as values"
#endif

#define LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define ALWAYS_INLINE       static inline __attribute__((always_inline))
#define NOINLINE            __attribute__((noinline))
#define PRINTF_LIKE(format_index, first_argument)                                                  \
    __attribute__((format(printf, format_index, first_argument)))

/* What is declared between these two can be called from outside of a shared library. */
#define VISIBLE_BEGIN _Pragma("GCC visibility push(default)")
#define VISIBLE_END   _Pragma("GCC visibility pop")

/* Labels as values: the interpreter's threaded dispatch. */
#define LABEL_ADDRESS(label)  (__extension__ && label)
#define GOTO_ADDRESS(address) goto *(address)

/* A range of indices in an array's initializer. */
#define INDEX_RANGE(first, last) [(first)...(last)]

/* Eight 16-bit counters added at once. */
typedef unsigned short vector8 __attribute__((vector_size(16), may_alias));

/* Pause hint for a loop that waits for another thread; and the size that keeps data of two threads
 * on separate cache lines. */
#if defined(__x86_64__) || defined(__i386__)
#define SPIN_PAUSE() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define SPIN_PAUSE() __asm__ volatile("yield")
#else
#define SPIN_PAUSE() ((void)0)
#endif
#define CACHE_LINE_BYTES 64

/* What a thread does before ANNOUNCE(object) has happened for a thread that says SEES(object)
 * later. They order nothing: they tell the thread sanitizer of an order that translated code makes,
 * which it cannot see. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAS_THREAD_SANITIZER
#endif
#elif defined(__SANITIZE_THREAD__)
#define HAS_THREAD_SANITIZER
#endif
#ifdef HAS_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#define ANNOUNCE(object) __tsan_release((void *)(object))
#define SEES(object)     __tsan_acquire((void *)(object))
#else
#define ANNOUNCE(object) ((void)0)
#define SEES(object)     ((void)0)
#endif

/* Prefetches memory that will be needed soon. */
#define PREFETCH(address) __builtin_prefetch(address)

/* 128-bit intermediate of clock conversions. */
__extension__ typedef unsigned __int128 uint128;

/* Checked arithmetic: true when the mathematical result does not fit. */
#define ADD_OVERFLOWS(a, b, result) __builtin_add_overflow(a, b, result)
#define SUB_OVERFLOWS(a, b, result) __builtin_sub_overflow(a, b, result)
