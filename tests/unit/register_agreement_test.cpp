/* The models' register tables and the header that programs use state the same registers twice, in
 * independent words: this is the one place where they meet. */
extern "C" {
#include "models/chip/memory_map.h"
#include "models/chip/sysctl.h"
#include "models/chip/vic.h"
}
#include "workloads/boot_rom/rom_registers.h"

#include <gtest/gtest.h>

#include <string>

namespace
{

/* The header's names are macros: they are taken before the tables' names, under one of their own.
 */
struct program_register {
    const char *name;
    unsigned offset;
};

#define OF_PROGRAM(name)                                                                           \
    {                                                                                              \
#name, (name)*4                                                                            \
    }
const program_register PROGRAM[] = {
    OF_PROGRAM(T1_LOAD),      OF_PROGRAM(T1_COUNT),     OF_PROGRAM(T1_CONTROL),
    OF_PROGRAM(T1_INT_CLR),   OF_PROGRAM(T1_RAW_INT),   OF_PROGRAM(T1_MASK_INT),
    OF_PROGRAM(T1_BG_LOAD),   OF_PROGRAM(VIC_IRQST),    OF_PROGRAM(VIC_FIQST),
    OF_PROGRAM(VIC_RAW),      OF_PROGRAM(VIC_SELECT),   OF_PROGRAM(VIC_ENABLE),
    OF_PROGRAM(VIC_DISABLE),  OF_PROGRAM(VIC_SOFT_SET), OF_PROGRAM(VIC_SOFT_CLR),
    OF_PROGRAM(VIC_PROTECT),  OF_PROGRAM(VIC_VADDR),    OF_PROGRAM(VIC_DEFADDR),
    OF_PROGRAM(VIC_ADDR0),    OF_PROGRAM(VIC_CNTL0),    OF_PROGRAM(DMA_ADRS),
    OF_PROGRAM(DMA_ADRT),     OF_PROGRAM(DMA_DESC),     OF_PROGRAM(DMA_CTRL),
    OF_PROGRAM(DMA_STAT),     OF_PROGRAM(DMA_GCTL),     OF_PROGRAM(SC_CHIP_ID),
    OF_PROGRAM(SC_CPU_DIS),   OF_PROGRAM(SC_SET_IRQ),   OF_PROGRAM(SC_CLR_IRQ),
    OF_PROGRAM(SC_SET_OK),    OF_PROGRAM(SC_MON_ID),    OF_PROGRAM(SC_MISC_CTRL),
    OF_PROGRAM(SC_SETFLAG),   OF_PROGRAM(SC_CLRFLAG),   OF_PROGRAM(SC_SLEEP),
    OF_PROGRAM(SC_TAS0),      OF_PROGRAM(SC_TAC0),      OF_PROGRAM(CC_TCR),
    OF_PROGRAM(CC_TXDATA),    OF_PROGRAM(CC_TXKEY),     OF_PROGRAM(CC_RSR),
    OF_PROGRAM(CC_RXDATA),    OF_PROGRAM(CC_RXKEY),     OF_PROGRAM(CC_SAR),
    OF_PROGRAM(CC_TSTR),      OF_PROGRAM(RTR_CONTROL),  OF_PROGRAM(RTR_STATUS),
    OF_PROGRAM(RTR_DHDR),     OF_PROGRAM(RTR_DKEY),     OF_PROGRAM(RTR_DDAT),
    OF_PROGRAM(RTR_DLINK),    OF_PROGRAM(RTR_DSTAT),    OF_PROGRAM(RTR_TEST_RESULT),
    OF_PROGRAM(RTR_TEST_KEY), OF_PROGRAM(SC_RST_CODE),  OF_PROGRAM(GPIO_PORT),
    OF_PROGRAM(GPIO_DIR),     OF_PROGRAM(GPIO_SET),     OF_PROGRAM(GPIO_CLR),
    OF_PROGRAM(SC_PLL1),      OF_PROGRAM(SC_PLL2),      OF_PROGRAM(SC_CLKMUX),
    OF_PROGRAM(SC_ARB0),      OF_PROGRAM(DMA_CRCT),     OF_PROGRAM(RTR_DIAG_CTL),
    OF_PROGRAM(MC_CMD),       OF_PROGRAM(MC_DIRC),      OF_PROGRAM(MC_MCFG),
    OF_PROGRAM(MC_REFP),      OF_PROGRAM(MC_CASL),      OF_PROGRAM(MC_DQSS),
    OF_PROGRAM(MC_MRD),       OF_PROGRAM(MC_RAS),       OF_PROGRAM(MC_RC),
    OF_PROGRAM(MC_RCD),       OF_PROGRAM(MC_RFC),       OF_PROGRAM(MC_RP),
    OF_PROGRAM(MC_RRD),       OF_PROGRAM(MC_WR),        OF_PROGRAM(MC_WTR),
    OF_PROGRAM(MC_XP),        OF_PROGRAM(MC_XSR),       OF_PROGRAM(MC_ESR),
    OF_PROGRAM(MC_CHIP0),     OF_PROGRAM(DLL_STATUS),   OF_PROGRAM(DLL_CONFIG0),
    OF_PROGRAM(DLL_CONFIG1),  OF_PROGRAM(WD_LOAD),      OF_PROGRAM(WD_CTRL),
    OF_PROGRAM(WD_INTCLR),
};
/* The controller's registers follow its RAMs. */
const program_register ETHERNET[] = {
    OF_PROGRAM(ETH_CONTROL),   OF_PROGRAM(ETH_STATUS),   OF_PROGRAM(ETH_TX_LEN),
    OF_PROGRAM(ETH_TX_CMD),    OF_PROGRAM(ETH_RX_CMD),   OF_PROGRAM(ETH_MAC_LO),
    OF_PROGRAM(ETH_MAC_HI),    OF_PROGRAM(ETH_PHY_CTRL), OF_PROGRAM(ETH_INT_CLR),
    OF_PROGRAM(ETH_RX_BUF_RP),
};
#undef OF_PROGRAM

constexpr unsigned SECOND_TIMER[] = {T2_LOAD,    T2_COUNT,    T2_CONTROL, T2_INT_CLR,
                                     T2_RAW_INT, T2_MASK_INT, T2_BG_LOAD};
constexpr unsigned FIRST_TIMER[] = {T1_LOAD,    T1_COUNT,    T1_CONTROL, T1_INT_CLR,
                                    T1_RAW_INT, T1_MASK_INT, T1_BG_LOAD};

struct model_register {
    const char *name;
    unsigned offset;
};

#define REG(name, offset, reset, access, help)   {#name, offset},
#define SETTING(name, offset, reset, mask, help) {#name, offset},
const model_register MODEL[] = {
#include "models/chip/comms_regs.def"
#include "models/chip/dma_regs.def"
#include "models/chip/ethernet_regs.def"
#include "models/chip/pl340_regs.def"
#include "models/chip/sysctl_regs.def"
#include "models/chip/timer_regs.def"
#include "models/chip/vic_regs.def"
#include "models/chip/watchdog_regs.def"
#include "models/network/router_regs.def"
};
#undef REG
#undef SETTING

unsigned found_at(const char *name, unsigned offset)
{
    unsigned found = 0;
    for (const model_register &model : MODEL) {
        if (std::string(model.name) == name) {
            EXPECT_EQ(model.offset, offset) << name;
            found++;
        }
    }
    return found;
}

TEST(RegisterAgreement, EveryRegisterOfTheProgramsIsInAModelsTable)
{
    for (const program_register &program : PROGRAM) {
        EXPECT_EQ(found_at(program.name, program.offset), 1u) << program.name;
    }
    for (const program_register &program : ETHERNET) {
        const unsigned offset = program.offset + (ETH_BASE & 0xffff);
        EXPECT_EQ(found_at(program.name, offset), 1u) << program.name;
    }
}

TEST(RegisterAgreement, TheSecondTimerFollowsTheFirst)
{
    for (unsigned i = 0; i < std::size(FIRST_TIMER); i++) {
        EXPECT_EQ(SECOND_TIMER[i] * 4, FIRST_TIMER[i] * 4 + 0x20) << i;
    }
}

TEST(RegisterAgreement, InterruptSourcesHaveTheSameNumbers)
{
    EXPECT_EQ(SOFTWARE_INT, VIC_SOURCE_SOFTWARE);
    EXPECT_EQ(TIMER1_INT, VIC_SOURCE_TIMER1);
    EXPECT_EQ(TIMER2_INT, VIC_SOURCE_TIMER2);
    EXPECT_EQ(DMA_DONE_INT, VIC_SOURCE_DMA_DONE);
    EXPECT_EQ(DMA_ERR_INT, VIC_SOURCE_DMA_ERROR);
    EXPECT_EQ(RTR_DUMP_INT, VIC_SOURCE_ROUTER_DUMP);
    EXPECT_EQ(CPU_INT, VIC_SOURCE_SYSCTL);
    EXPECT_EQ(CC_TMT_INT, VIC_SOURCE_COMMS_EMPTY);
    EXPECT_EQ(CC_TNF_INT, VIC_SOURCE_COMMS_NOT_FULL);
    EXPECT_EQ(CC_MC_INT, VIC_SOURCE_COMMS_MULTICAST);
    EXPECT_EQ(CC_P2P_INT, VIC_SOURCE_COMMS_POINT_TO_POINT);
    EXPECT_EQ(CC_FR_INT, VIC_SOURCE_COMMS_FIXED_ROUTE);
    EXPECT_EQ(CC_RDY_INT, VIC_SOURCE_COMMS_RECEIVED);
    EXPECT_EQ(ETH_RX_INT, VIC_SOURCE_ETHERNET_RX);
}

TEST(RegisterAgreement, TheSecurityCodeOfTheProgramsOpensTheSystemController)
{
    sysctl block = {};
    sysctl_effects changed = {};
    sysctl_reset(&block);
    EXPECT_EQ(
        sysctl_write32(&block, 4 * SC_SET_IRQ, true, SC_CODE | 1u << (NUM_CPUS - 1), &changed),
        REGISTER_OK);
    EXPECT_EQ(changed.irq, 1u << (NUM_CPUS - 1));
    EXPECT_EQ(NUM_CPUS, SYSCTL_CORES);
}

TEST(RegisterAgreement, BlocksStandWhereProgramsLookForThem)
{
    const struct {
        uint32_t address;
        memory_block block;
    } bases[] = {
        {TIMER_BASE, MEMORY_TIMER},       {VIC_BASE_UNBUF, MEMORY_VIC},
        {DMA_BASE, MEMORY_DMA},           {SYSCTL_BASE, MEMORY_SYSCTL},
        {CC_BASE, MEMORY_COMMS},          {RTR_BASE, MEMORY_ROUTER},
        {SDRAM_BASE_BUF, MEMORY_SDRAM},   {SDRAM_BASE_UNBUF, MEMORY_SDRAM},
        {SYSRAM_BASE_BUF, MEMORY_SYSRAM}, {SYSRAM_BASE_UNBUF, MEMORY_SYSRAM},
        {PL340_BASE, MEMORY_PL340},       {WDOG_BASE, MEMORY_WATCHDOG},
        {ETH_TX_BASE, MEMORY_ETHERNET},
    };
    for (const auto &base : bases) {
        const memory_place place = memory_map_find(base.address);
        EXPECT_EQ(place.block, base.block) << std::hex << base.address;
        EXPECT_EQ(place.offset, 0u) << std::hex << base.address;
    }
}

TEST(RegisterAgreement, StoresToBufferedBasesMayBePosted)
{
    const uint32_t buffered[] = {TIMER_BASE, SDRAM_BASE_BUF, SYSRAM_BASE_BUF, SYSCTL_BASE};
    const uint32_t unbuffered[] = {VIC_BASE_UNBUF, SDRAM_BASE_UNBUF, SYSRAM_BASE_UNBUF};
    for (const uint32_t address : buffered) {
        EXPECT_EQ(address >> 28 & 1, 0u) << std::hex << address;
    }
    for (const uint32_t address : unbuffered) {
        EXPECT_EQ(address >> 28 & 1, 1u) << std::hex << address;
    }
}

} // namespace
