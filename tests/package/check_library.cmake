# Installs the core as a library, builds consumer/ against the installed tree alone, and runs it.
#     cmake -DBUILD=folder -DSOURCE=this folder -DWORK=folder -DC=compiler -DCXX=compiler -DGENERATOR=Ninja -P check_library.cmake
file(REMOVE_RECURSE ${WORK})

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

run(${CMAKE_COMMAND} --install ${BUILD} --component arm968 --prefix ${WORK}/installed)
# Moved, so that no path of the build or of the installation can be left in it.
file(RENAME ${WORK}/installed ${WORK}/moved)
file(GLOB_RECURSE installed RELATIVE ${WORK}/moved ${WORK}/moved/*.h ${WORK}/moved/*.def)
list(LENGTH installed count)
if(NOT count EQUAL 9)
    message(FATAL_ERROR "installed headers: ${installed}")
endif()
run(${CMAKE_COMMAND} -G "${GENERATOR}" -S ${SOURCE}/consumer -B ${WORK}/consumer -DCMAKE_PREFIX_PATH=${WORK}/moved
    -DCMAKE_C_COMPILER=${C} -DCMAKE_CXX_COMPILER=${CXX})
run(${CMAKE_COMMAND} --build ${WORK}/consumer)
run(${WORK}/consumer/count)
# MOV 1; ten SUBS of 1; nine BNE of 3 that are taken and one of 1 that is not.
if(NOT output STREQUAL "21 instructions, 39 cycles\n")
    message(FATAL_ERROR "it said: ${output}")
endif()
