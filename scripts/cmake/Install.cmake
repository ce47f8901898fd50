# What `cmake --install` installs, in three components.
#   spinnsim: the program, and in share/spinnsim the files that it needs at run time (sim/cli/command_line.c), and the Python package
#   library:  the simulator as a library, libspinnsim.so and libspinnsim.a; find_package(spinnsim) gives spinnsim::spinnsim and
#             spinnsim::static.  Programs and configurations are those of the component spinnsim
#   arm968:   the core as a C library with its headers; find_package(spinnsim_arm968) gives spinnsim::arm968
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(share ${CMAKE_INSTALL_DATADIR}/spinnsim)
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

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/spinnsim_arm968)
set(headers ${CMAKE_INSTALL_INCLUDEDIR}/spinnsim)
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
foreach(header arm968/arm968.h arm968/counters.def arm968/disassemble.h arm968/isa/timing.def
        common/c_linkage.h common/compiler.h common/counters.h common/status.h common/tier.h)
    get_filename_component(folder ${header} DIRECTORY)
    install(FILES models/${header} DESTINATION ${headers}/models/${folder} COMPONENT arm968)
endforeach()
install(EXPORT spinnsim_arm968 NAMESPACE spinnsim:: DESTINATION ${package}
        FILE spinnsim_arm968Targets.cmake COMPONENT arm968)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/spinnsim_arm968Config.cmake.in
    ${PROJECT_BINARY_DIR}/spinnsim_arm968Config.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/spinnsim_arm968ConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/spinnsim_arm968Config.cmake
              ${PROJECT_BINARY_DIR}/spinnsim_arm968ConfigVersion.cmake
        DESTINATION ${package} COMPONENT arm968)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/spinnsim)
install(TARGETS spinnsim_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT library)
install(FILES ${PROJECT_BINARY_DIR}/libspinnsim.a DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(FILES sim/library/spinnsim.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/spinnsimConfig.cmake.in ${PROJECT_BINARY_DIR}/spinnsimConfig.cmake
    INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/spinnsimConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/spinnsimConfig.cmake ${PROJECT_BINARY_DIR}/spinnsimConfigVersion.cmake DESTINATION ${package}
        COMPONENT library)
