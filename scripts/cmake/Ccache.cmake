# SPINN_CCACHE: compilers run through ccache, so that what did not change is not compiled again, not in a fresh build folder either.
# Off where ccache is not installed, and where a launcher was already named (CMAKE_C_COMPILER_LAUNCHER).
#   SPINN_LAUNCHER         before compilers that commands of our own name
#   SPINN_CCACHE_HEADERS   options for sources with precompiled headers
option(SPINN_CCACHE "compile through ccache, if it is installed" ON)
set(SPINN_LAUNCHER)
set(SPINN_CCACHE_HEADERS)
if(SPINN_CCACHE AND NOT DEFINED CMAKE_C_COMPILER_LAUNCHER AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    find_program(SPINN_CCACHE_PROGRAM ccache)
    mark_as_advanced(SPINN_CCACHE_PROGRAM)
    if(SPINN_CCACHE_PROGRAM)
        # Without these ccache leaves precompiled headers alone.  No source uses __DATE__ or __TIME__.
        set(SPINN_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${SPINN_CCACHE_PROGRAM})
        set(SPINN_CCACHE_HEADERS "$<IF:$<CXX_COMPILER_ID:GNU>,-fpch-preprocess,SHELL:-Xclang -fno-pch-timestamp>")
        set(CMAKE_C_COMPILER_LAUNCHER ${SPINN_LAUNCHER})
        set(CMAKE_CXX_COMPILER_LAUNCHER ${SPINN_LAUNCHER})
    endif()
endif()
