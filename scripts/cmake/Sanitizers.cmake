# spinn_target_sanitize(TARGET): what SPINN_SANITIZE and SPINN_COVERAGE ask for.
function(spinn_target_sanitize target)
    if(SPINN_SANITIZE)
        target_compile_options(${target} PRIVATE -fsanitize=${SPINN_SANITIZE}
            -fno-omit-frame-pointer -fno-sanitize-recover=all)
        target_link_options(${target} PUBLIC -fsanitize=${SPINN_SANITIZE})
    endif()
    if(SPINN_COVERAGE)
        target_compile_options(${target} PRIVATE --coverage)
        target_link_options(${target} PUBLIC --coverage)
    endif()
endfunction()
