/* sanitizers_slow_test.cpp - the thread sanitizer finds nothing in the default tier. */
#include "tests/system/sanitizers_fixture.h"

TEST_P(Sanitizers, OfThreadsFindNothing)
{
    expect_clean("SPINN_THREAD_PROGRAM", {"--threads", "3"});
}
