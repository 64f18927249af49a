// RUN: mlir-opt %plugin %s -o %t.text
// RUN: mlir-opt %plugin %S/v3.mlirbc -o %t.bytecode
// RUN: diff %t.text %t.bytecode
// RUN: hone-opt --accept-bytecode %S/v3.mlirbc | diff %t.text -

// Version 3 of the dialect. v3.mlirbc is the output of version 3 for this file
// and never changes. Dimensions are #hone.dims, which were strings in version 2;
// the text of a matmul is the same.

func.func private @attributes() attributes {dims = #hone.dims<b, m, k>, none = #hone.dims<>}

func.func @letters(%q: tensor<4x128x12x64xf16>, %k: tensor<4x128x12x64xf16>, %c: tensor<4x12x128x128xf32>,
                   %v: tensor<12x128xf32>) -> tensor<4x12x128x128xf32> {
  %0 = hone.matmul ins(%q[b, m, h, k], %k[b, n, h, k] : tensor<4x128x12x64xf16>, tensor<4x128x12x64xf16>)
    outs(%c : tensor<4x12x128x128xf32>) init(zero) acc(f32) epilogue(%v[h, n] : tensor<12x128xf32>) {
  ^bb0(%sum: f32, %x: f32):
    %1 = arith.addf %sum, %x : f32
    hone.yield %1 : f32
  } -> tensor<4x12x128x128xf32>
  return %0 : tensor<4x12x128x128xf32>
}

func.func @places(%a: tensor<3x64x32xf16>, %b: tensor<4x48x32xf16>, %c: tensor<4x64x3x48xf16>) -> tensor<4x64x3x48xf16> {
  %0 = hone.matmul ins(%a[h, m, k], col %b : tensor<3x64x32xf16>, tensor<4x48x32xf16>)
    outs(%c[b, m, h, n] : tensor<4x64x3x48xf16>) init(read) acc(f32) -> tensor<4x64x3x48xf16>
  return %0 : tensor<4x64x3x48xf16>
}

func.func @usual(%a: memref<2x?x32xf16>, %b: memref<32x48xf16>, %c: memref<2x?x48xf32>) {
  hone.matmul ins(%a, %b : memref<2x?x32xf16>, memref<32x48xf16>) outs(%c : memref<2x?x48xf32>) init(read) acc(f32)
  return
}
