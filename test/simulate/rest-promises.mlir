// Promises of a rest kernel to LLVM must hold. This kernel is right; each RUN line makes a mistake in it.
//
// RUN: hone-opt %s --hone-verify-kernel -o /dev/null
// DEFINE: %{prove} = not hone-opt --hone-verify-kernel -o /dev/null 2>&1
// RUN: sed -e 's/load %from :/load %from invariant :/' %s | %{prove} | FileCheck %s --check-prefix=INVARIANT
// RUN: sed -e 's/@k(%x: !llvm.ptr<1>/& {llvm.noalias}/' %s | %{prove} | FileCheck %s --check-prefix=NOALIAS
// RUN: sed -e 's/, known_block_size/, nvvm.maxnreg = 16 : i32&/' %s | %{prove} | FileCheck %s --check-prefix=REGISTERS
// RUN: sed -e 's/addi %v, %c7/& overflow<nsw>/' %s | %{prove} | FileCheck %s --check-prefix=WRAPS
// RUN: sed -e 's/shrsi %more, %c7/& exact/' %s | %{prove} | FileCheck %s --check-prefix=EXACT
// RUN: sed -e 's/<i32, 0, 128>/<i32, 0, 127>/' %s | %{prove} | FileCheck %s --check-prefix=RANGE
// RUN: sed -e 's/%by = /llvm.call_intrinsic "llvm.trap"() : () -> ()  %by = /' %s | %{prove} | FileCheck %s --check-prefix=TRAP
// RUN: sed -e 's/"param ptr p0"/"shared 64", &/' %s | %{prove} | FileCheck %s --check-prefix=SHARED
// RUN: sed -e 's/addi %v, %c7/addi %v, %c8/' %s | %{prove} | FileCheck %s --check-prefix=CLOSE

// INVARIANT: error: 'llvm.load' has 'invariant', which the proof cannot confirm
// NOALIAS: error: 'gpu.func' promises 'llvm.noalias' of parameter 0
// REGISTERS: error: 'gpu.func' promises 'nvvm.maxnreg'
// WRAPS: error: 'llvm.store' writes a value that is undefined where the function's is not
// EXACT: error: 'llvm.store' writes a value that is undefined where the function's is not
// RANGE: error: 'nvvm.read.ptx.sreg.tid.x' promises a range that the launch may leave
// TRAP: error: 'llvm.call_intrinsic' is an op that the proof does not model
// SHARED: expected no dynamic shared memory, but got 64 bytes
// CLOSE: error: 'llvm.store' writes a value that is

gpu.module @m attributes {hone.plans = {p = #kernel.plan<"hone-plan 2", "args p0 p1", "alternative 1", "launch k", "grid min(8, ceildiv(300, 128)) ; 1 ; 1", "block 128 ; 1 ; 1", "param ptr p0", "param ptr p1">}} {
  gpu.func @k(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) kernel attributes {hone.rest = "f", known_block_size = array<i32: 128, 1, 1>} {
    %c7 = arith.constant 7 : i32
    %c8 = arith.constant 8 : i32
    %points = arith.constant 300 : i32
    %t = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
    %b = nvvm.read.ptx.sreg.ctaid.x : i32
    %g = nvvm.read.ptx.sreg.nctaid.x : i32
    %first = arith.shli %b, %c7 overflow<nsw, nuw> : i32
    %at = arith.addi %first, %t overflow<nsw, nuw> : i32
    %by = arith.shli %g, %c7 : i32
    scf.for %i = %at to %points step %by : i32 {
      %from = llvm.getelementptr inbounds %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      %v = llvm.load %from : !llvm.ptr<1> -> i32
      %more = arith.addi %v, %c7 : i32
      %half = arith.shrsi %more, %c7 : i32
      %to = llvm.getelementptr %y[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      llvm.store %half, %to : i32, !llvm.ptr<1>
    }
    gpu.return
  }
}
func.func private @f(%x: memref<300xi32>, %y: memref<300xi32>) attributes {hone.rest = 0 : i64} {
  %c7 = arith.constant 7 : i32
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<300xi32>) outs(%y : memref<300xi32>) {
  ^bb0(%in: i32, %out: i32):
    %plus = arith.addi %in, %c7 : i32
    %part = arith.shrsi %plus, %c7 : i32
    linalg.yield %part : i32
  }
  return
}
