/* temporary.h - a folder for the files of one measurement. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
C_LINKAGE_BEGIN

/* Makes a folder in TMPDIR; *path is its malloc'ed path, NULL on failure. */
enum status temporary_folder(char **path, struct diagnostic *diagnostic);

C_LINKAGE_END
