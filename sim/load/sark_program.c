/* sark_program.c - see sark_program.h.  Source: spinnaker_tools 4.0.0, sark/sark_alib.s (the head)
 * and sark_base.c (the name). */
#include "sim/load/sark_program.h"

#include <stdlib.h>
#include <string.h>

/* The head of SARK's code. */
enum { HEAD_HEAP = 0x4c, HEAD_STACK_TOP = 0x50, HEAD_FILL = 0x54, HEAD_BYTES = 0x58 };

static uint32_t word_at(const uint8_t *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

bool sark_program_is(const struct elf_image *program)
{
    static const uint32_t STACK_FILL = 0xdeaddead;
    static const uint32_t DTCM_FIRST = 0x00400000;
    const uint8_t *head = elf_image_bytes(program, 0, HEAD_BYTES);
    return head != NULL && word_at(head + HEAD_FILL) == STACK_FILL &&
           word_at(head + HEAD_HEAP) >= DTCM_FIRST &&
           word_at(head + HEAD_STACK_TOP) > word_at(head + HEAD_HEAP);
}

bool sark_program_uses_system(const struct elf_image *program)
{
    return elf_image_find(program, "sark_has_system") != NULL;
}

/* "4.0.0" as in sv->sw_ver; 0: no version stands there. */
static uint32_t parse_version(const char *text)
{
    static const char BEHIND[] = {'.', '.', '\0'};
    uint32_t version = 0;
    for (size_t i = 0; i < sizeof BEHIND; i++) {
        char *end;
        const unsigned long part = strtoul(text, &end, 10);
        if (*text < '0' || *text > '9' || part > UINT8_MAX || *end != BEHIND[i]) {
            return 0;
        }
        version = version << 8 | (uint32_t)part;
        text = end + 1;
    }
    return version;
}

uint32_t sark_program_version(const struct elf_image *program)
{
    static const char NAME[] = "SARK/SpiNNaker"; /* and behind it "4.0.0" */
    enum { VERSION_CHARS = 12 };
    uint32_t version = 0;
    for (size_t i = 0; i < program->segment_count && version == 0; i++) {
        const struct elf_segment *segment = &program->segment[i];
        for (size_t at = 0; at + sizeof NAME + VERSION_CHARS <= segment->file_bytes && version == 0;
             at++) {
            if (memcmp(segment->bytes + at, NAME, sizeof NAME) == 0) {
                char text[VERSION_CHARS + 1] = {0};
                memcpy(text, segment->bytes + at + sizeof NAME, VERSION_CHARS);
                version = parse_version(text);
            }
        }
    }
    return version == 0 ? SARK_PROGRAM_VERSION : version;
}
