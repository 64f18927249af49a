// `hone run` on the CPU: every type, tensors and memrefs, gaps between rows, dynamic
// extents, several results, epilogues. The command checks the results itself.

// RUN: hone run %s --arch=host --function=f32 --repeat=2 | FileCheck %s
// RUN: hone run %s --arch=host --function=f16 --repeat=2 --dims=17,33,65 | FileCheck %s
// RUN: hone run %s --arch=host --function=bf16_memref --repeat=2 | FileCheck %s
// RUN: hone run %s --arch=host --function=gaps --repeat=2 | FileCheck %s
// RUN: hone run %s --arch=host --function=batch --repeat=2 --dims=7 | FileCheck %s
// RUN: hone run %s --arch=host --function=bias_relu --repeat=2 | FileCheck %s
// RUN: hone run %s --arch=host --function=two_results --repeat=2 | FileCheck %s
// RUN: hone run %s --arch=host --function=chain --repeat=2 | FileCheck %s

// CHECK: function {{.*}} N(0,1) error {{.*}} wrong
// CHECK-NEXT: {{^[a-z0-9_]+ +host +[12] +0\.[0-9]+ +[0-9]+/[0-9]+ +0 }}

// RUN: hone run %s --arch=host --function=f32 --repeat=2 --json --schedule='host, micro = 4x16, unroll = 2' | FileCheck %s --check-prefix=JSON
// JSON: "arch": "host",
// JSON: "function": "f32",
// JSON: "wrong": 0

func.func @f32(%a: tensor<64x48xf32>, %b: tensor<48x80xf32>, %c: tensor<64x80xf32>) -> tensor<64x80xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%c : tensor<64x80xf32>) -> tensor<64x80xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<64x48xf32>, tensor<48x80xf32>)
                     outs(%0 : tensor<64x80xf32>) -> tensor<64x80xf32>
  return %1 : tensor<64x80xf32>
}

func.func @f16(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>)
                     outs(%c : tensor<?x?xf16>) -> tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}

func.func @bf16_memref(%a: memref<17x33xbf16>, %b: memref<33x20xbf16>, %c: memref<17x20xf32>) {
  linalg.matmul ins(%a, %b : memref<17x33xbf16>, memref<33x20xbf16>) outs(%c : memref<17x20xf32>)
  return
}

func.func @gaps(%a: memref<17x33xf16, strided<[40, 1]>>, %b: memref<33x20xf16>,
                %c: memref<17x20xf16, strided<[24, 1]>>) {
  %zero = arith.constant 0.0 : f16
  linalg.fill ins(%zero : f16) outs(%c : memref<17x20xf16, strided<[24, 1]>>)
  linalg.matmul ins(%a, %b : memref<17x33xf16, strided<[40, 1]>>, memref<33x20xf16>)
                outs(%c : memref<17x20xf16, strided<[24, 1]>>)
  return
}

func.func @batch(%a: tensor<3x?x9xf32>, %b: tensor<3x9x5xf32>, %c: tensor<3x?x5xf32>) -> tensor<3x?x5xf32> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<3x?x9xf32>, tensor<3x9x5xf32>)
                           outs(%c : tensor<3x?x5xf32>) -> tensor<3x?x5xf32>
  return %0 : tensor<3x?x5xf32>
}

#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>
func.func @bias_relu(%a: tensor<30x40xf16>, %b: tensor<40x50xf16>, %bias: tensor<50xf32>) -> tensor<30x50xf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<30x50xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<30x50xf32>) -> tensor<30x50xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<30x40xf16>, tensor<40x50xf16>)
                     outs(%0 : tensor<30x50xf32>) -> tensor<30x50xf32>
  %f = tensor.empty() : tensor<30x50xf16>
  %2 = linalg.generic {indexing_maps = [#ij, #j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%1, %bias : tensor<30x50xf32>, tensor<50xf32>) outs(%f : tensor<30x50xf16>) {
  ^bb0(%x: f32, %v: f32, %o: f16):
    %s = arith.addf %x, %v : f32
    %r = arith.maximumf %s, %zero : f32
    %t = arith.truncf %r : f32 to f16
    linalg.yield %t : f16
  } -> tensor<30x50xf16>
  return %2 : tensor<30x50xf16>
}

func.func @two_results(%a: tensor<8x9xf32>, %b: tensor<9x8xf32>, %start: f32) -> (tensor<8x8xf32>, tensor<9x9xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %0 = linalg.fill ins(%start : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<8x9xf32>, tensor<9x8xf32>) outs(%0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %f = tensor.empty() : tensor<9x9xf32>
  %2 = linalg.fill ins(%zero : f32) outs(%f : tensor<9x9xf32>) -> tensor<9x9xf32>
  %3 = linalg.matmul ins(%b, %a : tensor<9x8xf32>, tensor<8x9xf32>) outs(%2 : tensor<9x9xf32>) -> tensor<9x9xf32>
  return %1, %3 : tensor<8x8xf32>, tensor<9x9xf32>
}

func.func @chain(%a: tensor<16x24xf16>, %b: tensor<24x40xf16>, %d: tensor<40x8xf16>) -> tensor<16x8xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<16x40xf16>
  %0 = linalg.fill ins(%zero : f16) outs(%e : tensor<16x40xf16>) -> tensor<16x40xf16>
  %1 = linalg.matmul ins(%a, %b : tensor<16x24xf16>, tensor<24x40xf16>) outs(%0 : tensor<16x40xf16>) -> tensor<16x40xf16>
  %f = tensor.empty() : tensor<16x8xf16>
  %2 = linalg.fill ins(%zero : f16) outs(%f : tensor<16x8xf16>) -> tensor<16x8xf16>
  %3 = linalg.matmul ins(%1, %d : tensor<16x40xf16>, tensor<40x8xf16>) outs(%2 : tensor<16x8xf16>) -> tensor<16x8xf16>
  return %3 : tensor<16x8xf16>
}
