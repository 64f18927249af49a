// Weights of 8 bits with activations of 16: all their values are values of f16 and bf16, so a kernel converts them,
// and the program's conversion is gone. The kernel that packs B does so for many rows, else lanes that read them.

// RUN: hone-opt %s --hone-match=arch=h200 | FileCheck %s
// RUN: hone-opt %s --hone-match=arch=h200 --hone-select-schedule="arch=h200 shipped=false guess=false" | FileCheck %s --check-prefix=PACKS
// RUN: hone-opt %s --hone-match="arch=h200 scales=moved" | FileCheck %s --check-prefix=MOVED
// Chips before sm_89 have no conversion of 8-bit floats.
// RUN: hone-opt %s --hone-match=arch=sm_80 | FileCheck %s --check-prefix=OLDER
// Without an arch the kernels are unknown.
// RUN: hone-opt %s --hone-match | FileCheck %s --check-prefix=LEFT

#id = affine_map<(m, n) -> (m, n)>
#col = affine_map<(m, n) -> (n)>

// CHECK-LABEL: @integers
// CHECK-SAME: %[[A:.*]]: tensor<256x96xf16>, %[[B:.*]]: tensor<96x128xi8>
// CHECK-NOT: linalg
// CHECK: hone.matmul ins(%[[A]], %[[B]] : tensor<256x96xf16>, tensor<96x128xi8>) {{.*}} acc(f32) ->
// PACKS-LABEL: @integers
// PACKS: schedule(#hone.schedule<ws, side = b
// PACKS-NOT: pack =
// OLDER-LABEL: @integers
// OLDER: hone.matmul {{.*}} : tensor<256x96xf16>, tensor<96x128xi8>)
// LEFT-LABEL: @integers
// LEFT: hone.matmul {{.*}} : tensor<256x96xf16>, tensor<96x128xf16>)
func.func @integers(%a: tensor<256x96xf16>, %b: tensor<96x128xi8>, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %eb = tensor.empty() : tensor<96x128xf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<96x128xi8>) outs(%eb : tensor<96x128xf16>) {
  ^bb0(%v: i8, %old: f16):
    %w = arith.sitofp %v : i8 to f16
    linalg.yield %w : f16
  } -> tensor<96x128xf16>
  %0 = linalg.matmul ins(%a, %y : tensor<256x96xf16>, tensor<96x128xf16>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// A layer of torch: weights in columns, transposed after the conversion.
// CHECK-LABEL: @floats
// CHECK-SAME: %[[A:.*]]: tensor<?x96xbf16>, %[[B:.*]]: tensor<128x96xf8E4M3FN>
// CHECK-NOT: linalg
// CHECK: hone.matmul ins(%[[A]], col %[[B]] : tensor<?x96xbf16>, tensor<128x96xf8E4M3FN>)
// OLDER-LABEL: @floats
// OLDER: hone.matmul {{.*}} : tensor<?x96xbf16>, tensor<128x96xbf16>)
func.func @floats(%a: tensor<?x96xbf16>, %b: tensor<128x96xf8E4M3FN>, %c: tensor<?x128xbf16>) -> tensor<?x128xbf16> {
  %y = arith.extf %b : tensor<128x96xf8E4M3FN> to tensor<128x96xbf16>
  %et = tensor.empty() : tensor<96x128xbf16>
  %turned = linalg.transpose ins(%y : tensor<128x96xbf16>) outs(%et : tensor<96x128xbf16>) permutation = [1, 0]
  %0 = linalg.matmul ins(%a, %turned : tensor<?x96xbf16>, tensor<96x128xbf16>) outs(%c : tensor<?x128xbf16>) -> tensor<?x128xbf16>
  return %0 : tensor<?x128xbf16>
}

// PACKS-LABEL: @many_rows
// PACKS: schedule(#hone.schedule<ws, side = b
// PACKS-NOT: pack =
func.func @many_rows(%a: tensor<4096x4096xf16>, %b: tensor<4096x4096xi8>, %c: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %y = arith.sitofp %b : tensor<4096x4096xi8> to tensor<4096x4096xf16>
  %0 = linalg.matmul ins(%a, %y : tensor<4096x4096xf16>, tensor<4096x4096xf16>) outs(%c : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

// A scale for each column, in f32, multiplies the sums.
// CHECK-LABEL: @scaled
// CHECK-SAME: %[[A:.*]]: tensor<256x96xf16>, %[[B:.*]]: tensor<96x128xi8>, %[[S:.*]]: tensor<128xf32>
// CHECK-NOT: linalg
// CHECK: hone.matmul ins(%[[A]], %[[B]] : tensor<256x96xf16>, tensor<96x128xi8>) {{.*}} init(zero) acc(f32) epilogue(%[[S]][n] : tensor<128xf32>)
func.func @scaled(%a: tensor<256x96xf16>, %b: tensor<96x128xi8>, %s: tensor<128xf32>) -> tensor<256x128xf32> {
  %zero = arith.constant 0.0 : f32
  %x = arith.extf %a : tensor<256x96xf16> to tensor<256x96xf32>
  %eb = tensor.empty() : tensor<96x128xf32>
  %y = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%b, %s : tensor<96x128xi8>, tensor<128xf32>) outs(%eb : tensor<96x128xf32>) {
  ^bb0(%v: i8, %t: f32, %old: f32):
    %w = arith.sitofp %v : i8 to f32
    %p = arith.mulf %w, %t : f32
    linalg.yield %p : f32
  } -> tensor<96x128xf32>
  %e = tensor.empty() : tensor<256x128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<256x128xf32>) -> tensor<256x128xf32>
  %0 = linalg.matmul ins(%x, %y : tensor<256x96xf32>, tensor<96x128xf32>) outs(%z : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// Where the program rounds the scaled weights to f16 they are not integers any more, unless that is permitted.
// CHECK-LABEL: @rounded
// CHECK: linalg.generic
// CHECK: hone.matmul {{.*}} : tensor<256x96xf16>, tensor<96x128xf16>)
// MOVED-LABEL: @rounded
// MOVED-NOT: linalg
// MOVED: hone.matmul {{.*}} : tensor<256x96xf16>, tensor<96x128xi8>) {{.*}} epilogue(%{{.*}}[n], %{{.*}}[m, n] :
func.func @rounded(%a: tensor<256x96xf16>, %b: tensor<96x128xi8>, %s: tensor<128xf32>, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %eb = tensor.empty() : tensor<96x128xf16>
  %y = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%b, %s : tensor<96x128xi8>, tensor<128xf32>) outs(%eb : tensor<96x128xf16>) {
  ^bb0(%v: i8, %t: f32, %old: f16):
    %w = arith.sitofp %v : i8 to f32
    %p = arith.mulf %w, %t : f32
    %q = arith.truncf %p : f32 to f16
    linalg.yield %q : f16
  } -> tensor<96x128xf16>
  %0 = linalg.matmul ins(%a, %y : tensor<256x96xf16>, tensor<96x128xf16>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// The kernels convert B; an A of 8 bits is converted before, as the program says.
// CHECK-LABEL: @left_side
// CHECK: linalg.generic
// CHECK: hone.matmul {{.*}} : tensor<256x96xf16>, tensor<96x128xf16>)
func.func @left_side(%a: tensor<256x96xi8>, %b: tensor<96x128xf16>, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %ea = tensor.empty() : tensor<256x96xf16>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<256x96xi8>) outs(%ea : tensor<256x96xf16>) {
  ^bb0(%v: i8, %old: f16):
    %w = arith.sitofp %v : i8 to f16
    linalg.yield %w : f16
  } -> tensor<256x96xf16>
  %0 = linalg.matmul ins(%x, %b : tensor<256x96xf16>, tensor<96x128xf16>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// Unsigned bytes are other numbers.
// CHECK-LABEL: @unsigned
// CHECK: arith.uitofp
// CHECK: hone.matmul {{.*}} : tensor<256x96xf16>, tensor<96x128xf16>)
func.func @unsigned(%a: tensor<256x96xf16>, %b: tensor<96x128xi8>, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %eb = tensor.empty() : tensor<96x128xf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<96x128xi8>) outs(%eb : tensor<96x128xf16>) {
  ^bb0(%v: i8, %old: f16):
    %w = arith.uitofp %v : i8 to f16
    linalg.yield %w : f16
  } -> tensor<96x128xf16>
  %0 = linalg.matmul ins(%a, %y : tensor<256x96xf16>, tensor<96x128xf16>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// Integers that f16 does not hold are rounded by the conversion.
// CHECK-LABEL: @wide_integers
// CHECK: arith.sitofp %{{.*}} : tensor<96x128xi32> to tensor<96x128xf16>
// CHECK: hone.matmul {{.*}} : tensor<256x96xf16>, tensor<96x128xf16>)
func.func @wide_integers(%a: tensor<256x96xf16>, %b: tensor<96x128xi32>, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %y = arith.sitofp %b : tensor<96x128xi32> to tensor<96x128xf16>
  %0 = linalg.matmul ins(%a, %y : tensor<256x96xf16>, tensor<96x128xf16>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// Two integers that both become floats are not a product of integers: its sums would be rounded nowhere.
// CHECK-LABEL: @both
// CHECK: hone.matmul {{.*}} : tensor<256x96xf16>, tensor<96x128xi8>)
func.func @both(%a: tensor<256x96xi8>, %b: tensor<96x128xi8>, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %x = arith.sitofp %a : tensor<256x96xi8> to tensor<256x96xf16>
  %y = arith.sitofp %b : tensor<96x128xi8> to tensor<96x128xf16>
  %0 = linalg.matmul ins(%x, %y : tensor<256x96xf16>, tensor<96x128xf16>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}
