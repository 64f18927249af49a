// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-separate-results)' | FileCheck %s
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(func.func(hone-separate-results))' | FileCheck %s

// A function that returns one buffer twice gives two; a caller that needs both in memory of
// its own can have them (test/pipeline/destinations.mlir).

// CHECK-LABEL: func @twice(
// CHECK: %[[A:.*]] = memref.alloc(%[[N:.*]]) : memref<?x4xf32>
// CHECK: %[[B:.*]] = memref.alloc() : memref<4xf32>
// CHECK: %[[COPY:.*]] = memref.alloc(%[[N]]) : memref<?x4xf32>
// CHECK: memref.copy %[[A]], %[[COPY]]
// CHECK: return %[[A]], %[[B]], %[[COPY]] :
func.func @twice(%n: index) -> (memref<?x4xf32>, memref<4xf32>, memref<?x4xf32>) {
  %a = memref.alloc(%n) : memref<?x4xf32>
  %b = memref.alloc() : memref<4xf32>
  return %a, %b, %a : memref<?x4xf32>, memref<4xf32>, memref<?x4xf32>
}

// An argument is not the function's to give.
// CHECK-LABEL: func @argument(
// CHECK-NEXT: return %{{.*}}, %{{.*}} :
func.func @argument(%a: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>) {
  return %a, %a : memref<4xf32>, memref<4xf32>
}
