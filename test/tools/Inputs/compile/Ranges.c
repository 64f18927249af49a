/* Calls the function of ranges.mlir on the driver of Cuda.cpp, with numbers of rows on
   both sides of every bound: prints which kernel ran, and how many blocks it had. */
#include "ranges.h"
#include "Seen.h"
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int number(int64_t i, int64_t j) { return (7 * i + 3 * j) % 5 - 2; }
static const uint16_t halves[] = {0xC000, 0xBC00, 0, 0x3C00, 0x4000};

static uint16_t *matrix(int64_t rows, int64_t columns) {
  uint16_t *data = malloc(2 * rows * columns);
  for (int64_t i = 0; i < rows * columns; ++i)
    data[i] = halves[number(i / columns, i % columns) + 2];
  return data;
}

/* How many elements of C are wrong. */
static int64_t wrong(const float *c, int64_t m) {
  int64_t count = 0;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < 56; ++j) {
      int sum = 0;
      for (int64_t x = 0; x < 64; ++x)
        sum += number(i, x) * number(x, j);
      count += c[i * 56 + j] != sum;
    }
  return count;
}

int main(void) {
  const int64_t rows[] = {1, 16, 17, 128, 129, 1000};
  struct Seen *seen = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "seen");
  for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); ++i) {
    int64_t m = rows[i];
    uint16_t *a = matrix(m, 64), *b = matrix(64, 56);
    float *c = malloc(4 * m * 56);
    int status = ranges_rows(NULL, a, m, b, c, m);
    printf("%d rows: status %d, %d wrong, %u blocks of %s\n", (int)m, status,
           (int)wrong(c, m), seen->blocks, seen->entry);
    free(a), free(b), free(c);
  }
  printf("%d launches, %d libraries\n", seen->launches, seen->libraries);
  return 0;
}
