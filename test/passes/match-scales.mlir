// Scales of dequantised operands: after the product they are an epilogue, and before it they become one if
// the result is not less accurate than the program's, or by permission.

// RUN: hone-opt %s --hone-match=arch=h200 | FileCheck %s
// RUN: hone-opt %s --hone-match=arch=h200 --remark-policy=all --remark-format=emitRemark --remarks-filter=hone -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: hone-opt %s --hone-match="arch=h200 scales=kept" | FileCheck %s --check-prefix=KEPT
// RUN: hone-opt %s --hone-match="arch=h200 scales=moved" | FileCheck %s --check-prefix=MOVED

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#row1 = affine_map<(m, n) -> (m, 0)>
#col1 = affine_map<(m, n) -> (0, n)>
#col = affine_map<(m, n) -> (n)>
#none = affine_map<(m, n) -> ()>

// torch._scaled_mm with a scale for each tensor, which are read when the kernel runs.
// CHECK-LABEL: @scaled_mm
// CHECK-SAME: %[[A:.*]]: tensor<256x96xf8E4M3FN>, %[[B:.*]]: tensor<128x96xf8E4M3FN>, %[[SA:.*]]: tensor<f32>, %[[SB:.*]]: tensor<f32>
// CHECK: hone.matmul ins(%[[A]], col %[[B]] : {{.*}}) outs({{.*}}xbf16>) init(zero) acc(f32) products(blocks) epilogue(%[[SA]][], %[[SB]][]
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[SUM]], %[[X]] : f32
// CHECK-NEXT: %[[Q:.*]] = arith.mulf %[[P]], %[[Y]] : f32
// CHECK-NEXT: %[[R:.*]] = arith.truncf %[[Q]] : f32 to bf16
// CHECK-NEXT: hone.yield %[[R]] : bf16
// CHECK-NOT: linalg.generic
func.func @scaled_mm(%a: tensor<256x96xf8E4M3FN>, %b: tensor<128x96xf8E4M3FN>, %sa: tensor<f32>, %sb: tensor<f32>) -> tensor<256x128xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<256x128xf32>) -> tensor<256x128xf32>
  %0 = linalg.matmul indexing_maps = [#a, #b, #c] ins(%a, %b : tensor<256x96xf8E4M3FN>, tensor<128x96xf8E4M3FN>) outs(%z : tensor<256x128xf32>) -> tensor<256x128xf32>
  %o = tensor.empty() : tensor<256x128xbf16>
  %1 = linalg.generic {indexing_maps = [#id, #none, #none, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %sa, %sb : tensor<256x128xf32>, tensor<f32>, tensor<f32>) outs(%o : tensor<256x128xbf16>) {
  ^bb0(%x: f32, %s: f32, %t: f32, %old: bf16):
    %p = arith.mulf %x, %s : f32
    %q = arith.mulf %p, %t : f32
    %r = arith.truncf %q : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<256x128xbf16>
  return %1 : tensor<256x128xbf16>
}

// One for each row of A, one for each column of B, and a result in f16.
// CHECK-LABEL: @row_wise
// CHECK: hone.matmul {{.*}} products(blocks) epilogue(%{{.*}}[m], %{{.*}}[n] : tensor<256xf32>, tensor<128xf32>)
// CHECK-NOT: linalg.generic
func.func @row_wise(%a: tensor<256x96xf8E4M3FN>, %b: tensor<128x96xf8E4M3FN>, %sa: tensor<256x1xf32>, %sb: tensor<1x128xf32>) -> tensor<256x128xf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<256x128xf32>) -> tensor<256x128xf32>
  %0 = linalg.matmul indexing_maps = [#a, #b, #c] ins(%a, %b : tensor<256x96xf8E4M3FN>, tensor<128x96xf8E4M3FN>) outs(%z : tensor<256x128xf32>) -> tensor<256x128xf32>
  %o = tensor.empty() : tensor<256x128xf16>
  %1 = linalg.generic {indexing_maps = [#id, #row1, #col1, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %sa, %sb : tensor<256x128xf32>, tensor<256x1xf32>, tensor<1x128xf32>) outs(%o : tensor<256x128xf16>) {
  ^bb0(%x: f32, %s: f32, %t: f32, %old: f16):
    %p = arith.mulf %x, %s : f32
    %q = arith.mulf %p, %t : f32
    %r = arith.truncf %q : f32 to f16
    linalg.yield %r : f16
  } -> tensor<256x128xf16>
  return %1 : tensor<256x128xf16>
}

// jax.lax.dot_general: the scales are broadcast to the whole result by ops of their own.
// CHECK-LABEL: @dot_general
// CHECK-SAME: %[[A:.*]]: tensor<?x96xf8E5M2>, %[[B:.*]]: tensor<96x128xf8E5M2>, %[[S:.*]]: tensor<f32>
// CHECK: hone.matmul ins(%[[A]], %[[B]] {{.*}} products(blocks) epilogue(%[[S]][] : tensor<f32>)
// CHECK-NOT: linalg
func.func @dot_general(%a: tensor<?x96xf8E5M2>, %b: tensor<96x128xf8E5M2>, %s: tensor<f32>) -> tensor<?x128xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x96xf8E5M2>
  %e = tensor.empty(%m) : tensor<?x128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x128xf32>) -> tensor<?x128xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x96xf8E5M2>, tensor<96x128xf8E5M2>) outs(%z : tensor<?x128xf32>) -> tensor<?x128xf32>
  %o = tensor.empty(%m) : tensor<?x128xf32>
  %w = linalg.broadcast ins(%s : tensor<f32>) outs(%o : tensor<?x128xf32>) dimensions = [0, 1]
  %1 = linalg.mul ins(%0, %w : tensor<?x128xf32>, tensor<?x128xf32>) outs(%o : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %1 : tensor<?x128xf32>
}

// A scale in front of the product, in f32, moves: of A for all, of B for each column.
// WHY: scale-moved {{.*}}Function=dequantised
// CHECK-LABEL: @dequantised
// CHECK-SAME: %[[A:.*]]: tensor<256x96xf8E4M3FN>, %[[B:.*]]: tensor<96x128xf8E4M3FN>, %[[SA:.*]]: f32, %[[SB:.*]]: tensor<128xf32>
// CHECK: %[[SCALAR:.*]] = tensor.from_elements %[[SA]]
// CHECK: hone.matmul ins(%[[A]], %[[B]] : {{.*}} init(zero) acc(f32) products(blocks) epilogue(%[[SB]][n], %[[SCALAR]][] :
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[Y:.*]]: f32, %[[X:.*]]: f32):
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[SUM]], %[[Y]] : f32
// CHECK-NEXT: %[[Q:.*]] = arith.mulf %[[P]], %[[X]] : f32
// CHECK-NEXT: hone.yield %[[Q]] : f32
// CHECK-NOT: linalg.generic
// KEPT-LABEL: @dequantised
// KEPT: hone.matmul {{.*}}tensor<256x96xf32>
func.func @dequantised(%a: tensor<256x96xf8E4M3FN>, %b: tensor<96x128xf8E4M3FN>, %sa: f32, %sb: tensor<128xf32>) -> tensor<256x128xf32> {
  %zero = arith.constant 0.0 : f32
  %ea = tensor.empty() : tensor<256x96xf32>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<256x96xf8E4M3FN>) outs(%ea : tensor<256x96xf32>) {
  ^bb0(%v: f8E4M3FN, %old: f32):
    %w = arith.extf %v : f8E4M3FN to f32
    %p = arith.mulf %w, %sa : f32
    linalg.yield %p : f32
  } -> tensor<256x96xf32>
  %eb = tensor.empty() : tensor<96x128xf32>
  %y = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%b, %sb : tensor<96x128xf8E4M3FN>, tensor<128xf32>) outs(%eb : tensor<96x128xf32>) {
  ^bb0(%v: f8E4M3FN, %s: f32, %old: f32):
    %w = arith.extf %v : f8E4M3FN to f32
    %p = arith.mulf %s, %w : f32
    linalg.yield %p : f32
  } -> tensor<96x128xf32>
  %e = tensor.empty() : tensor<256x128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<256x128xf32>) -> tensor<256x128xf32>
  %0 = linalg.matmul ins(%x, %y : tensor<256x96xf32>, tensor<96x128xf32>) outs(%z : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// Whole tensors, as torch-mlir and StableHLO write them, and a transpose after the scale.
// CHECK-LABEL: @whole_tensors
// CHECK-SAME: %[[A:.*]]: tensor<256x96xf8E4M3FN>, %[[B:.*]]: tensor<128x96xf8E4M3FN>, %[[S:.*]]: tensor<128x1xf32>
// CHECK: %[[COLUMN:.*]] = tensor.collapse_shape %[[S]]
// CHECK: hone.matmul ins(%[[A]], col %[[B]] {{.*}} products(blocks) epilogue(%[[COLUMN]][n] : tensor<128xf32>)
// CHECK-NOT: linalg
func.func @whole_tensors(%a: tensor<256x96xf8E4M3FN>, %b: tensor<128x96xf8E4M3FN>, %s: tensor<128x1xf32>) -> tensor<256x128xf32> {
  %zero = arith.constant 0.0 : f32
  %x = arith.extf %a : tensor<256x96xf8E4M3FN> to tensor<256x96xf32>
  %y = arith.extf %b : tensor<128x96xf8E4M3FN> to tensor<128x96xf32>
  %eb = tensor.empty() : tensor<128x96xf32>
  %wide = linalg.generic {indexing_maps = [#row1, #id], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<128x1xf32>) outs(%eb : tensor<128x96xf32>) {
  ^bb0(%v: f32, %old: f32):
    linalg.yield %v : f32
  } -> tensor<128x96xf32>
  %scaled = arith.mulf %y, %wide : tensor<128x96xf32>
  %et = tensor.empty() : tensor<96x128xf32>
  %turned = linalg.transpose ins(%scaled : tensor<128x96xf32>) outs(%et : tensor<96x128xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<256x128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<256x128xf32>) -> tensor<256x128xf32>
  %0 = linalg.matmul ins(%x, %turned : tensor<256x96xf32>, tensor<96x128xf32>) outs(%z : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// Both in the body of the contraction, where upstream's fusion puts them, and added to the old value of C.
// CHECK-LABEL: @fused
// CHECK-SAME: %[[A:.*]]: tensor<256x96xf8E5M2>, %[[B:.*]]: tensor<128x96xf8E5M2>, %[[S:.*]]: tensor<256xf32>, %[[C:.*]]: tensor<256x128xf32>
// CHECK: hone.matmul ins(%[[A]], col %[[B]] {{.*}} init(zero) acc(f32) products(blocks) epilogue(%[[S]][m], %[[C]][m, n]
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[X:.*]]: f32, %[[OLD:.*]]: f32):
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[SUM]], %[[X]] : f32
// CHECK-NEXT: %[[Q:.*]] = arith.addf %[[OLD]], %[[P]] : f32
// CHECK-NEXT: hone.yield %[[Q]] : f32
func.func @fused(%a: tensor<256x96xf8E5M2>, %b: tensor<128x96xf8E5M2>, %s: tensor<256xf32>, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %0 = linalg.generic {indexing_maps = [#a, affine_map<(m, n, k) -> (m)>, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %s, %b : tensor<256x96xf8E5M2>, tensor<256xf32>, tensor<128x96xf8E5M2>) outs(%c : tensor<256x128xf32>) {
  ^bb0(%l: f8E5M2, %t: f32, %r: f8E5M2, %sum: f32):
    %x = arith.extf %l : f8E5M2 to f32
    %y = arith.extf %r : f8E5M2 to f32
    %scaled = arith.mulf %x, %t : f32
    %p = arith.mulf %scaled, %y : f32
    %u = arith.addf %sum, %p : f32
    linalg.yield %u : f32
  } -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// A scale in bf16 that is not a power of two rounds each element: it moves by permission only.
// WHY-NOT: scale-moved {{.*}}Function=rounds
// CHECK-LABEL: @rounds
// CHECK: hone.matmul {{.*}}tensor<256x96xbf16>
// MOVED-LABEL: @rounds
// MOVED: hone.matmul {{.*}}tensor<256x96xf8E4M3FN>{{.*}} products(blocks) epilogue(%{{.*}}[m, n], %{{.*}}[] : tensor<256x128xf32>, tensor<bf16>)
func.func @rounds(%a: tensor<256x96xf8E4M3FN>, %b: tensor<128x96xf8E4M3FN>, %s: bf16, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %ea = tensor.empty() : tensor<256x96xbf16>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<256x96xf8E4M3FN>) outs(%ea : tensor<256x96xbf16>) {
  ^bb0(%v: f8E4M3FN, %old: bf16):
    %w = arith.extf %v : f8E4M3FN to bf16
    %p = arith.mulf %w, %s : bf16
    linalg.yield %p : bf16
  } -> tensor<256x96xbf16>
  %y = arith.extf %b : tensor<128x96xf8E4M3FN> to tensor<128x96xbf16>
  %0 = linalg.matmul indexing_maps = [#a, #b, #c] ins(%x, %y : tensor<256x96xbf16>, tensor<128x96xbf16>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// A power of two rounds nothing.
// CHECK-LABEL: @power
// CHECK: hone.matmul {{.*}}tensor<256x96xf8E4M3FN>{{.*}} products(blocks)
// CHECK: arith.mulf
func.func @power(%a: tensor<256x96xf8E4M3FN>, %b: tensor<128x96xf8E4M3FN>, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %s = arith.constant 0.0625 : f16
  %ea = tensor.empty() : tensor<256x96xf16>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<256x96xf8E4M3FN>) outs(%ea : tensor<256x96xf16>) {
  ^bb0(%v: f8E4M3FN, %old: f16):
    %w = arith.extf %v : f8E4M3FN to f16
    %p = arith.mulf %w, %s : f16
    linalg.yield %p : f16
  } -> tensor<256x96xf16>
  %y = arith.extf %b : tensor<128x96xf8E4M3FN> to tensor<128x96xf16>
  %0 = linalg.matmul indexing_maps = [#a, #b, #c] ins(%x, %y : tensor<256x96xf16>, tensor<128x96xf16>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// Unless it leaves the range of f16: 448 * 256 is an infinity there.
// CHECK-LABEL: @large_power
// CHECK: hone.matmul {{.*}}tensor<256x96xf16>
func.func @large_power(%a: tensor<256x96xf8E4M3FN>, %b: tensor<128x96xf8E4M3FN>, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %s = arith.constant 256.0 : f16
  %ea = tensor.empty() : tensor<256x96xf16>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<256x96xf8E4M3FN>) outs(%ea : tensor<256x96xf16>) {
  ^bb0(%v: f8E4M3FN, %old: f16):
    %w = arith.extf %v : f8E4M3FN to f16
    %p = arith.mulf %w, %s : f16
    linalg.yield %p : f16
  } -> tensor<256x96xf16>
  %y = arith.extf %b : tensor<128x96xf8E4M3FN> to tensor<128x96xf16>
  %0 = linalg.matmul indexing_maps = [#a, #b, #c] ins(%x, %y : tensor<256x96xf16>, tensor<128x96xf16>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// So does one in f32 whose products are rounded to f16.
// CHECK-LABEL: @rounds_later
// CHECK: hone.matmul {{.*}}tensor<256x96xf16>
// MOVED-LABEL: @rounds_later
// MOVED: hone.matmul {{.*}}tensor<256x96xf8E4M3FN>
func.func @rounds_later(%a: tensor<256x96xf8E4M3FN>, %b: tensor<128x96xf8E4M3FN>, %s: f32, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %ea = tensor.empty() : tensor<256x96xf16>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<256x96xf8E4M3FN>) outs(%ea : tensor<256x96xf16>) {
  ^bb0(%v: f8E4M3FN, %old: f16):
    %w = arith.extf %v : f8E4M3FN to f32
    %p = arith.mulf %w, %s : f32
    %q = arith.truncf %p : f32 to f16
    linalg.yield %q : f16
  } -> tensor<256x96xf16>
  %y = arith.extf %b : tensor<128x96xf8E4M3FN> to tensor<128x96xf16>
  %0 = linalg.matmul indexing_maps = [#a, #b, #c] ins(%x, %y : tensor<256x96xf16>, tensor<128x96xf16>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// A scale that varies with k is a part of each product.
// CHECK-LABEL: @along_k
// CHECK: hone.matmul {{.*}}tensor<256x96xf32>
// MOVED-LABEL: @along_k
// MOVED: hone.matmul {{.*}}tensor<256x96xf32>
func.func @along_k(%a: tensor<256x96xf8E4M3FN>, %b: tensor<128x96xf8E4M3FN>, %s: tensor<96xf32>, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %ea = tensor.empty() : tensor<256x96xf32>
  %x = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %s : tensor<256x96xf8E4M3FN>, tensor<96xf32>) outs(%ea : tensor<256x96xf32>) {
  ^bb0(%v: f8E4M3FN, %t: f32, %old: f32):
    %w = arith.extf %v : f8E4M3FN to f32
    %p = arith.mulf %w, %t : f32
    linalg.yield %p : f32
  } -> tensor<256x96xf32>
  %y = arith.extf %b : tensor<128x96xf8E4M3FN> to tensor<128x96xf32>
  %0 = linalg.matmul indexing_maps = [#a, #b, #c] ins(%x, %y : tensor<256x96xf32>, tensor<128x96xf32>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// A truncation between the extension and the product is one of the program's roundings.
// CHECK-LABEL: @cut_between
// CHECK: hone.matmul {{.*}}tensor<256x96xf32>
func.func @cut_between(%a: tensor<256x96xf16>, %b: tensor<128x96xf8E4M3FN>, %s: f32, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %ea = tensor.empty() : tensor<256x96xf32>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<256x96xf16>) outs(%ea : tensor<256x96xf32>) {
  ^bb0(%v: f16, %old: f32):
    %n = arith.truncf %v : f16 to f8E4M3FN
    %w = arith.extf %n : f8E4M3FN to f32
    %m = arith.truncf %w : f32 to bf16
    %u = arith.extf %m : bf16 to f32
    %p = arith.mulf %u, %s : f32
    linalg.yield %p : f32
  } -> tensor<256x96xf32>
  %y = arith.extf %b : tensor<128x96xf8E4M3FN> to tensor<128x96xf32>
  %0 = linalg.matmul indexing_maps = [#a, #b, #c] ins(%x, %y : tensor<256x96xf32>, tensor<128x96xf32>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// If the op requires exact products, its operands stay as they are.
// CHECK-LABEL: @insists
// CHECK: hone.matmul {{.*}}tensor<256x96xf32>
func.func @insists(%a: tensor<256x96xf8E4M3FN>, %b: tensor<128x96xf8E4M3FN>, %s: f32, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %ea = tensor.empty() : tensor<256x96xf32>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<256x96xf8E4M3FN>) outs(%ea : tensor<256x96xf32>) {
  ^bb0(%v: f8E4M3FN, %old: f32):
    %w = arith.extf %v : f8E4M3FN to f32
    %p = arith.mulf %w, %s : f32
    linalg.yield %p : f32
  } -> tensor<256x96xf32>
  %y = arith.extf %b : tensor<128x96xf8E4M3FN> to tensor<128x96xf32>
  %0 = linalg.matmul indexing_maps = [#a, #b, #c] {hone.products = #hone.products<exact>} ins(%x, %y : tensor<256x96xf32>, tensor<128x96xf32>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// Of factors that are f32 themselves a scale stays where it is.
// CHECK-LABEL: @not_narrow
// CHECK: arith.mulf
// CHECK: hone.matmul
// CHECK-NOT: epilogue
// CHECK: return
func.func @not_narrow(%a: tensor<256x96xf32>, %b: tensor<128x96xf32>, %s: f32, %c: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %ea = tensor.empty() : tensor<256x96xf32>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<256x96xf32>) outs(%ea : tensor<256x96xf32>) {
  ^bb0(%v: f32, %old: f32):
    %p = arith.mulf %v, %s : f32
    linalg.yield %p : f32
  } -> tensor<256x96xf32>
  %0 = linalg.matmul indexing_maps = [#a, #b, #c] ins(%x, %b : tensor<256x96xf32>, tensor<128x96xf32>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}
