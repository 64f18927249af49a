// A function that takes its workspace from C returns the size of it; a buffer that it returns
// twice is two destinations.
//
// RUN: rm -rf %t && hone compile %s -o %t --arch=sm_80 --name=chain --pipeline='rest=gpu workspace=argument'
// RUN: FileCheck %s --input-file=%t/chain.h

// CHECK-LABEL: int chain_f(void *stream,
// CHECK-NEXT:     const void *x, int64_t x_size0,
// CHECK-NEXT:     const void *w,
// CHECK-NEXT:     void *result0, int64_t result0_size0,
// CHECK-NEXT:     int8_t *workspace, int64_t workspace_size0);
// CHECK-LABEL: int chain_f_workspace(void *stream,
// CHECK-NEXT:     const void *x, int64_t x_size0,
// CHECK:     int64_t *value0);
func.func @f(%x: tensor<?x64xf16>, %w: tensor<64x64xf16>) -> tensor<?x64xf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<?x64xf16>, tensor<64x64xf16>) outs(%z : tensor<?x64xf32>) -> tensor<?x64xf32>
  %1 = arith.truncf %0 : tensor<?x64xf32> to tensor<?x64xf16>
  %2 = linalg.matmul ins(%1, %w : tensor<?x64xf16>, tensor<64x64xf16>) outs(%z : tensor<?x64xf32>) -> tensor<?x64xf32>
  %3 = arith.truncf %2 : tensor<?x64xf32> to tensor<?x64xf16>
  return %3 : tensor<?x64xf16>
}

// CHECK-LABEL: int chain_twice(void *stream,
// CHECK-NEXT:     const void *x,
// CHECK-NEXT:     float *result0,
// CHECK-NEXT:     float *result1,
// CHECK-NEXT:     int8_t *workspace);
func.func @twice(%x: tensor<64x64xf16>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul ins(%x, %x : tensor<64x64xf16>, tensor<64x64xf16>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0, %0 : tensor<64x64xf32>, tensor<64x64xf32>
}
