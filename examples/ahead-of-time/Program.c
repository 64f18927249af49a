/*===- Program.c - A program with compiled matmuls in it -----------*- C -*-===*\
|*
|* Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|* A program for shipping: it calls the functions of attention.mlir, which `hone
|* compile` made beforehand, and does not use MLIR. The numbers are small integers,
|* so that the results are exact and can be compared with plain loops.
|*
|*   example-ahead-of-time [QUERIES] [KEYS]
|*
\*===----------------------------------------------------------------------===*/

#include "attention.h"
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 64 };

/* 0 and 1 as f16, for which C has no portable type. */
static const uint16_t bits[] = {0, 0x3C00};

static int isSet(int64_t i, int64_t j) { return (3 * i + 5 * j) % 7 == 0; }

static uint16_t *makeMatrix(int64_t rows, int64_t columns) {
  uint16_t *matrix = malloc(sizeof(*matrix) * rows * columns);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      matrix[i * columns + j] = bits[isSet(i, j)];
  return matrix;
}

/* The element of scores(q, k) * v that loops give. */
static float expected(int64_t i, int64_t j, int64_t keys) {
  float sum = 1;
  for (int64_t key = 0; key < keys; ++key)
    for (int64_t x = 0; x < WIDTH; ++x)
      sum += isSet(i, x) * isSet(key, x) * isSet(key, j);
  return sum;
}

int main(int argc, char **argv) {
  int64_t queries = argc > 1 ? atoi(argv[1]) : 33;
  int64_t keys = argc > 2 ? atoi(argv[2]) : 50;
  if (queries < 1 || keys < 1) {
    fprintf(stderr, "usage: example-ahead-of-time [QUERIES] [KEYS]\n");
    return 2;
  }
  uint16_t *q = makeMatrix(queries, WIDTH), *k = makeMatrix(keys, WIDTH);
  uint16_t *s = makeMatrix(queries, keys);
  float *sum = malloc(sizeof(*sum) * queries * WIDTH);
  for (int64_t i = 0; i < queries * WIDTH; ++i)
    sum[i] = 1;

  /* Memory of the host, and the default stream. */
  int status = attention_scores(NULL, q, queries, k, keys, s, queries, keys);
  if (!status)
    status = attention_blend(NULL, s, queries, keys, k, keys, sum, queries);
  if (status) {
    fprintf(stderr, "error %d: %s\n", status, attention_message());
    return 1;
  }
  int64_t wrong = 0;
  for (int64_t i = 0; i < queries; ++i)
    for (int64_t j = 0; j < WIDTH; ++j)
      wrong += sum[i * WIDTH + j] != expected(i, j, keys);
  printf("%ld x %d elements, %ld wrong\n", (long)queries, WIDTH, (long)wrong);
  free(q), free(k), free(s), free(sum);
  return wrong != 0;
}
