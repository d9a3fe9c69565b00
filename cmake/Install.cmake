# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
# librevisit (every module but the command line) and what `cmake --install` puts in place. Third-party libraries are
# private to the shared library, so a consumer's find_package(revisit) needs nothing else.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library(librevisit SHARED)
add_library(revisit::revisit ALIAS librevisit)
revisit_collect_modules(modules revisit_embedded revisit_recipe revisit_extract revisit_town revisit_ingest revisit_eval revisit_report)
foreach(module IN LISTS modules)
  target_sources(librevisit PRIVATE $<TARGET_OBJECTS:${module}>)
endforeach()
target_link_libraries(librevisit PRIVATE $<BUILD_INTERFACE:${modules}>)
target_include_directories(librevisit PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
                                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(librevisit PUBLIC cxx_std_20)
# The modules are compiled once for tests and library alike, so symbols are hidden here, at the link, and not by -fvisibility.
set(version_script "${CMAKE_SOURCE_DIR}/cmake/revisit.map")
target_link_options(librevisit PRIVATE "LINKER:--version-script=${version_script}")
if(NOT REVISIT_SANITIZE) # a sanitizer's runtime comes with the program
  target_link_options(librevisit PRIVATE "LINKER:--no-undefined")
endif()
set_target_properties(librevisit PROPERTIES
  OUTPUT_NAME revisit
  EXPORT_NAME revisit
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}
  LINKER_LANGUAGE CXX
  LINK_DEPENDS "${version_script}"
  LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

install(TARGETS revisit RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET revisit-train)
  install(TARGETS revisit-train RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/revisit)
endif()
install(TARGETS librevisit EXPORT revisit LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/revisit DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/revisit)
configure_package_config_file(cmake/revisitConfig.cmake.in revisitConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(revisitConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/revisitConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/revisitConfigVersion.cmake
        DESTINATION ${package_folder})
install(EXPORT revisit NAMESPACE revisit:: FILE revisitTargets.cmake DESTINATION ${package_folder})

# Pages for people, laid out as in the source, so that relative links lead to the same files.
install(FILES ARCHITECTURE.md CHANGELOG.md CITATION.cff CONTRIBUTING.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES models/LICENSE models/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/models)
install(DIRECTORY docs recipes examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png" PATTERN "*.toml" PATTERN "*.cpp")
