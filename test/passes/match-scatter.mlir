// RUN: hone-opt %s | hone-opt | FileCheck %s --check-prefix=SAME
// RUN: hone-opt %s --hone-match=arch=sm_80 | FileCheck %s --check-prefix=GPU
// RUN: hone-opt %s --hone-match=arch=host | FileCheck %s --check-prefix=HOST

// Rows are added in order: by a reduction for each element on a GPU, or by a loop over the
// rows of the element for an index that is constant, and on the host by a loop over all
// rows. All add in f32, and convert at the end.

// SAME: hone.scatter_rows %{{.*}} to %{{.*}} weights %{{.*}} into %{{.*}} : tensor<512x96xf16>, tensor<512xi64>, tensor<512xf32> into tensor<30x96xf16>

// GPU-DAG: #[[$ROWS:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// GPU-DAG: #[[$EACH:.*]] = affine_map<(d0, d1, d2) -> (d2)>
// GPU-DAG: #[[$SUMS:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// GPU-LABEL: func.func @weighted
// GPU: arith.extf %{{.*}} : f16 to f32
// GPU: linalg.generic {indexing_maps = [#[[$ROWS]], #[[$EACH]], #[[$EACH]], #[[$SUMS]]], iterator_types = ["parallel", "parallel", "reduction"]}
// GPU-NEXT: ^bb0(%[[ROW:.*]]: f16, %[[TO:.*]]: i64, %[[WEIGHT:.*]]: f32, %[[SUM:.*]]: f32):
// GPU: %[[D:.*]] = linalg.index 0
// GPU: %[[HERE:.*]] = arith.index_cast %[[D]] : index to i64
// GPU: %[[OWN:.*]] = arith.cmpi eq, %[[TO]], %[[HERE]]
// GPU: %[[TERM:.*]] = arith.mulf %{{.*}}, %[[WEIGHT]] : f32
// GPU: %[[NEXT:.*]] = arith.addf %[[SUM]], %[[TERM]] : f32
// GPU: arith.select %[[OWN]], %[[NEXT]], %[[SUM]] : f32
// GPU: arith.truncf %{{.*}} : f32 to f16

// HOST-LABEL: func.func @weighted
// HOST: scf.for %[[I:.*]] = %{{.*}} iter_args(
// HOST: %[[RAW:.*]] = tensor.extract %{{.*}}[%[[I]]] : tensor<512xi64>
// HOST: %[[TO:.*]] = arith.index_cast %[[RAW]] : i64 to index
// HOST: %[[IS:.*]] = arith.cmpi ult, %[[TO]], %
// HOST: %[[ROW:.*]] = arith.select %[[IS]], %[[TO]], %
// HOST: %[[COUNT:.*]] = arith.select %[[IS]], %
// HOST: tensor.extract_slice %{{.*}}[%[[I]], 0] [%[[COUNT]], 96]
// HOST: tensor.extract_slice %{{.*}}[%[[ROW]], 0] [%[[COUNT]], 96]
// HOST: tensor.insert_slice
func.func @weighted(%rows: tensor<512x96xf16>, %to: tensor<512xi64>, %w: tensor<512xf32>, %c: tensor<30x96xf16>) -> tensor<30x96xf16> {
  %d = hone.scatter_rows %rows to %to weights %w into %c : tensor<512x96xf16>, tensor<512xi64>, tensor<512xf32> into tensor<30x96xf16>
  return %d : tensor<30x96xf16>
}

// Rows 1, 4 and 6 belong to row 0, none to row 1, 0 and 2 to row 2. Numbers out of range are dropped.

// GPU-LABEL: func.func @constant
// GPU-DAG: %[[BEGINS:.*]] = arith.constant dense<[0, 3, 3, 5]> : tensor<4xi32>
// GPU-DAG: %[[ORDER:.*]] = arith.constant dense<[1, 4, 6, 0, 2]> : tensor<5xi32>
// GPU: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
// GPU: %[[FIRST:.*]] = tensor.extract %[[BEGINS]]
// GPU: %[[END:.*]] = tensor.extract %[[BEGINS]]
// GPU: %[[COUNT:.*]] = arith.subi
// GPU: %[[LEFT:.*]] = arith.remui %[[COUNT]], %
// GPU: %[[MIDDLE:.*]] = arith.subi %{{.*}}, %[[LEFT]]
// GPU: %[[WHOLE:.*]] = scf.for %[[AT:.*]] = %{{.*}} to %[[MIDDLE]] step %{{.*}} iter_args(%[[SUM:.*]] = %
// GPU-NOT: arith.select
// GPU: %[[PLACE:.*]] = arith.addi %[[AT]], %
// GPU: %[[RAW:.*]] = tensor.extract %[[ORDER]][%[[PLACE]]]
// GPU: %[[I:.*]] = arith.index_cast %[[RAW]] : i32 to index
// GPU: %[[WEIGHT:.*]] = tensor.extract %{{.*}}[%[[I]]] : tensor<7xf32>
// GPU: %[[ROW:.*]] = tensor.extract %{{.*}}[%[[I]], %{{.*}}] : tensor<7x96xf16>
// GPU: %[[TERM:.*]] = arith.mulf %{{.*}}, %[[WEIGHT]]
// GPU: arith.addf %[[SUM]], %[[TERM]]
// GPU-NOT: arith.select
// GPU: scf.for %{{.*}} = %[[MIDDLE]] to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %[[WHOLE]])
// GPU-COUNT-4: arith.select {{.*}} : f32
// GPU: arith.truncf %{{.*}} : f32 to f16
// HOST-LABEL: func.func @constant
// HOST: scf.for
func.func @constant(%rows: tensor<7x96xf16>, %w: tensor<7xf32>, %c: tensor<3x96xf16>) -> tensor<3x96xf16> {
  %to = arith.constant dense<[2, 0, 2, 3, 0, -1, 0]> : tensor<7xi64>
  %d = hone.scatter_rows %rows to %to weights %w into %c : tensor<7x96xf16>, tensor<7xi64>, tensor<7xf32> into tensor<3x96xf16>
  return %d : tensor<3x96xf16>
}

// GPU-LABEL: func.func @maximum
// GPU: arith.maximumf
// GPU-NOT: arith.addf
// GPU: return
// HOST-LABEL: func.func @maximum
// HOST: arith.maximumf
func.func @maximum(%rows: tensor<?x96xf32>, %to: tensor<?xi32>, %c: tensor<3x96xf32>) -> tensor<3x96xf32> {
  %d = hone.scatter_rows %rows to %to max into %c : tensor<?x96xf32>, tensor<?xi32> into tensor<3x96xf32>
  return %d : tensor<3x96xf32>
}
