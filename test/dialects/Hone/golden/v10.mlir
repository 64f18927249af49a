// RUN: mlir-opt %plugin %s -o %t.text
// RUN: mlir-opt %plugin %S/v10.mlirbc -o %t.bytecode
// RUN: diff %t.text %t.bytecode
// RUN: hone-opt --accept-bytecode %S/v10.mlirbc | diff %t.text -

// Version 10 of the dialect. v10.mlirbc is the output of version 10 for this file and
// never changes. It has the feature that version 9 lacks: maxima of rows.

func.func @scatter(%rows: tensor<?x96xf16>, %to: tensor<?xi32>, %w: tensor<?xf32>, %c: tensor<30x96xf32>) -> tensor<30x96xf32> {
  %0 = hone.scatter_rows %rows to %to weights %w max into %c : tensor<?x96xf16>, tensor<?xi32>, tensor<?xf32> into tensor<30x96xf32>
  %1 = hone.scatter_rows %rows to %to into %0 : tensor<?x96xf16>, tensor<?xi32> into tensor<30x96xf32>
  return %1 : tensor<30x96xf32>
}
