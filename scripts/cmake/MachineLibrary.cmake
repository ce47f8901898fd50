# The machine as a library of its own, for users who bring their own run or their own modules: models/machine with devices, the core, and what loads
# programs (sim/load).  libspinnsim_machine.so and libspinnsim_machine.a need nothing but the C library and threads; libspinnsim_systemc.a stands on them.
set(parts spinn_load spinn_machine spinn_chip spinn_network arm968 spinn_common)
set(objects)
foreach(part ${parts})
    list(APPEND objects $<TARGET_OBJECTS:${part}>)
endforeach()
add_library(spinnsim_machine_shared SHARED ${objects})
target_link_libraries(spinnsim_machine_shared PRIVATE Threads::Threads ${CMAKE_DL_LIBS} m)
target_link_options(spinnsim_machine_shared PRIVATE $<$<BOOL:${SPINN_LTO_SUPPORTED}>:-fno-lto>)
spinn_target_sanitize(spinnsim_machine_shared)
set_target_properties(spinnsim_machine_shared PROPERTIES OUTPUT_NAME spinnsim_machine VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
    LINKER_LANGUAGE C LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
spinn_merge_archives(spinnsim_machine_static libspinnsim_machine.a ${parts})
spinn_merge_archives(spinnsim_systemc_static libspinnsim_systemc.a spinn_systemc)
