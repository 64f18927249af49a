// A function that works on the device alone, called from C: it returns the size
// of its memory, and runs in the caller's memory on the caller's stream.
//
// RUN: %cc %s %libhone %libhone_rt -Wl,-rpath-link,%hone_obj/lib -lm -o %t
// RUN: %t | FileCheck %s
// RUN: %if gpu %{ %t native | FileCheck %s --check-prefix=GPU %}
#include "hone-c/Hone.h"
#include "hone-c/Runtime.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 24, COLUMNS = 40 };

/* Softmax of a row, of twice the row: four ops between two results. */
static const char *ir =
    "func.func @f(%x: tensor<?x40xf32>) -> tensor<24xf32> {\n"
    "  %rows = arith.constant 24 : index\n"
    "  %c0 = arith.constant 0 : index\n"
    "  %n = tensor.dim %x, %c0 : tensor<?x40xf32>\n"
    "  %zero = arith.constant 0.0 : f32\n"
    "  %e = tensor.empty(%n) : tensor<?x40xf32>\n"
    "  %p = linalg.softmax dimension(1) ins(%x : tensor<?x40xf32>)"
    "         outs(%e : tensor<?x40xf32>) -> tensor<?x40xf32>\n"
    "  %q = linalg.softmax dimension(0) ins(%p : tensor<?x40xf32>)"
    "         outs(%e : tensor<?x40xf32>) -> tensor<?x40xf32>\n"
    "  %s = tensor.extract_slice %q[0, 0] [24, 40] [1, 1]"
    "         : tensor<?x40xf32> to tensor<24x40xf32>\n"
    "  %o = tensor.empty() : tensor<24xf32>\n"
    "  %z = linalg.fill ins(%zero : f32) outs(%o : tensor<24xf32>)"
    "         -> tensor<24xf32>\n"
    "  %r = linalg.reduce { arith.addf } ins(%s : tensor<24x40xf32>)"
    "         outs(%z : tensor<24xf32>) dimensions = [1]\n"
    "  return %r : tensor<24xf32>\n"
    "}\n";

/* The memref structs of MLIR's C interface. */
struct Matrix {
  void *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
};
struct Vector {
  void *allocated, *aligned;
  int64_t offset, size, stride;
};
typedef int64_t Query(struct Matrix *, struct Vector *);
typedef void Function(struct Matrix *, struct Vector *, struct Vector *);

static HoneProgram *create(HoneSession *session, const char *arch) {
  char pipeline[200], *lowered = NULL, *messages = NULL;
  HoneProgram *program = NULL;
  snprintf(pipeline, sizeof pipeline,
           "hone-pipeline{arch=%s rest=gpu results=destinations "
           "workspace=argument}",
           arch);
  if (honeRunPipeline(session, ir, pipeline, &lowered, &messages))
    printf("pipeline: %s\n", messages);
  // CHECK: launches 1, allocations 0, waits 0
  printf("launches %d, allocations %d, waits %d\n",
         strstr(lowered, "@honeLaunch(") != NULL,
         strstr(lowered, "gpu.alloc") != NULL,
         strstr(lowered, "@honeSynchronize(") != NULL);
  honeFreeText(messages);
  if (honeProgramCreate(session, lowered, strlen(lowered), &program, &messages))
    printf("program: %s\n", messages);
  honeFreeText(lowered), honeFreeText(messages);
  return program;
}

static void softmax(float *x, int count, int stride) {
  float max = x[0], sum = 0;
  for (int i = 0; i < count; ++i)
    max = fmaxf(max, x[i * stride]);
  for (int i = 0; i < count; ++i)
    sum += x[i * stride] = expf(x[i * stride] - max);
  for (int i = 0; i < count; ++i)
    x[i * stride] /= sum;
}

static void run(Function *function, int64_t bytes) {
  static float x[ROWS][COLUMNS], got[ROWS];
  for (int i = 0; i < ROWS; ++i)
    for (int j = 0; j < COLUMNS; ++j)
      x[i][j] = (float)((7 * i + 3 * j) % 11) / 4 - 1;
  void *dx, *dr, *workspace;
  honeAlloc(&dx, sizeof x), honeAlloc(&dr, sizeof got);
  honeAlloc(&workspace, bytes);
  honeCopyToDevice(dx, x, sizeof x);
  struct Matrix matrix = {dx, dx, 0, {ROWS, COLUMNS}, {COLUMNS, 1}};
  struct Vector result = {dr, dr, 0, ROWS, 1};
  struct Vector memory = {workspace, workspace, 0, bytes, 1};
  function(&matrix, &result, &memory);
  honeCopyFromDevice(got, dr, sizeof got);
  for (int i = 0; i < ROWS; ++i)
    softmax(x[i], COLUMNS, 1);
  for (int j = 0; j < COLUMNS; ++j)
    softmax(&x[0][j], ROWS, COLUMNS);
  int wrong = 0;
  for (int i = 0; i < ROWS; ++i) {
    float sum = 0;
    for (int j = 0; j < COLUMNS; ++j)
      sum += x[i][j];
    wrong += !(fabsf(got[i] - sum) <= 1e-4f * sum);
  }
  // GPU: wrong 0, failures 0
  printf("wrong %d, failures %d\n", wrong, honeTakeStatus());
  honeFree(dx), honeFree(dr), honeFree(workspace);
}

int main(int argc, char **argv) {
  HoneSession *session = honeSessionCreate();
  HoneProgram *program = create(session, argc > 1 ? argv[1] : "sm_90a");
  honeSessionDestroy(session);
  Query *query = (Query *)honeProgramFunction(program, "f_workspace");
  Function *function = (Function *)honeProgramFunction(program, "f");
  // CHECK-NEXT: functions 1 1
  printf("functions %d %d\n", query != NULL, function != NULL);
  struct Matrix few = {NULL, NULL, 0, {ROWS, COLUMNS}, {COLUMNS, 1}};
  struct Matrix many = {NULL, NULL, 0, {10 * ROWS, COLUMNS}, {COLUMNS, 1}};
  struct Vector result = {NULL, NULL, 0, ROWS, 1};
  int64_t bytes = query(&few, &result), more = query(&many, &result);
  // It depends on the rows, and is a multiple of 256.
  // CHECK-NEXT: workspace 1 1 0
  printf("workspace %d %d %d\n", bytes >= ROWS * COLUMNS * 4, more > 5 * bytes,
         (int)(bytes % 256));
  if (argc > 1)
    run(function, bytes);
  honeProgramDestroy(program);
  return 0;
}
