// RUN: hone-opt %s | hone-opt | FileCheck %s --check-prefix=SAME
// RUN: hone-opt %s --hone-match=arch=sm_80 | FileCheck %s --check-prefix=GPU
// RUN: hone-opt %s --hone-match=arch=host | FileCheck %s --check-prefix=HOST

// Rows are added in order: by a reduction for each element on a GPU, or by a loop over the
// rows of the element for an index that is constant or long, and on the host by a loop over
// all rows. All add in f32, and convert at the end.

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

// An index of 1100 is sorted once: its keys of 32 bits, ranks in chunks of 64, the chunks in order, and merges of runs
// of 64, 128, 256, 512 and 1024. Of 1000 rows the first numbers are found once, and then those of 960 rows.

// GPU-LABEL: func.func @sorted
// GPU-SAME: %{{.*}}: tensor<1100x32xf32>, %[[TO:.*]]: tensor<1100xi64>
// GPU: %[[KEYS:.*]] = linalg.generic {{.*}} ins(%[[TO]] : tensor<1100xi64>) outs(%{{.*}} : tensor<1100xi32>)
// GPU: arith.minui {{.*}} : i64
// GPU-NEXT: arith.trunci {{.*}} : i64 to i32
// GPU: %[[RANKS:.*]] = linalg.generic
// GPU: tensor.extract %[[KEYS]]
// GPU: scf.for
// GPU: arith.cmpi ule
// GPU: scf.for
// GPU: arith.cmpi ult
// GPU: %[[RUNS:.*]]:2 = linalg.generic
// GPU: scf.for
// GPU: tensor.extract %[[RANKS]]
// GPU: %[[MERGED:.*]]:2 = linalg.generic
// GPU: %[[A:.*]] = tensor.extract %[[RUNS]]#0
// GPU: %[[B:.*]] = tensor.extract %[[RUNS]]#0
// GPU: arith.cmpi ule, %[[A]], %[[B]] : i32
// GPU: tensor.extract %[[RUNS]]#1
// GPU-COUNT-3: {{%.*}}:2 = linalg.generic
// GPU: %[[ORDER:.*]]:2 = linalg.generic
// GPU: %[[OTHER:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<961xi32>)
// GPU: tensor.extract %[[ORDER]]#0
// GPU: %[[BEGINS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1001xi32>)
// GPU: tensor.extract %[[ORDER]]#0
// GPU: %[[TOPS:.*]] = linalg.generic
// GPU: tensor.extract %[[BEGINS]]
// GPU: tensor.extract %[[ORDER]]#1
// GPU: linalg.generic {{.*}} ins(%[[TOPS]] :
// GPU: tensor.extract %[[BEGINS]]
// GPU: tensor.extract %[[ORDER]]#1
// GPU: linalg.generic
// GPU: tensor.extract %[[OTHER]]
// GPU-NOT: linalg.generic
// HOST-LABEL: func.func @sorted
// HOST-COUNT-3: scf.for
// HOST-NOT: scf.for
func.func @sorted(%rows: tensor<1100x32xf32>, %to: tensor<1100xi64>, %c: tensor<1000x32xf32>, %e: tensor<960x32xf32>) -> (tensor<1000x32xf32>, tensor<960x32xf32>) {
  %0 = hone.scatter_rows %rows to %to max into %c : tensor<1100x32xf32>, tensor<1100xi64> into tensor<1000x32xf32>
  %1 = hone.scatter_rows %rows to %to into %0 : tensor<1100x32xf32>, tensor<1100xi64> into tensor<1000x32xf32>
  %2 = hone.scatter_rows %rows to %to into %e : tensor<1100x32xf32>, tensor<1100xi64> into tensor<960x32xf32>
  return %1, %2 : tensor<1000x32xf32>, tensor<960x32xf32>
}

// 65 indices for 20000 rows of 32 are sorted; 1024 for 1024 rows of 8 are searched.

// GPU-LABEL: func.func @many_rows
// GPU-COUNT-2: scf.for
// GPU: tensor<65xi32>, tensor<65xi32>
// GPU: tensor<65xi32>, tensor<65xi32>
// GPU: outs(%{{.*}} : tensor<20001xi32>)
// GPU: "parallel", "parallel"]
// GPU: return
// HOST-LABEL: func.func @many_rows
func.func @many_rows(%rows: tensor<65x32xf32>, %to: tensor<65xi32>, %c: tensor<20000x32xf32>) -> tensor<20000x32xf32> {
  %0 = hone.scatter_rows %rows to %to into %c : tensor<65x32xf32>, tensor<65xi32> into tensor<20000x32xf32>
  return %0 : tensor<20000x32xf32>
}

// GPU-LABEL: func.func @searched
// GPU-NOT: scf.for
// GPU: "parallel", "parallel", "reduction"]
// GPU-NOT: scf.for
// GPU: return
// HOST-LABEL: func.func @searched
func.func @searched(%rows: tensor<1024x8xf32>, %to: tensor<1024xi32>, %c: tensor<1024x8xf32>) -> tensor<1024x8xf32> {
  %0 = hone.scatter_rows %rows to %to into %c : tensor<1024x8xf32>, tensor<1024xi32> into tensor<1024x8xf32>
  return %0 : tensor<1024x8xf32>
}
