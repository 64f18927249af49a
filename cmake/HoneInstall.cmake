# The public part of Hone: the installed package, and its image in the build tree.
#
#   find_package(Hone 0.2 REQUIRED)          # Hone::Compiler, Hone::Tuner, Hone::Runtime
#   target_link_libraries(mine PRIVATE Hone::Compiler)
#
# add_subdirectory(hone) gives the same targets. A public header is included by the name
# that it is installed under, everywhere: the build tree has all of them below include/, as
# links, so that a header which includes something private fails to compile for others and
# in test/package, not only there.

include(CMakePackageConfigHelpers)

#===-- Public headers -------------------------------------------------------===#
# The rooms that a compiler is built from. The others (Reference, Workers, Chat, ...) are
# the inside of the tools and change freely.
set(hone_public_runtime
  hone-c/Runtime.h hone-c/Version.h)
set(hone_public_compiler
  hone-c/Hone.h hone-c/Registration.h
  hone/Database/Database.h hone/Database/Lookup.h hone/Database/Record.h hone/Database/Shipped.h
  hone/Driver/Pipeline.h
  hone/Export/Export.h
  hone/Jit/Jit.h hone/Jit/Object.h
  hone/Numerics/Measurement.h hone/Numerics/Statistics.h
  hone/Plugin/Register.h hone/Plugin/Sources.h hone/Plugin/TuningFile.h
  hone/Runtime/Expression.h hone/Runtime/LaunchPlan.h hone/Runtime/PlanArguments.h
  hone/Schedule/Access.h
  hone/Schedule/Arch.h hone/Schedule/EpilogueFunction.h hone/Schedule/Geometry.h
  hone/Schedule/Host.h hone/Schedule/Kind.h hone/Schedule/Knobs.h
  hone/Schedule/MachineDistance.h hone/Schedule/MmaSync.h
  hone/Schedule/Problem.h hone/Schedule/Ranges.h
  hone/Schedule/Roofline.h hone/Schedule/Schedule.h hone/Schedule/ScheduleSource.h
  hone/Schedule/Spelling.h
  hone/Schedule/WarpSpecialized.h hone/Schedule/WholeKernel.h
  hone/Sources/ModelSource.h
  hone/Space/Catalogue.h hone/Space/CostModel.h hone/Space/Draw.h hone/Space/Space.h
  hone/Space/Within.h
  hone/Simulate/Passes.h
  hone/dialects/Hone/CheckedPass.h hone/dialects/Hone/Hone.h
  hone/dialects/Kernel/AddressMap.h hone/dialects/Kernel/Kernel.h
  hone/Driver/Dialects.h hone/passes/Passes.h hone/passes/SelectSchedule.h)
set(hone_public_tuner
  hone/Policy/TuneDefaults.h
  hone/Search/Evaluator.h hone/Search/Policy.h hone/Search/Search.h
  hone/Tuner/TunePass.h)

# hone_install_headers(<component> <name>...): installs headers under these names.
function(hone_install_headers component)
  foreach(name ${ARGN})
    cmake_path(GET name PARENT_PATH directory)
    set(source ${PROJECT_SOURCE_DIR}/include/${name})
    if(name MATCHES "^hone/(dialects|passes)/")
      # These rooms keep their headers beside their sources.
      string(REGEX REPLACE "^hone/" "${PROJECT_SOURCE_DIR}/" source ${name})
      file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include/${directory})
      file(CREATE_LINK ${source} ${PROJECT_BINARY_DIR}/include/${name} SYMBOLIC)
    endif()
    install(FILES ${source} COMPONENT ${component}
      DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${directory})
  endforeach()
endfunction()

# hone_public_tablegen(<directory> <file>...): generated headers that public ones include.
# To be called between mlir_tablegen and add_public_tablegen_target, which takes the copies
# into its target: sources that include them are compiled again when they change.
macro(hone_public_tablegen directory)
  foreach(name ${ARGN})
    set(copy ${PROJECT_BINARY_DIR}/include/hone/${directory}/${name})
    add_custom_command(OUTPUT ${copy} DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${name}
      COMMAND ${CMAKE_COMMAND} -E copy_if_different ${CMAKE_CURRENT_BINARY_DIR}/${name} ${copy}
      COMMENT "" VERBATIM)
    list(APPEND TABLEGEN_OUTPUT ${copy})
    install(FILES ${copy} COMPONENT Compiler
      DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hone/${directory})
  endforeach()
endmacro()

#===-- Targets --------------------------------------------------------------===#
# hone_install_package(): to be called when all targets are there.
function(hone_install_package)
  hone_install_headers(Runtime ${hone_public_runtime})
  hone_install_headers(Compiler ${hone_public_compiler})
  hone_install_headers(Tuner ${hone_public_tuner})

  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Hone)
  install(TARGETS hone_rt EXPORT HoneRuntimeTargets COMPONENT Runtime)
  install(TARGETS hone EXPORT HoneCompilerTargets COMPONENT Compiler)
  install(TARGETS hone_tune EXPORT HoneTunerTargets COMPONENT Tuner)
  install(TARGETS hone-opt hone-tool COMPONENT Tools)
  foreach(component Runtime Compiler Tuner)
    install(EXPORT Hone${component}Targets NAMESPACE Hone:: DESTINATION ${package}
      COMPONENT ${component})
  endforeach()
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/HoneConfig.cmake.in
    ${PROJECT_BINARY_DIR}/package/HoneConfig.cmake INSTALL_DESTINATION ${package})
  # Before 1.0 a minor version may change the interface.
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/HoneConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/package/HoneConfig.cmake
    ${PROJECT_BINARY_DIR}/package/HoneConfigVersion.cmake
    DESTINATION ${package} COMPONENT Runtime)

  # For programs that only launch, whatever builds them.
  file(RELATIVE_PATH hone_pc_prefix /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
    message(FATAL_ERROR "expected CMAKE_INSTALL_LIBDIR and CMAKE_INSTALL_INCLUDEDIR relative to "
      "the prefix, but got '${CMAKE_INSTALL_LIBDIR}' and '${CMAKE_INSTALL_INCLUDEDIR}'")
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/hone_rt.pc.in
    ${PROJECT_BINARY_DIR}/package/hone_rt.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/package/hone_rt.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT Runtime)

  install(DIRECTORY examples python DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT Examples
    PATTERN __pycache__ EXCLUDE)
endfunction()
