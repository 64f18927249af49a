// Programs for a GPU on the stand-in: memory of the device is out of the host's
// reach, and every launch and copy is as late as it may be. Results must equal
// the reference.
//
// DEFINE: %{side} = device
// DEFINE: %{run} = hone run %s --arch=sm_90a --stand-in --repeat=1 --json --arguments=%{side} --function
// RUN: %{run}=row_sums | FileCheck %s
// RUN: %{run}=normalizes_argument | FileCheck %s
// RUN: %{run}=carries | FileCheck %s
// RUN: %{run}=branches --dims=17 --schedule=mma_sync | FileCheck %s
// RUN: %{run}=calls | FileCheck %s
// RUN: %{run}=returns_input_too | FileCheck %s
// RUN: %{run}=attends | FileCheck %s
// RUN: %{run}=host_only | FileCheck %s
// RUN: %{run}=behind_offset | FileCheck %s
// REDEFINE: %{side} = host
// RUN: %{run}=row_sums | FileCheck %s
// RUN: %{run}=normalizes_argument | FileCheck %s
// RUN: %{run}=carries | FileCheck %s
// RUN: %{run}=branches --dims=17 --schedule=mma_sync | FileCheck %s
// RUN: %{run}=calls | FileCheck %s
// RUN: %{run}=returns_input_too | FileCheck %s
// RUN: %{run}=attends | FileCheck %s
// RUN: %{run}=host_only | FileCheck %s
// RUN: %{run}=behind_offset | FileCheck %s
// CHECK: "arch": "sm_90a"
// CHECK: "wrong": 0

// RUN: not hone run %s --arch=host --stand-in --function=row_sums 2>&1 | FileCheck %s --check-prefix=HOST
// HOST: error: expected the arch of a GPU with --stand-in, but got the host; use e.g. --arch=sm_90a

// RUN: not hone run %s --arch=sm_90a --stand-in --pipeline=host=gpu --function=host_only 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: expected launches through libhone_rt for the stand-in, but got host=gpu; use host=runtime

#id = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// The host reads the result of a kernel.
func.func @row_sums(%a: tensor<48x40xf16>, %b: tensor<40x56xf16>) -> tensor<48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<48x56xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<48x56xf32>) -> tensor<48x56xf32>
  %c = linalg.matmul ins(%a, %b : tensor<48x40xf16>, tensor<40x56xf16>) outs(%init : tensor<48x56xf32>) -> tensor<48x56xf32>
  %er = tensor.empty() : tensor<48xf32>
  %ir = linalg.fill ins(%zero : f32) outs(%er : tensor<48xf32>) -> tensor<48xf32>
  %sums = linalg.reduce ins(%c : tensor<48x56xf32>) outs(%ir : tensor<48xf32>) dimensions = [1]
    (%x: f32, %s: f32) {
      %0 = arith.addf %x, %s : f32
      linalg.yield %0 : f32
    }
  return %sums : tensor<48xf32>
}

// An argument is read by host code, and by kernels before and after.
func.func @normalizes_argument(%x: tensor<32x32xf16>, %w: tensor<32x32xf16>) -> tensor<32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f16
  %e = tensor.empty() : tensor<32x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<32x32xf16>, tensor<32x32xf16>) outs(%init : tensor<32x32xf32>) -> tensor<32x32xf32>
  %eh = tensor.empty() : tensor<32x32xf16>
  %n = linalg.map ins(%x : tensor<32x32xf16>) outs(%eh : tensor<32x32xf16>)
    (%v: f16, %o: f16) {
      %1 = arith.mulf %v, %half : f16
      linalg.yield %1 : f16
    }
  %2 = linalg.matmul ins(%n, %w : tensor<32x32xf16>, tensor<32x32xf16>) outs(%0 : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %2 : tensor<32x32xf32>
}

// A loop carries a result that both sides change.
func.func @carries(%x: tensor<24x24xf16>, %w: tensor<24x24xf16>) -> tensor<24x24xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f16
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> tensor<24x24xf16> {
    %e = tensor.empty() : tensor<24x24xf16>
    %init = linalg.fill ins(%zero : f16) outs(%e : tensor<24x24xf16>) -> tensor<24x24xf16>
    %p = linalg.matmul ins(%h, %w : tensor<24x24xf16>, tensor<24x24xf16>) outs(%init : tensor<24x24xf16>) -> tensor<24x24xf16>
    %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<24x24xf16>) outs(%e : tensor<24x24xf16>) {
    ^bb0(%v: f16, %o: f16):
      %s = arith.constant 0.125 : f16
      %0 = arith.mulf %v, %s : f16
      linalg.yield %0 : f16
    } -> tensor<24x24xf16>
    scf.yield %q : tensor<24x24xf16>
  }
  return %r : tensor<24x24xf16>
}

// Only one way runs a kernel.
func.func @branches(%x: tensor<?x16xf16>, %w: tensor<16x16xf16>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16xf16>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %p = arith.cmpi ugt, %n, %c8 : index
  %r = scf.if %p -> tensor<?x16xf32> {
    %0 = linalg.matmul ins(%x, %w : tensor<?x16xf16>, tensor<16x16xf16>) outs(%init : tensor<?x16xf32>) -> tensor<?x16xf32>
    scf.yield %0 : tensor<?x16xf32>
  } else {
    scf.yield %init : tensor<?x16xf32>
  }
  %er = tensor.empty(%n) : tensor<?x16xf32>
  %d = linalg.map ins(%r : tensor<?x16xf32>) outs(%er : tensor<?x16xf32>)
    (%v: f32, %o: f32) {
      %0 = arith.addf %v, %v : f32
      linalg.yield %0 : f32
    }
  return %d : tensor<?x16xf32>
}

// A function of the module takes and gives memory of the device.
func.func private @layer(%x: tensor<16x16xf16>, %w: tensor<16x16xf16>) -> tensor<16x16xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<16x16xf16>
  %init = linalg.fill ins(%zero : f16) outs(%e : tensor<16x16xf16>) -> tensor<16x16xf16>
  %0 = linalg.matmul ins(%x, %w : tensor<16x16xf16>, tensor<16x16xf16>) outs(%init : tensor<16x16xf16>) -> tensor<16x16xf16>
  return %0 : tensor<16x16xf16>
}
func.func @calls(%x: tensor<16x16xf16>, %w: tensor<16x16xf16>) -> tensor<16x16xf32> {
  %0 = call @layer(%x, %w) : (tensor<16x16xf16>, tensor<16x16xf16>) -> tensor<16x16xf16>
  %e = tensor.empty() : tensor<16x16xf32>
  %1 = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j, i)>, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0, %x : tensor<16x16xf16>, tensor<16x16xf16>) outs(%e : tensor<16x16xf32>) {
  ^bb0(%v: f16, %u: f16, %o: f32):
    %a = arith.extf %v : f16 to f32
    %b = arith.extf %u : f16 to f32
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}

func.func @returns_input_too(%x: tensor<16x16xf16>) -> (tensor<16x16xf16>, tensor<16x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %0 = linalg.matmul ins(%x, %x : tensor<16x16xf16>, tensor<16x16xf16>) outs(%init : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %x, %0 : tensor<16x16xf16>, tensor<16x16xf32>
}

// Kernels, a softmax of the host's, kernels.
func.func @attends(%q: tensor<2x16x8xf16>, %k: tensor<2x8x16xf16>, %v: tensor<2x16x8xf16>) -> tensor<2x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x16x16xf32>
  %is = linalg.fill ins(%zero : f32) outs(%es : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x16x8xf16>, tensor<2x8x16xf16>) outs(%is : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x16x16xf32>) outs(%es : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  %eh = tensor.empty() : tensor<2x16x16xf16>
  %h = linalg.map ins(%p : tensor<2x16x16xf32>) outs(%eh : tensor<2x16x16xf16>)
    (%x: f32, %o: f16) {
      %0 = arith.truncf %x : f32 to f16
      linalg.yield %0 : f16
    }
  %eo = tensor.empty() : tensor<2x16x8xf32>
  %io = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x16x8xf32>) -> tensor<2x16x8xf32>
  %o = linalg.batch_matmul ins(%h, %v : tensor<2x16x16xf16>, tensor<2x16x8xf16>) outs(%io : tensor<2x16x8xf32>) -> tensor<2x16x8xf32>
  return %o : tensor<2x16x8xf32>
}

// No work runs on the device, and yet arguments and results are there.
func.func @host_only(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %0 = linalg.map { math.sqrt } ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>)
  %1 = linalg.map { math.absf } ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>)
  return %1 : tensor<16xf32>
}

// An operand that begins after its memory's start, as its type states.
func.func @behind_offset(%a: memref<17x24xf16, strided<[32, 1], offset: 8>>, %b: memref<24x16xf16>, %c: memref<17x16xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<17x16xf32>)
  linalg.matmul ins(%a, %b : memref<17x24xf16, strided<[32, 1], offset: 8>>, memref<24x16xf16>) outs(%c : memref<17x16xf32>)
  return
}
