// RUN: hone-opt %s --hone-match=arch=sm_80 | FileCheck %s --check-prefix=GPU
// RUN: hone-opt %s --hone-match=arch=host | FileCheck %s --check-prefix=HOST

// Few pairs are one chunk: one table whose first line are the ends, and one of rows and places.

// GPU-LABEL: func.func @few
// GPU: %[[FLAT:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<16x8xi32> into tensor<128xi32>
// GPU: %[[ENDS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x129xi32>)
// GPU: scf.for
// GPU: tensor.extract %[[FLAT]]
// GPU: arith.minui
// GPU: arith.cmpi ule
// GPU: %[[ORDER:.*]]:2 = linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : tensor<128xi32>, tensor<128xi32>)
// GPU: scf.for
// GPU: tensor.extract %[[ENDS]]
// GPU: scf.for
// GPU: tensor.extract %[[FLAT]]
// GPU: arith.divui {{.*}} : i32
// GPU-NOT: linalg.generic
// GPU: %[[FIRST:.*]] = tensor.extract_slice %[[ENDS]][0, 0] [1, 128] [1, 1] : tensor<1x129xi32> to tensor<128xi32>
// GPU: return %[[ORDER]]#0, %[[ORDER]]#1, %[[FIRST]]

// On the host a loop counts, one adds the counts, and one has the next place of each group.

// HOST-LABEL: func.func @few
// HOST: linalg.fill {{.*}} outs(%{{.*}} : tensor<130xi32>)
// HOST-COUNT-3: scf.for
// HOST-NOT: scf.for
// HOST-NOT: linalg.generic
// HOST: tensor.extract_slice %{{.*}}[0] [128] [1] : tensor<130xi32> to tensor<128xi32>
func.func @few(%experts: tensor<16x8xi32>) -> (tensor<128xi32>, tensor<128xi32>, tensor<128xi32>) {
  %rows, %places, %ends = hone.route %experts groups 128 : tensor<16x8xi32> -> tensor<128xi32>, tensor<128xi32>, tensor<128xi32>
  return %rows, %places, %ends : tensor<128xi32>, tensor<128xi32>, tensor<128xi32>
}

// 32768 pairs are 256 chunks, counted and added. Experts of 64 bits need no table of their own.

// GPU-LABEL: func.func @many
// GPU: %[[COUNTS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<256x129xi32>)
// GPU: arith.minui {{.*}} : i64
// GPU-NEXT: arith.trunci {{.*}} : i64 to i32
// GPU: %[[SUMS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<256x129xi32>)
// GPU: scf.for
// GPU: tensor.extract %[[COUNTS]]
// GPU: arith.addi
// GPU: linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : tensor<32768xi32>, tensor<32768xi32>)
// GPU-COUNT-3: scf.for
// GPU-NOT: linalg.generic
// GPU: tensor.extract_slice %[[SUMS]][0, 0] [1, 128] [1, 1]
// HOST-LABEL: func.func @many
func.func @many(%experts: tensor<4096x8xi64>) -> (tensor<32768xi32>, tensor<32768xi32>, tensor<128xi32>) {
  %rows, %places, %ends = hone.route %experts groups 128 : tensor<4096x8xi64> -> tensor<32768xi32>, tensor<32768xi32>, tensor<128xi32>
  return %rows, %places, %ends : tensor<32768xi32>, tensor<32768xi32>, tensor<128xi32>
}

// Chunks of 256 of an unknown number of pairs, at least one.

// GPU-LABEL: func.func @open
// GPU: %[[ONE:.*]] = arith.maxui %{{.*}}, %{{.*}} : index
// GPU: %[[CHUNKS:.*]] = arith.ceildivui %[[ONE]], %{{.*}} : index
// GPU: linalg.generic {{.*}} outs(%{{.*}} : tensor<?x9xi32>)
// GPU: linalg.generic {{.*}} outs(%{{.*}} : tensor<?x9xi32>)
// GPU: linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : tensor<?xi32>, tensor<?xi32>)
// GPU-NOT: linalg.generic
// GPU: return
// HOST-LABEL: func.func @open
func.func @open(%experts: tensor<?x2xi32>) -> (tensor<?xi32>, tensor<?xi32>, tensor<8xi32>) {
  %rows, %places, %ends = hone.route %experts groups 8 : tensor<?x2xi32> -> tensor<?xi32>, tensor<?xi32>, tensor<8xi32>
  return %rows, %places, %ends : tensor<?xi32>, tensor<?xi32>, tensor<8xi32>
}

// Rows that are added to tokens need no sort and no search: one table has the numbers of each token, also for two sums.

// GPU-LABEL: func.func @combined
// GPU: linalg.generic {{.*}} outs(%{{.*}} : tensor<{{.*}}x9xi32>)
// GPU: linalg.generic {{.*}} outs(%{{.*}} : tensor<{{.*}}x9xi32>)
// GPU: linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : tensor<8000xi32>, tensor<8000xi32>)
// GPU: %[[NUMBERS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8000xi32>)
// GPU: linalg.generic
// GPU: arith.muli
// GPU: tensor.extract %[[NUMBERS]]
// GPU: linalg.generic
// GPU: tensor.extract %[[NUMBERS]]
// GPU-NOT: linalg.generic
// GPU: return
// HOST-LABEL: func.func @combined
// HOST-COUNT-5: scf.for
// HOST-NOT: scf.for
func.func @combined(%experts: tensor<4000x2xi32>, %parts: tensor<8000x8xf32>, %c: tensor<4000x8xf32>) -> tensor<4000x8xf32> {
  %rows, %places, %ends = hone.route %experts groups 8 : tensor<4000x2xi32> -> tensor<8000xi32>, tensor<8000xi32>, tensor<8xi32>
  %0 = hone.scatter_rows %parts to %rows into %c : tensor<8000x8xf32>, tensor<8000xi32> into tensor<4000x8xf32>
  %1 = hone.scatter_rows %parts to %rows max into %0 : tensor<8000x8xf32>, tensor<8000xi32> into tensor<4000x8xf32>
  return %1 : tensor<4000x8xf32>
}
