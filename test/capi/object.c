// One program compiles a module to an object file, another is linked with it.
//
// RUN: %cc %s %libhone -Wl,-rpath-link,%hone_obj/lib -o %t.compiler
// RUN: %t.compiler %t.o | FileCheck %s
// RUN: %cc -DCALLER %s %t.o -o %t.caller && %t.caller | FileCheck %s --check-prefix=CALLED
#ifndef CALLER
#include "hone-c/Hone.h"
#include <stdio.h>
#include <string.h>

static const char *ir =
    "func.func @mm(%a: memref<4x8xf32>, %b: memref<8x4xf32>,"
    "              %c: memref<4x4xf32>) {\n"
    "  linalg.matmul ins(%a, %b : memref<4x8xf32>, memref<8x4xf32>)"
    "                outs(%c : memref<4x4xf32>)\n"
    "  return\n"
    "}\n";

static int emit(HoneSession *session, const char *text, const char *cpu,
                const char *what) {
  char *object = (char *)text, *messages;
  size_t size = 0;
  int status = honeEmitObject(session, text, text ? strlen(text) : 0, cpu,
                              &object, &size, &messages);
  printf("%s %d %s %s\n", what, status, object ? "bytes" : "(nil)", messages);
  honeFreeText(object), honeFreeText(messages);
  return status;
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  // CHECK: version 1
  printf("version %d\n", honeVersion() == HONE_VERSION_NUMBER);
  HoneSession *session = honeSessionCreate();
  char *lowered, *object, *messages;
  size_t size;
  // CHECK: pipeline 0
  printf(
      "pipeline %d\n",
      honeRunPipeline(session, ir, "hone-pipeline{arch=host}", &lowered, NULL));
  // CHECK: object 0
  int status = honeEmitObject(session, lowered, strlen(lowered), NULL, &object,
                              &size, &messages);
  printf("object %d\n%s", status, messages);
  FILE *file = fopen(argv[1], "wb");
  fwrite(object, 1, size, file);
  fclose(file);
  honeFreeText(object), honeFreeText(messages);

  // CHECK: cpu 1 (nil) error: expected a CPU of {{.*}} that LLVM supports, but got 'z80'
  emit(session, lowered, "z80", "cpu");
  // CHECK: generic 0 bytes
  emit(session, lowered, "generic", "generic");
  // CHECK: tensors 1 (nil) error: expected a module of bufferized host code
  emit(session,
       "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : "
       "tensor<4xf32> }",
       NULL, "tensors");
  // CHECK: malformed 1 (nil) module:1:{{[0-9]+}}: error: expected
  emit(session, "func.func @f(", NULL, "malformed");
  // CHECK: null 1 (nil) error: expected a session, a module and a place for the object, but got NULL
  emit(session, NULL, NULL, "null");
  honeFreeText(lowered);
  honeSessionDestroy(session);
  return 0;
}
#else
#include <stdint.h>
#include <stdio.h>

/* The memref struct of MLIR's C interface. */
struct Matrix {
  float *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
};
void _mlir_ciface_mm(struct Matrix *a, struct Matrix *b, struct Matrix *c);

int main(void) {
  float a[4][8], b[8][4], c[4][4] = {{100}};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 8; ++j)
      a[i][j] = i + j, b[j][i] = i == j;
  struct Matrix as = {&a[0][0], &a[0][0], 0, {4, 8}, {8, 1}};
  struct Matrix bs = {&b[0][0], &b[0][0], 0, {8, 4}, {4, 1}};
  struct Matrix cs = {&c[0][0], &c[0][0], 0, {4, 4}, {4, 1}};
  _mlir_ciface_mm(&as, &bs, &cs);
  // CALLED: 100 1 2 3 / 3 4 5 6
  printf("%g %g %g %g / %g %g %g %g\n", c[0][0], c[0][1], c[0][2], c[0][3],
         c[3][0], c[3][1], c[3][2], c[3][3]);
  return 0;
}
#endif
