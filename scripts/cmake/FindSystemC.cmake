# FindSystemC: SystemC::systemc, from SystemC's own CMake package or, as on Debian, from pkg-config.
find_package(SystemCLanguage CONFIG QUIET)
if(NOT TARGET SystemC::systemc)
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND)
        pkg_check_modules(SYSTEMC QUIET IMPORTED_TARGET systemc)
    endif()
    if(TARGET PkgConfig::SYSTEMC)
        add_library(SystemC::systemc INTERFACE IMPORTED)
        set_property(TARGET SystemC::systemc PROPERTY INTERFACE_LINK_LIBRARIES PkgConfig::SYSTEMC)
    endif()
endif()
include(FindPackageHandleStandardArgs)
if(TARGET SystemC::systemc)
    set(SystemC_TARGET SystemC::systemc)
endif()
find_package_handle_standard_args(SystemC REQUIRED_VARS SystemC_TARGET
    REASON_FAILURE_MESSAGE "install libsystemc-dev (and pkg-config)")

# A SystemC built for another C++ standard fails at link time with an unresolved sc_api_version symbol: report it at configuration.
if(SystemC_FOUND AND NOT SPINN_SYSTEMC_LINKS)
    file(WRITE ${CMAKE_BINARY_DIR}/systemc_check.cpp
        "#include <systemc>\nint sc_main(int, char **) { sc_core::sc_time t; return 0; }\n")
    try_compile(SPINN_SYSTEMC_LINKS ${CMAKE_BINARY_DIR}/systemc_check
        SOURCES ${CMAKE_BINARY_DIR}/systemc_check.cpp
        LINK_LIBRARIES SystemC::systemc CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON
        OUTPUT_VARIABLE systemc_check_output)
    if(NOT SPINN_SYSTEMC_LINKS)
        message(FATAL_ERROR "SystemC does not link as C++17. It was probably built for another C++ "
            "level: rebuild it with -DCMAKE_CXX_STANDARD=17.\n${systemc_check_output}")
    endif()
endif()
