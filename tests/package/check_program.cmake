# Installs the program and runs it, far from the checkout, with the configurations and ARM programs that came with it.
#     cmake -DBUILD=folder -DSOURCE=checkout -DWORK=folder -DHAVE_WORKLOADS=bool -P check_program.cmake
file(REMOVE_RECURSE ${WORK})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --component spinnsim --prefix ${WORK}/installed
                OUTPUT_QUIET ERROR_VARIABLE output RESULT_VARIABLE failed)
if(failed)
    message(FATAL_ERROR "cannot be installed: ${output}")
endif()
file(RENAME ${WORK}/installed ${WORK}/moved)
set(program ${WORK}/moved/bin/spinnsim)
set(share ${WORK}/moved/share/spinnsim)
file(COPY_FILE ${SOURCE}/configs/experiments/micro/alu_loop.yaml ${WORK}/question.yaml)

# Its includes are looked for beside the file and then in the installed configurations.
execute_process(COMMAND ${program} config question.yaml --explain WORKING_DIRECTORY ${WORK}
                OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE failed)
string(FIND "${output}" "${WORK}/moved/" installed)
string(FIND "${output}" "${SOURCE}/configs/" checkout)
if(failed OR installed EQUAL -1 OR NOT checkout EQUAL -1)
    message(FATAL_ERROR "the configurations are not the installed ones:\n${output}")
endif()
# The manual is the one that this program prints.
execute_process(COMMAND ${program} man OUTPUT_VARIABLE output RESULT_VARIABLE failed)
file(READ ${WORK}/moved/share/man/man1/spinnsim.1 manual)
if(failed OR NOT output STREQUAL manual)
    message(FATAL_ERROR "the installed manual is another than the program's")
endif()
if(NOT HAVE_WORKLOADS)
    return()
endif()

set(run ${program} run question.yaml --out out --threads 1)
execute_process(COMMAND ${run} WORKING_DIRECTORY ${WORK} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE failed)
if(failed OR NOT EXISTS ${WORK}/out/summary.json)
    message(FATAL_ERROR "it does not run:\n${output}")
endif()
# Its counts are those of the installed golden, and of one beside it.
foreach(arguments "micro_alu_loop" "goldens;--add;question.yaml" "goldens")
    execute_process(COMMAND ${program} regress ${arguments} WORKING_DIRECTORY ${WORK} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE failed)
    if(failed)
        message(FATAL_ERROR "spinnsim regress ${arguments}:\n${output}")
    endif()
endforeach()
# The ARM program was the installed one: without it there is none.
file(REMOVE ${share}/workloads/alu_loop.elf)
execute_process(COMMAND ${run} WORKING_DIRECTORY ${WORK} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
string(FIND "${output}" "moved/bin/../share/spinnsim/workloads" named)
if(NOT status EQUAL 2 OR named EQUAL -1)
    message(FATAL_ERROR "it ran another program (status ${status}):\n${output}")
endif()
