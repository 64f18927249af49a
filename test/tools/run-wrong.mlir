// Roundings of the program are not mistakes, however many there are; a mistake is found among
// any number of roundings. Each function is compared with itself, and with a module in which
// one thing is changed.

// RUN: split-file %s %t

// RUN: hone run %t/right.mlir --arch=host --repeat=1 --function=softmax | FileCheck %s --check-prefix=RIGHT
// RUN: hone run %t/right.mlir --arch=host --repeat=1 --function=norm | FileCheck %s --check-prefix=RIGHT
// RUN: hone run %t/right.mlir --arch=host --repeat=1 --function=rounds | FileCheck %s --check-prefix=RIGHT
// RUN: hone run %t/right.mlir --arch=host --repeat=1 --function=dense | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^[a-z]+ +host +[0-9]+ +0\.[0-9]+ +[0-9]+/[0-9]+ +0 .* 0 +-}}

// RUN: not hone run %t/wrong.mlir --reference=%t/right.mlir --arch=host --repeat=1 --function=softmax 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not hone run %t/wrong.mlir --reference=%t/right.mlir --arch=host --repeat=1 --function=norm 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not hone run %t/wrong.mlir --reference=%t/right.mlir --arch=host --repeat=1 --function=dense 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: expected {{.*}} at element {{[0-9]+}} of result 0, but got

//--- right.mlir
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>

// All of it in f16, sums too.
func.func @softmax(%x: tensor<8x96xf16>) -> tensor<8x96xf16> {
  %lowest = arith.constant 0xFC00 : f16
  %zero = arith.constant 0.0 : f16
  %rows = tensor.empty() : tensor<8xf16>
  %all = tensor.empty() : tensor<8x96xf16>
  %0 = linalg.fill ins(%lowest : f16) outs(%rows : tensor<8xf16>) -> tensor<8xf16>
  %max = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x96xf16>) outs(%0 : tensor<8xf16>) {
  ^bb0(%u: f16, %o: f16):
    %r = arith.maximumf %u, %o : f16
    linalg.yield %r : f16
  } -> tensor<8xf16>
  %exp = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<8x96xf16>, tensor<8xf16>) outs(%all : tensor<8x96xf16>) {
  ^bb0(%u: f16, %v: f16, %o: f16):
    %r = arith.subf %u, %v : f16
    %e = math.exp %r : f16
    linalg.yield %e : f16
  } -> tensor<8x96xf16>
  %1 = linalg.fill ins(%zero : f16) outs(%rows : tensor<8xf16>) -> tensor<8xf16>
  %sum = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<8x96xf16>) outs(%1 : tensor<8xf16>) {
  ^bb0(%u: f16, %o: f16):
    %r = arith.addf %u, %o : f16
    linalg.yield %r : f16
  } -> tensor<8xf16>
  %p = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<8x96xf16>, tensor<8xf16>) outs(%all : tensor<8x96xf16>) {
  ^bb0(%u: f16, %v: f16, %o: f16):
    %r = arith.divf %u, %v : f16
    linalg.yield %r : f16
  } -> tensor<8x96xf16>
  return %p : tensor<8x96xf16>
}

// A sum of squares, and quotients by its root.
func.func @norm(%x: tensor<8x64xbf16>, %w: tensor<64xbf16>) -> tensor<8x64xbf16> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 64.0 : f32
  %rows = tensor.empty() : tensor<8xf32>
  %all = tensor.empty() : tensor<8x64xbf16>
  %0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x64xbf16>) outs(%0 : tensor<8xf32>) {
  ^bb0(%u: bf16, %o: f32):
    %e = arith.extf %u : bf16 to f32
    %s = arith.mulf %e, %e : f32
    %r = arith.addf %s, %o : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#ij, #i, #j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %w : tensor<8x64xbf16>, tensor<8xf32>, tensor<64xbf16>) outs(%all : tensor<8x64xbf16>) {
  ^bb0(%u: bf16, %s: f32, %v: bf16, %o: bf16):
    %m = arith.divf %s, %count : f32
    %f = math.rsqrt %m : f32
    %t = arith.truncf %f : f32 to bf16
    %r = arith.mulf %u, %t : bf16
    %q = arith.mulf %r, %v : bf16
    linalg.yield %q : bf16
  } -> tensor<8x64xbf16>
  return %y : tensor<8x64xbf16>
}

// The remainder of a number after a larger one was added and taken away is its rounding.
func.func @rounds(%a: tensor<8x8xf16>, %b: tensor<8x8xf16>) -> tensor<8x8xf16> {
  %big = arith.constant 4096.0 : f16
  %e = tensor.empty() : tensor<8x8xf16>
  %0 = linalg.fill ins(%big : f16) outs(%e : tensor<8x8xf16>) -> tensor<8x8xf16>
  %1 = linalg.add ins(%a, %0 : tensor<8x8xf16>, tensor<8x8xf16>) outs(%e : tensor<8x8xf16>) -> tensor<8x8xf16>
  %2 = linalg.sub ins(%1, %0 : tensor<8x8xf16>, tensor<8x8xf16>) outs(%e : tensor<8x8xf16>) -> tensor<8x8xf16>
  return %2 : tensor<8x8xf16>
}

// A product stored as f16, then a bias, stored again.
func.func @dense(%a: tensor<16x256xf16>, %b: tensor<256x32xf16>, %v: tensor<32xf16>) -> tensor<16x32xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<16x32xf16>
  %0 = linalg.fill ins(%zero : f16) outs(%e : tensor<16x32xf16>) -> tensor<16x32xf16>
  %1 = linalg.matmul ins(%a, %b : tensor<16x256xf16>, tensor<256x32xf16>) outs(%0 : tensor<16x32xf16>) -> tensor<16x32xf16>
  %2 = linalg.generic {indexing_maps = [#ij, #j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%1, %v : tensor<16x32xf16>, tensor<32xf16>) outs(%e : tensor<16x32xf16>) {
  ^bb0(%x: f16, %y: f16, %o: f16):
    %r = arith.addf %x, %y : f16
    linalg.yield %r : f16
  } -> tensor<16x32xf16>
  return %2 : tensor<16x32xf16>
}

//--- wrong.mlir
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>

// A power of 2 instead of one of e.
func.func @softmax(%x: tensor<8x96xf16>) -> tensor<8x96xf16> {
  %lowest = arith.constant 0xFC00 : f16
  %zero = arith.constant 0.0 : f16
  %rows = tensor.empty() : tensor<8xf16>
  %all = tensor.empty() : tensor<8x96xf16>
  %0 = linalg.fill ins(%lowest : f16) outs(%rows : tensor<8xf16>) -> tensor<8xf16>
  %max = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x96xf16>) outs(%0 : tensor<8xf16>) {
  ^bb0(%u: f16, %o: f16):
    %r = arith.maximumf %u, %o : f16
    linalg.yield %r : f16
  } -> tensor<8xf16>
  %exp = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<8x96xf16>, tensor<8xf16>) outs(%all : tensor<8x96xf16>) {
  ^bb0(%u: f16, %v: f16, %o: f16):
    %r = arith.subf %u, %v : f16
    %e = math.exp2 %r : f16
    linalg.yield %e : f16
  } -> tensor<8x96xf16>
  %1 = linalg.fill ins(%zero : f16) outs(%rows : tensor<8xf16>) -> tensor<8xf16>
  %sum = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<8x96xf16>) outs(%1 : tensor<8xf16>) {
  ^bb0(%u: f16, %o: f16):
    %r = arith.addf %u, %o : f16
    linalg.yield %r : f16
  } -> tensor<8xf16>
  %p = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<8x96xf16>, tensor<8xf16>) outs(%all : tensor<8x96xf16>) {
  ^bb0(%u: f16, %v: f16, %o: f16):
    %r = arith.divf %u, %v : f16
    linalg.yield %r : f16
  } -> tensor<8x96xf16>
  return %p : tensor<8x96xf16>
}

// A mean over too few elements.
func.func @norm(%x: tensor<8x64xbf16>, %w: tensor<64xbf16>) -> tensor<8x64xbf16> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 48.0 : f32
  %rows = tensor.empty() : tensor<8xf32>
  %all = tensor.empty() : tensor<8x64xbf16>
  %0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x64xbf16>) outs(%0 : tensor<8xf32>) {
  ^bb0(%u: bf16, %o: f32):
    %e = arith.extf %u : bf16 to f32
    %s = arith.mulf %e, %e : f32
    %r = arith.addf %s, %o : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#ij, #i, #j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %w : tensor<8x64xbf16>, tensor<8xf32>, tensor<64xbf16>) outs(%all : tensor<8x64xbf16>) {
  ^bb0(%u: bf16, %s: f32, %v: bf16, %o: bf16):
    %m = arith.divf %s, %count : f32
    %f = math.rsqrt %m : f32
    %t = arith.truncf %f : f32 to bf16
    %r = arith.mulf %u, %t : bf16
    %q = arith.mulf %r, %v : bf16
    linalg.yield %q : bf16
  } -> tensor<8x64xbf16>
  return %y : tensor<8x64xbf16>
}

// No bias.
func.func @dense(%a: tensor<16x256xf16>, %b: tensor<256x32xf16>, %v: tensor<32xf16>) -> tensor<16x32xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<16x32xf16>
  %0 = linalg.fill ins(%zero : f16) outs(%e : tensor<16x32xf16>) -> tensor<16x32xf16>
  %1 = linalg.matmul ins(%a, %b : tensor<16x256xf16>, tensor<256x32xf16>) outs(%0 : tensor<16x32xf16>) -> tensor<16x32xf16>
  %2 = linalg.generic {indexing_maps = [#ij, #j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%1, %v : tensor<16x32xf16>, tensor<32xf16>) outs(%e : tensor<16x32xf16>) {
  ^bb0(%x: f16, %y: f16, %o: f16):
    linalg.yield %x : f16
  } -> tensor<16x32xf16>
  return %2 : tensor<16x32xf16>
}
