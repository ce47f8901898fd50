#include "tests/unit/talker.h"

#include "tests/unit/machine_fixture.h"

#include <gtest/gtest.h>

namespace
{

constexpr uint32_t COMMS = 0x10000000;
constexpr int32_t TCR = 0x00, TKR = 0x08, RSR = 0x0c, RKR = 0x14, SAR = 0x18;
constexpr uint32_t ANY_RECEIVED = 1u << 6; /* source of the VIC */
constexpr uint32_t TO_SEND = DTCM;
constexpr uint32_t HEARD = DTCM + 0x8000;

/* Registers: r4 next key to send, r5 communications controller, r6 keys left, r7 next address for a
 * received key, r8 rounds until the next packet. */
Program program_of(machine_core core, uint32_t control, uint32_t keys, uint32_t pace)
{
    Program program;
    program.store(COMMS + TCR, control);
    program.store(COMMS + SAR, 0x07000000u | static_cast<uint32_t>(core.x << 8 | core.y));
    program.store(VIC + 0x10, ANY_RECEIVED);
    program.set(4, TO_SEND).set(5, COMMS).set(6, keys).set(7, HEARD).set(8, pace).set(2, pace);
    const uint32_t loop = program.here();
    program.emit({ldr_imm(0, 5, RSR), cmp_imm(0, 0)});
    program.branch(loop + 20, PL);
    program.emit({ldr_imm(1, 5, RKR), str_post(1, 7, 4)});
    program.emit({cmp_imm(6, 0)}); /* loop + 20 */
    program.branch(loop + 36, NE);
    program.emit({wait_for_interrupt()});
    program.branch(loop);
    program.emit({subs_imm(8, 8, 1)}); /* loop + 36 */
    program.branch(loop, PL);
    program.emit({ldr_imm(0, 5, TCR), cmp_imm(0, 0)});
    program.branch(loop, PL);
    program.emit({ldr_post(1, 4, 4), str_imm(1, 5, TKR), sub_imm(6, 6, 1), mov(8, 2)});
    program.branch(loop);
    return program;
}

} // namespace

void Talkers::listen(machine_core core)
{
    talks_[number(core)];
}

void Talkers::send(machine_core core, uint32_t control, uint32_t key)
{
    talk &to = talks_[number(core)];
    to.control = control;
    to.keys.push_back(key);
}

void Talkers::start(uint32_t pace)
{
    for (const auto &[id, talk] : talks_) {
        const machine_core core = {static_cast<uint8_t>(id >> 16), static_cast<uint8_t>(id >> 8),
                                   static_cast<uint8_t>(id)};
        const auto keys = static_cast<uint32_t>(talk.keys.size());
        const Program program = program_of(core, talk.control, keys, pace);
        const auto &words = program.words();
        ASSERT_EQ(machine_write(machine_, core, program.base(), words.data(),
                                static_cast<uint32_t>(4 * words.size())),
                  STATUS_OK);
        if (keys > 0) {
            ASSERT_EQ(machine_write(machine_, core, TO_SEND, talk.keys.data(), 4 * keys),
                      STATUS_OK);
        }
        ASSERT_EQ(machine_start_core(machine_, core, program.base(), 0), STATUS_OK);
    }
}

std::vector<uint32_t> Talkers::heard(machine_core core) const
{
    const uint32_t end = machine_core_register(machine_, core, 7);
    std::vector<uint32_t> keys((end - HEARD) / 4);
    if (!keys.empty()) {
        EXPECT_EQ(machine_read(machine_, core, HEARD, keys.data(), end - HEARD), STATUS_OK);
    }
    return keys;
}
