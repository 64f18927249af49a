// MLIR's parser of linalg.transpose crashes at a permutation that does not parse. Each tool that
// reads a module says so and ends with its status of a failure.

// RUN: not hone explain %s 2>&1 | FileCheck %s
// RUN: not hone simulate %s 2>&1 | FileCheck %s
// RUN: not hone compile %s -o %t 2>&1 | FileCheck %s
// RUN: not hone rewrite --kernel=%s 2>&1 | FileCheck %s
// CHECK: error: {{.*}}expected '['{{.*}}parser-crashes.mlir': MLIR's parser crashed at this text; correct the text
// RUN: not hone-opt %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=OPT
// OPT: error: expected '['
// OPT: error: '{{.*}}parser-crashes.mlir': MLIR's parser crashed at this text; correct the text

func.func @turned(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %t = linalg.transpose ins(%a : tensor<4x8xf32>) outs(%b : tensor<8x4xf32>) permutation = (1, 0)
  return %t : tensor<8x4xf32>
}
