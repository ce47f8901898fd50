@ jump_nowhere.S - jumps to an address at which nothing answers.
#include "micro.inc"
    vectors
    begin main
    mov r0, #0x50000000
    bx r0
    end main
