// A module is compiled, linked into this process and called, after the end of
// its session.
//
// RUN: %cc %s %libhone -Wl,-rpath-link,%hone_obj/lib -o %t
// RUN: %t | FileCheck %s
#include "hone-c/Hone.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char *ir =
    "func.func @mm(%a: memref<4x8xf32>, %b: memref<8x4xf32>,"
    "              %c: memref<4x4xf32>) {\n"
    "  linalg.matmul ins(%a, %b : memref<4x8xf32>, memref<8x4xf32>)"
    "                outs(%c : memref<4x4xf32>)\n"
    "  return\n"
    "}\n";

static const char *half =
    "func.func @mm(%a: memref<64x64xf16>, %c: memref<64x64xf16>) {\n"
    "  linalg.matmul ins(%a, %a : memref<64x64xf16>, memref<64x64xf16>)"
    "                outs(%c : memref<64x64xf16>)\n"
    "  return\n"
    "}\n";

/* The memref struct of MLIR's C interface. */
struct Matrix {
  void *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
};
typedef void Product(struct Matrix *, struct Matrix *, struct Matrix *);

static HoneProgram *create(HoneSession *session, const char *text,
                           const char *pipeline, const char *what) {
  char *lowered = NULL, *messages;
  if (honeRunPipeline(session, text, pipeline, &lowered, NULL))
    puts("expected a pipeline that runs");
  HoneProgram *program = (HoneProgram *)text;
  int status = honeProgramCreate(
      session, lowered, lowered ? strlen(lowered) : 0, &program, &messages);
  printf("%s %d %s %s\n", what, status, program ? "program" : "(nil)",
         messages);
  honeFreeText(lowered), honeFreeText(messages);
  return program;
}

static void callOnHost(HoneProgram *program) {
  float a[4][8], b[8][4], c[4][4] = {{100}};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 8; ++j)
      a[i][j] = i + j, b[j][i] = i == j;
  struct Matrix as = {a, a, 0, {4, 8}, {8, 1}};
  struct Matrix bs = {b, b, 0, {8, 4}, {4, 1}};
  struct Matrix cs = {c, c, 0, {4, 4}, {4, 1}};
  Product *product = (Product *)honeProgramFunction(program, "mm");
  product(&as, &bs, &cs);
  printf("%g %g %g %g / %g %g %g %g\n", c[0][0], c[0][1], c[0][2], c[0][3],
         c[3][0], c[3][1], c[3][2], c[3][3]);
}

int main(void) {
  HoneSession *session = honeSessionCreate();
  // CHECK: host 0 program
  HoneProgram *program =
      create(session, ir, "hone-pipeline{arch=host}", "host");
  // CHECK-NEXT: none 1 1
  printf("none %d %d\n", honeProgramFunction(program, "nn") == NULL,
         honeProgramFunction(NULL, "mm") == NULL);
  // CHECK: kernel 0 program
  HoneProgram *kernel =
      create(session, half, "hone-pipeline{arch=sm_80}", "kernel");
  // CHECK: tensors 1 (nil) error: expected a module of bufferized host code
  create(session,
         "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
         "  return %a : tensor<4xf32>\n}\n",
         "canonicalize", "tensors");
  // CHECK: null 1 (nil) error: expected a session, a module and a place for the program, but got NULL
  HoneProgram *none = program;
  char *messages;
  int status = honeProgramCreate(session, NULL, 0, &none, &messages);
  printf("null %d %s %s\n", status, none ? "program" : "(nil)", messages);
  honeFreeText(messages);

  /* A program needs no session. */
  honeSessionDestroy(session);
  // CHECK: 100 1 2 3 / 3 4 5 6
  callOnHost(program);
  // CHECK-NEXT: kernel 1
  printf("kernel %d\n", honeProgramFunction(kernel, "mm") != NULL);
  honeProgramDestroy(program), honeProgramDestroy(kernel);
  honeProgramDestroy(NULL);
  return 0;
}
