// RUN: env GLIBC_TUNABLES=glibc.malloc.tcache_count=0 MALLOC_PERTURB_=165 hone-opt %s --hone-match | FileCheck %s

// Ops that move into a matmul are erased, with the ops that only they used. Freed
// memory is overwritten here, so that an access to an erased op shows.

#id = affine_map<(m, n) -> (m, n)>

// Each step is needed by the next alone.
// CHECK-LABEL: func @three_steps(
// CHECK: %[[C:.*]] = tensor.empty() : tensor<64x48xf16>
// CHECK-NEXT: hone.matmul {{.*}} outs(%[[C]] :
// CHECK-NOT: linalg
// CHECK: return
func.func @three_steps(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>) -> tensor<64x48xf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %h = tensor.empty() : tensor<64x48xf16>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  %2 = linalg.exp ins(%1 : tensor<64x48xf32>) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %3 = linalg.abs ins(%2 : tensor<64x48xf32>) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %4 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<64x48xf32>) outs(%h : tensor<64x48xf16>) {
  ^bb0(%x: f32, %z: f16):
    %5 = arith.truncf %x : f32 to f16
    linalg.yield %5 : f16
  } -> tensor<64x48xf16>
  return %4 : tensor<64x48xf16>
}

// A matmul that dies with the destination of a step is not matched any more, wherever
// it stands.
// CHECK-LABEL: func @dies_before_its_turn(
// CHECK: hone.matmul
// CHECK-NOT: matmul
// CHECK: return
func.func @dies_before_its_turn(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>, %p: i1) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  %inner = scf.if %p -> tensor<64x48xf32> {
    %2 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
    scf.yield %2 : tensor<64x48xf32>
  } else {
    scf.yield %c : tensor<64x48xf32>
  }
  %3 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  %4 = linalg.exp ins(%1 : tensor<64x48xf32>) outs(%inner : tensor<64x48xf32>) -> tensor<64x48xf32>
  %5 = linalg.abs ins(%4 : tensor<64x48xf32>) outs(%3 : tensor<64x48xf32>) -> tensor<64x48xf32>
  %6 = linalg.exp ins(%5 : tensor<64x48xf32>) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %6 : tensor<64x48xf32>
}
