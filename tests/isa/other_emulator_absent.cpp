/* other_emulator_absent.cpp - in place of other_emulator_test.cpp where there is no other emulator.
 */
#include <gtest/gtest.h>

TEST(OtherEmulator, InterpreterAgrees)
{
    GTEST_SKIP() << "libunicorn is not installed";
}

TEST(OtherEmulator, TranslatorAgrees)
{
    GTEST_SKIP() << "libunicorn is not installed";
}
