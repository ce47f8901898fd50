#include "tests/system/program.h"
