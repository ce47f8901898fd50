# spinn_merge_archives(TARGET FILE PART...): joins static libraries of ours to one, ${PROJECT_BINARY_DIR}/FILE.
# It has machine code only: code for link-time optimisation suits one version of one compiler.
function(spinn_merge_archives target file)
    set(merged ${PROJECT_BINARY_DIR}/${file})
    set(script ${CMAKE_CURRENT_BINARY_DIR}/${file}.mri)
    set(commands "create ${merged}\n")
    foreach(part ${ARGN})
        string(APPEND commands "addlib $<TARGET_FILE:${part}>\n")
    endforeach()
    file(GENERATE OUTPUT ${script} CONTENT "${commands}save\nend\n")
    set(machine_code true)
    if(SPINN_LTO_SUPPORTED AND CMAKE_OBJCOPY)
        set(machine_code ${CMAKE_OBJCOPY} --wildcard -R .gnu.lto_* -R .gnu.debuglto_* -N __gnu_lto_v1 ${merged})
    endif()
    add_custom_command(OUTPUT ${merged}
        COMMAND sh -c "'${CMAKE_AR}' -M <'${script}'"
        COMMAND ${machine_code}
        DEPENDS ${ARGN} ${script} VERBATIM)
    add_custom_target(${target} ALL DEPENDS ${merged})
endfunction()
