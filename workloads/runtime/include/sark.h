/* sark.h - the part of SARK, the SpiNNaker application run-time kernel, that our programs use.
 * Names, types and layouts in shared memory follow spinnaker_tools' sark.h, so that a program
 * compiles against either, and a host tool finds what it expects. */
#pragma once
#include "spinnaker.h"

#ifndef NULL
#define NULL 0
#endif

/* Run-time error codes: argument of rt_error(), kept in vcpu->rt_code for host tools. */
typedef enum rte_code_e {
    RTE_NONE,
    RTE_RESET,
    RTE_UNDEF,
    RTE_SVC,
    RTE_PABT,
    RTE_DABT,
    RTE_IRQ,
    RTE_FIQ,
    RTE_VIC,
    RTE_ABORT,
    RTE_MALLOC,
    RTE_DIV0,
    RTE_EVENT,
    RTE_SWERR,
    RTE_IOBUF,
    RTE_ENABLE,
    RTE_NULL,
    RTE_PKT,
    RTE_TIMER,
    RTE_API,
    RTE_VER
} rte_code;

/* State of a core, in vcpu->cpu_state. */
typedef enum cpu_state_e {
    CPU_STATE_DEAD,
    CPU_STATE_PWRDN,
    CPU_STATE_RTE,
    CPU_STATE_WDOG,
    CPU_STATE_INIT,
    CPU_STATE_WAIT,
    CPU_STATE_SARK,
    CPU_STATE_RUN,
    CPU_STATE_SYNC0,
    CPU_STATE_SYNC1,
    CPU_STATE_PAUSE,
    CPU_STATE_EXIT,
    CPU_STATE_IDLE = 15
} cpu_state;

/* Test-and-set locks that are reserved by convention; applications use the numbers behind them. */
enum spin_lock_e {
    LOCK_MSG,
    LOCK_MBOX,
    LOCK_ETHER,
    LOCK_GPIO,
    LOCK_API_ROOT,
    LOCK_SEMA,
    LOCK_HEAP,
    LOCK_RTR
};
typedef uint spin_lock;

/* What a mailbox holds: vcpu->mbox_ap_cmd and mbox_mp_cmd. */
typedef enum shm_cmd_e { SHM_IDLE, SHM_MSG, SHM_NOP, SHM_SIGNAL, SHM_CMD } shm_cmd;

/* Blocks of one size. */
typedef struct mem_link {
    struct mem_link *next; /* free block */
} mem_link_t;

typedef struct mem_block {
    mem_link_t *free;
    ushort count, max; /* in use, and at most so far */
} mem_block_t;

/* An entry in the copy of the router's multicast table (sv->rtr_copy). */
typedef struct rtr_entry {
    ushort next; /* of a block's first entry: the entry behind the block */
    ushort free; /* of a free block's first entry: the next free block; else whose it is */
    uint route, key, mask;
} rtr_entry_t;

/* Messages (SDP).  A port is a core's number in bits 4:0 and the port's in 7:5. */
#define NUM_SDP_PORTS 8
#define PORT_SHIFT    5
#define PORT_MASK     0xe0
#define CPU_MASK      0x1f
#define PORT_ETH      255 /* destination: a host, by the tag */
#define SDP_BUF_SIZE  256 /* bytes of data */

typedef struct sdp_msg {
    struct sdp_msg *next;    /* free message */
    ushort length, checksum; /* bytes from `flags` on: 8 of header, 16 of command, data */
    uchar flags, tag;        /* flags: 0x07, or 0x87 where an answer is asked for */
    uchar dest_port, srce_port;
    ushort dest_addr, srce_addr; /* chips: x << 8 | y */
    ushort cmd_rc, seq;
    uint arg1, arg2, arg3;
    uchar data[SDP_BUF_SIZE];
    uint spare;
} sdp_msg_t;

/* Heaps: all blocks are linked by address, free ones also among themselves; the last block is a
 * sentinel without room. */
typedef struct block {
    struct block *next;
    struct block *free; /* next free block, or the tag of one in use */
} block_t;

typedef struct {
    block_t *free;
    block_t *first;
    block_t *last;
    uchar buffer[];
} heap_t;

#define ALLOC_LOCK 1 /* flag of sark_xalloc: other cores use this heap too */

/* The block of a virtual core in System RAM: 128 bytes. */
typedef struct vcpu {
    uint r[8];
    uint psr, sp, lr;
    uchar rt_code, phys_cpu, cpu_state, app_id;
    void *volatile mbox_ap_msg;
    void *volatile mbox_mp_msg;
    volatile uchar mbox_ap_cmd, mbox_mp_cmd;
    ushort sw_count;
    char *sw_file;
    uint sw_line, time;
    char app_name[16];
    void *iobuf;
    uint sw_ver, spare[4];
    uint user0, user1, user2, user3;
} vcpu_t;

/* System variables at the top of System RAM: 256 bytes, written by the software that boots the
 * chip. */
typedef struct sv {
    ushort p2p_addr, p2p_dims, dbg_addr;
    uchar p2p_up, last_id;
    ushort eth_addr;
    uchar hw_ver, eth_up, p2pb_repeats, p2p_sql, clk_div, tp_scale;
    volatile unsigned long long clock_ms;
    volatile ushort time_ms;
    ushort ltpc_period;
    volatile uint unix_time;
    uint tp_timer;
    ushort cpu_clk, mem_clk; /* MHz */
    uchar forward, retry, peek_time, led_period, netinit_bc_wait, netinit_phase;
    ushort p2p_root;
    uint led0, led1, clock_drift, random;
    uchar root_chip, num_buf, boot_delay, soft_wdog;
    uint sync_alignment;
    heap_t *sysram_heap, *sdram_heap;
    uint iobuf_size; /* bytes of text in an I/O buffer */
    uint *sdram_bufs;
    uint sysbuf_size, boot_sig, mem_ptr;
    volatile uchar lock;
    uchar link_en, last_biff_id, bt_flags;
    mem_block_t shm_root; /* messages that cores share */
    uint utmp[4];
    uchar status_map[20], p2v_map[20], v2p_map[20];
    uchar num_cpus, rom_cpus;
    ushort board_addr;
    uint *sdram_base, *sysram_base, *sdram_sys;
    vcpu_t *vcpu_base;
    heap_t *sys_heap;
    rtr_entry_t *rtr_copy;
    void *hop_table, *alloc_tag;
    ushort rtr_free, p2p_active; /* the first free block of router entries */
    void *app_data;
    sdp_msg_t *shm_buf;
    uint mbox_flags;
    uchar ip_addr[4];
    uint fr_copy;
    void *board_info;
    uint sw_ver;
} sv_t;

#define SV_SV 0xe5007f00
static sv_t *const sv = (sv_t *)SV_SV;

/* Identity and memories of this core. */
typedef struct sark_data {
    uint virt_cpu, phys_cpu;
    uint app_id;
    uint cpu_clk;                /* MHz */
    uint itcm_bytes, dtcm_bytes; /* as CP15 reports them */
    vcpu_t *vcpu;
    heap_t *heap; /* in DTCM, behind the program's data */
} sark_data_t;
extern sark_data_t sark;
#define sv_vcpu (sark.vcpu)

/* The program's entry. */
extern void c_main(void);

/* ---- the core ---- */
static inline uint sark_core_id(void)
{
    return sark.virt_cpu;
}
static inline uint sark_chip_id(void) /* x << 8 | y */
{
    return sv->p2p_addr;
}
static inline uint sark_app_id(void)
{
    return sark.app_id;
}
void sark_cpu_state(cpu_state state);

/* Disable or enable interrupts; return the old CPSR for cpu_int_restore(). */
uint cpu_int_disable(void);
uint cpu_irq_disable(void);
uint cpu_fiq_disable(void);
uint cpu_int_enable(void);
uint cpu_irq_enable(void);
uint cpu_fiq_enable(void);
void cpu_int_restore(uint cpsr);
void cpu_wfi(void); /* ends on any interrupt that the VIC lets through, masked in CPSR or not */

/* Ends the program with an error: writes state and code to the vcpu block, then sleeps for ever. */
void rt_error(uint code, ...) __attribute__((noreturn));

void sark_delay_us(uint microseconds);

/* ---- memory ---- */
void *sark_alloc(uint count, uint size); /* from DTCM; NULL when there is no room */
void sark_free(void *memory);
void *sark_xalloc(heap_t *heap, uint size, uint tag, uint flag);
void sark_xfree(heap_t *heap, void *memory, uint flag);
void sark_mem_cpy(void *to, const void *from, uint bytes);
void sark_word_cpy(void *to, const void *from,
                   uint bytes); /* both word-aligned; bytes rounded up to words */
void sark_word_set(void *to, uint word, uint bytes);

/* ---- router ---- */

/* Sets an entry of the chip's multicast table.  Bits of `route`: links in 5:0, physical cores in
 * 23:6.  Returns FAILURE (0) when there is no such entry. */
uint rtr_mc_set(uint entry, uint key, uint mask, uint route);
#define MC_LINK_ROUTE(link) (1u << (link))
#define MC_CORE_ROUTE(core) (1u << ((core) + NUM_LINKS))

/* Takes a block of `size` entries that no other application uses, for this application or for
 * another; returns its first entry, 0 when there is none.  Needs the system's software, as all
 * functions of blocks. */
uint rtr_alloc(uint size);
uint rtr_alloc_id(uint size, uint app_id);
/* Gives back the block that begins at an entry; `clear`: its entries match no key any more. */
void rtr_free(uint entry, uint clear);
/* Gives back all blocks of an application; returns how many there were. */
uint rtr_free_id(uint app_id, uint clear);
/* Entries of the largest free block. */
uint rtr_alloc_max(void);

/* Where the router sends fixed-route packets: a route in which cores are virtual ones. */
void rtr_fr_set(uint route);
uint rtr_fr_get(void);

/* ---- locks of the chip ---- */
uint sark_lock_get(spin_lock lock); /* interrupts off; returns the old CPSR */
void sark_lock_free(uint cpsr, spin_lock lock);

/* ---- the system's software ---- */

/* Whether SC&MP, or what stands in for it, has set up this chip.  Without it there are no messages,
 * no blocks of router entries and no LEDs. */
uint sark_has_system(void);

/* ---- messages (SDP) ---- */

/* One of four in DTCM; NULL while all are in use. */
sdp_msg_t *sark_msg_get(void);
void sark_msg_free(sdp_msg_t *message);

/* Sends a message, which stays the sender's.  Returns 0 when the monitor has not taken the one
 * before after `timeout` milliseconds, when no shared memory is free, and without a system's
 * software.  1 says that the monitor has been told: no more. */
uint sark_msg_send(sdp_msg_t *message, uint timeout);
void sark_msg_cpy(sdp_msg_t *to, const sdp_msg_t *from); /* all but the link */

/* Messages in the chip's shared memory; NULL when none is free. */
sdp_msg_t *sark_shmsg_get(void);
void sark_shmsg_free(sdp_msg_t *message);

/* ---- random numbers ---- */

/* The same numbers as SARK's, also without a seed: 32 bits of a shift register of 33.  Each core
 * has its own, and all begin alike. */
void sark_srand(uint seed);
uint sark_rand(void);

/* ---- LEDs ---- */

/* What to do to LED n of the board; the sum of several is one argument of sark_led_set(). */
#define LED_ON(n)   (3 << (2 * (n)))
#define LED_OFF(n)  (2 << (2 * (n)))
#define LED_INV(n)  (1 << (2 * (n)))
#define LED_FLIP(n) LED_INV(n)
void sark_led_set(uint leds);

/* ---- text ---- */
#define IO_STD  ((char *)0) /* the same as IO_BUF */
#define IO_DBG  ((char *)1)
#define IO_BUF  ((char *)2) /* a buffer in SDRAM that the host reads */
#define IO_NULL ((char *)3)

/* Conversions: c s d u x (with width, 0 and -), and k for s16.15 with a precision, six digits by
 * default.  A stream other than the ones above is an array that receives the text and a terminating
 * zero. */
void io_printf(char *stream, char *format, ...);
