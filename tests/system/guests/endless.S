@ endless.S - never ends.
#include "micro.inc"
    vectors
    begin main
    b .
    end main
