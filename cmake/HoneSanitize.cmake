# HONE_SANITIZE=ON: our code with AddressSanitizer and UndefinedBehaviorSanitizer.
#
# Debian's libMLIR and libLLVM are not instrumented, which decides what follows:
#
# - The runtime is the shared one, so that one copy serves libhone.so, the tools, and a
#   stock mlir-opt that loads libhone.so (which must preload it: see test/lit.cfg.py).
# - SanitizePrelude.h keeps LLVM's headers from poisoning memory that the libraries would
#   never unpoison.
# - `vptr` asks for the type information of LLVM's classes, of which libLLVM.so exports
#   only some; it can not be linked.
# - `object-size` compares accesses with sizes that the compiler knows. AddressSanitizer sees
#   them at run time, and the check takes a third of the time of a compile.
#
# Checks go on after an error, so that UBSAN_OPTIONS can name suppressions; the tests set
# halt_on_error=1. docs/Testing.md has the command lines.

set(hone_asan_name "libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so")
execute_process(COMMAND ${CMAKE_CXX_COMPILER} --print-file-name=${hone_asan_name}
  OUTPUT_VARIABLE HONE_ASAN_RUNTIME OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT EXISTS "${HONE_ASAN_RUNTIME}")
  message(FATAL_ERROR
    "HONE_SANITIZE: expected ${CMAKE_CXX_COMPILER} to have ${hone_asan_name}, but found none; "
    "install libclang-rt-22-dev")
endif()
get_filename_component(hone_asan_folder "${HONE_ASAN_RUNTIME}" DIRECTORY)

set(HONE_SANITIZE_FLAGS -fsanitize=address,undefined -fno-sanitize=vptr,object-size -shared-libasan)
# -O1 comes after the build type's level: a run is as fast, and compiles take half as long.
add_compile_options(${HONE_SANITIZE_FLAGS} -O1 -gline-tables-only -fno-omit-frame-pointer
  $<$<COMPILE_LANGUAGE:CXX>:-include$<SEMICOLON>${CMAKE_CURRENT_LIST_DIR}/SanitizePrelude.h>)
add_link_options(${HONE_SANITIZE_FLAGS} LINKER:-rpath,${hone_asan_folder})
# Flags for programs that tests compile.
list(JOIN HONE_SANITIZE_FLAGS " " HONE_SANITIZE_TEST_FLAGS)
string(APPEND HONE_SANITIZE_TEST_FLAGS " -Wl,-rpath,${hone_asan_folder}")
