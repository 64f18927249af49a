/* Calls the functions of device.mlir on the driver of Cuda.cpp, whose memory is the
   host's, and compares the results with loops. */
#include "device.h"
#include "Seen.h"
#include "hone-c/Runtime.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
#define CHECK(condition)                                                       \
  do                                                                           \
    if (!(condition)) {                                                        \
      printf("line %d: expected %s\n", __LINE__, #condition);                  \
      failures++;                                                              \
    }                                                                          \
  while (0)

/* Whole numbers from -2 to 2, in two types: sums are exact. */
static int number(int64_t i, int64_t j) { return (7 * i + 3 * j) % 5 - 2; }
static const uint16_t halves[] = {0xC000, 0xBC00, 0, 0x3C00, 0x4000};
static const uint16_t brains[] = {0xC000, 0xBF80, 0, 0x3F80, 0x4000};

static int product(int64_t i, int64_t j, int64_t k) {
  int sum = 0;
  for (int64_t x = 0; x < k; ++x)
    sum += number(i, x) * number(x, j);
  return sum;
}

static float fromHalf(uint16_t bits) {
  int exponent = bits >> 10 & 31;
  float value = exponent ? 1024 + (bits & 1023) : bits & 1023;
  for (int i = exponent; i < 25; ++i)
    value /= 2;
  for (int i = 25; i < exponent; ++i)
    value *= 2;
  return bits >> 15 ? -value : value;
}

static uint16_t *matrix(int64_t rows, int64_t columns, const uint16_t *bits) {
  uint16_t *data = malloc(2 * rows * columns);
  for (int64_t i = 0; i < rows * columns; ++i)
    data[i] = bits[number(i / columns, i % columns) + 2];
  return data;
}

static void fixed(void *stream) {
  uint16_t *a = matrix(24, 64, halves), *b = matrix(64, 56, halves);
  static _Thread_local float c[24][56];
  CHECK(device_fixed(stream, a, b, &c[0][0]) == 0);
  for (int i = 0; i < 24; ++i)
    for (int j = 0; j < 56; ++j)
      CHECK(c[i][j] == product(i, j, 64));
  free(a), free(b);
}

/* Rows of A and C with gaps, and B by columns, with gaps. */
static void strided(int64_t m, int64_t n, int64_t k) {
  int64_t lda = k + 3, ldb = k + 1, ldc = n + 5;
  uint16_t *a = malloc(2 * m * lda), *b = malloc(2 * n * ldb),
           *c = malloc(2 * m * ldc);
  for (int64_t i = 0; i < m * lda; ++i)
    a[i] = i % lda < k ? halves[number(i / lda, i % lda) + 2] : 0x7E00;
  for (int64_t i = 0; i < n * ldb; ++i)
    b[i] = i % ldb < k ? halves[number(i % ldb, i / ldb) + 2] : 0x7E00;
  memset(c, 0x11, 2 * m * ldc);
  CHECK(device_strided(NULL, a, m, k, lda, b, k, n, ldb, c, m, n, ldc) == 0);
  for (int64_t i = 0; i < m * ldc; ++i)
    if (i % ldc < n)
      CHECK(fromHalf(c[i]) == product(i / ldc, i % ldc, k));
    else
      CHECK(c[i] == 0x1111);
  free(a), free(b), free(c);
}

/* (A * B) * D, where B and D are ones and zeros on a diagonal. */
static void chain(int64_t m, int64_t n) {
  uint16_t *a = matrix(m, 64, brains), *b = calloc(2, 64 * n),
           *d = calloc(2, n * 40);
  for (int64_t i = 0; i < 64 && i < n; ++i)
    b[i * n + i] = 0x3F80;
  for (int64_t i = 0; i < n && i < 40; ++i)
    d[i * 40 + i] = 0x4000;
  float *result = malloc(sizeof(float) * m * 40);
  CHECK(device_chain(NULL, a, m, b, n, d, n, result, m) == 0);
  for (int64_t i = 0; i < m * 40; ++i)
    CHECK(result[i] == (i % 40 < n ? 2 * number(i / 40, i % 40) : 0));
  free(a), free(b), free(d), free(result);
}

/* a * 2 * 2 */
static void outer(void) {
  int64_t m = 8;
  uint16_t *a = matrix(m, 64, brains), *b = calloc(2, 64 * 64),
           *c = malloc(2 * m * 64);
  for (int64_t i = 0; i < 64; ++i)
    b[i * 64 + i] = 0x4000;
  CHECK(device_outer(NULL, a, b, c) == 0);
  for (int64_t i = 0; i < m * 64; ++i)
    CHECK(c[i] == (a[i] ? a[i] + 0x100 : 0)); /* two more in the exponent */
  free(a), free(b), free(c);
}

static void *work(void *argument) {
  int device = *(int *)argument;
  CHECK(honeSetDevice(device) == 0);
  for (int64_t round = 0; round < 10; ++round) {
    fixed(argument);
    strided(5 + round, 7 + device, 9);
    chain(3 + round, 48);
  }
  return NULL;
}

static void silent(int32_t status, const char *text, void *user) {
  (void)status, (void)text, (void)user;
}

int main(void) {
  struct Seen *seen = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "seen");
  if (!seen)
    return 2;
  CHECK(seen->libraries == 0);
  int stream, other;
  honeSetStream(&other);
  fixed(&stream);
  CHECK(seen->libraries == 1 && seen->launches == 1 && seen->device == 0);
  CHECK(seen->stream == &stream && honeGetStream() == &other);
  strided(1, 1, 8), strided(37, 50, 40), strided(130, 7, 16);
  chain(24, 48), chain(1, 9);
  CHECK(seen->libraries == 1 && seen->launches == 8);

  outer();
  CHECK(seen->launches == 10);
  pthread_t threads[2];
  int devices[2] = {0, 1};
  for (int i = 0; i < 2; ++i)
    pthread_create(&threads[i], NULL, work, &devices[i]);
  for (int i = 0; i < 2; ++i)
    pthread_join(threads[i], NULL);
  CHECK(seen->launches == 10 + 2 * 10 * 4);

  /* Errors come back, and the next call is free of them. */
  honeSetErrorHandler(silent, NULL);
  uint16_t *a = matrix(8, 64, brains), *b = matrix(64, 64, brains),
           *d = matrix(8, 64, brains);
  float result[8 * 40];
  int launches = seen->launches;
  seen->failAllocations = 1;
  CHECK(device_chain(NULL, a, 8, b, 8, d, 8, result, 8) == HONE_OUT_OF_MEMORY);
  CHECK(strstr(device_message(), "out of memory"));
  CHECK(device_outer(NULL, a, b, d) == HONE_OUT_OF_MEMORY);
  CHECK(seen->launches == launches);
  seen->failAllocations = 0;
#ifndef ON_HOST
  CHECK(device_strided(NULL, a, 8, 8, 64, b, 8, 8, 8, d, 8, 8, 1) ==
        HONE_BAD_PLAN);
  CHECK(strstr(device_message(), "ldc = 1"));
#endif
  CHECK(device_chain(NULL, a, 8, b, 8, d, 8, result, 8) == 0);
  free(a), free(b), free(d);
  printf("%d failures\n", failures);
  return failures != 0;
}
