/* rom_registers.h - registers that only the boot ROM uses, beside those of spinnaker.h; in the same
 * form, and compared with the models' tables by the same test. */
#pragma once
#include "workloads/runtime/include/spinnaker.h"

/* System controller (datasheet 14) */
#define SC_RST_CODE INT_AT(0x30)
#define SC_PLL1     INT_AT(0x50)
#define SC_PLL2     INT_AT(0x54)
#define SC_CLKMUX   INT_AT(0x60)
#define SC_ARB0     INT_AT(0x80)

/* DMA controller (datasheet 7) */
#define DMA_CRCT INT_AT(0x180)

/* Router (datasheet 10) */
#define RTR_DIAG_CTL INT_AT(0x02c)
#define RTR_P2P_BASE (RTR_BASE + 0x10000)

/* SDRAM controller (datasheet 13) */
#define PL340_BASE  0xe0000000
#define MC_CMD      INT_AT(0x04)
#define MC_DIRC     INT_AT(0x08)
#define MC_MCFG     INT_AT(0x0c)
#define MC_REFP     INT_AT(0x10)
#define MC_CASL     INT_AT(0x14)
#define MC_DQSS     INT_AT(0x18)
#define MC_MRD      INT_AT(0x1c)
#define MC_RAS      INT_AT(0x20)
#define MC_RC       INT_AT(0x24)
#define MC_RCD      INT_AT(0x28)
#define MC_RFC      INT_AT(0x2c)
#define MC_RP       INT_AT(0x30)
#define MC_RRD      INT_AT(0x34)
#define MC_WR       INT_AT(0x38)
#define MC_WTR      INT_AT(0x3c)
#define MC_XP       INT_AT(0x40)
#define MC_XSR      INT_AT(0x44)
#define MC_ESR      INT_AT(0x48)
#define MC_CHIP0    INT_AT(0x200)
#define DLL_STATUS  INT_AT(0x300)
#define DLL_CONFIG0 INT_AT(0x304)
#define DLL_CONFIG1 INT_AT(0x308)

/* Watchdog (datasheet 15) */
#define WDOG_BASE 0xe3000000
#define WD_LOAD   INT_AT(0x00)
#define WD_CTRL   INT_AT(0x08)
#define WD_INTCLR INT_AT(0x0c)

/* Ethernet controller (datasheet 16) */
#define ETH_TX_BASE   0xe4000000
#define ETH_RX_BASE   0xe4004000
#define ETH_BASE      0xe400c000
#define ETH_CONTROL   INT_AT(0x00)
#define ETH_STATUS    INT_AT(0x04)
#define ETH_TX_LEN    INT_AT(0x08)
#define ETH_TX_CMD    INT_AT(0x0c)
#define ETH_RX_CMD    INT_AT(0x10)
#define ETH_MAC_LO    INT_AT(0x14)
#define ETH_MAC_HI    INT_AT(0x18)
#define ETH_PHY_CTRL  INT_AT(0x1c)
#define ETH_INT_CLR   INT_AT(0x20)
#define ETH_RX_BUF_RP INT_AT(0x24)

/* Interrupt sources (datasheet 5.4) */
#define CC_RDY_INT 6
#define ETH_RX_INT 20
