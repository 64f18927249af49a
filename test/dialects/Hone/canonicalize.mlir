// RUN: mlir-opt %plugin %s --canonicalize --split-input-file | FileCheck %s

// Two waits with nothing in between that has an effect are one.
// CHECK-LABEL: func.func @repeated
// CHECK-NEXT:    hone.wait
// CHECK-NEXT:    %[[SUM:.*]] = arith.addi
// CHECK-NEXT:    return %[[SUM]]
func.func @repeated(%a: index, %b: index) -> index {
  hone.wait
  %sum = arith.addi %a, %b : index
  hone.wait
  hone.wait
  return %sum : index
}

// -----

// A call may start something.
// CHECK-LABEL: func.func @call_between
// CHECK:         hone.wait
// CHECK-NEXT:    call @start
// CHECK-NEXT:    hone.wait
func.func private @start()
func.func @call_between() {
  hone.wait
  func.call @start() : () -> ()
  hone.wait
  return
}

// -----

// So may the other branch.
// CHECK-LABEL: func.func @other_block
// CHECK-COUNT-2: hone.wait
func.func @other_block(%condition: i1) {
  scf.if %condition {
    hone.wait
  }
  hone.wait
  return
}
