// `hone run` on the CPU of matmuls with batches that lie apart, compared with f64 by the
// command: attention's products, grouped queries, dynamic extents, one batch in the middle.

// RUN: hone run %s --arch=host --function=scores --repeat=2 | FileCheck %s
// RUN: hone run %s --arch=host --function=values --repeat=2 --dims=2,5,7,3 | FileCheck %s
// RUN: hone run %s --arch=host --function=grouped --repeat=2 | FileCheck %s
// RUN: hone run %s --arch=host --function=in_the_middle --repeat=2 | FileCheck %s
// RUN: hone run %s --arch=host --function=in_memory --repeat=2 | FileCheck %s

// CHECK: function {{.*}} N(0,1) error {{.*}} wrong
// CHECK-NEXT: {{^[a-z0-9_]+ +host +1 +0\.[0-9]+ +[0-9]+/[0-9]+ +0 }}

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

func.func @grouped(%q: tensor<2x20x3x4x16xf16>, %k: tensor<2x23x3x16xf16>, %c: tensor<2x3x4x20x23xf32>) -> tensor<2x3x4x20x23xf32> {
  %0 = linalg.contract indexing_maps = [affine_map<(b, h, g, i, j, d) -> (b, i, h, g, d)>, affine_map<(b, h, g, i, j, d) -> (b, j, h, d)>, affine_map<(b, h, g, i, j, d) -> (b, h, g, i, j)>]
    ins(%q, %k : tensor<2x20x3x4x16xf16>, tensor<2x23x3x16xf16>) outs(%c : tensor<2x3x4x20x23xf32>) -> tensor<2x3x4x20x23xf32>
  return %0 : tensor<2x3x4x20x23xf32>
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
