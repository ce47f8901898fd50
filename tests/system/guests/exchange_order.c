/* exchange_order.c - core 2 sends a stream of four packets to core 1.  On chip 0,0 they come as the
 * trailer says; on the others one is missing, two have changed places, one has come twice instead
 * of another, and one is too many. */
#include <chip_sync.h>
#include <exchange.h>
#include <exchange_state.h>

enum { PACKETS = 4, GAP_US = 10, ENTRY = 0, END = 0xff };
#define KEY    0x80000000u
#define HEADER 0x12345678u

/* Numbers of the packets that are sent, by chip. */
static const uint8_t SENT[][PACKETS + 2] = {
    {0, 1, 2, 3, END}, {0, 1, 3, END}, {0, 2, 1, 3, END}, {0, 1, 1, 3, END}, {0, 1, 2, 3, 3, END}};

static uint32_t words[PACKETS * EXCHANGE_PACKET_BYTES / sizeof(uint32_t)];

static uint32_t payload_of(uint32_t packet)
{
    return packet == 0 ? 0 : 7 * packet;
}

static uint32_t data_of(uint32_t packet)
{
    return 5 - packet;
}

static uint32_t turned(uint32_t word, uint32_t bits)
{
    return word >> bits | word << (32 - bits);
}

static void send(uint32_t key, uint32_t payload)
{
    sark_delay_us(GAP_US);
    cc[CC_TXDATA] = payload;
    cc[CC_TXKEY] = key;
}

static void send_all(void)
{
    uint32_t check = HEADER;
    for (uint32_t packet = 0; packet < PACKETS; packet++) {
        check = payload_of(packet) + turned(check, CHECK_PAYLOAD);
        check = data_of(packet) + turned(check, CHECK_KEY);
    }
    send(KEY | EXCHANGE_CONTROL, HEADER);
    for (const uint8_t *packet = SENT[sark_chip_id() & 0xff]; *packet != END; packet++) {
        send(KEY | data_of(*packet), payload_of(*packet));
    }
    send(KEY | EXCHANGE_CONTROL | EXCHANGE_TRAILER, check);
}

static void receive(void)
{
    static struct exchange_inbound in;
    uint8_t *base = (uint8_t *)words;
    uint8_t *top = base + (PACKETS - 1) * EXCHANGE_PACKET_BYTES;
    in = (struct exchange_inbound){.left = PACKETS,
                                   .packets = PACKETS,
                                   .check = HEADER,
                                   .top = top,
                                   .base = base,
                                   .first = top,
                                   .stream = KEY,
                                   .control = KEY | EXCHANGE_CONTROL,
                                   .next = &exchange_idle};
    rtr_mc_set(ENTRY, KEY, KEY, MC_CORE_ROUTE(1));
    exchange_packets_begin();
    exchange_fast_begin(&in);
    chip_barrier();
    sark_delay_us(20 * GAP_US);
    io_printf(IO_BUF, "%u control packets; words %u %u %u\n", in.came, words[0], words[1],
              words[2]);
}

void c_main(void)
{
    if (sark_core_id() == 1) {
        receive();
    } else {
        chip_barrier();
        send_all();
    }
}
