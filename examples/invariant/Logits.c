/*===- Logits.c - Logits that do not change with the batch ---------*- C -*-===*\
|*
|* Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|* Computes the logits of each row by itself, by the function of logits.mlir that
|* `hone compile` made, and then of rows in batches of every size, at places that
|* are drawn. Their bits are compared.
|*
|*   hone compile logits.mlir -o out --arch=sm_90a --arguments=host \
|*     --pipeline='numbers=invariant'
|*   cc -Iout Logits.c out/logits.o -lhone_rt -lm -o logits && ./logits 600
|*
\*===----------------------------------------------------------------------===*/

#include "logits.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 512, HIDDEN = 320, CLASSES = 96 };

static uint64_t state = 1;

static uint32_t draw(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33);
}

/* Numbers of both signs and of many sizes below 1 as f16, for which C has no
   portable type. */
static uint16_t *drawHalves(int64_t count) {
  uint16_t *halves = malloc(sizeof(*halves) * count);
  for (int64_t i = 0; i < count; ++i)
    halves[i] = (uint16_t)((draw() & 0x8000) | (0x2400 + draw() % 0x1400));
  return halves;
}

int main(int argc, char **argv) {
  int64_t most = argc > 1 ? atoi(argv[1]) : 24;
  if (most < 1) {
    fprintf(stderr, "usage: logits [ROWS]\n");
    return 2;
  }
  uint16_t *rows = drawHalves(most * WIDTH);
  uint16_t *w1 = drawHalves(WIDTH * HIDDEN), *w2 = drawHalves(HIDDEN * CLASSES);
  float *bias = malloc(sizeof(*bias) * HIDDEN);
  for (int64_t i = 0; i < HIDDEN; ++i)
    bias[i] = (float)(draw() % 1000) / 1000 - 0.5f;
  uint16_t *batch = malloc(sizeof(*batch) * most * WIDTH);
  int64_t *places = malloc(sizeof(*places) * most);
  float *alone = malloc(sizeof(*alone) * most * CLASSES);
  float *together = malloc(sizeof(*together) * most * CLASSES);

  int status = 0;
  for (int64_t row = 0; row < most && !status; ++row)
    status = logits_logits(NULL, rows + row * WIDTH, 1, w1, bias, w2,
                           alone + row * CLASSES, 1);
  int64_t compared = 0, different = 0;
  for (int64_t size = 1; size <= most && !status; ++size) {
    for (int64_t i = 0; i < size; ++i) {
      places[i] = draw() % most;
      memcpy(batch + i * WIDTH, rows + places[i] * WIDTH,
             sizeof(*rows) * WIDTH);
    }
    status = logits_logits(NULL, batch, size, w1, bias, w2, together, size);
    for (int64_t i = 0; i < size && !status; ++i, ++compared)
      different += memcmp(together + i * CLASSES, alone + places[i] * CLASSES,
                          sizeof(*alone) * CLASSES) != 0;
  }
  if (status) {
    fprintf(stderr, "error %d: %s\n", status, logits_message());
    return 1;
  }
  printf("%ld batches, %ld rows, %ld differ\n", (long)most, (long)compared,
         (long)different);
  free(rows), free(w1), free(w2), free(bias), free(batch), free(places);
  free(alone), free(together);
  return different != 0;
}
