#include <spinnsim.h>

const char *version()
{
    return spinnsim_version();
}
