# SPINN_NATIVE_CODE: native code of the shipped trainings, made with every build (scripts/make_native.sh).
if(SPINN_NATIVE_CODE AND SPINN_HAVE_WORKLOADS)
    add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/native.stamp
        COMMAND ${CMAKE_COMMAND} -E env BUILD=${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}/scripts/make_native.sh
        COMMAND ${CMAKE_COMMAND} -E touch ${PROJECT_BINARY_DIR}/native.stamp
        DEPENDS spinnsim spinnsim_programs ${PROJECT_SOURCE_DIR}/scripts/make_native.sh
        COMMENT "Making native code of the shipped trainings" VERBATIM)
    add_custom_target(spinnsim_native ALL DEPENDS ${PROJECT_BINARY_DIR}/native.stamp)
endif()
