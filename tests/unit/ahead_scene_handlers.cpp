/* ahead_scene_handlers.cpp - the interrupt handlers of random programs: ahead_scene_author.h. */
#include "tests/unit/ahead_scene_author.h"

void Author::count(Program &program, unsigned source)
{
    program.set(r0, COUNTS + 4 * source);
    program.emit({ldr_imm(r1, r0), add_imm(r1, r1, 1), str_imm(r1, r0)});
}

/* Payload and key go to the log; the key stays in r3. */
void Author::take_packet(Program &program)
{
    program.set(r1, COMMS);
    if (chance(30)) {
        program.emit({ldr_imm(r2, r1, CC_RSR)});
    }
    program.emit({ldr_imm(r2, r1, CC_RXDATA), ldr_imm(r3, r1, CC_RXKEY)});
    program.set(r0, LOG_AT);
    program.emit({ldr_imm(r12, r0), add_imm(r12, r12, 8), data_imm(BIC, false, r12, r12, 0x800),
                  str_imm(r12, r0)});
    program.set(r0, LOG);
    program.emit({add(r0, r0, r12)});
    if (chance(50)) {
        program.emit({stm(r0, {r2, r3})});
    } else {
        program.emit({str_imm(r2, r0), str_imm(r3, r0, 4)});
    }
}

/* The packet whose key is in r3 goes on, as long as its low byte counts down. */
void Author::forward(Program &program)
{
    const uint32_t to = key_to(anybody());
    program.set(r2, to);
    program.emit({data_imm(AND, true, r12, r3, 0xff), when(NE, sub_imm(r12, r12, 1)),
                  when(NE, data_reg(ORR, false, r3, r2, r12)), ldr_imm(r2, r1, CC_TCR),
                  when(NE, data_imm(TST, true, 0, r2, NOT_FULL))});
    if (chance(30)) {
        program.emit({when(NE, str_imm(r12, r1, CC_TXDATA))});
    }
    program.emit({when(NE, str_imm(r3, r1, CC_TXKEY))});
}

void Author::more_packets(Program &program)
{
    program.set(r0, BUDGET);
    program.set(r1, COMMS);
    program.set(r2, key());
    program.emit({ldr_imm(r3, r0), subs_imm(r3, r3, 1), when(PL, str_imm(r3, r0)),
                  when(PL, str_imm(r2, r1, CC_TXKEY))});
    program.set(r2, VIC_DISABLE);
    program.set(r3, VIC_TRANSMIT_SOURCES);
    program.emit({when(MI, str_imm(r3, r2))});
}

void Author::clear(Program &program, unsigned source)
{
    switch (source) {
    case VIC_SOURCE_TIMER1:
        program.store(TIMER + 0x0c, 1);
        break;
    case VIC_SOURCE_TIMER2:
        program.store(TIMER + (chance(30) ? 0x1000002cu : 0x2cu), 1);
        break;
    case VIC_SOURCE_DMA_DONE:
        program.store(DMA_BUFFERED + 0x10, 8);
        break;
    case VIC_SOURCE_SYSCTL:
        program.store((chance(50) ? 0xe200000cu : 0xf200000cu), SYSCTL_KEY | 1u << id_.p);
        program.nops(30);
        break;
    case VIC_SOURCE_SOFTWARE:
        program.store(VIC_SOFT_CLR, bit(VIC_SOURCE_SOFTWARE));
        break;
    default:
        break;
    }
}

void Author::work(Program &program)
{
    switch (below(7)) {
    case 0:
        program.delay(1 + below(60));
        break;
    case 1:
        program.set(r0, DTCM + 0x600 + 4 * below(64));
        program.emit({stm_w(r0, {r1, r2, r3}), ldm(r0, {r1, r2})});
        break;
    case 2:
        program.nops(below(20));
        break;
    case 3:
        if (chance(20)) {
            program.emit({wait_for_interrupt()});
        }
        break;
    default:
        break;
    }
}

void Author::serve(Program &program, unsigned source)
{
    count(program, source);
    if ((bit(source) & VIC_RECEIVE_SOURCES) != 0) {
        take_packet(program);
        if (chance(60)) {
            forward(program);
        }
    } else if ((bit(source) & VIC_TRANSMIT_SOURCES) != 0) {
        more_packets(program);
    } else {
        clear(program, source);
        if (source == VIC_SOURCE_TIMER2 && chance(50)) {
            program.store(TIMER + 0x20, 200 + below(3000));
        }
        if (source == VIC_SOURCE_TIMER1 && chance(40)) {
            program.store(COMMS + 8, key());
        }
    }
    work(program);
}

/* Behind a vector that the VIC gives. */
Program Author::slot(unsigned number, unsigned source)
{
    Program program(SLOT_HANDLERS + SLOT_BYTES * number);
    const bool nests = nested_ && (bit(source) & VIC_RECEIVE_SOURCES) == 0;
    program.emit({block_transfer(false, DB, sp, true, SAVED)});
    if (nests) {
        program.emit({mrs_spsr(r0), push({r0}), msr_cpsr_imm(PSR_C, ARM968_SYSTEM)});
    }
    serve(program, source);
    if (nests) {
        program.emit(
            {msr_cpsr_imm(PSR_C, ARM968_IRQ_MODE | 0x80), pop({r0}), msr_spsr(PSR_C | PSR_F, r0)});
    }
    program.store(VIC_VADDR, 0);
    program.emit({block_transfer(true, IA, sp, true, SAVED), subs_imm(pc, lr, 4)});
    EXPECT_LE(program.here(), program.base() + SLOT_BYTES);
    return program;
}

/* Without vectors: looks for a packet, and clears whatever else it may be. */
Program Author::generic()
{
    Program program(GENERIC);
    program.emit({block_transfer(false, DB, sp, true, SAVED)});
    program.set(r1, chance(50) ? COMMS + CC_RSR : VIC);
    program.emit({ldr_imm(r0, r1)});
    if (chance(50)) {
        program.emit({data_imm(TST, true, 0, r0, 0x80000000)});
        const uint32_t over = program.here();
        Program packet(over + 4);
        take_packet(packet);
        forward(packet);
        program.branch(packet.here(), EQ);
        for (const uint32_t word : packet.words()) {
            program.emit({word});
        }
    } else {
        take_packet(program);
    }
    for (const unsigned source : sources_) {
        if ((bit(source) & VIC_TRANSMIT_SOURCES) != 0) {
            more_packets(program);
        } else {
            clear(program, source);
        }
    }
    work(program);
    program.emit({block_transfer(true, IA, sp, true, SAVED), subs_imm(pc, lr, 4)});
    EXPECT_LE(program.here(), FAST);
    return program;
}

Program Author::fast()
{
    Program program(FAST);
    program.emit({block_transfer(false, DB, sp, true, SAVED)});
    serve(program, packet_source_);
    program.emit({block_transfer(true, IA, sp, true, SAVED), subs_imm(pc, lr, 4)});
    EXPECT_LE(program.here(), SLOT_HANDLERS);
    return program;
}
