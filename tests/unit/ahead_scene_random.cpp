/* ahead_scene_random.cpp - the main programs of random programs: ahead_scene_author.h. */
#include "tests/unit/ahead_scene_author.h"

uint32_t Author::key()
{
    machine_core to = anybody();
    if (chance(8)) {
        to = {id_.x, 0, 0xff};
    }
    return key_to(to, below(4));
}

/* ---- the main program ---- */

void Author::set_stacks(Program &program)
{
    static const uint32_t MODES[] = {ARM968_IRQ_MODE, ARM968_FIQ_MODE, ARM968_SYSTEM,
                                     ARM968_SUPERVISOR};
    uint32_t top = STACKS;
    for (const uint32_t mode : MODES) {
        top += 0x1000;
        program.emit({msr_cpsr_imm(PSR_C, 0xc0 | mode)});
        program.set(sp, top);
    }
}

void Author::set_vic(Program &program)
{
    uint32_t enabled = 0;
    for (unsigned i = 0; i < sources_.size(); i++) {
        enabled |= bit(sources_[i]);
        if (style_ != PLAIN) {
            program.store(VIC_ADDR + 4 * i, SLOT_HANDLERS + SLOT_BYTES * i);
            program.store(VIC_CNTL + 4 * i, 0x20 | sources_[i]);
        }
    }
    if (style_ == FAST_PACKETS) {
        program.store(VIC_SELECT, bit(packet_source_));
        enabled |= bit(packet_source_);
    }
    program.store(VIC_ENABLE, enabled);
}

void Author::set_timers(Program &program)
{
    program.store(TIMER, 300 + below(3000));
    program.store(TIMER + 8, chance(80) ? 0xe2 : 0xa3);
    if (chance(60)) {
        program.store(TIMER + 0x20, 150 + below(2500));
        program.store(TIMER + 0x28, chance(50) ? 0xe2 : chance(50) ? 0xa3 : 0xe6);
    }
}

void Author::compute(Program &program)
{
    program.emit(
        {mul(r0, r7, r4), add(r7, r7, r0), str_imm(r7, r6, static_cast<int32_t>(4 * below(200)))});
    if (chance(50)) {
        program.emit({mov_imm(r12, 1 + below(100))});
        const uint32_t loop = program.here();
        program.emit({add(r0, r0, r12), str_imm(r0, r6, 0x100), ldr_imm(r1, r6, 0x104),
                      subs_imm(r12, r12, 1)});
        program.branch(loop, NE);
    } else {
        program.delay(1 + below(200));
    }
}

void Author::store_all_ways(Program &program)
{
    const auto at = static_cast<int32_t>(8 * below(16));
    program.emit({strb_imm(r7, r6, at + 1), strh_imm(r7, r6, at + 6), strd_imm(r0, r6, at),
                  add_imm(r12, r6, 0x200), stm(r12, {r0, r1, r2, r3, r4}), swp(r1, r7, r12),
                  swpb(r2, r7, r6), push({r0, r1, r2, r3}), pop({r3, r12}), pop({r0, r1}),
                  movs(r3, r3), when(MI, str_imm(r3, r6, at)), when(PL, str_imm(r1, r6, at + 4))});
}

void Author::send(Program &program)
{
    const unsigned packets = 1 + below(3);
    for (unsigned i = 0; i < packets; i++) {
        if (chance(40)) { /* when the transmitter is free */
            program.emit({mov_imm(r12, 60)});
            const uint32_t loop = program.here();
            program.emit({subs_imm(r12, r12, 1), when(EQ, mov_imm(r12, 1)), ldr_imm(r0, r5, CC_TCR),
                          data_imm(TST, true, 0, r0, NOT_FULL)});
            program.emit({when(EQ, cmp_imm(r12, 1))});
            program.emit({when(HI, b(program.here(), loop))}); /* not free, and rounds are left */
        }
        if (chance(30)) {
            program.emit({str_imm(r7, r5, CC_TXDATA)});
        }
        program.set(r0, key());
        program.emit({str_imm(r0, r5, CC_TXKEY)});
        program.delay(1 + below(chance(70) ? 100 : 3));
    }
}

/* Looks for packets with the VIC's packet sources off, or for what the transmitter is at. */
void Author::poll(Program &program)
{
    const bool off = chance(70);
    if (off) {
        program.store(VIC_DISABLE, bit(packet_source_));
    }
    program.emit({mov_imm(r12, 5 + below(100))});
    const uint32_t loop = program.here();
    program.emit({ldr_imm(r0, r5, chance(70) ? CC_RSR : CC_TCR), movs(r0, r0)});
    if (chance(70)) {
        program.emit({when(MI, ldr_imm(r1, r5, CC_RXKEY)), when(MI, str_imm(r1, r6, 0x300))});
    }
    program.emit({subs_imm(r12, r12, 1)});
    program.branch(loop, NE);
    if (off) {
        program.store(VIC_ENABLE, bit(packet_source_));
    }
}

void Author::look(Program &program)
{
    static const uint32_t PLACES[] = {TIMER + 4,   TIMER + 0x24, TIMER + 0x10, VIC,
                                      VIC + 4,     VIC + 8,      VIC_ENABLE,   VIC_SOFT_SET,
                                      COMMS,       COMMS + 0x0c, COMMS + 0x10, DMA + 0x14,
                                      0xf2000064u, 0xf1000000u};
    program.set(r0, PLACES[below(sizeof PLACES / sizeof *PLACES)]);
    program.emit({ldr_imm(r1, r0), str_imm(r1, r6, static_cast<int32_t>(0x310 + 4 * below(16)))});
}

void Author::outside(Program &program)
{
    const uint32_t sdram = (chance(60) ? SDRAM : SDRAM_UNBUFFERED) + 0x100 * below(8);
    switch (below(8)) {
    case 0:
        program.store(sdram, below(1000));
        break;
    case 1:
        program.set(r0, sdram);
        program.emit({stm(r0, {r1, r2, r3, r4}), str_imm(r7, r0, 32)});
        break;
    case 2:
        program.set(r0, sdram);
        program.emit({ldm(r0, {r1, r2}), swp(r3, r7, r0)});
        break;
    case 3:
        program.store(SYSTEM_RAM + 4 * below(8), below(100));
        break;
    case 4:
        program.store(TIMER + (chance(50) ? UNBUFFERED : 0) + 0x18, 400 + below(2000));
        break;
    case 5:
        program.store((chance(50) ? 0x2f000014u : VIC_DISABLE), bit(sources_[0]));
        program.delay(below(30) + 1);
        program.store((chance(50) ? 0x2f000010u : VIC_ENABLE), bit(sources_[0]));
        break;
    case 6:
        program.store(DMA_BUFFERED + 4, SDRAM + 0x1000 * below(4));
        program.store(DMA_BUFFERED + 8, DTCM + 0x1000 + 0x100 * below(4));
        program.store((chance(50) ? DMA_BUFFERED : DMA) + 12,
                      1u << 24 | 4u << 21 | (chance(50) ? 1u << 19 : 0) | 16u * (1 + below(30)));
        break;
    default:
        program.store((chance(50) ? 0xe2000008u : 0xf2000008u),
                      SYSCTL_KEY | 1u << (1 + below(cores_)));
        break;
    }
}

/* A section that nothing, or no packet, interrupts. */
void Author::protect(Program &program)
{
    const bool by_mask = chance(50);
    const uint32_t which = chance(50) ? bit(packet_source_) : 0xffffffffu;
    uint32_t enabled = style_ == FAST_PACKETS ? bit(packet_source_) : 0;
    for (const unsigned source : sources_) {
        enabled |= bit(source) & ~VIC_TRANSMIT_SOURCES;
    }
    if (by_mask) {
        program.emit({msr_cpsr_imm(PSR_C, ARM968_SUPERVISOR | (chance(50) ? 0xc0 : 0x80))});
    } else {
        program.store(VIC_DISABLE, which);
    }
    switch (below(4)) {
    case 0:
        compute(program);
        break;
    case 1:
        send(program);
        break;
    case 2:
        store_all_ways(program);
        break;
    default:
        program.nops(below(10));
        break;
    }
    if (by_mask) {
        if (chance(30)) {
            program.emit({wait_for_interrupt()});
        }
        program.emit({msr_cpsr_imm(PSR_C, ARM968_SUPERVISOR)});
    } else {
        program.store(VIC_ENABLE, which & enabled);
    }
}

void Author::mistake(Program &program)
{
    if (chance(50)) {
        program.emit({undefined_word()});
    } else {
        program.set(r0, NOWHERE);
        program.emit({chance(50) ? ldr_imm(r1, r0) : str_imm(r1, r0)});
    }
}

void Author::change_code(Program &program)
{
    if (patches_.empty() || chance(40)) { /* a place where code will be changed */
        patches_.push_back(program.here());
        program.emit({mov_imm(r3, below(100)), str_imm(r3, r6, 0x30c)});
        return;
    }
    program.store(patches_[below(static_cast<uint32_t>(patches_.size()))], mov_imm(r3, below(200)));
}

void Author::odd(Program &program)
{
    switch (below(6)) {
    case 0:
        program.emit({swi(5)});
        break;
    case 1:
        mistake(program);
        break;
    case 2:
    case 3:
        change_code(program);
        break;
    case 4:
        program.store(VIC_SOFT_SET, bit(VIC_SOURCE_SOFTWARE));
        break;
    default:
        program.emit({msr_cpsr_imm(PSR_C, ARM968_SYSTEM), push({r0, r7}), pop({r1, r2}),
                      msr_cpsr_imm(PSR_C, ARM968_SUPERVISOR)});
        break;
    }
}

void Author::action(Program &program)
{
    switch (below(15)) {
    case 0:
    case 1:
    case 2:
        compute(program);
        break;
    case 3:
        store_all_ways(program);
        break;
    case 4:
    case 5:
    case 6:
        send(program);
        break;
    case 7:
        poll(program);
        break;
    case 8:
        look(program);
        break;
    case 9:
        outside(program);
        break;
    case 10:
        protect(program);
        break;
    case 11:
        odd(program);
        break;
    case 12:
        program.emit({wait_for_interrupt()});
        break;
    case 13:
        program.store(BUDGET, below(4));
        program.store(VIC_ENABLE, VIC_TRANSMIT_SOURCES & bit(sources_.back()));
        break;
    default:
        program.delay(1 + below(400));
        break;
    }
}

/* Sleeps, with timers or without; computes; or says no more at all. */
void Author::finish(Program &program)
{
    const unsigned how = below(5);
    if (how < 3) {
        program.store(TIMER + 8, 0);
        program.store(TIMER + 0x28, 0);
    }
    if (how == 0) {
        program.store(VIC_DISABLE, 0xffffffff);
    }
    if (how == 4) {
        const uint32_t loop = program.here();
        compute(program);
        program.branch(loop);
    }
    program.sleep();
}

Program Author::main()
{
    Program program(MAIN);
    set_stacks(program);
    if (chance(60)) {
        program.write_buffer_on();
    }
    program.set(r5, COMMS).set(r6, DTCM).set(r7, static_cast<uint32_t>(random_()) | 1);
    program.store(DMA + 0x18, 1u << 10);
    set_vic(program);
    set_timers(program);
    program.delay(1 + below(300));
    program.set(r4, 1 + below(40));
    program.unmask();
    const uint32_t again = program.here();
    const unsigned actions = 1 + below(10);
    for (unsigned i = 0; i < actions; i++) {
        action(program);
    }
    program.emit({subs_imm(r4, r4, 1)});
    program.branch(again, NE);
    finish(program);
    EXPECT_LE(program.here(), 0x8000u);
    return program;
}

scene_core Author::write()
{
    scene_core core;
    core.id = id_;
    style_ = static_cast<enum style>(below(3));
    nested_ = chance(40);
    packet_source_ = chance(70) ? VIC_SOURCE_COMMS_MULTICAST : VIC_SOURCE_COMMS_RECEIVED;
    sources_ = {VIC_SOURCE_TIMER1, VIC_SOURCE_TIMER2, VIC_SOURCE_SYSCTL, VIC_SOURCE_SOFTWARE,
                VIC_SOURCE_DMA_DONE};
    std::shuffle(sources_.begin(), sources_.end(), random_);
    if (style_ != FAST_PACKETS) {
        sources_.insert(sources_.begin() + below(5), packet_source_);
    }
    sources_.push_back(chance(50) ? VIC_SOURCE_COMMS_EMPTY : VIC_SOURCE_COMMS_NOT_FULL);
    Program vectors(0x04);
    vectors.emit({movs(pc, lr), movs(pc, lr), subs_imm(pc, lr, 4), subs_imm(pc, lr, 4), nop()});
    if (style_ == PLAIN) {
        vectors.branch(GENERIC);
    } else {
        vectors.emit({ldr_imm(pc, pc, -0xff0)}); /* from 0xfffff030, VIC_VADDR */
    }
    vectors.branch(FAST);
    core.parts.push_back(vectors);
    for (unsigned i = 0; i < sources_.size() && style_ != PLAIN; i++) {
        core.parts.push_back(slot(i, sources_[i]));
    }
    core.parts.push_back(generic());
    core.parts.push_back(fast());
    core.parts.push_back(main());
    const uint32_t end = core.parts.back().here();
    for (unsigned i = 0; i < 3 && chance(30); i++) {
        core.marks.push_back(MAIN + 4 * below((end - MAIN) / 4));
    }
    if (chance(20)) {
        core.marks.push_back(chance(50) ? 0x18 : 0x1c);
    }
    return core;
}

scene random_scene(uint32_t seed, uint32_t chips)
{
    static const uint64_t TRANSITS[] = {135000, 400000, 605000, 650000, 20000};
    static const uint64_t INJECTIONS[] = {135000, 135000, 20000, 1, 300000};
    std::mt19937 random(seed);
    scene scene;
    scene.seed = seed;
    const uint32_t few = random() % 3 == 0 ? 1 : 2;
    scene.chips = chips == 0 ? few : chips;
    scene.parameters.router_core_transit_ps = TRANSITS[random() % 5];
    scene.parameters.router_core_injection_ps = INJECTIONS[random() % 5];
    scene.parameters.router_core_buffer = random() % 3 == 0 ? 1 + random() % 6 : 6;
    scene.sample_cycles = random() % 4 == 0 ? 20 + random() % 500 : 0;
    scene.end_ps = (30 + random() % 90) * US + random() % US;
    const unsigned cores = 1 + static_cast<unsigned>(random() % 4);
    for (uint32_t x = 0; x < scene.chips; x++) {
        for (unsigned p = 1; p <= cores; p++) {
            const machine_core id = {static_cast<uint8_t>(x), 0, static_cast<uint8_t>(p)};
            Author author(static_cast<uint32_t>(random()), scene.chips, cores, id);
            scene.cores.push_back(author.write());
        }
    }
    return scene;
}
