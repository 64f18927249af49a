// RUN: %cc -Wall -Werror -I%hone_src/include %s %libhone -o %t
// -Wl,-rpath,%hone_obj/lib -Wl,-rpath-link,%hone_obj/lib RUN: %t | FileCheck %s
#include "hone-c/Hone.h"
#include <stdio.h>

static const char *ir =
    "func.func @mm(%a: memref<64x64xf16>, %b: memref<64x64xf16>,"
    "              %c: memref<64x64xf32>) {\n"
    "  linalg.matmul ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>)"
    "                outs(%c : memref<64x64xf32>)\n"
    "  return\n"
    "}\n";

int main(void) {
  HoneSession *session = honeSessionCreate();
  char *out, *messages;

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
  // CHECK: default swap_ab, tile = 16x64x128
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

  honeSessionDestroy(session);
  return 0;
}
