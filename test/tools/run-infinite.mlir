// Results with infinities are compared like all others: overflows of the program's own type,
// masks of -inf, and the NaN of a row that is masked as a whole. A result without a comparable
// element is neither right nor wrong.

// RUN: split-file %s %t

// DEFINE: %{function} = none
// DEFINE: %{right} = hone run %t/right.mlir --arch=host --repeat=1 --json --function=%{function}
// REDEFINE: %{function} = causal_f16
// RUN: %{right} | FileCheck %s --check-prefixes=RIGHT,WHOLE
// REDEFINE: %{function} = masked_bf16
// RUN: %{right} | FileCheck %s --check-prefixes=RIGHT,WHOLE
// REDEFINE: %{function} = swish_f16
// RUN: %{right} | FileCheck %s --check-prefixes=RIGHT
// REDEFINE: %{function} = swish_bf16
// RUN: %{right} | FileCheck %s --check-prefixes=RIGHT
// REDEFINE: %{function} = norm
// RUN: %{right} | FileCheck %s --check-prefixes=RIGHT
// WHOLE: "not comparable": 0
// RIGHT: "wrong": 0{{$}}

// DEFINE: %{wrong} = not hone run %t/wrong.mlir --reference=%t/right.mlir --arch=host --repeat=1 --function=%{function}
// REDEFINE: %{function} = masked_bf16
// RUN: %{wrong} 2>&1 | FileCheck %s --check-prefix=MASK
// MASK: error: expected nan at element 0 of result 0, but got
// REDEFINE: %{function} = swish_f16
// RUN: %{wrong} 2>&1 | FileCheck %s --check-prefix=CLAMP
// CLAMP: error: expected -0.00000E+00 at element {{[0-9]+}} of result 0, but got -

// RUN: %python -c "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]) != 3)" \
// RUN:   hone run %t/right.mlir --arch=host --repeat=1 --function=hidden > %t.out 2>&1
// RUN: FileCheck %s --check-prefix=HIDDEN --input-file=%t.out
// HIDDEN-DAG: {{^hidden +host .* 0 .*$}}
// HIDDEN-DAG: not checked: expected elements of result 0 that can be compared, but 64 of 64 depend on

//--- right.mlir
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>

// A row attends to earlier rows, and to itself.
func.func @causal_f16(%a: tensor<4x16xf16>, %b: tensor<16x24xf16>) -> tensor<4x24xf16> {
  %zero = arith.constant 0.0 : f16
  %low = arith.constant 0xFC00 : f16
  %lowest = arith.constant 0xFC00 : f16
  %few = arith.constant 0.0625 : f16
  %all = tensor.empty() : tensor<4x24xf16>
  %rows = tensor.empty() : tensor<4xf16>
  %f = linalg.fill ins(%zero : f16) outs(%all : tensor<4x24xf16>) -> tensor<4x24xf16>
  %s = linalg.matmul ins(%a, %b : tensor<4x16xf16>, tensor<16x24xf16>) outs(%f : tensor<4x24xf16>) -> tensor<4x24xf16>
  %m = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<4x24xf16>) outs(%all : tensor<4x24xf16>) {
  ^bb0(%x: f16, %o: f16):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi sle, %j, %i : index
    %mask = arith.select %seen, %zero, %low : f16
    %y = arith.mulf %x, %few : f16
    %z = arith.addf %y, %mask : f16
    linalg.yield %z : f16
  } -> tensor<4x24xf16>
  %g = linalg.fill ins(%lowest : f16) outs(%rows : tensor<4xf16>) -> tensor<4xf16>
  %max = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%m : tensor<4x24xf16>) outs(%g : tensor<4xf16>) {
  ^bb0(%x: f16, %o: f16):
    %r = arith.maximumf %o, %x : f16
    linalg.yield %r : f16
  } -> tensor<4xf16>
  %exp = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]} ins(%m, %max : tensor<4x24xf16>, tensor<4xf16>) outs(%all : tensor<4x24xf16>) {
  ^bb0(%x: f16, %y: f16, %o: f16):
    %d = arith.subf %x, %y : f16
    %e = math.exp %d : f16
    linalg.yield %e : f16
  } -> tensor<4x24xf16>
  %h = linalg.fill ins(%zero : f16) outs(%rows : tensor<4xf16>) -> tensor<4xf16>
  %sum = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%exp : tensor<4x24xf16>) outs(%h : tensor<4xf16>) {
  ^bb0(%x: f16, %o: f16):
    %r = arith.addf %o, %x : f16
    linalg.yield %r : f16
  } -> tensor<4xf16>
  %p = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]} ins(%exp, %sum : tensor<4x24xf16>, tensor<4xf16>) outs(%all : tensor<4x24xf16>) {
  ^bb0(%x: f16, %y: f16, %o: f16):
    %r = arith.divf %x, %y : f16
    linalg.yield %r : f16
  } -> tensor<4x24xf16>
  return %p : tensor<4x24xf16>
}

// The first row sees nothing.
func.func @masked_bf16(%a: tensor<4x16xbf16>, %b: tensor<16x24xbf16>) -> tensor<4x24xbf16> {
  %zero = arith.constant 0.0 : bf16
  %low = arith.constant 0xFF80 : bf16
  %lowest = arith.constant 0xFF80 : bf16
  %few = arith.constant 0.0625 : bf16
  %all = tensor.empty() : tensor<4x24xbf16>
  %rows = tensor.empty() : tensor<4xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%all : tensor<4x24xbf16>) -> tensor<4x24xbf16>
  %s = linalg.matmul ins(%a, %b : tensor<4x16xbf16>, tensor<16x24xbf16>) outs(%f : tensor<4x24xbf16>) -> tensor<4x24xbf16>
  %m = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<4x24xbf16>) outs(%all : tensor<4x24xbf16>) {
  ^bb0(%x: bf16, %o: bf16):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi slt, %j, %i : index
    %mask = arith.select %seen, %zero, %low : bf16
    %y = arith.mulf %x, %few : bf16
    %z = arith.addf %y, %mask : bf16
    linalg.yield %z : bf16
  } -> tensor<4x24xbf16>
  %g = linalg.fill ins(%lowest : bf16) outs(%rows : tensor<4xbf16>) -> tensor<4xbf16>
  %max = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%m : tensor<4x24xbf16>) outs(%g : tensor<4xbf16>) {
  ^bb0(%x: bf16, %o: bf16):
    %r = arith.maximumf %o, %x : bf16
    linalg.yield %r : bf16
  } -> tensor<4xbf16>
  %exp = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]} ins(%m, %max : tensor<4x24xbf16>, tensor<4xbf16>) outs(%all : tensor<4x24xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %o: bf16):
    %d = arith.subf %x, %y : bf16
    %e = math.exp %d : bf16
    linalg.yield %e : bf16
  } -> tensor<4x24xbf16>
  %h = linalg.fill ins(%zero : bf16) outs(%rows : tensor<4xbf16>) -> tensor<4xbf16>
  %sum = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%exp : tensor<4x24xbf16>) outs(%h : tensor<4xbf16>) {
  ^bb0(%x: bf16, %o: bf16):
    %r = arith.addf %o, %x : bf16
    linalg.yield %r : bf16
  } -> tensor<4xbf16>
  %p = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]} ins(%exp, %sum : tensor<4x24xbf16>, tensor<4xbf16>) outs(%all : tensor<4x24xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %o: bf16):
    %r = arith.divf %x, %y : bf16
    linalg.yield %r : bf16
  } -> tensor<4x24xbf16>
  return %p : tensor<4x24xbf16>
}

// Of x less than -11.09 the sigmoid is 0 in f16. In bf16 it is small.
func.func @swish_f16(%a: tensor<64x256xf16>, %b: tensor<256x256xf16>) -> tensor<64x256xf16> {
  %zero = arith.constant 0.0 : f16
  %one = arith.constant 1.0 : f16
  %all = tensor.empty() : tensor<64x256xf16>
  %f = linalg.fill ins(%zero : f16) outs(%all : tensor<64x256xf16>) -> tensor<64x256xf16>
  %s = linalg.matmul ins(%a, %b : tensor<64x256xf16>, tensor<256x256xf16>) outs(%f : tensor<64x256xf16>) -> tensor<64x256xf16>
  %p = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<64x256xf16>) outs(%all : tensor<64x256xf16>) {
  ^bb0(%x: f16, %o: f16):
    %n = arith.negf %x : f16
    %e = math.exp %n : f16
    %d = arith.addf %e, %one : f16
    %q = arith.divf %one, %d : f16
    %r = arith.mulf %x, %q : f16
    linalg.yield %r : f16
  } -> tensor<64x256xf16>
  return %p : tensor<64x256xf16>
}

func.func @swish_bf16(%a: tensor<64x256xbf16>, %b: tensor<256x256xbf16>) -> tensor<64x256xbf16> {
  %zero = arith.constant 0.0 : bf16
  %one = arith.constant 1.0 : bf16
  %all = tensor.empty() : tensor<64x256xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%all : tensor<64x256xbf16>) -> tensor<64x256xbf16>
  %s = linalg.matmul ins(%a, %b : tensor<64x256xbf16>, tensor<256x256xbf16>) outs(%f : tensor<64x256xbf16>) -> tensor<64x256xbf16>
  %p = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<64x256xbf16>) outs(%all : tensor<64x256xbf16>) {
  ^bb0(%x: bf16, %o: bf16):
    %n = arith.negf %x : bf16
    %e = math.exp %n : bf16
    %d = arith.addf %e, %one : bf16
    %q = arith.divf %one, %d : bf16
    %r = arith.mulf %x, %q : bf16
    linalg.yield %r : bf16
  } -> tensor<64x256xbf16>
  return %p : tensor<64x256xbf16>
}

// A sum of squares that overflows f16 in every row, and quotients by its root.
func.func @norm(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %zero = arith.constant 0.0 : f16
  %factor = arith.constant 128.0 : f16
  %rows = tensor.empty() : tensor<8xf16>
  %all = tensor.empty() : tensor<8x64xf16>
  %0 = linalg.fill ins(%zero : f16) outs(%rows : tensor<8xf16>) -> tensor<8xf16>
  %sum = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x64xf16>) outs(%0 : tensor<8xf16>) {
  ^bb0(%u: f16, %o: f16):
    %t = arith.mulf %u, %factor : f16
    %s = arith.mulf %t, %t : f16
    %r = arith.addf %s, %o : f16
    linalg.yield %r : f16
  } -> tensor<8xf16>
  %y = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : tensor<8x64xf16>, tensor<8xf16>) outs(%all : tensor<8x64xf16>) {
  ^bb0(%u: f16, %s: f16, %o: f16):
    %f = math.rsqrt %s : f16
    %r = arith.mulf %u, %f : f16
    linalg.yield %r : f16
  } -> tensor<8x64xf16>
  return %y : tensor<8x64xf16>
}

// The remainder of a number after 4096 was added and taken away may be 0, whatever the number.
func.func @hidden(%x: tensor<8x8xf16>) -> tensor<8x8xf16> {
  %big = arith.constant 4096.0 : f16
  %one = arith.constant 1.0 : f16
  %e = tensor.empty() : tensor<8x8xf16>
  %0 = linalg.map ins(%x : tensor<8x8xf16>) outs(%e : tensor<8x8xf16>)
    (%v: f16, %o: f16) {
      %1 = arith.addf %v, %big : f16
      %2 = arith.subf %1, %big : f16
      %3 = arith.divf %one, %2 : f16
      linalg.yield %3 : f16
    }
  return %0 : tensor<8x8xf16>
}

//--- wrong.mlir
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>

// The lowest number instead of an infinite one: rows that are masked as a whole are uniform.
func.func @masked_bf16(%a: tensor<4x16xbf16>, %b: tensor<16x24xbf16>) -> tensor<4x24xbf16> {
  %zero = arith.constant 0.0 : bf16
  %low = arith.constant 0xFF7F : bf16
  %lowest = arith.constant 0xFF80 : bf16
  %few = arith.constant 0.0625 : bf16
  %all = tensor.empty() : tensor<4x24xbf16>
  %rows = tensor.empty() : tensor<4xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%all : tensor<4x24xbf16>) -> tensor<4x24xbf16>
  %s = linalg.matmul ins(%a, %b : tensor<4x16xbf16>, tensor<16x24xbf16>) outs(%f : tensor<4x24xbf16>) -> tensor<4x24xbf16>
  %m = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<4x24xbf16>) outs(%all : tensor<4x24xbf16>) {
  ^bb0(%x: bf16, %o: bf16):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seen = arith.cmpi slt, %j, %i : index
    %mask = arith.select %seen, %zero, %low : bf16
    %y = arith.mulf %x, %few : bf16
    %z = arith.addf %y, %mask : bf16
    linalg.yield %z : bf16
  } -> tensor<4x24xbf16>
  %g = linalg.fill ins(%lowest : bf16) outs(%rows : tensor<4xbf16>) -> tensor<4xbf16>
  %max = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%m : tensor<4x24xbf16>) outs(%g : tensor<4xbf16>) {
  ^bb0(%x: bf16, %o: bf16):
    %r = arith.maximumf %o, %x : bf16
    linalg.yield %r : bf16
  } -> tensor<4xbf16>
  %exp = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]} ins(%m, %max : tensor<4x24xbf16>, tensor<4xbf16>) outs(%all : tensor<4x24xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %o: bf16):
    %d = arith.subf %x, %y : bf16
    %e = math.exp %d : bf16
    linalg.yield %e : bf16
  } -> tensor<4x24xbf16>
  %h = linalg.fill ins(%zero : bf16) outs(%rows : tensor<4xbf16>) -> tensor<4xbf16>
  %sum = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%exp : tensor<4x24xbf16>) outs(%h : tensor<4xbf16>) {
  ^bb0(%x: bf16, %o: bf16):
    %r = arith.addf %o, %x : bf16
    linalg.yield %r : bf16
  } -> tensor<4xbf16>
  %p = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]} ins(%exp, %sum : tensor<4x24xbf16>, tensor<4xbf16>) outs(%all : tensor<4x24xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %o: bf16):
    %r = arith.divf %x, %y : bf16
    linalg.yield %r : bf16
  } -> tensor<4x24xbf16>
  return %p : tensor<4x24xbf16>
}

// Values that do not overflow.
func.func @swish_f16(%a: tensor<64x256xf16>, %b: tensor<256x256xf16>) -> tensor<64x256xf16> {
  %zero = arith.constant 0.0 : f16
  %one = arith.constant 1.0 : f16
  %limit = arith.constant 60000.0 : f16
  %all = tensor.empty() : tensor<64x256xf16>
  %f = linalg.fill ins(%zero : f16) outs(%all : tensor<64x256xf16>) -> tensor<64x256xf16>
  %s = linalg.matmul ins(%a, %b : tensor<64x256xf16>, tensor<256x256xf16>) outs(%f : tensor<64x256xf16>) -> tensor<64x256xf16>
  %p = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<64x256xf16>) outs(%all : tensor<64x256xf16>) {
  ^bb0(%x: f16, %o: f16):
    %n = arith.negf %x : f16
    %l = math.exp %n : f16
    %e = arith.minimumf %l, %limit : f16
    %d = arith.addf %e, %one : f16
    %q = arith.divf %one, %d : f16
    %r = arith.mulf %x, %q : f16
    linalg.yield %r : f16
  } -> tensor<64x256xf16>
  return %p : tensor<64x256xf16>
}
