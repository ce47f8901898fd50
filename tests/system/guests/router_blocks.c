/* router_blocks.c - takes blocks of router entries and gives them back. */
#include <spin1_api.h>

enum { OTHER = 77, KEY = 0x40 };

static void state(const char *when)
{
    io_printf(IO_BUF, "%s: free %u, largest %u\n", when, sv->rtr_free, rtr_alloc_max());
}

void c_main(void)
{
    state("start");
    const uint a = rtr_alloc(10);
    const uint b = rtr_alloc_id(20, OTHER);
    const uint c = rtr_alloc(30);
    const uint d = rtr_alloc_id(5, OTHER);
    io_printf(IO_BUF, "blocks %u %u %u %u, none %u %u\n", a, b, c, d, rtr_alloc(0),
              rtr_alloc(MC_TABLE_SIZE));
    state("taken");
    if (a != 0) { /* rtr_free() clears it */
        rtr_mc_set(a, KEY, 0xffffffff, MC_CORE_ROUTE(1));
    }
    rtr_free(a, 1);
    rtr_free(a, 1);     /* again: nothing happens */
    rtr_free(a + 1, 1); /* no block begins there */
    rtr_free(0, 1);
    rtr_free(MC_TABLE_SIZE, 1);
    state("first given back");
    io_printf(IO_BUF, "of the other: %u %u\n", rtr_free_id(OTHER, 0), rtr_free_id(OTHER, 0));
    state("the other's given back");
    io_printf(IO_BUF, "fits %u, does not %u\n", rtr_alloc(30), rtr_alloc(989 + 1));
    rtr_free(1, 0);
    rtr_free(c, 0);
    state("end");
    io_printf(IO_BUF, "entry %u %u %u\n",
              spin1_set_mc_table_entry(5, KEY, 0xffffffff, MC_CORE_ROUTE(3)),
              spin1_set_mc_table_entry(MC_TABLE_SIZE - 1, KEY, 0xffffffff, 0),
              spin1_set_mc_table_entry(MC_TABLE_SIZE - 2, 0x41, 0xffffffff, 0));
    rtr[RTR_TEST_KEY] = KEY;
    io_printf(IO_BUF, "found in entry %u\n", rtr[RTR_TEST_RESULT] >> 1);
}
