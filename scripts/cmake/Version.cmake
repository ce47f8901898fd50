# Writes version.c from the project's version and the checkout's commit; only when they have changed.
#     cmake -DSOURCE=folder -DVERSION=x.y.z -DOUTPUT=file -P Version.cmake
find_program(GIT git)
set(commit unknown)
if(GIT)
    execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
        OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed)
        set(commit ${described})
    endif()
endif()
file(WRITE ${OUTPUT}.new "/* Made by Version.cmake. */
#include \"sim/version.h\"

const char SPINNSIM_VERSION[] = \"${VERSION}\";
const char SPINNSIM_COMMIT[] = \"${commit}\";
")
execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${OUTPUT}.new ${OUTPUT})
file(REMOVE ${OUTPUT}.new)
