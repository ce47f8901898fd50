/* sanitizers_test.cpp - address and undefined-behaviour sanitizers find nothing in the default
 * tier. */
#include "tests/system/sanitizers_fixture.h"

TEST_P(Sanitizers, OfAddressesAndUndefinedBehaviourFindNothing)
{
    expect_clean("SPINN_SANITIZED_PROGRAM", {});
}
