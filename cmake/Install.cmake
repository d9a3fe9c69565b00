# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
# The two shared libraries and what `cmake --install` puts in place. Third-party libraries are private to them, so a consumer's
# find_package(revisit) needs nothing else.
#   librevisit      recognises: the houses core, engine, retrieval and recognise. What a robot links.
#   librevisit_lab  measures and draws: lab and the configurations of training. It brings Cairo along.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The rooms are compiled once for tests and libraries alike, so symbols are hidden here, at the link, and not by -fvisibility.
function(revisit_library target name)
  cmake_parse_arguments(arg "" "" "MODULES;LINK" ${ARGN})
  add_library(${target} SHARED)
  foreach(module IN LISTS arg_MODULES)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${module}>)
  endforeach()
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${arg_MODULES}> PUBLIC ${arg_LINK})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
                                              $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set(version_script "${CMAKE_SOURCE_DIR}/cmake/${name}.map")
  target_link_options(${target} PRIVATE "LINKER:--version-script=${version_script}" "LINKER:--as-needed")
  if(NOT REVISIT_SANITIZE) # a sanitizer's runtime comes with the program
    target_link_options(${target} PRIVATE "LINKER:--no-undefined")
  endif()
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${name}
    EXPORT_NAME ${name}
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}
    LINKER_LANGUAGE CXX
    LINK_DEPENDS "${version_script}"
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
endfunction()

revisit_collect_modules(modules revisit_recognizer)
revisit_library(librevisit revisit MODULES ${modules})
add_library(revisit::revisit ALIAS librevisit)

revisit_collect_modules(lab_modules revisit_recipe revisit_fit revisit_town revisit_bench revisit_report)
list(REMOVE_ITEM lab_modules ${modules})
revisit_library(librevisit_lab revisit_lab MODULES ${lab_modules} LINK librevisit)
set_target_properties(librevisit_lab PROPERTIES EXPORT_NAME lab INSTALL_RPATH "$ORIGIN")
add_library(revisit::lab ALIAS librevisit_lab)

install(TARGETS revisit RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET revisit-train)
  install(TARGETS revisit-train RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/revisit)
endif()
install(TARGETS librevisit librevisit_lab EXPORT revisit LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/revisit DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
# Models found by name; revisit-tiny is a part of the library.
install(DIRECTORY models/ DESTINATION ${REVISIT_MODELS_FOLDER}
        FILES_MATCHING PATTERN "revisit-tiny.safetensors" EXCLUDE PATTERN "revisit-*.safetensors" PATTERN "LICENSE")
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
install(FILES bench/RESULTS.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/bench)
install(FILES bench/rivals/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/bench/rivals)
install(DIRECTORY docs recipes examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png" PATTERN "*.jpg" PATTERN "*.toml" PATTERN "*.cpp")
