#include "tests/unit/machine_busy.h"

constexpr uint32_t LOCK = 0xf2000100;
constexpr uint32_t UNLOCK = 0xf2000180;
constexpr uint32_t IRQ_VECTOR = 0x18;
constexpr uint32_t HANDLER = 0x200;
constexpr uint32_t MAIN = BUSY_MAIN;
constexpr uint32_t RETURN = 0xe25ef004; /* SUBS pc, lr, #4 */

void make_busy(MachineBench &bench)
{
    for (unsigned core = 0; core < 6; core++) {
        bench.load(core, Program(IRQ_VECTOR).branch(HANDLER));
        Program handler(HANDLER); /* counts, and clears every possible source */
        handler.emit({add_imm(r12, r12, 1)});
        handler.store(TIMER + 0x0c, 1);
        handler.store(DMA_BUFFERED + 0x10, 8);
        handler.store(0xe200000c, 0x5ec00000 | 1u << core);
        handler.nops(40).emit({RETURN}); /* lets the stores complete */
        bench.load(core, handler);

        Program program(MAIN);
        program.write_buffer_on();
        program.store(VIC + 0x10, 1u << 4 | 1u << 12 | (core % 2 == 0 ? 1u << 18 : 0));
        program.store(DMA + 0x18, 1u << 10);
        program.store(TIMER, 1500 + 37 * core);
        program.store(TIMER + 8, 0xe2);
        program.unmask();
        program.set(r8, 12);
        const uint32_t again = program.here();
        program.store(DMA_BUFFERED + 4, SDRAM + 0x1000 * core);
        program.store(DMA_BUFFERED + 8, DTCM + 0x100);
        program.store(DMA_BUFFERED + 12,
                      1u << 24 | 4u << 21 | (core % 3 == 0 ? 1u << 19 : 0) | 256);
        program.set(r0, LOCK).set(r1, UNLOCK).set(r2, SDRAM).set(r3, DTCM);
        const uint32_t take = program.here();
        program.emit({ldr_imm(r4, r0), cmp_imm(r4, 0)}).branch(take, NE);
        program.emit(
            {ldr_imm(r5, r2), add_imm(r5, r5, 1), str_imm(r5, r2), str_imm(r5, r3, 0x100)});
        program.emit({stm(r2, {r4, r5, r6, r7}), ldr_imm(r6, r1)});
        program.delay(20 + 11 * core);
        program.store(0xe2000008, 0x5ec00000 | 1u << (2 * core % 6));
        if (core == 4) {
            program.emit({wait_for_interrupt()});
        }
        program.emit({subs_imm(r8, r8, 1)}).branch(again, NE);
        program.store(SYSTEM_RAM + 4 * core, 1);
        program.emit({str_imm(r12, r10, 64)});
        program.store(VIC + 0x14, 0xffffffff);
        program.sleep();
        bench.run(core, program);
    }
}

bool outcome::operator==(const outcome &other) const
{
    return counters == other.counters && memory == other.memory && late == other.late;
}

outcome outcome_of(MachineBench &bench)
{
    return {bench.counters(), bench.memory(), machine_late_interrupts(bench.get())};
}
