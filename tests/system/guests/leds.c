/* leds.c - lights LEDs, and prints the pins: of a board with LEDs on pins 0 and 5, or on 0 alone.
 */
#include <spin1_api.h>

static void set(uint leds)
{
    spin1_led_control(leds);
    io_printf(IO_BUF, " %x", sc[GPIO_PORT]);
}

void c_main(void)
{
    io_printf(IO_BUF, "pins %x, outputs %x:", sc[GPIO_PORT], ~sc[GPIO_DIR]);
    set(LED_ON(0));
    set(LED_ON(1));
    set(LED_OFF(0) + LED_INV(1));
    set(LED_FLIP(0) + LED_INV(1));
    set(0);
    set(LED_ON(2)); /* there is none */
    io_printf(IO_BUF, "\n");
}
