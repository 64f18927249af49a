// With rest=gpu, a block of a transformer is launches alone: on the stand-in, which hides
// memory of the device, results equal the reference; in the output there is no loop, no
// wait and no memory that the host shares.
//
// DEFINE: %{run} = hone run %s --arch=sm_90a --rest=gpu --stand-in --repeat=1 --json --function
// RUN: %{run}=attends | FileCheck %s
// RUN: %{run}=norms --dims=19 | FileCheck %s
// RUN: %{run}=rotates --arguments=host | FileCheck %s
// RUN: %{run}=looks_up | FileCheck %s
// CHECK: "arch": "sm_90a"
// CHECK: "wrong": 0

// The programs of run-stand-in.mlir, whose loops and branches stay on the host.
// DEFINE: %{other} = hone run %S/run-stand-in.mlir --arch=sm_90a --rest=gpu --stand-in --repeat=1 --json --function
// RUN: %{other}=carries | FileCheck %s
// RUN: %{other}=branches --dims=17 | FileCheck %s
// RUN: %{other}=calls --arguments=host | FileCheck %s
// RUN: %{other}=behind_offset --arguments=host | FileCheck %s
// DEFINE: %{memory} = hone run %S/../emulate/memory.mlir --arch=sm_90a --rest=gpu --stand-in --repeat=1 --json --function
// RUN: %{memory}=in_place | FileCheck %s
// RUN: %{memory}=weights | FileCheck %s

// RUN: hone-opt %s --hone-pipeline="arch=sm_90a rest=gpu" | FileCheck %s --check-prefix=ONLY
// ONLY-NOT: linalg.
// ONLY-NOT: scf.for
// ONLY-NOT: honeSynchronize
// ONLY-NOT: host_shared

// RUN: not hone run %s --arch=sm_90a --rest=device --stand-in --function=attends 2>&1 | FileCheck %s --check-prefix=SIDE
// SIDE: error: --rest: expected one of host, gpu, but got 'device'

#id = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
#columns = affine_map<(i, j) -> (j)>

func.func @attends(%q: tensor<32x16xf16>, %k: tensor<32x16xf16>, %v: tensor<32x16xf16>) -> tensor<32x16xf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %et = tensor.empty() : tensor<16x32xf16>
  %t = linalg.transpose ins(%k : tensor<32x16xf16>) outs(%et : tensor<16x32xf16>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %t : tensor<32x16xf16>, tensor<16x32xf16>) outs(%init : tensor<32x32xf32>) -> tensor<32x32xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %n = arith.truncf %p : tensor<32x32xf32> to tensor<32x32xf16>
  %eo = tensor.empty() : tensor<32x16xf32>
  %io = linalg.fill ins(%zero : f32) outs(%eo : tensor<32x16xf32>) -> tensor<32x16xf32>
  %o = linalg.matmul ins(%n, %v : tensor<32x32xf16>, tensor<32x16xf16>) outs(%io : tensor<32x16xf32>) -> tensor<32x16xf32>
  %r = arith.truncf %o : tensor<32x16xf32> to tensor<32x16xf16>
  return %r : tensor<32x16xf16>
}

func.func @norms(%x: tensor<?x64xf16>, %g: tensor<64xf16>, %w: tensor<64x32xf16>) -> tensor<?x32xf16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 64.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %d = tensor.dim %x, %c0 : tensor<?x64xf16>
  %er = tensor.empty(%d) : tensor<?xf32>
  %ir = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %squares = linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x64xf16>) outs(%ir : tensor<?xf32>) {
  ^bb0(%in: f16, %out: f32):
    %0 = arith.extf %in : f16 to f32
    %1 = arith.mulf %0, %0 : f32
    %2 = arith.addf %1, %out : f32
    linalg.yield %2 : f32
  } -> tensor<?xf32>
  %ey = tensor.empty(%d) : tensor<?x64xf16>
  %y = linalg.generic {indexing_maps = [#id, #rows, #columns, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %squares, %g : tensor<?x64xf16>, tensor<?xf32>, tensor<64xf16>) outs(%ey : tensor<?x64xf16>) {
  ^bb0(%in: f16, %s: f32, %w0: f16, %out: f16):
    %0 = arith.extf %in : f16 to f32
    %1 = arith.divf %s, %n : f32
    %2 = arith.addf %1, %eps : f32
    %3 = math.rsqrt %2 : f32
    %4 = arith.mulf %0, %3 : f32
    %5 = arith.extf %w0 : f16 to f32
    %6 = arith.mulf %4, %5 : f32
    %7 = arith.truncf %6 : f32 to f16
    linalg.yield %7 : f16
  } -> tensor<?x64xf16>
  %ec = tensor.empty(%d) : tensor<?x32xf32>
  %ic = linalg.fill ins(%zero : f32) outs(%ec : tensor<?x32xf32>) -> tensor<?x32xf32>
  %c = linalg.matmul ins(%y, %w : tensor<?x64xf16>, tensor<64x32xf16>) outs(%ic : tensor<?x32xf32>) -> tensor<?x32xf32>
  %r = arith.truncf %c : tensor<?x32xf32> to tensor<?x32xf16>
  return %r : tensor<?x32xf16>
}

// Halves change places, one of them negated: slices, and a concatenation.
func.func @rotates(%x: tensor<16x32xf16>, %w: tensor<32x32xf16>) -> tensor<16x32xf16> {
  %zero = arith.constant 0.0 : f32
  %left = tensor.extract_slice %x[0, 0] [16, 16] [1, 1] : tensor<16x32xf16> to tensor<16x16xf16>
  %right = tensor.extract_slice %x[0, 16] [16, 16] [1, 1] : tensor<16x32xf16> to tensor<16x16xf16>
  %eh = tensor.empty() : tensor<16x16xf16>
  %minus = linalg.negf ins(%right : tensor<16x16xf16>) outs(%eh : tensor<16x16xf16>) -> tensor<16x16xf16>
  %both = tensor.concat dim(1) %minus, %left : (tensor<16x16xf16>, tensor<16x16xf16>) -> tensor<16x32xf16>
  %e = tensor.empty() : tensor<16x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %c = linalg.matmul ins(%both, %w : tensor<16x32xf16>, tensor<32x32xf16>) outs(%init : tensor<16x32xf32>) -> tensor<16x32xf32>
  %r = arith.truncf %c : tensor<16x32xf32> to tensor<16x32xf16>
  return %r : tensor<16x32xf16>
}

// A table that the kernel holds, at places that are data.
func.func @looks_up(%at: tensor<12xi32>) -> tensor<12x4xf32> {
  %table = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]]> : tensor<3x4xf32>
  %three = arith.constant 3 : i32
  %e = tensor.empty() : tensor<12x4xf32>
  %y = linalg.generic {indexing_maps = [#rows, #id], iterator_types = ["parallel", "parallel"]}
      ins(%at : tensor<12xi32>) outs(%e : tensor<12x4xf32>) {
  ^bb0(%n: i32, %o: f32):
    %0 = arith.remui %n, %three : i32
    %i = arith.index_castui %0 : i32 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %table[%i, %j] : tensor<3x4xf32>
    linalg.yield %v : f32
  } -> tensor<12x4xf32>
  return %y : tensor<12x4xf32>
}
