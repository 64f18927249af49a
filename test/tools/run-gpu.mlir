// A contraction that reads C, a batched product, an MLP with bias and GELU, and a
// large product, on the GPU: with arguments there, and with arguments on the host.
// REQUIRES: gpu
// DEFINE: %{run} = hone run %s --arch=native --json --function
// RUN: %{run}=reads_c | FileCheck %s
// RUN: %{run}=batched | FileCheck %s
// RUN: %{run}=mlp | FileCheck %s
// RUN: %{run}=large | FileCheck %s
// RUN: %{run}=reads_c --arguments=host | FileCheck %s
// RUN: %{run}=batched --arguments=host | FileCheck %s
// RUN: %{run}=mlp --arguments=host | FileCheck %s
// CHECK: "wrong": 0

#m = affine_map<(d0, d1) -> (d0, d1)>
#n = affine_map<(d0, d1) -> (d1)>
func.func @reads_c(%a: tensor<512x384xf16>, %b: tensor<384x640xf16>, %c: tensor<512x640xf32>) -> tensor<512x640xf32> {
  %0 = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%a, %b : tensor<512x384xf16>, tensor<384x640xf16>) outs(%c : tensor<512x640xf32>) -> tensor<512x640xf32>
  return %0 : tensor<512x640xf32>
}
func.func @batched(%a: tensor<6x200x96xf16>, %b: tensor<6x96x136xf16>) -> tensor<6x200x136xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<6x200x136xf16>
  %i = linalg.fill ins(%zero : f16) outs(%e : tensor<6x200x136xf16>) -> tensor<6x200x136xf16>
  %0 = linalg.batch_matmul ins(%a, %b : tensor<6x200x96xf16>, tensor<6x96x136xf16>) outs(%i : tensor<6x200x136xf16>) -> tensor<6x200x136xf16>
  return %0 : tensor<6x200x136xf16>
}
func.func @mlp(%x: tensor<1024x768xf16>, %w1: tensor<768x3072xf16>, %b1: tensor<3072xf16>, %w2: tensor<3072x768xf16>, %b2: tensor<768xf16>) -> tensor<1024x768xf16> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %is2 = arith.constant 0.70710678 : f32
  %e1 = tensor.empty() : tensor<1024x3072xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1024x3072xf32>) -> tensor<1024x3072xf32>
  %p1 = linalg.matmul ins(%x, %w1 : tensor<1024x768xf16>, tensor<768x3072xf16>) outs(%i1 : tensor<1024x3072xf32>) -> tensor<1024x3072xf32>
  %eh = tensor.empty() : tensor<1024x3072xf16>
  %h = linalg.generic {indexing_maps = [#m, #n, #m], iterator_types = ["parallel", "parallel"]} ins(%p1, %b1 : tensor<1024x3072xf32>, tensor<3072xf16>) outs(%eh : tensor<1024x3072xf16>) {
  ^bb0(%v: f32, %b: f16, %o: f16):
    %be = arith.extf %b : f16 to f32
    %s = arith.addf %v, %be : f32
    %sc = arith.mulf %s, %is2 : f32
    %er = math.erf %sc : f32
    %e1p = arith.addf %er, %one : f32
    %hs = arith.mulf %s, %half : f32
    %g = arith.mulf %hs, %e1p : f32
    %t = arith.truncf %g : f32 to f16
    linalg.yield %t : f16
  } -> tensor<1024x3072xf16>
  %e2 = tensor.empty() : tensor<1024x768xf32>
  %i2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1024x768xf32>) -> tensor<1024x768xf32>
  %p2 = linalg.matmul ins(%h, %w2 : tensor<1024x3072xf16>, tensor<3072x768xf16>) outs(%i2 : tensor<1024x768xf32>) -> tensor<1024x768xf32>
  %eo = tensor.empty() : tensor<1024x768xf16>
  %y = linalg.generic {indexing_maps = [#m, #n, #m], iterator_types = ["parallel", "parallel"]} ins(%p2, %b2 : tensor<1024x768xf32>, tensor<768xf16>) outs(%eo : tensor<1024x768xf16>) {
  ^bb0(%v: f32, %b: f16, %o: f16):
    %be = arith.extf %b : f16 to f32
    %s = arith.addf %v, %be : f32
    %t = arith.truncf %s : f32 to f16
    linalg.yield %t : f16
  } -> tensor<1024x768xf16>
  return %y : tensor<1024x768xf16>
}
func.func @large(%a: tensor<4096x4096xf16>, %b: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<4096x4096xf16>
  %i = linalg.fill ins(%zero : f16) outs(%e : tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<4096x4096xf16>, tensor<4096x4096xf16>) outs(%i : tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  return %0 : tensor<4096x4096xf16>
}
