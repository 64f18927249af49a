// RUN: mlir-opt %plugin %s -o %t.text
// RUN: mlir-opt %plugin %S/v6.mlirbc -o %t.bytecode
// RUN: diff %t.text %t.bytecode
// RUN: hone-opt --accept-bytecode %S/v6.mlirbc | diff %t.text -

// Version 6 of the dialect. v6.mlirbc is the output of version 6 for this file and
// never changes. It has the feature that version 5 lacks: windows of an image.

func.func private @attributes() attributes {window = #hone.window<3x3, step 2x2, dilation 1x2, low 1x1, high 0x1>}

func.func @windows(%x: memref<?x28x28x64xf16>, %w: memref<576x96xf16>, %c: memref<?x96xf16>) {
  hone.matmul ins(%x window(3x3, low 1x1, high 1x1), %w : memref<?x28x28x64xf16>, memref<576x96xf16>) outs(%c : memref<?x96xf16>) init(zero) acc(f32)
  return
}
