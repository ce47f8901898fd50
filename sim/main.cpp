/* main.cpp - the program spinnsim: sets its limits and streams, and starts the SystemC kernel,
 * under which a command runs. */
#include "models/common/memory.h"
#include "sim/cli/command.h"
#include "sim/cli/limits.h"
#include "sim/cli/message.h"

#include <cstdlib>
#include <new>
#include <systemc>

int sc_main(int argc, char *argv[])
{
    return command_line(argc, argv);
}

int main(int argc, char **argv)
{
    streams_begin();
    limits_begin();
    std::set_new_handler(memory_exhausted);
    (void)setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
    return sc_core::sc_elab_and_sim(argc, argv);
}
