/* dense_int16.c - multiplies a matrix of int16 weights with a vector, ROUNDS times: what a core
 * does most of the time when it runs a network.  For one flat memory, so that its speed can be
 * compared with other simulators on the same file. */
#include <stdint.h>

#ifndef ROUNDS
#define ROUNDS 20000
#endif

/* What the outputs add up to after 20,000 rounds, as computed on a host; it grows with them. */
#define EXPECTED (0x0dc32000u * (ROUNDS / 20000u))

enum { OUTPUTS = 64, INPUTS = 256 };

static int16_t weight[OUTPUTS][INPUTS];
static int16_t input[INPUTS];
static uint32_t output[OUTPUTS];

void begin(void);
void end(void);

/* The counted region (spinnsim elf --count begin:end). */
__attribute__((noipa)) void begin(void)
{
}
__attribute__((noipa)) void end(void)
{
}

__attribute__((noipa)) static void multiply(void)
{
    for (int row = 0; row < OUTPUTS; row++) {
        int32_t sum = 0;
        for (int i = 0; i < INPUTS; i++) {
            sum += weight[row][i] * input[i];
        }
        output[row] += (uint32_t)(sum >> 8);
    }
}

int main(void)
{
    for (int i = 0; i < INPUTS; i++) {
        input[i] = (int16_t)(i * 7 - 900);
        for (int row = 0; row < OUTPUTS; row++) {
            weight[row][i] = (int16_t)(row * 31 - i * 13);
        }
    }
    for (int row = 0; row < OUTPUTS; row++) {
        output[row] = 0;
    }
    begin();
    for (int i = 0; i < ROUNDS; i++) {
        multiply();
    }
    end();
    uint32_t sum = 0;
    for (int row = 0; row < OUTPUTS; row++) {
        sum = sum * 31 + output[row];
    }
    return sum == EXPECTED ? 0 : (int)(sum & 0x7f) | 1;
}
