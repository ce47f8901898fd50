/* leds.c - the board's LEDs: pins of the chip that light one when they are low. */
#include "runtime.h"

enum {
    DIGIT_BITS = 4,
    DIGITS_OF_WORD = 8,
    DIGIT = 15,
    LED_BITS = 2,
    LED_VALUE = 1,
    LED_CHANGE = 2
};

/* A digit of sv->led0 and sv->led1: the first one says how many LEDs there are, the others are
 * their pins. */
static uint digit(uint index)
{
    const uint word = index < DIGITS_OF_WORD ? sv->led0 : sv->led1;
    return word >> DIGIT_BITS * (index % DIGITS_OF_WORD) & DIGIT;
}

void sark_led_set(uint leds)
{
    const uint count = sark_has_system() ? digit(0) : 0;
    for (uint i = 1; i <= count; i++, leds >>= LED_BITS) {
        const uint pin = 1u << digit(i);
        const uint is_lit = (sc[GPIO_PORT] & pin) == 0;
        if ((leds & LED_CHANGE) != 0) {
            sc[(leds & LED_VALUE) != 0 ? GPIO_CLR : GPIO_SET] = pin;
        } else if ((leds & LED_VALUE) != 0) {
            sc[is_lit ? GPIO_SET : GPIO_CLR] = pin;
        }
    }
}
