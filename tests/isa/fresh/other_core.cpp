/* other_core.cpp - see other_core.h. */
#include "tests/isa/fresh/other_core.h"

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <stdexcept>
#include <unicorn/unicorn.h>

bool mode_has_spsr(uint32_t cpsr)
{
    return (cpsr & 0x1f) != 0x10 && (cpsr & 0x1f) != 0x1f;
}

bool fresh_view::operator==(const fresh_view &other) const
{
    return std::equal(r, r + 16, other.r) && cpsr == other.cpsr && spsr == other.spsr;
}

std::ostream &operator<<(std::ostream &out, const fresh_view &view)
{
    out << std::hex << std::setfill('0') << "cpsr " << std::setw(8) << view.cpsr << " spsr "
        << std::setw(8) << view.spsr;
    for (unsigned i = 0; i < 16; i++) {
        out << (i % 8 == 0 ? "\n  " : " ") << std::setw(8) << view.r[i];
    }
    return out << std::dec << std::setfill(' ') << "\n";
}

static uc_engine *uc(void *engine)
{
    return static_cast<uc_engine *>(engine);
}

/* CPSR first: it decides which registers the others are. */
static int REGISTERS[17] = {
    UC_ARM_REG_CPSR, UC_ARM_REG_R0,  UC_ARM_REG_R1, UC_ARM_REG_R2, UC_ARM_REG_R3, UC_ARM_REG_R4,
    UC_ARM_REG_R5,   UC_ARM_REG_R6,  UC_ARM_REG_R7, UC_ARM_REG_R8, UC_ARM_REG_R9, UC_ARM_REG_R10,
    UC_ARM_REG_R11,  UC_ARM_REG_R12, UC_ARM_REG_SP, UC_ARM_REG_LR, UC_ARM_REG_PC};

other_core::other_core(std::vector<uint8_t> *code, uint8_t *data) : engine(nullptr)
{
    uc_engine *made = nullptr;
    if (uc_open(UC_ARCH_ARM, UC_MODE_ARM, &made) != UC_ERR_OK ||
        uc_ctl_set_cpu_model(made, UC_CPU_ARM_946) != UC_ERR_OK ||
        uc_mem_map(made, 0, code->size(), UC_PROT_ALL) != UC_ERR_OK ||
        uc_mem_write(made, 0, code->data(), code->size()) != UC_ERR_OK ||
        uc_mem_map_ptr(made, FRESH_DATA_BASE, FRESH_DATA_BYTES, UC_PROT_READ | UC_PROT_WRITE,
                       data) != UC_ERR_OK) {
        throw std::runtime_error("the Unicorn engine cannot be set up");
    }
    engine = made;
}

other_core::~other_core()
{
    (void)uc_close(uc(engine));
}

bool other_core::run(const fresh_slot &slot, const fresh_state &state)
{
    uint32_t cpsr = state.cpsr;
    uint32_t spsr = state.spsr;
    uint32_t r[15];
    void *values[16] = {&cpsr};
    for (unsigned i = 0; i < 15; i++) {
        r[i] = state.r[i];
        values[i + 1] = &r[i];
    }
    (void)uc_reg_write_batch(uc(engine), REGISTERS, values, 16);
    if (mode_has_spsr(cpsr)) {
        (void)uc_reg_write(uc(engine), UC_ARM_REG_SPSR, &spsr);
    }
    return uc_emu_start(uc(engine), slot.address | (slot.thumb ? 1u : 0u), FRESH_END, 0, 0) ==
           UC_ERR_OK;
}

fresh_view other_core::view()
{
    fresh_view view = {};
    void *values[17] = {&view.cpsr};
    for (unsigned i = 0; i < 16; i++) {
        values[i + 1] = &view.r[i];
    }
    (void)uc_reg_read_batch(uc(engine), REGISTERS, values, 17);
    if (mode_has_spsr(view.cpsr)) {
        (void)uc_reg_read(uc(engine), UC_ARM_REG_SPSR, &view.spsr);
    }
    return view;
}

void other_core::enter_mode(uint32_t cpsr)
{
    (void)uc_reg_write(uc(engine), UC_ARM_REG_CPSR, &cpsr);
}
