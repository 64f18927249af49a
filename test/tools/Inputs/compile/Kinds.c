/* Calls the functions of kinds.mlir and compares the results with loops. */
#include "kinds.h"
#include <math.h>
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

/* Whole numbers from -2 to 2: sums are exact. */
static float number(int64_t i, int64_t j) { return (7 * i + 3 * j) % 5 - 2; }

static float product(int64_t i, int64_t j, int64_t k) {
  float sum = 0;
  for (int64_t x = 0; x < k; ++x)
    sum += number(i, x) * number(x, j);
  return sum;
}

static void fixed(void) {
  static float a[24][40], b[40][56], c[24][56];
  for (int i = 0; i < 24; ++i)
    for (int j = 0; j < 40; ++j)
      a[i][j] = number(i, j);
  for (int i = 0; i < 40; ++i)
    for (int j = 0; j < 56; ++j)
      b[i][j] = number(i, j);
  for (int i = 0; i < 24; ++i)
    for (int j = 0; j < 56; ++j)
      c[i][j] = 10;
  CHECK(kinds_fixed(NULL, &a[0][0], &b[0][0], &c[0][0]) == 0);
  for (int i = 0; i < 24; ++i)
    for (int j = 0; j < 56; ++j)
      CHECK(c[i][j] == 10 + product(i, j, 40));
}

/* Rows with gaps, a B whose rows and columns have changed places; the elements
   between the rows of C stay. */
static void strided(int64_t m, int64_t n) {
  int64_t k = 40, lda = k + 3, ldc = n + 5;
  float *a = malloc(sizeof(float) * (m * lda + 1));
  float *b = malloc(sizeof(float) * k * 2 * n);
  float *c = malloc(sizeof(float) * m * ldc);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < lda; ++j)
      a[1 + i * lda + j] = j < k ? number(i, j) : NAN;
  for (int64_t i = 0; i < k; ++i)
    for (int64_t j = 0; j < n; ++j)
      b[2 * (i + j * k)] = number(i, j), b[2 * (i + j * k) + 1] = NAN;
  for (int64_t i = 0; i < m * ldc; ++i)
    c[i] = 100;
  CHECK(kinds_strided(NULL, a + 1, m, k, lda, b, n, 2, 2 * k, c, m, n, ldc) ==
        0);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < ldc; ++j)
      CHECK(c[i * ldc + j] == (j < n ? 100 + product(i, j, k) : 100));
  free(a), free(b), free(c);
}

static uint16_t bfloat(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return bits >> 16;
}

static void half(int64_t m, int64_t n, int64_t k) {
  uint16_t *a = malloc(2 * m * k), *b = malloc(2 * k * n);
  float *sum = malloc(sizeof(float) * m * n);
  for (int64_t i = 0; i < m * k; ++i)
    a[i] = bfloat(number(i / k, i % k));
  for (int64_t i = 0; i < k * n; ++i)
    b[i] = bfloat(number(i / n, i % n));
  for (int64_t i = 0; i < m * n; ++i)
    sum[i] = i;
  CHECK(kinds_half(NULL, a, m, k, b, k, n, sum, m, n) == 0);
  for (int64_t i = 0; i < m * n; ++i)
    CHECK(sum[i] == i + product(i / n, i % n, k));
  free(a), free(b), free(sum);
}

/* As they are passed, so they come back. */
static void scalars(int64_t sign) {
  int64_t index, word8;
  bool flag;
  int8_t byte;
  int16_t word2;
  int32_t word4;
  uint16_t f16 = sign < 0 ? 0xFC01 : 0x3C01, bf16 = sign < 0 ? 0xBF81 : 0x3F81;
  uint16_t sameF16, sameBf16;
  float f32;
  double f64;
  CHECK(kinds_scalars(NULL, sign * (1ll << 40), sign > 0, sign * 100,
                      sign * 30000, sign * 2000000000, sign * (1ll << 62), f16,
                      bf16, sign * 1.5f, sign * 0.1, &index, &flag, &byte,
                      &word2, &word4, &word8, &sameF16, &sameBf16, &f32,
                      &f64) == 0);
  CHECK(index == sign * (1ll << 40) && flag == (sign > 0) &&
        byte == sign * 100);
  CHECK(word2 == sign * 30000 && word4 == sign * 2000000000);
  CHECK(word8 == sign * (1ll << 62) && sameF16 == f16 && sameBf16 == bf16);
  CHECK(f32 == sign * 1.5f && f64 == sign * 0.1);
}

static void small(void) {
  float x = 2.5f, y = 0;
  CHECK(kinds_one(NULL, &x, &y) == 0 && y == 2.5f);
  CHECK(kinds_nothing(NULL) == 0);
  CHECK(kinds_caller(NULL, 1.25f, &y) == 0 && y == 2.5f);
}

static void twice(int64_t m) {
  float *a = malloc(sizeof(float) * m * 16),
        *r = malloc(sizeof(float) * m * 16);
  float b[16][16];
  for (int64_t i = 0; i < m * 16; ++i)
    a[i] = number(i / 16, i % 16);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j)
      b[i][j] = i == j ? 3 : 0;
  CHECK(kinds_once(NULL, a, m, &b[0][0], r, m) == 0);
  for (int64_t i = 0; i < m * 16; ++i)
    CHECK(r[i] == 3 * a[i]);
  CHECK(kinds_twice(NULL, a, m, &b[0][0], r, m) == 0);
  for (int64_t i = 0; i < m * 16; ++i)
    CHECK(r[i] == 9 * a[i]);
  free(a), free(r);
}

/* The linker has every call of malloc come here. */
void *__real_malloc(size_t bytes);
static _Thread_local int isOut;
void *__wrap_malloc(size_t bytes) {
  return isOut ? NULL : __real_malloc(bytes);
}

static void outOfMemory(void) {
  float a[2][16] = {{1}}, b[16][16] = {{1}}, r[2][16];
  isOut = 1;
  int once = kinds_once(NULL, &a[0][0], 2, &b[0][0], &r[0][0], 2);
  int twice = kinds_twice(NULL, &a[0][0], 2, &b[0][0], &r[0][0], 2);
  isOut = 0;
  CHECK(once == 4 && twice == 4);
  CHECK(strcmp(kinds_message(), "expected memory of the host, but got none") ==
        0);
  CHECK(kinds_once(NULL, &a[0][0], 2, &b[0][0], &r[0][0], 2) == 0 &&
        r[0][0] == 1);
}

static void *work(void *number) {
  int64_t first = *(int *)number;
  for (int64_t round = 0; round < 20; ++round) {
    strided(first + round, 31 - first);
    half(17, 20 + round, 9 + first);
  }
  return NULL;
}

int main(void) {
  fixed();
  strided(1, 1), strided(37, 50), strided(0, 3), strided(130, 7);
  half(24, 40, 56), half(3, 5, 7), half(1, 1, 0);
  scalars(1), scalars(-1);
  small();
  twice(5), twice(40);
  outOfMemory();
  pthread_t threads[2];
  int numbers[2] = {3, 11};
  for (int i = 0; i < 2; ++i)
    pthread_create(&threads[i], NULL, work, &numbers[i]);
  for (int i = 0; i < 2; ++i)
    pthread_join(threads[i], NULL);
  CHECK(*kinds_message() == 0);
  printf("%d failures\n", failures);
  return failures != 0;
}
