/* answer.c - prints a character and keeps a number: builds with other ones execute the same
 * instructions. */
#include <spin1_api.h>

static volatile uint kept;

__attribute__((noipa)) static void answer(void)
{
    kept = ANSWER_NUMBER;
    io_printf(IO_BUF, "first\nthe answer is %c\n", ANSWER_CHARACTER);
}

/* Only this function takes longer with more rounds. */
__attribute__((noipa)) static void wander(uint rounds)
{
    while (rounds > 0) {
        rounds -= 1 + (kept >> 31);
    }
}

void c_main(void)
{
    answer();
    wander(ANSWER_ROUNDS);
    spin1_exit(0);
}
