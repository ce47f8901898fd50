# spinn_target_defaults(TARGET): warnings, sanitizers and the include root that every target of ours has.
set(SPINN_C_WARNINGS -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes
    -Wswitch-enum -Wvla)
set(SPINN_CXX_WARNINGS -Wall -Wextra -Wnon-virtual-dtor -Woverloaded-virtual)

function(spinn_target_defaults target)
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${SPINN_KINDS}>)
    target_compile_options(${target} PRIVATE
        "$<$<COMPILE_LANGUAGE:C>:${SPINN_C_WARNINGS}>"
        "$<$<COMPILE_LANGUAGE:CXX>:${SPINN_CXX_WARNINGS}>"
        "$<$<BOOL:${SPINN_WERROR}>:-Werror>"
        # Not optimised, GCC takes the check of fresh memory (memory_need()) for a read of it.
        "$<$<AND:$<CONFIG:Debug>,$<C_COMPILER_ID:GNU>>:-Wno-maybe-uninitialized>"
        # What a shared library offers is not replaced by others, so calls within it stay direct.
        -fno-semantic-interposition
        # Results must not depend on the compiler: no fused multiply-add in the double reference.
        -ffp-contract=off)
    spinn_target_sanitize(${target})
    spinn_target_lto_ready(${target})
endfunction()
