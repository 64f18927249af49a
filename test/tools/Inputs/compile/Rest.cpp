// Functions of a driver that do nothing and succeed. The functions of Cuda.cpp
// take precedence.
#include "hone/Runtime/Driver.h"

using namespace hone;

#define HONE_SUCCEED(NAME, VERSION, PARAMS)                                    \
  extern "C" __attribute__((weak)) cu::Result rest_##NAME PARAMS __asm__(      \
      #NAME VERSION);                                                          \
  extern "C" cu::Result rest_##NAME PARAMS { return cu::SUCCESS; }
HONE_DRIVER_FUNCTIONS(HONE_SUCCEED)
