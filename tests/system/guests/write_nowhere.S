@ write_nowhere.S - writes outside all memory.
#include "micro.inc"
    vectors
    begin main
    mov r0, #0x50000000
    b faulty
    end main
    begin faulty
    str r0, [r0, #8]
    b .
    end faulty
