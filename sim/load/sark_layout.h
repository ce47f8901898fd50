/* sark_layout.h - memory layout of SpiNNaker's system software in System RAM and SDRAM, as the host
 * writes and reads it.  Offsets in the system variables (sv) and in a core's block (vcpu) are from
 * spinnaker_tools, tools/boot/sark.struct; addresses are those that SC&MP sets up on a chip with
 * 128 MiB. */
#pragma once

/* Addresses */
#define SARK_VCPU_BASE         0xe5007000u
#define SARK_SV_BASE           0xe5007f00u
#define SARK_SYSRAM_HEAP       0xe5000100u
#define SARK_SYSRAM_HEAP_END   0xe5007000u
#define SARK_SDRAM_BASE        0x60000000u
#define SARK_SDRAM_HEAP        0x60640000u /* after the cores' system buffers and the user area */
#define SARK_SYSTEM_HEAP_BYTES 0x7c0000u   /* at the top of SDRAM */
#define SARK_SYSTEM_BYTES      0x800000u   /* with the area for APLX files below that heap */

enum {
    SARK_VCPU_BYTES = 128,
    SARK_SV_BYTES = 256,
    SARK_CORES = 18,
    SARK_CORE_BUFFER_WORDS = 32768, /* of each core, at the beginning of SDRAM */

    SV_P2P_ADDR = 0x00,
    SV_P2P_DIMS = 0x02,
    SV_P2P_UP = 0x06,
    SV_ETH_ADDR = 0x08,
    SV_HW_VER = 0x0a,
    SV_P2PB_REPEATS = 0x0c,
    SV_P2P_SQL = 0x0d,
    SV_CLK_DIV = 0x0e,
    SV_CPU_CLK = 0x24,
    SV_MEM_CLK = 0x26,
    SV_FORWARD = 0x28,
    SV_PEEK_TIME = 0x2a,
    SV_LED_PERIOD = 0x2b,
    SV_NETINIT_BC_WAIT = 0x2c,
    SV_NETINIT_PHASE = 0x2d,
    SV_P2P_ROOT = 0x2e,
    SV_LED0 = 0x30,
    SV_ROOT_CHIP = 0x40,
    SV_NUM_BUF = 0x41,
    SV_BOOT_DELAY = 0x42,
    SV_SOFT_WDOG = 0x43,
    SV_SYSRAM_HEAP = 0x48,
    SV_SDRAM_HEAP = 0x4c,
    SV_IOBUF_SIZE = 0x50,
    SV_SDRAM_BUFS = 0x54,
    SV_SYSBUF_SIZE = 0x58,
    SV_LINK_EN = 0x65,
    SV_SHM_ROOT = 0x68,
    SV_P2V_MAP = 0x94,
    SV_V2P_MAP = 0xa8,
    SV_NUM_CPUS = 0xbc,
    SV_ROM_CPUS = 0xbd,
    SV_SDRAM_BASE = 0xc0,
    SV_SYSRAM_BASE = 0xc4,
    SV_SDRAM_SYS = 0xc8,
    SV_VCPU_BASE = 0xcc,
    SV_SYS_HEAP = 0xd0,
    SV_RTR_COPY = 0xd4,
    SV_HOP_TABLE = 0xd8,
    SV_ALLOC_TAG = 0xdc,
    SV_RTR_FREE = 0xe0,
    SV_P2P_ACTIVE = 0xe2,
    SV_APP_DATA = 0xe4,
    SV_SHM_BUF = 0xe8,
    SV_SW_VER = 0xfc,

    NETINIT_DONE = 0xff,

    VCPU_LR = 0x28,
    VCPU_RT_CODE = 0x2c,
    VCPU_PHYS_CPU = 0x2d,
    VCPU_CPU_STATE = 0x2e,
    VCPU_APP_ID = 0x2f,
    VCPU_APP_NAME = 0x48,
    VCPU_APP_NAME_BYTES = 16,
    VCPU_IOBUF = 0x58,
    VCPU_SW_VER = 0x5c,
    VCPU_USER0 = 0x70,
    VCPU_USER1 = 0x74,

    /* run-time errors with these codes are faults of the core: VCPU_LR is the address of the
       instruction, otherwise that behind the call of rt_error() */
    RTE_UNDEF = 2,
    RTE_DABT = 5,

    CPU_STATE_RTE = 2,
    CPU_STATE_WAIT = 5,
    CPU_STATE_RUN = 7,
    CPU_STATE_SYNC0 = 8,
    CPU_STATE_EXIT = 11,
    CPU_STATE_IDLE = 15,

    IOBUF_NEXT = 0x00,
    IOBUF_USED = 0x0c,
    IOBUF_TEXT = 0x10,
    IOBUF_SIZE = 16384,

    HEAP_FREE = 0,
    HEAP_FIRST = 4,
    HEAP_LAST = 8,
    HEAP_BUFFER = 12,
    HEAP_BLOCK_BYTES = 8
};
