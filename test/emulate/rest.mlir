// Programs whose rest is kernels, too: masks that are stacked and concatenated, sums
// along rows and columns, tables, integers, f64 and bytes, run from their LLVM IR.
//
// DEFINE: %{run} = hone run %s --arch=sm_90a --stand-in --rest=gpu --json --function
// RUN: %{run}=stacks_masks | FileCheck %s
// RUN: %{run}=concatenates | FileCheck %s
// RUN: %{run}=masks_scores | FileCheck %s
// RUN: %{run}=attends | FileCheck %s
// RUN: %{run}=sums_columns | FileCheck %s
// RUN: %{run}=normalizes --dims=19 --schedule=mma_sync | FileCheck %s
// RUN: %{run}=looks_up | FileCheck %s
// RUN: %{run}=in_doubles | FileCheck %s
// RUN: %{run}=in_bytes | FileCheck %s
// RUN: %{run}=one_dimension | FileCheck %s
// RUN: %{run}=nothing --dims=7 --schedule=mma_sync | FileCheck %s
// CHECK: "wrong": 0

#v = affine_map<(i) -> (i)>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#col = affine_map<(i, j) -> (j)>

func.func @stacks_masks(%x: tensor<7x9xf16>, %y: tensor<7x9xf16>) -> tensor<2x7x9xf32> {
  %z = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<7x9xi1>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<7x9xf16>) outs(%e : tensor<7x9xi1>) {
  ^bb0(%v: f16, %o: i1):
    %0 = arith.cmpf ogt, %v, %z : f16
    linalg.yield %0 : i1
  } -> tensor<7x9xi1>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<7x9xf16>) outs(%e : tensor<7x9xi1>) {
  ^bb0(%v: f16, %o: i1):
    %0 = arith.cmpf olt, %v, %z : f16
    linalg.yield %0 : i1
  } -> tensor<7x9xi1>
  %all = tensor.empty() : tensor<2x7x9xi1>
  %s = tensor.insert_slice %p into %all[0, 0, 0] [1, 7, 9] [1, 1, 1] : tensor<7x9xi1> into tensor<2x7x9xi1>
  %t = tensor.insert_slice %q into %s[1, 0, 0] [1, 7, 9] [1, 1, 1] : tensor<7x9xi1> into tensor<2x7x9xi1>
  %er = tensor.empty() : tensor<2x7x9xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, i, j) -> (a, i, j)>, affine_map<(a, i, j) -> (a, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%t : tensor<2x7x9xi1>) outs(%er : tensor<2x7x9xf32>) {
  ^bb0(%m: i1, %o: f32):
    %0 = arith.uitofp %m : i1 to f32
    linalg.yield %0 : f32
  } -> tensor<2x7x9xf32>
  return %r : tensor<2x7x9xf32>
}

func.func @concatenates(%x: tensor<5x12xf32>, %y: tensor<5x20xf32>) -> tensor<5x32xi1> {
  %z = arith.constant 0.25 : f32
  %all = tensor.empty() : tensor<5x32xi1>
  %e = tensor.empty() : tensor<5x12xi1>
  %f = tensor.empty() : tensor<5x20xi1>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<5x12xf32>) outs(%e : tensor<5x12xi1>) {
  ^bb0(%v: f32, %o: i1):
    %0 = arith.cmpf oge, %v, %z : f32
    linalg.yield %0 : i1
  } -> tensor<5x12xi1>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<5x20xf32>) outs(%f : tensor<5x20xi1>) {
  ^bb0(%v: f32, %o: i1):
    %0 = arith.cmpf ult, %v, %z : f32
    linalg.yield %0 : i1
  } -> tensor<5x20xi1>
  %s = tensor.insert_slice %p into %all[0, 0] [5, 12] [1, 1] : tensor<5x12xi1> into tensor<5x32xi1>
  %t = tensor.insert_slice %q into %s[0, 12] [5, 20] [1, 1] : tensor<5x20xi1> into tensor<5x32xi1>
  return %t : tensor<5x32xi1>
}

func.func @masks_scores(%q: tensor<12x16xf16>, %k: tensor<12x16xf16>) -> tensor<12x12xf32> {
  %z = arith.constant 0.0 : f32
  %low = arith.constant -1.0e4 : f32
  %e = tensor.empty() : tensor<12x12xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<12x12xf32>) -> tensor<12x12xf32>
  %c = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%q, %k : tensor<12x16xf16>, tensor<12x16xf16>) outs(%i : tensor<12x12xf32>) -> tensor<12x12xf32>
  %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<12x12xf32>) outs(%e : tensor<12x12xf32>) {
  ^bb0(%v: f32, %o: f32):
    %a = linalg.index 0 : index
    %b = linalg.index 1 : index
    %p = arith.cmpi ule, %b, %a : index
    %0 = arith.select %p, %v, %low : f32
    linalg.yield %0 : f32
  } -> tensor<12x12xf32>
  %s = linalg.softmax dimension(1) ins(%m : tensor<12x12xf32>) outs(%e : tensor<12x12xf32>) -> tensor<12x12xf32>
  return %s : tensor<12x12xf32>
}

func.func @attends(%q: tensor<2x24x16xf16>, %k: tensor<2x16x24xf16>, %v: tensor<2x24x16xf16>) -> tensor<2x24x16xf16> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x24x24xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<2x24x24xf32>) -> tensor<2x24x24xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x24x16xf16>, tensor<2x16x24xf16>) outs(%i : tensor<2x24x24xf32>) -> tensor<2x24x24xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x24x24xf32>) outs(%e : tensor<2x24x24xf32>) -> tensor<2x24x24xf32>
  %h = arith.truncf %p : tensor<2x24x24xf32> to tensor<2x24x24xf16>
  %f = tensor.empty() : tensor<2x24x16xf32>
  %j = linalg.fill ins(%z : f32) outs(%f : tensor<2x24x16xf32>) -> tensor<2x24x16xf32>
  %o = linalg.batch_matmul ins(%h, %v : tensor<2x24x24xf16>, tensor<2x24x16xf16>) outs(%j : tensor<2x24x16xf32>) -> tensor<2x24x16xf32>
  %r = arith.truncf %o : tensor<2x24x16xf32> to tensor<2x24x16xf16>
  return %r : tensor<2x24x16xf16>
}

func.func @sums_columns(%x: tensor<45x31xbf16>) -> tensor<31xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<31xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<31xf32>) -> tensor<31xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(j, i) -> (i, j)>, affine_map<(j, i) -> (j)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<45x31xbf16>) outs(%i : tensor<31xf32>) {
  ^bb0(%v: bf16, %s: f32):
    %0 = arith.extf %v : bf16 to f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<31xf32>
  return %r : tensor<31xf32>
}

func.func @normalizes(%x: tensor<?x64xf16>, %w: tensor<64x32xf16>) -> tensor<?x32xf16> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = arith.constant 64.0 : f32
  %eps = arith.constant 1.0e-3 : f32
  %d = tensor.dim %x, %c0 : tensor<?x64xf16>
  %er = tensor.empty(%d) : tensor<?xf32>
  %ir = linalg.fill ins(%z : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %q = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x64xf16>) outs(%ir : tensor<?xf32>) {
  ^bb0(%v: f16, %s: f32):
    %0 = arith.extf %v : f16 to f32
    %1 = arith.mulf %0, %0 : f32
    %2 = arith.addf %s, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?xf32>
  %eh = tensor.empty(%d) : tensor<?x64xf16>
  %h = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %q : tensor<?x64xf16>, tensor<?xf32>) outs(%eh : tensor<?x64xf16>) {
  ^bb0(%v: f16, %s: f32, %o: f16):
    %0 = arith.divf %s, %n : f32
    %1 = arith.addf %0, %eps : f32
    %2 = math.rsqrt %1 : f32
    %3 = arith.extf %v : f16 to f32
    %4 = arith.mulf %3, %2 : f32
    %5 = arith.truncf %4 : f32 to f16
    linalg.yield %5 : f16
  } -> tensor<?x64xf16>
  %ec = tensor.empty(%d) : tensor<?x32xf32>
  %ic = linalg.fill ins(%z : f32) outs(%ec : tensor<?x32xf32>) -> tensor<?x32xf32>
  %c = linalg.matmul ins(%h, %w : tensor<?x64xf16>, tensor<64x32xf16>) outs(%ic : tensor<?x32xf32>) -> tensor<?x32xf32>
  %r = arith.truncf %c : tensor<?x32xf32> to tensor<?x32xf16>
  return %r : tensor<?x32xf16>
}

func.func @looks_up(%ids: tensor<9xi32>, %table: tensor<13x24xf16>, %w: tensor<24x16xf16>) -> tensor<9x16xf32> {
  %z = arith.constant 0.0 : f32
  %eh = tensor.empty() : tensor<9x24xf16>
  %h = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<9xi32>) outs(%eh : tensor<9x24xf16>) {
  ^bb0(%t: i32, %o: f16):
    %p = arith.index_cast %t : i32 to index
    %j = linalg.index 1 : index
    %0 = tensor.extract %table[%p, %j] : tensor<13x24xf16>
    linalg.yield %0 : f16
  } -> tensor<9x24xf16>
  %e = tensor.empty() : tensor<9x16xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<9x16xf32>) -> tensor<9x16xf32>
  %c = linalg.matmul ins(%h, %w : tensor<9x24xf16>, tensor<24x16xf16>) outs(%i : tensor<9x16xf32>) -> tensor<9x16xf32>
  return %c : tensor<9x16xf32>
}

func.func @in_doubles(%x: tensor<11x17xf32>) -> tensor<11xf32> {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<11xf64>
  %i = linalg.fill ins(%z : f64) outs(%e : tensor<11xf64>) -> tensor<11xf64>
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<11x17xf32>) outs(%i : tensor<11xf64>) {
  ^bb0(%v: f32, %s: f64):
    %w = arith.extf %v : f32 to f64
    %0 = arith.mulf %w, %w : f64
    %1 = arith.addf %s, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<11xf64>
  %er = tensor.empty() : tensor<11xf32>
  %t = linalg.map ins(%r : tensor<11xf64>) outs(%er : tensor<11xf32>)
    (%v: f64, %o: f32) {
      %0 = arith.truncf %v : f64 to f32
      linalg.yield %0 : f32
    }
  return %t : tensor<11xf32>
}

func.func @in_bytes(%a: tensor<24x32xi8>, %b: tensor<32x20xi8>, %s: tensor<20xf32>) -> tensor<24x20xf32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<24x20xi32>
  %i = linalg.fill ins(%z : i32) outs(%e : tensor<24x20xi32>) -> tensor<24x20xi32>
  %c = linalg.matmul ins(%a, %b : tensor<24x32xi8>, tensor<32x20xi8>) outs(%i : tensor<24x20xi32>) -> tensor<24x20xi32>
  %er = tensor.empty() : tensor<24x20xf32>
  %r = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%c, %s : tensor<24x20xi32>, tensor<20xf32>) outs(%er : tensor<24x20xf32>) {
  ^bb0(%v: i32, %u: f32, %o: f32):
    %0 = arith.sitofp %v : i32 to f32
    %1 = arith.mulf %0, %u : f32
    linalg.yield %1 : f32
  } -> tensor<24x20xf32>
  return %r : tensor<24x20xf32>
}

func.func @one_dimension(%x: tensor<57xbf16>, %y: tensor<57xbf16>) -> tensor<57xbf16> {
  %e = tensor.empty() : tensor<57xbf16>
  %r = linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]} ins(%x, %y : tensor<57xbf16>, tensor<57xbf16>) outs(%e : tensor<57xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %o: bf16):
    %0 = arith.addf %a, %b : bf16
    %1 = math.exp %0 : bf16
    linalg.yield %1 : bf16
  } -> tensor<57xbf16>
  return %r : tensor<57xbf16>
}

// No row is left of the argument.
func.func @nothing(%x: tensor<?x16xf16>, %w: tensor<16x24xf16>) -> tensor<?x24xf32> {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf16>
  %d = arith.subi %n, %c7 : index
  %y = tensor.extract_slice %x[7, 0] [%d, 16] [1, 1] : tensor<?x16xf16> to tensor<?x16xf16>
  %e = tensor.empty(%d) : tensor<?x24xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<?x24xf32>) -> tensor<?x24xf32>
  %c = linalg.matmul ins(%y, %w : tensor<?x16xf16>, tensor<16x24xf16>) outs(%i : tensor<?x24xf32>) -> tensor<?x24xf32>
  %r = linalg.map { math.exp } ins(%c : tensor<?x24xf32>) outs(%e : tensor<?x24xf32>)
  return %r : tensor<?x24xf32>
}
