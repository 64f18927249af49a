// Integers are compared to the last bit, also where a double has no room for it, and a range may
// end with the last of them.

// RUN: split-file %s %t
// RUN: hone run %t/right.mlir --arch=host --repeat=1 --range=0:9223372036854775807:9223372036854775807 | FileCheck %s
// CHECK: {{^sum +host +0 +0\.000 +8/8 +0 }}
// RUN: not hone run %t/wrong.mlir --reference=%t/right.mlir --arch=host --repeat=1 --range=0:0:0 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: expected 9007199254740993 at element 0 of result 0, but got 9007199254740992

//--- right.mlir
#map = affine_map<(i) -> (i)>
func.func @sum(%x: tensor<8xi64>) -> tensor<8xi64> {
  %large = arith.constant 9007199254740993 : i64
  %e = tensor.empty() : tensor<8xi64>
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<8xi64>) outs(%e : tensor<8xi64>) {
  ^bb0(%v: i64, %o: i64):
    %r = arith.xori %v, %large : i64
    linalg.yield %r : i64
  } -> tensor<8xi64>
  return %0 : tensor<8xi64>
}

//--- wrong.mlir
#map = affine_map<(i) -> (i)>
func.func @sum(%x: tensor<8xi64>) -> tensor<8xi64> {
  %large = arith.constant 9007199254740992 : i64
  %e = tensor.empty() : tensor<8xi64>
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<8xi64>) outs(%e : tensor<8xi64>) {
  ^bb0(%v: i64, %o: i64):
    %r = arith.xori %v, %large : i64
    linalg.yield %r : i64
  } -> tensor<8xi64>
  return %0 : tensor<8xi64>
}
