// Which runs give the same bits is an option, and an attribute of an op, which goes before it. Sources of schedules
// keep the law: a measured schedule that cannot is passed over.
//
// RUN: hone-opt %s --hone-match="arch=h200" | FileCheck %s --check-prefix=USUAL
// RUN: hone-opt %s --hone-match="arch=h200 numbers=deterministic" | FileCheck %s --check-prefix=USUAL
// RUN: hone-opt %s --hone-match="arch=h200 numbers=invariant:2" | FileCheck %s --check-prefix=OPTION
// RUN: not hone-opt %s --hone-match="numbers=same" 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: expected 'numbers' to be free, deterministic, invariant or invariant:PARTS, but got 'same'

// DEFINE: %{numbers} = invariant
// DEFINE: %{select} = hone-opt %s --hone-match="arch=h200 numbers=%{numbers}" --hone-select-schedule="arch=h200" --remark-policy=all --remark-format=emitRemark --remarks-filter=hone 2>&1
// RUN: %{select} | FileCheck %s --check-prefix=KEPT
// KEPT: splits = 1, streams = no, {{.*}} from the policy{{.*}}m = 128{{.*}}numbers = invariant
// KEPT: shipped tuning, exact{{.*}} proposes 'ws, {{.*}}splits = 2{{.*}}', but schedule_c95: expected splits to be 1 where numbers are invariant, but got 2; use 1, or numbers = deterministic
// KEPT: {{.*}} from shipped tuning, exact{{.*}}m = 4096{{.*}}numbers = invariant
// REDEFINE: %{numbers} = free
// RUN: %{select} | FileCheck %s --check-prefix=FREE
// FREE: splits = 2{{.*}} from shipped tuning, exact{{.*}}m = 128{{.*}}numbers = free

// USUAL-LABEL: func @measured(
// USUAL: hone.matmul {{.*}} init(zero) acc(f32) ->
// OPTION-LABEL: func @measured(
// OPTION: hone.matmul {{.*}} init(zero) acc(f32) numbers(invariant:2) ->
func.func @measured(%a: tensor<128x4096xf16>, %b: tensor<1024x4096xf16>) -> tensor<128x1024xf16> {
  %zero = arith.constant 0.0 : f16
  %empty = tensor.empty() : tensor<128x1024xf16>
  %init = linalg.fill ins(%zero : f16) outs(%empty : tensor<128x1024xf16>) -> tensor<128x1024xf16>
  %c = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<128x4096xf16>, tensor<1024x4096xf16>) outs(%init : tensor<128x1024xf16>) -> tensor<128x1024xf16>
  return %c : tensor<128x1024xf16>
}

func.func @many_rows(%a: tensor<4096x1024xf16>, %b: tensor<1024x1024xf16>) -> tensor<4096x1024xf16> {
  %zero = arith.constant 0.0 : f16
  %empty = tensor.empty() : tensor<4096x1024xf16>
  %init = linalg.fill ins(%zero : f16) outs(%empty : tensor<4096x1024xf16>) -> tensor<4096x1024xf16>
  %c = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<4096x1024xf16>, tensor<1024x1024xf16>) outs(%init : tensor<4096x1024xf16>) -> tensor<4096x1024xf16>
  return %c : tensor<4096x1024xf16>
}

// USUAL-LABEL: func @own(
// USUAL: hone.matmul {{.*}} init(zero) acc(f32) numbers(invariant) ->
// OPTION-LABEL: func @own(
// OPTION: hone.matmul {{.*}} init(zero) acc(f32) numbers(invariant) ->
func.func @own(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>) -> tensor<64x48xf16> {
  %zero = arith.constant 0.0 : f16
  %empty = tensor.empty() : tensor<64x48xf16>
  %init = linalg.fill ins(%zero : f16) outs(%empty : tensor<64x48xf16>) -> tensor<64x48xf16>
  %c = linalg.matmul {hone.numbers = #hone.numbers<invariant>} ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>)
      outs(%init : tensor<64x48xf16>) -> tensor<64x48xf16>
  return %c : tensor<64x48xf16>
}
