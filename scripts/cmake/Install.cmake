# What `cmake --install` installs, in components.
#   spinnsim: the program, and in share/spinnsim the files that it needs at run time (sim/cli/command_line.c), and the Python package
#   library:  the simulator as a library, libspinnsim.so and libspinnsim.a.  Programs and configurations are those of the component spinnsim
#   arm968:   the core as a C library with its headers; find_package(spinnsim_arm968) gives spinnsim::arm968
#   machine:  the machine as a library, libspinnsim_machine.so and libspinnsim_machine.a, with its headers and those of the core
#   systemc:  the machine as SystemC modules, libspinnsim_systemc.a, on top of the component machine
#   guest:    headers, linker script and runtime for ARM programs, if this build has an ARM compiler
#   examples: share/spinnsim/examples, a project that uses all of them
# find_package(spinnsim COMPONENTS ...) finds them: spinnsim_packages below.  All paths are relative: the tree can be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(share ${CMAKE_INSTALL_DATADIR}/spinnsim)
set(headers ${CMAKE_INSTALL_INCLUDEDIR}/spinnsim)

# spinn_install_headers(COMPONENT FILE...): headers keep their folders.
function(spinn_install_headers component)
    foreach(header ${ARGN})
        get_filename_component(folder ${header} DIRECTORY)
        install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${headers}/${folder} COMPONENT ${component})
    endforeach()
endfunction()

# ---- the program ----

install(TARGETS spinnsim RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT spinnsim)
install(DIRECTORY configs DESTINATION ${share} COMPONENT spinnsim)
install(DIRECTORY sim/python/spinnsim sim/python/examples DESTINATION ${share}/python COMPONENT spinnsim PATTERN __pycache__ EXCLUDE)
install(DIRECTORY scripts/plot DESTINATION ${share} COMPONENT spinnsim)
install(DIRECTORY tests/golden DESTINATION ${share} COMPONENT spinnsim)
install(DIRECTORY ${PROJECT_BINARY_DIR}/workloads DESTINATION ${share} COMPONENT spinnsim
        FILES_MATCHING PATTERN "*.elf" PATTERN "test_*" EXCLUDE PATTERN "*.dir" EXCLUDE PATTERN CMakeFiles EXCLUDE)
foreach(folder parts programs)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/workloads/${folder} DESTINATION ${share}/workloads COMPONENT spinnsim OPTIONAL)
endforeach()
install(DIRECTORY ${PROJECT_BINARY_DIR}/native DESTINATION ${share} COMPONENT spinnsim OPTIONAL)
install(CODE "execute_process(COMMAND $<TARGET_FILE:spinnsim> man OUTPUT_FILE ${PROJECT_BINARY_DIR}/spinnsim.1 COMMAND_ERROR_IS_FATAL ANY)"
        COMPONENT spinnsim)
install(FILES ${PROJECT_BINARY_DIR}/spinnsim.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT spinnsim)
install(FILES sim/backends/spinnsim_backend.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT spinnsim)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT spinnsim)

# ---- the core ----

# The headers that docs/api.md shows (scripts/api_page.sh reads this list).
foreach(header arm968/arm968.h arm968/counters.def arm968/disassemble.h arm968/isa/timing.def
        common/c_linkage.h common/compiler.h common/counters.h common/status.h common/tier.h)
    list(APPEND core_headers models/${header})
endforeach()
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/spinnsim_arm968)
set_property(TARGET spinn_common PROPERTY EXPORT_NAME common)
install(TARGETS arm968 spinn_common EXPORT spinnsim_arm968
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT arm968
        INCLUDES DESTINATION ${headers})
# Installed objects have machine code only: code for link-time optimisation suits one version of one compiler.
if(SPINN_LTO_SUPPORTED AND CMAKE_OBJCOPY)
    foreach(library $<TARGET_FILE_NAME:arm968> $<TARGET_FILE_NAME:spinn_common>)
        install(CODE "execute_process(COMMAND ${CMAKE_OBJCOPY} --wildcard -R .gnu.lto_* -R .gnu.debuglto_* -N __gnu_lto_v1
            \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/${library}\" COMMAND_ERROR_IS_FATAL ANY)" COMPONENT arm968)
    endforeach()
endif()
spinn_install_headers(arm968 ${core_headers})
install(EXPORT spinnsim_arm968 NAMESPACE spinnsim:: DESTINATION ${package}
        FILE spinnsim_arm968Targets.cmake COMPONENT arm968)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/spinnsim_arm968Config.cmake.in
    ${PROJECT_BINARY_DIR}/spinnsim_arm968Config.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/spinnsim_arm968ConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/spinnsim_arm968Config.cmake
              ${PROJECT_BINARY_DIR}/spinnsim_arm968ConfigVersion.cmake
        DESTINATION ${package} COMPONENT arm968)

# ---- whole experiments ----

install(TARGETS spinnsim_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT library)
install(FILES ${PROJECT_BINARY_DIR}/libspinnsim.a DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(FILES sim/library/spinnsim.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)

# ---- machine, SystemC modules, guest programs, examples ----

install(TARGETS spinnsim_machine_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT machine NAMELINK_COMPONENT machine)
install(FILES ${PROJECT_BINARY_DIR}/libspinnsim_machine.a DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT machine)
spinn_install_headers(machine ${core_headers} models/common/run_ahead.h models/machine/devices.h models/machine/history.h models/machine/machine.h
    models/machine/parameters.def models/machine/parameters.h models/network/topology.h sim/load/elf_image.h sim/load/machine_load.h)
install(FILES ${PROJECT_BINARY_DIR}/libspinnsim_systemc.a DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT systemc)
spinn_install_headers(systemc models/systemc/link_port.h models/systemc/memory_port.h models/systemc/modules.h models/systemc/noc_port.h
    models/systemc/packet.h models/systemc/simulation.h)
if(SPINN_HAVE_WORKLOADS)
    install(DIRECTORY workloads/runtime/include DESTINATION ${share}/guest COMPONENT guest)
    install(FILES workloads/runtime/link/app.ld ${PROJECT_BINARY_DIR}/workloads/guest/libspinnsim_guest.a DESTINATION ${share}/guest COMPONENT guest)
endif()
install(DIRECTORY examples DESTINATION ${share} COMPONENT examples)

# ---- the package ----

# A package's component, and the component of `cmake --install` that has it.
set(spinnsim_packages core:arm968 machine:machine guest:guest systemc:systemc library:library)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/spinnsim)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/package/spinnsimConfig.cmake.in ${PROJECT_BINARY_DIR}/spinnsimConfig.cmake
    INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/spinnsimConfigVersion.cmake COMPATIBILITY SameMinorVersion)
foreach(pair ${spinnsim_packages})
    string(REGEX MATCH "([a-z]+):([a-z0-9]+)" matched ${pair})
    set(name ${CMAKE_MATCH_1})
    set(component ${CMAKE_MATCH_2})
    install(FILES ${PROJECT_BINARY_DIR}/spinnsimConfig.cmake ${PROJECT_BINARY_DIR}/spinnsimConfigVersion.cmake DESTINATION ${package}
            COMPONENT ${component})
    if(NOT name STREQUAL guest OR SPINN_HAVE_WORKLOADS)
        configure_file(${CMAKE_CURRENT_LIST_DIR}/package/${name}.cmake.in ${PROJECT_BINARY_DIR}/package/${name}.cmake @ONLY)
        install(FILES ${PROJECT_BINARY_DIR}/package/${name}.cmake DESTINATION ${package} COMPONENT ${component})
    endif()
endforeach()
install(FILES ${CMAKE_CURRENT_LIST_DIR}/FindSystemC.cmake DESTINATION ${package} COMPONENT systemc)
