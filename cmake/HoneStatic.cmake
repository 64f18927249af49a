# HONE_STATIC=ON: the tools once more, from the same objects, with LLVM and MLIR inside, and
# the C interface as a library of that kind.
#
# hone-static, hone-opt-static and libhone-static.so run on a GPU machine that has no LLVM:
# they need glibc and nothing else. The linker takes referenced sections from Debian's
# archives and drops all others (--gc-sections), so naming all archives costs nothing. No code
# may rely on an archive being linked whole: components that elsewhere register themselves by a
# static constructor (LLVM's targets, MLIR's translations) are registered here by a call.

# Archives of libMLIR and libLLVM that are not for programs like ours: the C bindings
# duplicate nothing but drag in everything, the others carry a main or test fixtures.
file(GLOB hone_static_archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
list(FILTER hone_static_archives EXCLUDE REGEX
  "/lib(MLIRCAPI|MLIRMlirOptMain|MLIR.*Test|LLVM.*Test)[^/]*\\.a$")
if(NOT hone_static_archives)
  message(FATAL_ERROR
    "HONE_STATIC: expected libMLIR*.a and libLLVM*.a in ${LLVM_LIBRARY_DIR}, but found none; "
    "install libmlir-22-dev and llvm-22-dev")
endif()

# LLVM compresses sections and offload bundles with these. Static where possible.
find_library(HONE_ZSTD NAMES libzstd.a zstd REQUIRED)
find_library(HONE_Z NAMES libz.a z REQUIRED)
find_library(HONE_SQLITE NAMES libsqlite3.a sqlite3 REQUIRED)

# add_hone_static(<name> <target>...): a program of the targets' objects, self-contained and
# stripped.
function(add_hone_static name)
  get_property(rooms GLOBAL PROPERTY HONE_COMPILER_ROOMS)
  get_property(tuner GLOBAL PROPERTY HONE_TUNER_ROOMS)
  list(APPEND rooms ${tuner})
  # The C library registers all of upstream, and no tool calls it.
  list(REMOVE_ITEM rooms HoneCAPI)
  add_executable(${name})
  foreach(objects ${ARGN} HoneRuntime ${rooms})
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:${objects}>)
  endforeach()
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${name} PRIVATE
    -Wl,--start-group ${hone_static_archives} -Wl,--end-group
    ${HONE_SQLITE} ${HONE_ZSTD} ${HONE_Z} Threads::Threads ${CMAKE_DL_LIBS} m)
  target_link_options(${name} PRIVATE
    -fuse-ld=lld -static-libstdc++ -static-libgcc
    LINKER:--gc-sections LINKER:--strip-all LINKER:-z,defs)
endfunction()

# The C interfaces of the compiler and of the runtime in one library, for programs that load
# it (python/hone_torch). Nothing else is visible: a process may have other LLVMs.
function(add_hone_static_library)
  get_property(rooms GLOBAL PROPERTY HONE_COMPILER_ROOMS)
  add_library(hone-static-library SHARED $<TARGET_OBJECTS:HoneRuntime>)
  foreach(room ${rooms})
    target_sources(hone-static-library PRIVATE $<TARGET_OBJECTS:${room}>)
  endforeach()
  set(exports ${PROJECT_BINARY_DIR}/hone-static.map)
  file(WRITE ${exports} "{ global: hone*; mgpu*; local: *; };\n")
  set_target_properties(hone-static-library PROPERTIES
    OUTPUT_NAME hone-static LINKER_LANGUAGE CXX LINK_DEPENDS ${exports})
  target_link_libraries(hone-static-library PRIVATE
    -Wl,--start-group ${hone_static_archives} -Wl,--end-group
    ${HONE_SQLITE} ${HONE_ZSTD} ${HONE_Z} Threads::Threads ${CMAKE_DL_LIBS} m)
  # As with libhone_rt, the driver keeps callbacks.
  target_link_options(hone-static-library PRIVATE
    -fuse-ld=lld -static-libstdc++ -static-libgcc LINKER:--version-script=${exports}
    LINKER:--gc-sections LINKER:--strip-all LINKER:-z,defs LINKER:-z,nodelete)
  install(TARGETS hone-static-library COMPONENT Tools)
endfunction()

find_package(Threads REQUIRED)
add_hone_static_library()
add_hone_static(hone-opt-static hone-opt)
add_hone_static(hone-static hone-tool HoneCommands)
if(HONE_LAB)
  add_hone_static(hone-lab-static hone-lab HoneLab HoneLabCommands HoneCommands)
  set_target_properties(hone-lab-static PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
install(TARGETS hone-opt-static hone-static COMPONENT Tools)
