/* branchy.c - code that branches, calls and follows pointers: a list is sorted by comparison
 * functions, texts are taken apart by a state machine with a jump table, a checksum goes over all
 * of it, bit by bit.  For one flat memory, so that its speed can be compared with other simulators
 * on the same file. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ROUNDS: the run takes several times as long as its translation.  EXPECTED: the result of a build
 * for the host. */
enum { NODES = 64, TEXT_BYTES = 512, ROUNDS = 40000, EXPECTED = 0xe9d };

struct node {
    struct node *next;
    int16_t key, payload;
};

static struct node nodes[NODES];
static uint8_t text[TEXT_BYTES];
static uint32_t random_state;

void begin(void);
void end(void);

/* The counted region (spinnsim elf --count begin:end). */
__attribute__((noipa)) void begin(void)
{
}
__attribute__((noipa)) void end(void)
{
}

static uint32_t next_random(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 16;
}

/* ---- checksum ---- */

__attribute__((noipa)) static uint16_t checksum(uint16_t sum, uint8_t value)
{
    for (int bit = 0; bit < 8; bit++) {
        const bool carry = ((sum ^ value) & 1) != 0;
        sum = (uint16_t)(sum >> 1);
        value = (uint8_t)(value >> 1);
        if (carry) {
            sum ^= 0xa001;
        }
    }
    return sum;
}

/* ---- lists ---- */

typedef int compare_function(const struct node *a, const struct node *b);

__attribute__((noipa)) static int by_key(const struct node *a, const struct node *b)
{
    return a->key - b->key;
}

__attribute__((noipa)) static int by_payload(const struct node *a, const struct node *b)
{
    const uint16_t x = checksum((uint16_t)a->payload, 7);
    const uint16_t y = checksum((uint16_t)b->payload, 7);
    return x < y ? -1 : x > y;
}

__attribute__((noipa)) static struct node *merged(struct node *a, struct node *b,
                                                  compare_function *compare)
{
    struct node head = {NULL, 0, 0};
    struct node *last = &head;
    while (a != NULL && b != NULL) {
        if (compare(a, b) <= 0) {
            last->next = a;
            a = a->next;
        } else {
            last->next = b;
            b = b->next;
        }
        last = last->next;
    }
    last->next = a != NULL ? a : b;
    return head.next;
}

static struct node *sorted(struct node *list, compare_function *compare)
{
    if (list == NULL || list->next == NULL) {
        return list;
    }
    struct node *middle = list;
    for (const struct node *end = list->next; end != NULL && end->next != NULL;
         end = end->next->next) {
        middle = middle->next;
    }
    struct node *rest = middle->next;
    middle->next = NULL;
    return merged(sorted(list, compare), sorted(rest, compare), compare);
}

__attribute__((noipa)) static uint16_t sort_list(uint16_t sum)
{
    for (int i = 0; i < NODES; i++) {
        nodes[i].next = i + 1 < NODES ? &nodes[i + 1] : NULL;
        nodes[i].key = (int16_t)next_random();
        nodes[i].payload = (int16_t)next_random();
    }
    struct node *list = sorted(&nodes[0], by_key);
    list = sorted(list, by_payload);
    for (const struct node *it = list; it != NULL; it = it->next) {
        sum = checksum(sum, (uint8_t)it->key);
    }
    return sum;
}

/* ---- states ---- */

enum state { START, SIGN, WHOLE, POINT, FRACTION, EXPONENT, POWER, INVALID, STATES };

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static enum state step(enum state state, uint8_t c)
{
    switch (state) {
    case START:
        return is_digit(c) ? WHOLE : c == '-' || c == '+' ? SIGN : c == '.' ? POINT : INVALID;
    case SIGN:
        return is_digit(c) ? WHOLE : c == '.' ? POINT : INVALID;
    case WHOLE:
        return is_digit(c) ? WHOLE : c == '.' ? FRACTION : c == 'e' ? EXPONENT : INVALID;
    case POINT:
        return is_digit(c) ? FRACTION : INVALID;
    case FRACTION:
        return is_digit(c) ? FRACTION : c == 'e' ? EXPONENT : INVALID;
    case EXPONENT:
        return is_digit(c) || c == '-' ? POWER : INVALID;
    case POWER:
        return is_digit(c) ? POWER : INVALID;
    case INVALID:
    case STATES:
    default:
        return INVALID;
    }
}

__attribute__((noipa)) static uint16_t scan(uint16_t sum)
{
    static uint32_t count[STATES]; /* of all rounds */
    enum state state = START;
    for (int i = 0; i < TEXT_BYTES; i++) {
        if (text[i] == ',') {
            count[state]++;
            state = START;
        } else {
            state = step(state, text[i]);
        }
    }
    for (int i = 0; i < STATES; i++) {
        sum = checksum(sum, (uint8_t)count[i]);
    }
    return sum;
}

int main(void)
{
    static const uint8_t LETTERS[16] = "0123456789.e-+,,";
    random_state = 968;
    for (int i = 0; i < TEXT_BYTES; i++) {
        text[i] = LETTERS[next_random() & 15];
    }
    uint16_t sum = 0;
    begin();
    for (int round = 0; round < ROUNDS; round++) {
        sum = scan(sort_list(sum));
        text[next_random() % TEXT_BYTES] = LETTERS[next_random() & 15];
    }
    end();
    return sum == EXPECTED ? 0 : 1;
}
