// RUN: hone-opt %s | hone-opt | FileCheck %s --check-prefix=SAME
// RUN: hone-opt %s --hone-match=arch=sm_80 | FileCheck %s --check-prefix=GPU
// RUN: hone-opt %s --hone-match=arch=host | FileCheck %s --check-prefix=HOST

// Rows are added in order: by a reduction for each element on a GPU, and on the host by a
// loop over them. Both add in f32, and convert at the end.

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
// GPU: %[[OR:.*]] = arith.select %[[OWN]], %[[TERM]], %{{.*}} : f32
// GPU: arith.addf %[[SUM]], %[[OR]] : f32
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
