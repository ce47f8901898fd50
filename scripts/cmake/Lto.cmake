# SPINN_LTO: the program is optimised as a whole when it is linked; nothing else is.  Objects of libraries carry both forms of their
# code, so the hundred test programs link the finished one and pay nothing.
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

# Of every target: libraries carry both forms, programs are linked from the finished one unless spinn_target_lto() names them.
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

# The program whose speed counts.
function(spinn_target_lto target)
    if(SPINN_LTO_SUPPORTED)
        set_property(TARGET ${target} PROPERTY SPINN_WHOLE ON)
        target_compile_options(${target} PRIVATE -flto=auto)
    endif()
endfunction()
