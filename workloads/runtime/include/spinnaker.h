/* spinnaker.h - registers and addresses of a SpiNNaker chip as programs use them. Names and values
 * follow the SpiNNaker datasheet v2.02 and the header of the same name of spinnaker_tools, so that
 * a program compiles against either.  Registers are word indices: `dma[DMA_DESC] = ...`.  The
 * header contains only what this runtime and its programs use; tests compare it with the models'
 * register tables. */
#pragma once

#define INT_AT(byte_offset) ((byte_offset) / 4)

#define NUM_CPUS            18

/* Memories */
#define ITCM_BASE         0x00000000
#define DTCM_BASE         0x00400000
#define SDRAM_BASE_BUF    0x60000000
#define SDRAM_BASE_UNBUF  0x70000000
#define SDRAM_BASE        SDRAM_BASE_BUF
#define SYSRAM_BASE_BUF   0xe5000000
#define SYSRAM_BASE_UNBUF 0xf5000000
#define SYSRAM_BASE       SYSRAM_BASE_BUF
#define SYSRAM_SIZE       0x00008000

/* Timers (datasheet 6) */
#define TIMER_BASE  0x21000000
#define T1_LOAD     INT_AT(0x00)
#define T1_COUNT    INT_AT(0x04)
#define T1_CONTROL  INT_AT(0x08)
#define T1_INT_CLR  INT_AT(0x0c)
#define T1_RAW_INT  INT_AT(0x10)
#define T1_MASK_INT INT_AT(0x14)
#define T1_BG_LOAD  INT_AT(0x18)
#define T2_LOAD     INT_AT(0x20)
#define T2_COUNT    INT_AT(0x24)
#define T2_CONTROL  INT_AT(0x28)
#define T2_INT_CLR  INT_AT(0x2c)
#define T2_RAW_INT  INT_AT(0x30)
#define T2_MASK_INT INT_AT(0x34)
#define T2_BG_LOAD  INT_AT(0x38)

/* Vectored interrupt controller (datasheet 5) */
#define VIC_BASE_UNBUF 0x1f000000
#define VIC_IRQST      INT_AT(0x00)
#define VIC_FIQST      INT_AT(0x04)
#define VIC_RAW        INT_AT(0x08)
#define VIC_SELECT     INT_AT(0x0c)
#define VIC_ENABLE     INT_AT(0x10)
#define VIC_DISABLE    INT_AT(0x14)
#define VIC_SOFT_SET   INT_AT(0x18)
#define VIC_SOFT_CLR   INT_AT(0x1c)
#define VIC_PROTECT    INT_AT(0x20)
#define VIC_VADDR      INT_AT(0x30)
#define VIC_DEFADDR    INT_AT(0x34)
#define VIC_ADDR0      INT_AT(0x100)
#define VIC_CNTL0      INT_AT(0x200)

/* Interrupt sources (datasheet 5.4) */
#define SOFTWARE_INT 1
#define TIMER1_INT   4
#define TIMER2_INT   5
#define CC_TMT_INT   11
#define DMA_DONE_INT 12
#define DMA_ERR_INT  13
#define RTR_DUMP_INT 16
#define CPU_INT      18
#define CC_TNF_INT   23
#define CC_MC_INT    24
#define CC_P2P_INT   25
#define CC_FR_INT    27

/* Communications controller (datasheet 8) */
#define CC_BASE   0x10000000
#define CC_TCR    INT_AT(0x00)
#define CC_TXDATA INT_AT(0x04)
#define CC_TXKEY  INT_AT(0x08)
#define CC_RSR    INT_AT(0x0c)
#define CC_RXDATA INT_AT(0x10)
#define CC_RXKEY  INT_AT(0x14)
#define CC_SAR    INT_AT(0x18)
#define CC_TSTR   INT_AT(0x1c)

/* Control of the packets that are sent (CC_TCR) */
#define PKT_MC    0x00000000
#define PKT_MC_PL 0x00020000
#define PKT_FR    0x00c00000
#define PKT_FR_PL 0x00c20000

/* Router (datasheet 10): its registers and its multicast table */
#define RTR_BASE        0xf1000000
#define RTR_CONTROL     INT_AT(0x000)
#define RTR_STATUS      INT_AT(0x004)
#define RTR_DHDR        INT_AT(0x018)
#define RTR_DKEY        INT_AT(0x01c)
#define RTR_DDAT        INT_AT(0x020)
#define RTR_DLINK       INT_AT(0x024)
#define RTR_DSTAT       INT_AT(0x028)
#define RTR_FR          INT_AT(0x084)
#define RTR_TEST_RESULT INT_AT(0xf00)
#define RTR_TEST_KEY    INT_AT(0xf04)
#define MC_TABLE_SIZE   1024
#define NUM_LINKS       6
#define RTR_MCRAM_BASE  (RTR_BASE + 0x4000)
#define RTR_MCKEY_BASE  (RTR_BASE + 0x8000)
#define RTR_MCMASK_BASE (RTR_BASE + 0xc000)

/* DMA controller (datasheet 7) */
#define DMA_BASE 0x40000000
#define DMA_ADRS INT_AT(0x04)
#define DMA_ADRT INT_AT(0x08)
#define DMA_DESC INT_AT(0x0c)
#define DMA_CTRL INT_AT(0x10)
#define DMA_STAT INT_AT(0x14)
#define DMA_GCTL INT_AT(0x18)

/* System controller (datasheet 14); registers marked S there take a write only with SC_CODE */
#define SYSCTL_BASE  0xe2000000
#define SC_CODE      0x5ec00000
#define SC_CHIP_ID   INT_AT(0x00)
#define SC_CPU_DIS   INT_AT(0x04)
#define SC_SET_IRQ   INT_AT(0x08)
#define SC_CLR_IRQ   INT_AT(0x0c)
#define SC_SET_OK    INT_AT(0x10)
#define SC_MON_ID    INT_AT(0x34)
#define SC_MISC_CTRL INT_AT(0x38)
#define GPIO_PORT    INT_AT(0x40)
#define GPIO_DIR     INT_AT(0x44)
#define GPIO_SET     INT_AT(0x48)
#define GPIO_CLR     INT_AT(0x4c)
#define SC_SETFLAG   INT_AT(0x58)
#define SC_CLRFLAG   INT_AT(0x5c)
#define SC_SLEEP     INT_AT(0x64)
#define SC_TAS0      INT_AT(0x100)
#define SC_TAC0      INT_AT(0x180)

#ifndef __ASSEMBLER__
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned char uchar;

static volatile uint *const tc = (volatile uint *)TIMER_BASE;
static volatile uint *const vic = (volatile uint *)VIC_BASE_UNBUF;
static volatile uint *const dma = (volatile uint *)DMA_BASE;
static volatile uint *const cc = (volatile uint *)CC_BASE;
static volatile uint *const rtr = (volatile uint *)RTR_BASE;
static volatile uint *const rtr_ram = (volatile uint *)RTR_MCRAM_BASE;
static volatile uint *const rtr_key = (volatile uint *)RTR_MCKEY_BASE;
static volatile uint *const rtr_mask = (volatile uint *)RTR_MCMASK_BASE;
static volatile uint *const sc = (volatile uint *)SYSCTL_BASE;
#endif
