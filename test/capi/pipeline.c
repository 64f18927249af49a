// RUN: %cc %s %libhone -Wl,-rpath-link,%hone_obj/lib -o %t
// RUN: hone-opt %hone_src/test/examples/readme.mlir --emit-bytecode -o %t.mlirbc
// RUN: %t %t.mlirbc | FileCheck %s
#include "hone-c/Hone.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *ir =
    "func.func @mm(%a: memref<64x64xf16>, %b: memref<64x64xf16>,"
    "              %c: memref<64x64xf32>) {\n"
    "  linalg.matmul ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>)"
    "                outs(%c : memref<64x64xf32>)\n"
    "  return\n"
    "}\n";

/* Two matmuls; one has operands that no kernel of sm_90a takes. */
static const char *two =
    "func.func @two(%h: memref<64x64xf16>, %s: memref<64x64xf32>,"
    "               %b: memref<64x64xf8E4M3FN>) {\n"
    "  linalg.matmul ins(%h, %h : memref<64x64xf16>, memref<64x64xf16>)"
    "                outs(%s : memref<64x64xf32>)\n"
    "  linalg.matmul {hone.products = #hone.products<exact>}"
    "                ins(%b, %b : memref<64x64xf8E4M3FN>, "
    "memref<64x64xf8E4M3FN>)"
    "                outs(%s : memref<64x64xf32>)\n"
    "  return\n"
    "}\n";

/* The messages list the work that the passes did and did not do, with places. */
static void testRemarks(HoneSession *session) {
  char *out, *messages;
  // CHECK: remarks 0
  // CHECK-DAG: module:2:3: remark: m = 64, n = 64, k = 64, a = f16
  // CHECK-DAG: module:3:3: remark: not matched: {{.*}}no kernel for sm_90a
  int status =
      honeRunPipeline(session, two, "hone-match{arch=sm_90a}", &out, &messages);
  printf("remarks %d\n%s", status, messages);
  honeFreeText(out), honeFreeText(messages);
  // CHECK: module:2:3: remark: {{.*}}from the cost model
  status = honeRunPipeline(session, two, "hone-pipeline{arch=sm_90a}", NULL,
                           &messages);
  printf("%d\n%s", status, messages);
  honeFreeText(messages);
  /* Messages of this run, and not of earlier ones. */
  // CHECK: again: ()
  honeRunPipeline(session, "func.func @f() { return }", "hone-match", NULL,
                  &messages);
  printf("again: (%s)\n", messages);
  honeFreeText(messages);
  // CHECK: module:1:{{[0-9]+}}: error: expected
  honeRunPipeline(session, "func.func @f(", "hone-match", NULL, &messages);
  printf("%s", messages);
  honeFreeText(messages);
  // CHECK: module:2:3: error: {{.*}}schedule_c14
  // CHECK-NOT: see current operation
  honeRunPipeline(session, two,
                  "hone-pipeline{arch=sm_80 schedule=mma_sync,stages=99}", NULL,
                  &messages);
  printf("%s", messages);
  honeFreeText(messages);
}

/* Passes of mlir-opt. */
static void testUpstream(HoneSession *session) {
  char *out, *messages;
  // CHECK: upstream 0
  // CHECK: llvm.func @mm
  // CHECK-NOT: func.func
  int status = honeRunPipeline(
      session, ir,
      "canonicalize,convert-linalg-to-loops,convert-scf-to-cf,"
      "expand-strided-metadata,lower-affine,finalize-memref-to-llvm,"
      "convert-arith-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,"
      "reconcile-unrealized-casts",
      &out, &messages);
  printf("upstream %d\n%s%s", status, out, messages);
  honeFreeText(out), honeFreeText(messages);
  // CHECK: tosa 0
  status =
      honeRunPipeline(session,
                      "func.func @t(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                      "  %0 = tosa.abs %a : (tensor<4xf32>) -> tensor<4xf32>\n"
                      "  return %0 : tensor<4xf32>\n}\n",
                      "func.func(tosa-to-linalg),gpu-to-llvm", NULL, &messages);
  printf("tosa %d\n%s", status, messages);
  honeFreeText(messages);
  // CHECK: unknown pass 1
  // CHECK: 'no-such-pass'
  status = honeRunPipeline(session, ir, "no-such-pass", NULL, &messages);
  printf("unknown pass %d\n%s", status, messages);
  honeFreeText(messages);
}

/* Bytecode at every alignment: complete, cut short, and damaged. */
static void testBytes(HoneSession *session, const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return;
  char *bytes = malloc(1 << 20);
  size_t size = fread(bytes + 1, 1, (1 << 20) - 1, file);
  fclose(file);
  char *out, *messages;
  // CHECK: bytecode 0
  // CHECK: hone.matmul
  int status = honeRunPipelineOnBytes(session, bytes + 1, size, "hone-match",
                                      &out, &messages);
  printf("bytecode %d\n%s", status, out ? out : messages);
  honeFreeText(out), honeFreeText(messages);
  /* Text without a NUL after it. */
  // CHECK: text 0
  size_t length = strlen(ir);
  memcpy(bytes + 1 + size, ir, length);
  memset(bytes + 1 + size + length, '}', 1);
  status = honeRunPipelineOnBytes(session, bytes + 1 + size, length,
                                  "hone-match", NULL, NULL);
  printf("text %d\n", status);
  int errors = 0, silent = 0;
  for (size_t end = 4; end < size; end += 7) {
    int failed = honeRunPipelineOnBytes(session, bytes + 1, end, "hone-match",
                                        NULL, &messages);
    errors += failed, silent += failed && !*messages;
    honeFreeText(messages);
  }
  // CHECK: cut short: {{[1-9][0-9]*}} errors, 0 silent
  printf("cut short: %d errors, %d silent\n", errors, silent);
  free(bytes);
}

/* Errors, and not crashes. */
static void testGarbage(HoneSession *session) {
  char *out = (char *)ir, *messages;
  // CHECK: null 1 (nil) error: expected a session, a module and a pipeline
  int status = honeRunPipeline(NULL, ir, "hone-match", &out, &messages);
  printf("null %d %s %s", status, out ? "text" : "(nil)", messages);
  honeFreeText(messages);
  // CHECK: 1 1 1 1 0
  printf("%d %d %d %d %d\n", honeRunPipeline(session, NULL, "cse", NULL, NULL),
         honeRunPipeline(session, ir, NULL, NULL, NULL),
         honeRunPipelineOnBytes(session, NULL, 0, "cse", NULL, NULL),
         honeRunPipeline(session, ir, "hone-match{", NULL, NULL),
         honeRunPipeline(session, "", "", NULL, NULL));
  honeSessionDestroy(NULL);
  honeFreeText(NULL);
  // CHECK: expected a schedule, but got NULL
  // CHECK: expected a problem and an arch, but got NULL
  // CHECK: expected a problem and an arch, but got NULL
  char *why[3] = {honeCheckSchedule(NULL, "", "h200"),
                  honeCheckSchedule("mma_sync", NULL, "h200"),
                  honeCheckSchedule("mma_sync", "", NULL)};
  for (int i = 0; i < 3; ++i)
    printf("%s\n", why[i]), honeFreeText(why[i]);
  // CHECK: (nil) expected {{.*}}'garbage'
  char *schedule = honeDefaultSchedule("garbage", "h200", &messages);
  printf("%s %s\n", schedule ? "text" : "(nil)", messages);
  honeFreeText(messages);
  // CHECK: (nil) expected a problem and an arch, but got NULL
  schedule = honeDefaultSchedule(NULL, NULL, &messages);
  printf("%s %s\n", schedule ? "text" : "(nil)", messages);
  honeFreeText(messages);
}

int main(int argc, char **argv) {
  HoneSession *session = honeSessionCreate();
  char *out, *messages;
  testRemarks(session);
  testUpstream(session);
  if (argc > 1)
    testBytes(session, argv[1]);
  testGarbage(session);

  // CHECK: pipeline 0
  // CHECK: gpu.binary @hone_sm_80
  // CHECK: llvm.call @honeLaunch
  int status = honeRunPipeline(session, ir, "hone-pipeline{arch=sm_80}", &out,
                               &messages);
  printf("pipeline %d\n%s%s", status, out, messages);
  honeFreeText(out), honeFreeText(messages);

  // CHECK: unknown arch 1
  // CHECK: but got 'sm_999'
  status = honeRunPipeline(session, ir, "hone-pipeline{arch=sm_999}", &out,
                           &messages);
  printf("unknown arch %d\n%s", status, messages);
  honeFreeText(out), honeFreeText(messages);

  // CHECK: malformed 1
  status = honeRunPipeline(session, "func.func @f(", "hone-match", NULL, NULL);
  printf("malformed %d\n", status);

  const char *problem = "m = 64, n = 64, k = 64, a = f16:row:16, "
                        "b = f16:row:16, acc = f32, c = f32:16, init = read";
  // CHECK: default ws, side = b, tile = 16x64x128
  char *schedule = honeDefaultSchedule(problem, "h200", NULL);
  printf("default %s\n", schedule);
  // CHECK: legal
  char *broken = honeCheckSchedule(schedule, problem, "h200");
  printf("%s\n", broken ? broken : "legal");
  honeFreeText(broken), honeFreeText(schedule);
  // CHECK: schedule_c14: expected stages to be 2 to 12, but got 99; use 12
  broken = honeCheckSchedule("mma_sync, stages = 99", problem, "h200");
  printf("%s\n", broken);
  honeFreeText(broken);
  // CHECK: schedule_r2: expected ranges of an extent that is not known, but got m = 64; use one schedule
  broken = honeCheckSchedule("m to 16: mma_sync | mma_sync", problem, "h200");
  printf("%s\n", broken);
  honeFreeText(broken);

  honeSessionDestroy(session);
  return 0;
}
