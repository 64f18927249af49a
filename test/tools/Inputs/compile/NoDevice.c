/* Calls a function of device.mlir on a machine without a GPU. */
#include "device.h"
#include <stdio.h>

int main(void) {
  static uint16_t a[24 * 64], b[64 * 56];
  static float c[24 * 56];
  int status = device_fixed(NULL, a, b, c);
  printf("status %d: %s\n", status, device_message());
  return 0;
}
