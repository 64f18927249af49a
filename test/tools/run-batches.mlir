// Matmuls with batches that lie apart, compared with f64 by the command: attention's
// products, grouped queries, dynamic extents, one batch in the middle. On the CPU, and
// as a program for a GPU on the stand-in.

// DEFINE: %{arch} = host
// DEFINE: %{run} = hone run %s --arch=%{arch} --repeat=2 --json --function
// RUN: %{run}=scores | FileCheck %s
// RUN: %{run}=values --dims=2,5,7,3 | FileCheck %s
// RUN: %{run}=grouped | FileCheck %s
// RUN: %{run}=in_the_middle | FileCheck %s
// RUN: %{run}=residual --dims=3,2,9 | FileCheck %s
// RUN: %{run}=in_memory | FileCheck %s
// RUN: %{run}=open_memory --dims=2,3,9,16 | FileCheck %s
// REDEFINE: %{arch} = sm_90a --stand-in
// RUN: %{run}=values --dims=2,5,7,3 | FileCheck %s
// RUN: %{run}=grouped | FileCheck %s
// RUN: %{run}=residual --dims=3,2,9 | FileCheck %s
// RUN: %{run}=open_memory --dims=2,3,9,16 | FileCheck %s

// CHECK: "matmuls": 1,
// CHECK: "wrong": 0

func.func @scores(%q: tensor<2x21x3x16xf16>, %k: tensor<2x25x3x16xf16>, %v: tensor<3x25xf32>) -> tensor<2x3x21x25xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3x21x25xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x21x25xf32>) -> tensor<2x3x21x25xf32>
  %0 = linalg.contract indexing_maps = [affine_map<(b, h, i, j, d) -> (b, i, h, d)>, affine_map<(b, h, i, j, d) -> (b, j, h, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
    ins(%q, %k : tensor<2x21x3x16xf16>, tensor<2x25x3x16xf16>) outs(%c : tensor<2x3x21x25xf32>) -> tensor<2x3x21x25xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (h, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%0, %v : tensor<2x3x21x25xf32>, tensor<3x25xf32>) outs(%e : tensor<2x3x21x25xf32>) {
  ^bb0(%s: f32, %x: f32, %out: f32):
    %2 = arith.addf %s, %x : f32
    linalg.yield %2 : f32
  } -> tensor<2x3x21x25xf32>
  return %1 : tensor<2x3x21x25xf32>
}

func.func @values(%p: tensor<?x3x?x?xf16>, %v: tensor<?x?x3x?xf16>, %c: tensor<?x?x3x?xf32>) -> tensor<?x?x3x?xf32> {
  %0 = linalg.contract indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, i, j)>, affine_map<(b, h, i, j, d) -> (b, j, h, d)>, affine_map<(b, h, i, j, d) -> (b, i, h, d)>]
    ins(%p, %v : tensor<?x3x?x?xf16>, tensor<?x?x3x?xf16>) outs(%c : tensor<?x?x3x?xf32>) -> tensor<?x?x3x?xf32>
  return %0 : tensor<?x?x3x?xf32>
}

// Three batches; on a GPU one of them is a loop. The addend follows another.
func.func @grouped(%q: tensor<2x20x3x4x16xf16>, %k: tensor<2x23x3x16xf16>, %v: tensor<4x23xf32>) -> tensor<2x3x4x20x23xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3x4x20x23xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x4x20x23xf32>) -> tensor<2x3x4x20x23xf32>
  %0 = linalg.contract indexing_maps = [affine_map<(b, h, g, i, j, d) -> (b, i, h, g, d)>, affine_map<(b, h, g, i, j, d) -> (b, j, h, d)>, affine_map<(b, h, g, i, j, d) -> (b, h, g, i, j)>]
    ins(%q, %k : tensor<2x20x3x4x16xf16>, tensor<2x23x3x16xf16>) outs(%c : tensor<2x3x4x20x23xf32>) -> tensor<2x3x4x20x23xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(b, h, g, i, j) -> (b, h, g, i, j)>, affine_map<(b, h, g, i, j) -> (g, j)>, affine_map<(b, h, g, i, j) -> (b, h, g, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
    ins(%0, %v : tensor<2x3x4x20x23xf32>, tensor<4x23xf32>) outs(%e : tensor<2x3x4x20x23xf32>) {
  ^bb0(%s: f32, %x: f32, %out: f32):
    %2 = arith.addf %s, %x : f32
    linalg.yield %2 : f32
  } -> tensor<2x3x4x20x23xf32>
  return %1 : tensor<2x3x4x20x23xf32>
}

func.func @in_the_middle(%a: tensor<20x4x16xf16>, %b: tensor<24x4x16xf16>, %c: tensor<20x4x24xf32>) -> tensor<20x4x24xf32> {
  %0 = linalg.contract indexing_maps = [affine_map<(b, m, n, k) -> (m, b, k)>, affine_map<(b, m, n, k) -> (n, b, k)>, affine_map<(b, m, n, k) -> (m, b, n)>]
    ins(%a, %b : tensor<20x4x16xf16>, tensor<24x4x16xf16>) outs(%c : tensor<20x4x24xf32>) -> tensor<20x4x24xf32>
  return %0 : tensor<20x4x24xf32>
}

func.func @in_memory(%q: memref<2x20x3x16xf16>, %k: memref<2x24x3x16xf16>, %c: memref<2x3x20x24xf32>) {
  linalg.contract indexing_maps = [affine_map<(b, h, i, j, d) -> (b, i, h, d)>, affine_map<(b, h, i, j, d) -> (b, j, h, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
    ins(%q, %k : memref<2x20x3x16xf16>, memref<2x24x3x16xf16>) outs(%c : memref<2x3x20x24xf32>)
  return
}

// A residual in the order of the result, and a mask of the outer batch. Dimensions:
// batch, heads, sequence.
func.func @residual(%p: tensor<?x?x?x8xf16>, %v: tensor<?x8x?x16xf16>, %r: tensor<?x?x?x16xf16>, %m: tensor<?x?xf32>) -> tensor<?x?x?x16xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %b = tensor.dim %p, %c0 : tensor<?x?x?x8xf16>
  %h = tensor.dim %p, %c1 : tensor<?x?x?x8xf16>
  %s = tensor.dim %p, %c2 : tensor<?x?x?x8xf16>
  %e = tensor.empty(%b, %s, %h) : tensor<?x?x?x16xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?x16xf32>) -> tensor<?x?x?x16xf32>
  %0 = linalg.contract indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, j)>, affine_map<(b, h, i, d, j) -> (b, j, h, d)>, affine_map<(b, h, i, d, j) -> (b, i, h, d)>]
    ins(%p, %v : tensor<?x?x?x8xf16>, tensor<?x8x?x16xf16>) outs(%c : tensor<?x?x?x16xf32>) -> tensor<?x?x?x16xf32>
  %f = tensor.empty(%b, %s, %h) : tensor<?x?x?x16xf16>
  %1 = linalg.generic {indexing_maps = [affine_map<(b, i, h, d) -> (b, i, h, d)>, affine_map<(b, i, h, d) -> (b, i, h, d)>, affine_map<(b, i, h, d) -> (b, i)>, affine_map<(b, i, h, d) -> (b, i, h, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%0, %r, %m : tensor<?x?x?x16xf32>, tensor<?x?x?x16xf16>, tensor<?x?xf32>) outs(%f : tensor<?x?x?x16xf16>) {
  ^bb0(%sum: f32, %x: f16, %y: f32, %out: f16):
    %2 = arith.mulf %sum, %y : f32
    %3 = arith.extf %x : f16 to f32
    %4 = arith.addf %2, %3 : f32
    %5 = arith.truncf %4 : f32 to f16
    linalg.yield %5 : f16
  } -> tensor<?x?x?x16xf16>
  return %1 : tensor<?x?x?x16xf16>
}

// Nothing is known but which dimension is which, and that keys serve all sequences.
func.func @open_memory(%q: memref<?x?x?x16xf16>, %k: memref<?x?x16xf16>, %c: memref<?x?x?x?xf32>) {
  linalg.contract indexing_maps = [affine_map<(b, h, i, j, d) -> (b, i, h, d)>, affine_map<(b, h, i, j, d) -> (j, h, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
    ins(%q, %k : memref<?x?x?x16xf16>, memref<?x?x16xf16>) outs(%c : memref<?x?x?x?xf32>)
  return
}
