// Rest kernels at the limits of the counts: no points, nearly 2^31 of them, rows of other blocks, and more work than a
// proof may take.
//
// RUN: hone-opt %s --split-input-file --hone-outline-rest="arch=h200" --hone-build-rest="arch=h200" --canonicalize --hone-verify-kernel --verify-diagnostics | FileCheck %s

// Nothing is added up, so nothing is launched.
// CHECK-LABEL: func.func @none(
// CHECK-NEXT: return
func.func @none(%x: memref<6x0xf32>, %s: memref<6xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<6x0xf32>) outs(%s : memref<6xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// A step of all blocks after the last point is still below 2^31, or positions have 64 bits.
// CHECK: gpu.func
// CHECK: scf.for {{.*}} : i64
// CHECK: gpu.func
// CHECK: scf.for {{.*}} : i32
func.func @wide(%x: memref<2147213312xi1>, %y: memref<2147213312xi1>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<2147213312xi1>) outs(%y : memref<2147213312xi1>) {
  ^bb0(%in: i1, %out: i1):
    linalg.yield %in : i1
  }
  return
}
func.func @narrow(%x: memref<2147213311xi1>, %y: memref<2147213311xi1>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<2147213311xi1>) outs(%y : memref<2147213311xi1>) {
  ^bb0(%in: i1, %out: i1):
    linalg.yield %in : i1
  }
  return
}

// -----

// The second step reads the largest number of each row, which the blocks of these rows write.
func.func private @hone_rest_turned(%x: memref<12x12xf32>, %most: memref<12xf32>, %y: memref<12x12xf32>) attributes {hone.rest = 12 : i64} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<12x12xf32>) outs(%most : memref<12xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %out : f32
    linalg.yield %0 : f32
  }
  // expected-error@-7 {{'scf.for' may touch elements that the block of another row writes, in operand 1}}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %most : memref<12x12xf32>, memref<12xf32>) outs(%y : memref<12x12xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %0 = arith.subf %in, %m : f32
    linalg.yield %0 : f32
  }
  return
}
func.func @turned(%x: memref<12x12xf32>, %most: memref<12xf32>, %y: memref<12x12xf32>) {
  call @hone_rest_turned(%x, %most, %y) : (memref<12x12xf32>, memref<12xf32>, memref<12x12xf32>) -> ()
  return
}

// -----

// A sum of 2^40 terms.
func.func @doubles(%x: memref<6x33xf32>, %s: memref<6xf32>) {
  // expected-error@+1 {{takes more work than a proof may}}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<6x33xf32>) outs(%s : memref<6xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v1 = arith.addf %in, %in : f32
    %v2 = arith.addf %v1, %v1 : f32
    %v3 = arith.addf %v2, %v2 : f32
    %v4 = arith.addf %v3, %v3 : f32
    %v5 = arith.addf %v4, %v4 : f32
    %v6 = arith.addf %v5, %v5 : f32
    %v7 = arith.addf %v6, %v6 : f32
    %v8 = arith.addf %v7, %v7 : f32
    %v9 = arith.addf %v8, %v8 : f32
    %v10 = arith.addf %v9, %v9 : f32
    %v11 = arith.addf %v10, %v10 : f32
    %v12 = arith.addf %v11, %v11 : f32
    %v13 = arith.addf %v12, %v12 : f32
    %v14 = arith.addf %v13, %v13 : f32
    %v15 = arith.addf %v14, %v14 : f32
    %v16 = arith.addf %v15, %v15 : f32
    %v17 = arith.addf %v16, %v16 : f32
    %v18 = arith.addf %v17, %v17 : f32
    %v19 = arith.addf %v18, %v18 : f32
    %v20 = arith.addf %v19, %v19 : f32
    %v21 = arith.addf %v20, %v20 : f32
    %v22 = arith.addf %v21, %v21 : f32
    %v23 = arith.addf %v22, %v22 : f32
    %v24 = arith.addf %v23, %v23 : f32
    %v25 = arith.addf %v24, %v24 : f32
    %v26 = arith.addf %v25, %v25 : f32
    %v27 = arith.addf %v26, %v26 : f32
    %v28 = arith.addf %v27, %v27 : f32
    %v29 = arith.addf %v28, %v28 : f32
    %v30 = arith.addf %v29, %v29 : f32
    %v31 = arith.addf %v30, %v30 : f32
    %v32 = arith.addf %v31, %v31 : f32
    %v33 = arith.addf %v32, %v32 : f32
    %v34 = arith.addf %v33, %v33 : f32
    %v35 = arith.addf %v34, %v34 : f32
    %v36 = arith.addf %v35, %v35 : f32
    %v37 = arith.addf %v36, %v36 : f32
    %v38 = arith.addf %v37, %v37 : f32
    %v39 = arith.addf %v38, %v38 : f32
    %v40 = arith.addf %v39, %v39 : f32
    %r = arith.addf %v40, %out : f32
    linalg.yield %r : f32
  }
  return
}
