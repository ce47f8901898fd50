/* cp15.c - the system control coprocessor of the ARM968E-S (ARM DDI 0311D; no MPU, no caches).
 * Registers are named CRn << 12 | opcode 1 << 8 | CRm << 4 | opcode 2.  Only privileged modes have
 * access. */
#include "models/arm968/arm968_state.h"

enum {
    CP15_ID = 0x0000,
    CP15_TCM_SIZE = 0x0002,
    CP15_CONTROL = 0x1000,
    CP15_WAIT_FOR_INTERRUPT = 0x7004,
    CP15_DRAIN_WRITE_BUFFER = 0x70a4,
    CP15_TRACE_ID = 0xd001,
    CP15_TRACE_ID_ALIAS = 0xd011,
    CP15_CRN_SHIFT = 12,
    CP15_CRN_ID = 0,
    CP15_CRN_TEST = 15
};

/* Bits of c1 that read as written. */
enum {
    CONTROL_STORED = CONTROL_ALIGNMENT | CONTROL_DTCM | CONTROL_WRITE_BUFFER | CONTROL_ITCM |
                     CONTROL_HIGH_VECTORS | CONTROL_NO_INTERWORKING | 1u << 7,
    CONTROL_ONES = 7u << 4 /* should-be-one bits, which read as one */
};

void arm968_set_control(struct arm968 *cpu, uint32_t value)
{
    cpu_drop_resume(cpu);
    cpu->cp15_control = (value & CONTROL_STORED) | CONTROL_ONES;
    memory_set_windows(cpu);
}

/* Size field n of the TCM size register means 512 << n bytes; an absent memory has its own bit
 * (layout of the ARM946E-S, assumed for the 968). */
static uint32_t size_field(uint32_t bytes, unsigned field_shift, unsigned absent_bit)
{
    if (bytes == 0) {
        return 1u << absent_bit;
    }
    uint32_t field = 0;
    while (field < 15 && (512u << field) < bytes) {
        field++;
    }
    return field << field_shift;
}

static uint32_t tcm_size(const struct arm968 *cpu)
{
    return size_field(cpu->config.data.size, 18, 14) | size_field(cpu->config.code.size, 6, 2);
}

enum exec_result cp15_read(struct arm968 *cpu, uint32_t name, uint32_t *value)
{
    if (!cpu_privileged(cpu)) {
        return EXEC_REFUSED;
    }
    switch (name) {
    case CP15_TCM_SIZE:
        *value = tcm_size(cpu);
        return EXEC_NEXT;
    case CP15_CONTROL:
        *value = cpu->cp15_control;
        return EXEC_NEXT;
    case CP15_TRACE_ID:
    case CP15_TRACE_ID_ALIAS:
        *value = cpu->cp15_trace_id;
        return EXEC_NEXT;
    default:
        break;
    }
    switch (name >> CP15_CRN_SHIFT) {
    case CP15_CRN_ID: /* a name without a register of its own reads the main ID */
        *value = cpu->config.id;
        return EXEC_NEXT;
    case CP15_CRN_TEST:
        *value = cpu->cp15_test;
        return EXEC_NEXT;
    default:
        cpu->counters.unpredictable++;
        *value = 0;
        return EXEC_NEXT;
    }
}

enum exec_result cp15_write(struct arm968 *cpu, uint32_t name, uint32_t value)
{
    if (!cpu_privileged(cpu)) {
        return EXEC_REFUSED;
    }
    switch (name) {
    case CP15_CONTROL:
        arm968_set_control(cpu, value);
        return EXEC_NEXT;
    case CP15_WAIT_FOR_INTERRUPT:
        cpu->waiting = true;
        return EXEC_NEXT;
    case CP15_DRAIN_WRITE_BUFFER: /* the owner has the buffer; reading it would drain it */
        return EXEC_NEXT;
    case CP15_TRACE_ID:
    case CP15_TRACE_ID_ALIAS:
        cpu->cp15_trace_id = value;
        return EXEC_NEXT;
    default:
        if (name >> CP15_CRN_SHIFT == CP15_CRN_TEST) {
            cpu->cp15_test = value;
        } else {
            cpu->counters.unpredictable++;
        }
        return EXEC_NEXT;
    }
}
