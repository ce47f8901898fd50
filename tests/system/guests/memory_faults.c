/* memory_faults.c - each core does one thing that it should not: the number of its function is 17
 * times the chip's column, and the core's number.  A comment "fault N: KIND" stands at the line at
 * fault (sim/memory_check/kinds.def); cores without one do nothing wrong.  The test reads these
 * lines.
 *
 * Cores act one after the other, so that blocks that two of them allocate in SDRAM follow each
 * other in the order of their numbers. */
#include "spin1_api.h"
#include "spinnaker.h"

#define ASK(system, tcm, direction, bytes)                                                         \
    (void)spin1_dma_transfer(0, (void *)(system), (void *)(tcm), direction, bytes)

typedef void fault(void);

enum {
    WORDS = 8,
    BYTES = WORDS * sizeof(uint),
    ITCM_END = 0x8000,
    DTCM_END = 0x410000,
    SPARE_ITCM = 0x7000,
    SPARE_HEAP = 0x7400,
    DESC = 1 << 24 | 4 << 21,
    TO_SYSTEM = 1 << 19
};

static volatile uint sink;

static volatile uint *dtcm_block(uint words)
{
    volatile uint *block = sark_alloc(words, sizeof(uint));
    for (uint i = 0; i < words; i++) {
        block[i] = i;
    }
    return block;
}

static volatile uint *sdram_block(uint words, uint tag)
{
    volatile uint *block = sark_xalloc(sv->sdram_heap, words * sizeof(uint), tag, ALLOC_LOCK);
    for (uint i = 0; i < words; i++) {
        block[i] = i;
    }
    return block;
}

/* A heap of this program's own, in the part of ITCM that holds no code. */
static heap_t *itcm_heap(void)
{
    heap_t *heap = (heap_t *)SPARE_HEAP;
    block_t *first = (block_t *)heap->buffer;
    block_t *last = (block_t *)(SPARE_HEAP + 0x200);
    first->next = first->free = last;
    last->next = last->free = NULL;
    heap->first = heap->free = first;
    heap->last = last;
    return heap;
}

static volatile uint *itcm_block(heap_t *heap)
{
    volatile uint *block = sark_xalloc(heap, BYTES, 0, 0);
    for (uint i = 0; i < WORDS; i++) {
        block[i] = i;
    }
    return block;
}

/* What a core tells the next one. */
static void publish(volatile uint *block)
{
    sark.vcpu->user1 = (uint)block;
}

static volatile uint *published(uint core)
{
    return (volatile uint *)sv->vcpu_base[core].user1;
}

static void __attribute__((noipa)) transfer(uint system, uint tcm, uint description)
{
    dma[DMA_ADRS] = system;
    dma[DMA_ADRT] = tcm;
    dma[DMA_DESC] = description; /* fault 11: DMA_MEMORY */ /* fault 12: DMA_MEMORY */
    sink++;
}

/* ---- chip 0,0 ---- */

static void fault_1(void)
{
    *(volatile uint *)sink = 1; /* fault 1: CODE */
    sink = 0;
}

static void fault_2(void)
{
    volatile uint *block = dtcm_block(WORDS);
    for (uint i = 0; i < WORDS + 2; i++) {
        block[i] = 1; /* fault 2: PAST */
    }
}

static void fault_3(void)
{
    volatile uint *block = sdram_block(WORDS, 0);
    block[WORDS] = 1; /* fault 3: PAST */
    sink++;
}

static void fault_5(void) /* does nothing wrong */
{
    publish(sdram_block(WORDS, 0));
}

static void fault_6(void)
{
    sink = *(volatile uint *)(SPARE_ITCM + sink); /* fault 6: UNWRITTEN */
}

static void fault_7(void)
{
    volatile uint *block = sark_alloc(WORDS, sizeof(uint));
    block[0] = 1;
    sink = block[1]; /* fault 7: UNWRITTEN */
    sink = block[0];
}

static void fault_8(void)
{
    volatile uint *block = sark_xalloc(sv->sdram_heap, BYTES, 0, ALLOC_LOCK);
    block[3] = 1;
    sink = block[3];
    sink = block[2]; /* fault 8: UNWRITTEN */
}

static uint __attribute__((noipa)) deep(uint rounds)
{
    volatile uint array[64];
    array[0] = rounds; /* fault 9: STACK */
    return rounds == 0 ? 0 : deep(rounds - 1) + array[0];
}

static void fault_9(void)
{
    sink = deep(20);
}

static void fault_10(void)
{
    volatile uint *from = sdram_block(4 * WORDS, 0);
    volatile uint *to = dtcm_block(WORDS);
    ASK(from, to, DMA_READ, 2 * BYTES); /* fault 10: DMA_BLOCK */
    sink++;
}

static void fault_11(void)
{
    transfer((uint)sdram_block(64, 0), DTCM_END - 64, DESC | 128);
}

static void fault_12(void)
{
    transfer((uint)sdram_block(64, 0), ITCM_END - 128, DESC | 256);
}

static void fault_13(void)
{
    volatile uint *to = sdram_block(WORDS, 0);
    volatile uint *from = dtcm_block(4 * WORDS);
    dma[DMA_ADRS] = (uint)to;
    dma[DMA_ADRT] = (uint)from;
    dma[DMA_DESC] = DESC | TO_SYSTEM | (BYTES + 4); /* fault 13: DMA_BLOCK */
    sink++;
}

static void fault_14(void)
{
    void *block = (void *)dtcm_block(WORDS);
    sark_free(block);
    sark_free(block); /* fault 14: DOUBLE_FREE */
    sink++;
}

static void fault_15(void)
{
    volatile uint *block = dtcm_block(WORDS);
    sark_free((void *)block);
    block[4] = 1; /* fault 15: FREED */
    sink++;
}

static void fault_16(void)
{
    volatile uint *block = dtcm_block(WORDS);
    sark_free((void *)block);
    sink = block[5]; /* fault 16: FREED */
}

static void fault_17(void)
{
    char *block = (char *)dtcm_block(4 * WORDS);
    sark_free(block + 8); /* fault 17: BAD_FREE */
    sink++;
}

static void fault_4(void)
{
    published(5)[1] = 1; /* fault 4: OTHERS */
    sink++;
}

/* ---- chip 1,0 ---- */

static void fault_18(void)
{
    void *block = (void *)sdram_block(WORDS, 0);
    sark_xfree(sv->sdram_heap, block, ALLOC_LOCK);
    sark_xfree(sv->sdram_heap, block, ALLOC_LOCK); /* fault 18: DOUBLE_FREE */
    sink++;
}

static void fault_19(void)
{
    volatile uint *block = sdram_block(WORDS, 0);
    sark_xfree(sv->sdram_heap, (void *)block, ALLOC_LOCK);
    sink = block[6]; /* fault 19: FREED */
}

static void fault_20(void)
{
    volatile ushort *block = (volatile ushort *)sdram_block(WORDS, 0);
    sark_xfree(sv->sdram_heap, (void *)block, ALLOC_LOCK);
    block[9] = 1; /* fault 20: FREED */
    sink++;
}

static void fault_21(void)
{
    heap_t *heap = itcm_heap();
    void *block = (void *)itcm_block(heap);
    sark_xfree(heap, block, 0);
    sark_xfree(heap, block, 0); /* fault 21: DOUBLE_FREE */
    sink++;
}

static void fault_22(void)
{
    heap_t *heap = itcm_heap();
    volatile uint *block = itcm_block(heap);
    sark_xfree(heap, (void *)block, 0);
    block[7] = 1; /* fault 22: FREED */
    sink++;
}

static void fault_23(void)
{
    volatile uint *block = itcm_block(itcm_heap());
    block[WORDS + 1] = 1; /* fault 23: PAST */
    sink++;
}

static void fault_24(void)
{
    volatile uint *block = dtcm_block(WORDS);
    block[1000] = 1; /* fault 24: STRAY */
    sink++;
}

static void fault_25(void)
{
    volatile uint *block = sdram_block(WORDS, 0);
    block[100000] = 1; /* fault 25: STRAY */
    sink++;
}

static void fault_27(void) /* does nothing wrong */
{
    publish(sdram_block(WORDS, 0));
}

static void fault_26(void)
{
    volatile uint *from = dtcm_block(WORDS);
    ASK(published(10), from, DMA_WRITE, BYTES); /* fault 26: DMA_OWNER */
    sink++;
}

/* Stores words from the end of a stack down. */
static void __attribute__((noipa)) push_all(volatile uint *top, uint words)
{
    for (uint i = 0; i < words; i++) {
        *--top = i; /* fault 28: PAST */ /* fault 29: CODE */
    }
}

static void fault_28(void) /* write past a block: of the one in front */
{
    volatile uint *below = sdram_block(WORDS, 0);
    volatile uint *stack = sdram_block(WORDS, 0);
    sink = (uint)below;
    push_all(stack + WORDS, WORDS + 1);
}

static void __attribute__((noinline, section(".text.zz_last"))) last_of_text(void)
{
    sink++;
}

static void fault_29(void) /* write into code: a stack behind it */
{
    const uint end = ((uint)last_of_text & ~3u) + 8;
    push_all((volatile uint *)(end + 4 * WORDS), WORDS + 1);
}

static void fault_30(void)
{
    volatile uchar *block = (volatile uchar *)dtcm_block(WORDS);
    block[BYTES] = 1; /* fault 30: PAST */
    sink++;
}

struct many {
    uint word[6];
};

static void __attribute__((noipa)) copy(struct many *to, const struct many *from)
{
    *to = *from; /* fault 31: PAST */
    sink++;
}

static void fault_31(void)
{
    volatile uint *from = dtcm_block(WORDS);
    volatile uint *to = dtcm_block(WORDS);
    copy((struct many *)(to + 4), (const struct many *)from);
}

static void fault_32(void)
{
    volatile ushort *block = sark_alloc(WORDS, sizeof(uint));
    block[0] = 1;
    sink = block[1]; /* fault 32: UNWRITTEN */
}

static void fault_33(void) /* does nothing wrong: a tag makes it everybody's */
{
    publish(sdram_block(WORDS, 1));
}

static void fault_34(void) /* does nothing wrong */
{
    published(16)[0] = 1;
    volatile uint *block = dtcm_block(WORDS);
    sark_free((void *)block);
    block = dtcm_block(WORDS);
    sink = block[WORDS - 1];
}

static fault *const FAULTS[] = {
    fault_1,  fault_2,  fault_3,  fault_4,  fault_5,  fault_6,  fault_7,  fault_8,  fault_9,
    fault_10, fault_11, fault_12, fault_13, fault_14, fault_15, fault_16, fault_17, fault_18,
    fault_19, fault_20, fault_21, fault_22, fault_23, fault_24, fault_25, fault_26, fault_27,
    fault_28, fault_29, fault_30, fault_31, fault_32, fault_33, fault_34};

/* When a core acts: in the order of their numbers, but that 4 and 9 wait for what 5 and 10 publish,
 * and core 1 of chip 1,0, which destroys the heap, is last. */
static uint turn_of(uint chip, uint core)
{
    const uint turn = 2 * core;
    return chip == 0 ? (core == 4 ? 11 : turn) : core == 9 ? 21 : core == 1 ? 40 : turn;
}

enum { TURN_US = 50 };

/* 40 instructions that each store where no block is. */
#define TWO_STORES(at)                                                                             \
    block[at] = 1;                                                                                 \
    block[(at) + 1] = 1;
#define TEN_STORES(at)                                                                             \
    TWO_STORES(at)                                                                                 \
    TWO_STORES((at) + 2) TWO_STORES((at) + 4) TWO_STORES((at) + 6) TWO_STORES((at) + 8)

static void store_everywhere(volatile uint *block)
{
    TEN_STORES(1000)
    TEN_STORES(1010)
    TEN_STORES(1020)
    TEN_STORES(1030)
}

void c_main(void)
{
#ifdef MANY
    enum { MANY_STORES = 1 };
#else
    enum { MANY_STORES = 0 };
#endif
    const uint chip = sark_chip_id() >> 8;
    const uint core = sark_core_id();
    if (MANY_STORES) {
        store_everywhere(dtcm_block(WORDS));
        return;
    }
    sark_delay_us(TURN_US * turn_of(chip, core));
    FAULTS[17 * chip + core - 1]();
}
