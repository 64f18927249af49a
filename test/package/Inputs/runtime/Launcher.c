/* Asks the runtime that is loaded which one it is, and launches nothing. */
#include "hone-c/Runtime.h"
#include <stdio.h>

int main(void) {
  HoneKernel *slot = NULL;
  int32_t status = honeLaunch(&slot, "no plan", NULL, 0);
  printf("runtime %d, compiled with %d, status %d\n", honeRuntimeVersion(),
         HONE_VERSION_NUMBER, status);
  return status != honeTakeStatus() || honeTakeStatus() != HONE_OK;
}
