// RUN: mlir-opt %plugin %s -o %t.text
// RUN: mlir-opt %plugin %S/v11.mlirbc -o %t.bytecode
// RUN: diff %t.text %t.bytecode
// RUN: hone-opt --accept-bytecode %S/v11.mlirbc | diff %t.text -

// Version 11 of the dialect. v11.mlirbc is the output of version 11 for this file and
// never changes. It has the feature that version 10 lacks: tokens sorted by experts.

func.func @route(%experts: tensor<?x2xi64>) -> (tensor<?xi32>, tensor<?xi32>, tensor<8xi32>) {
  %rows, %places, %ends = hone.route %experts groups 8 : tensor<?x2xi64> -> tensor<?xi32>, tensor<?xi32>, tensor<8xi32>
  return %rows, %places, %ends : tensor<?xi32>, tensor<?xi32>, tensor<8xi32>
}
