# SPINN_LTO: link-time optimisation of the program spinnsim only.  Objects of libraries have both machine code and code for link-time
# optimisation, so that the hundred test programs link the machine code and take no longer.
if(SPINN_LTO)
    include(CheckIPOSupported)
    check_ipo_supported(RESULT SPINN_LTO_SUPPORTED OUTPUT why LANGUAGES C CXX)
    if(NOT SPINN_LTO_SUPPORTED)
        message(STATUS "No link-time optimisation: ${why}")
    elseif(NOT CMAKE_C_COMPILER_ID STREQUAL GNU OR NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
        message(STATUS "No link-time optimisation: ${CMAKE_C_COMPILER_ID} has no objects with both forms of the code")
        set(SPINN_LTO_SUPPORTED FALSE)
    endif()
endif()

# For every target: libraries have both forms; programs are linked from machine code unless spinn_target_lto() names them.
function(spinn_target_lto_ready target)
    if(NOT SPINN_LTO_SUPPORTED)
        return()
    endif()
    get_target_property(type ${target} TYPE)
    if(type STREQUAL EXECUTABLE)
        target_link_options(${target} PRIVATE $<IF:$<BOOL:$<TARGET_PROPERTY:SPINN_WHOLE>>,-flto=auto,-fno-lto>)
    else()
        target_compile_options(${target} PRIVATE -flto=auto -ffat-lto-objects)
    endif()
endfunction()

# Enables link-time optimisation for a program whose speed matters.
function(spinn_target_lto target)
    if(SPINN_LTO_SUPPORTED)
        set_property(TARGET ${target} PROPERTY SPINN_WHOLE ON)
        target_compile_options(${target} PRIVATE -flto=auto)
    endif()
endfunction()
