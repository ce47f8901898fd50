/* sark.c - the core itself: start, end, errors, memory, locks, delays. */
#include "runtime.h"
#include "stacks.h"

_Static_assert(sizeof(sv_t) == 256, "system variables fill 256 bytes");
_Static_assert(sizeof(vcpu_t) == 128, "a core's block fills 128 bytes");

extern uchar __heap_start[]; /* app.ld: behind the program's data */

sark_data_t sark;

enum { CYCLES_PER_DELAY_ROUND = 4, CORE_NUMBER_SHIFT = 24 };

void sark_cpu_state(cpu_state state)
{
    sark.vcpu->cpu_state = (uchar)state;
}

static void sleep_for_ever(void) __attribute__((noreturn));
static void sleep_for_ever(void)
{
    vic[VIC_DISABLE] = 0xffffffff;
    (void)cpu_int_disable();
    for (;;) {
        cpu_wfi();
    }
}

/* The heap takes the DTCM between the program's data and its stack. */
static void make_heap(uint stack_top)
{
    uchar *end = (uchar *)((stack_top - STACK_SYSTEM) & ~7u);
    heap_t *heap = (heap_t *)__heap_start;
    if (end < __heap_start + sizeof(heap_t) + 3 * sizeof(block_t)) {
        rt_error(RTE_MALLOC);
    }
    block_t *first = (block_t *)heap->buffer;
    block_t *last = (block_t *)(end - sizeof(block_t));
    first->next = first->free = last;
    last->next = last->free = NULL;
    heap->first = heap->free = first;
    heap->last = last;
    sark.heap = heap;
}

void sark_begin(uint app, uint itcm_bytes, uint dtcm_bytes, uint stack_top)
{
    sark.app_id = app & 0xff;
    sark.itcm_bytes = itcm_bytes;
    sark.dtcm_bytes = dtcm_bytes;
    sark.phys_cpu = dma[DMA_STAT] >> CORE_NUMBER_SHIFT;
    sark.virt_cpu = sv->p2v_map[sark.phys_cpu];
    sark.vcpu = sv->vcpu_base + sark.virt_cpu;
    sark.cpu_clk = sv->cpu_clk;
    sark_cpu_state(CPU_STATE_INIT);
    vic[VIC_DISABLE] = 0xffffffff;
    vic[VIC_DEFADDR] = (uint)spurious_interrupt;
    make_heap(stack_top);
    (void)cpu_int_enable();
    sark_cpu_state(CPU_STATE_SARK);
    c_main();
    sark_cpu_state(CPU_STATE_EXIT);
    sleep_for_ever();
}

void vic_slot(uint slot, uint source, void (*handler)(void))
{
    vic[VIC_ADDR0 + slot] = (uint)handler;
    vic[VIC_CNTL0 + slot] = SLOT_ENABLE | source;
}

void spurious_isr(void)
{
    vic[VIC_VADDR] = 0;
}

static void fail(uint code, uint address) __attribute__((noreturn));
static void fail(uint code, uint address)
{
    (void)cpu_int_disable();
    sark.vcpu->rt_code = (uchar)code;
    sark.vcpu->lr = address;
    sark_cpu_state(CPU_STATE_RTE);
    sleep_for_ever();
}

void rt_error(uint code, ...)
{
    fail(code, (uint)__builtin_return_address(0));
}

void rt_fault(uint code, uint address)
{
    fail(code, address);
}

void sark_delay_us(uint microseconds)
{
    const uint rounds = microseconds * sark.cpu_clk / CYCLES_PER_DELAY_ROUND;
    if (rounds > 0) {
        delay_loop(rounds);
    }
}

/* ---- locks ---- */

uint sark_lock_get(spin_lock lock)
{
    const uint cpsr = cpu_int_disable();
    while ((int)sc[SC_TAS0 + lock] < 0) {
    }
    return cpsr;
}

void sark_lock_free(uint cpsr, spin_lock lock)
{
    (void)sc[SC_TAC0 + lock];
    cpu_int_restore(cpsr);
}

/* ---- heaps: first fit, free blocks in the order of addresses ---- */

static uint room(const block_t *block)
{
    return (uint)((const uchar *)block->next - (const uchar *)block) - sizeof(block_t);
}

static void *take(heap_t *heap, uint size, uint tag)
{
    size = (size + 7) & ~7u;
    block_t *before = NULL;
    block_t *block = heap->free;
    while (block != NULL && block != heap->last && room(block) < size) {
        before = block;
        block = block->free;
    }
    if (block == NULL || block == heap->last) {
        return NULL;
    }
    block_t *next_free = block->free;
    if (room(block) >= size + sizeof(block_t) + 8) { /* the rest stays free */
        block_t *rest = (block_t *)((uchar *)(block + 1) + size);
        rest->next = block->next;
        rest->free = next_free;
        block->next = rest;
        next_free = rest;
    }
    if (before == NULL) {
        heap->free = next_free;
    } else {
        before->free = next_free;
    }
    block->free = (block_t *)(tag | 0xffff0000u);
    return block + 1;
}

static void give_back(heap_t *heap, void *memory)
{
    block_t *block = (block_t *)memory - 1;
    block_t *before = NULL;
    block_t *after = heap->free;
    while (after != NULL && after < block) {
        before = after;
        after = after->free;
    }
    block->free = after;
    if (before == NULL) {
        heap->free = block;
    } else {
        before->free = block;
    }
    if (after == block->next && after != heap->last) {
        /* Only the last block has no next block, and it is never free. */
        block->next = after->next; /* NOLINT */
        block->free = after->free;
    }
    if (before != NULL && before->next == block) {
        before->next = block->next;
        before->free = block->free;
    }
}

void *sark_xalloc(heap_t *heap, uint size, uint tag, uint flag)
{
    const uint cpsr = (flag & ALLOC_LOCK) != 0 ? sark_lock_get(LOCK_HEAP) : cpu_int_disable();
    void *memory = take(heap, size, tag);
    if ((flag & ALLOC_LOCK) != 0) {
        sark_lock_free(cpsr, LOCK_HEAP);
    } else {
        cpu_int_restore(cpsr);
    }
    return memory;
}

void sark_xfree(heap_t *heap, void *memory, uint flag)
{
    const uint cpsr = (flag & ALLOC_LOCK) != 0 ? sark_lock_get(LOCK_HEAP) : cpu_int_disable();
    give_back(heap, memory);
    if ((flag & ALLOC_LOCK) != 0) {
        sark_lock_free(cpsr, LOCK_HEAP);
    } else {
        cpu_int_restore(cpsr);
    }
}

void *sark_alloc(uint count, uint size)
{
    return sark_xalloc(sark.heap, count * size, 0, 0);
}

void sark_free(void *memory)
{
    sark_xfree(sark.heap, memory, 0);
}

/* ---- memory ---- */

void sark_word_cpy(void *to, const void *from, uint bytes)
{
    uint *out = to;
    const uint *in = from;
    for (uint words = (bytes + 3) / 4; words > 0; words--) {
        *out++ = *in++;
    }
}

void sark_word_set(void *to, uint word, uint bytes)
{
    uint *out = to;
    for (uint words = (bytes + 3) / 4; words > 0; words--) {
        *out++ = word;
    }
}

void sark_mem_cpy(void *to, const void *from, uint bytes)
{
    uchar *out = to;
    const uchar *in = from;
    if ((((uint)to | (uint)from) & 3) == 0) {
        sark_word_cpy(to, from, bytes & ~3u);
        out += bytes & ~3u;
        in += bytes & ~3u;
        bytes &= 3;
    }
    while (bytes-- > 0) {
        *out++ = *in++;
    }
}

/* The compiler calls these for structs and loops. */
void *memcpy(void *to, const void *from, uint bytes)
{
    sark_mem_cpy(to, from, bytes);
    return to;
}

void *memset(void *to, int value, uint bytes)
{
    uchar *out = to;
    while (bytes-- > 0) {
        *out++ = (uchar)value;
    }
    return to;
}
