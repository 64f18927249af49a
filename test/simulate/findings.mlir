// RUN: hone-opt %s --hone-verify-kernel="m=256 n=64 k=64" --split-input-file --verify-diagnostics -o /dev/null
//
// One mistake a case, and its finding: memory, barriers, the result.

// Four tiles through a ring of two slots. Nothing is wrong with it; each case below has one
// mistake.
gpu.module @kernels attributes {hone.plans = {copy = #kernel.plan<"hone-plan 2", "args a c m n k", "alternative a % 16 == 0 && c % 16 == 0", "launch copy", "grid 1 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 20480", "param tensormap a : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param tensormap c : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  gpu.func @copy(%a: !kernel.map<64 x 64 x f16, rank = 2>, %c: !kernel.map<64 x 64 x f16, rank = 2>,
      %p: !kernel.buffer<f16>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %ring = kernel.ring at 0 : <2 of 64 x 64 x f16>
    %full = kernel.barriers at 20448 : <2 of 1>
    %empty = kernel.barriers at 20464 : <2 of 1>
    kernel.barriers.init %full, %empty : !kernel.barriers<2 of 1>, !kernel.barriers<2 of 1>
    kernel.barrier
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %phase = arith.andi %round, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        kernel.await %full[%slot] phase %phase : <2 of 1>
        kernel.store.async %ring[%slot] from %c0 to %c[%row, %c0] : <2 of 64 x 64 x f16> to <64 x 64 x f16, rank = 2>
        kernel.store.commit
        kernel.store.wait 0
        kernel.group.barrier
        kernel.arrive %empty[%slot] : <2 of 1>
      }
    }
    kernel.role "producer" warps 1 one_thread {
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %flip = arith.addi %round, %c1 : i32
        %phase = arith.andi %flip, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        kernel.await %empty[%slot] phase %phase : <2 of 1>
        kernel.expect %full[%slot] bytes 8192 : <2 of 1>
        kernel.load %a[%row, %c0] to %ring[%slot] signals %full : <64 x 64 x f16, rank = 2> to <2 of 64 x 64 x f16>, <2 of 1>
      }
    }
    gpu.return
  }
}

// -----

// No op waits for the load.
gpu.module @kernels attributes {hone.plans = {copy = #kernel.plan<"hone-plan 2", "args a c m n k", "alternative a % 16 == 0 && c % 16 == 0", "launch copy", "grid 1 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 20480", "param tensormap a : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param tensormap c : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  gpu.func @copy(%a: !kernel.map<64 x 64 x f16, rank = 2>, %c: !kernel.map<64 x 64 x f16, rank = 2>,
      %p: !kernel.buffer<f16>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %ring = kernel.ring at 0 : <2 of 64 x 64 x f16>
    %full = kernel.barriers at 20448 : <2 of 1>
    %empty = kernel.barriers at 20464 : <2 of 1>
    kernel.barriers.init %full, %empty : !kernel.barriers<2 of 1>, !kernel.barriers<2 of 1>
    kernel.barrier
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %phase = arith.andi %round, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        // expected-error @below {{'kernel.store.async' reads shared memory that was never written [unfilled; consumer 0 of block 0, leader, step (0)]}}
        // expected-note @below {{'kernel.store.async' which is not ordered with this [consumer 0 of block 0, leader, step (0)]}}
        // expected-error @below {{'kernel.store.async' reads shared memory that may not be filled yet [unfilled; consumer 0 of block 0, leader, step (1)]}}
        kernel.store.async %ring[%slot] from %c0 to %c[%row, %c0] : <2 of 64 x 64 x f16> to <64 x 64 x f16, rank = 2>
        kernel.store.commit
        kernel.store.wait 0
        kernel.group.barrier
        // expected-error @below {{'kernel.arrive' phase 0 ends, but a wait for phase -1 is not certain to be over: it could take one for the other [phase; consumer 0 of block 0, leader, step (0)]}}
        // expected-error @below {{'kernel.arrive' arrives in phase 1, but phase 0 is not certain to be over: it could count for that [phase; consumer 0 of block 0, leader, step (2)]}}
        kernel.arrive %empty[%slot] : <2 of 1>
      }
    }
    kernel.role "producer" warps 1 one_thread {
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %flip = arith.addi %round, %c1 : i32
        %phase = arith.andi %flip, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        // expected-note @below {{'kernel.await' which is not ordered with this [producer 0 of block 0, leader, step (0)]}}
        kernel.await %empty[%slot] phase %phase : <2 of 1>
        // expected-error @below {{'kernel.expect' arrives in phase 1, but phase 0 is not certain to be over: it could count for that [phase; producer 0 of block 0, leader, step (2)]}}
        kernel.expect %full[%slot] bytes 8192 : <2 of 1>
        // expected-error @below {{'kernel.load' overwrites shared memory that may still be read [overwritten; producer 0 of block 0, leader, step (0)]}}
        // expected-note @below {{'kernel.load' which is not ordered with this [producer 0 of block 0, leader, step (1)]}}
        // expected-error @below {{'kernel.load' overwrites shared memory that may still be written [overwritten; producer 0 of block 0, leader, step (2)]}}
        // expected-note @below {{'kernel.load' which is not ordered with this [producer 0 of block 0, leader, step (0)]}}
        // expected-error @below {{'kernel.load' bytes land in phase 1, but phase 0 is not certain to be over: it could count for that [phase; producer 0 of block 0, leader, step (2)]}}
        kernel.load %a[%row, %c0] to %ring[%slot] signals %full : <64 x 64 x f16, rank = 2> to <2 of 64 x 64 x f16>, <2 of 1>
      }
    }
    gpu.return
  }
}

// -----

// The slot is given back while the engine may still read it.
gpu.module @kernels attributes {hone.plans = {copy = #kernel.plan<"hone-plan 2", "args a c m n k", "alternative a % 16 == 0 && c % 16 == 0", "launch copy", "grid 1 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 20480", "param tensormap a : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param tensormap c : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  gpu.func @copy(%a: !kernel.map<64 x 64 x f16, rank = 2>, %c: !kernel.map<64 x 64 x f16, rank = 2>,
      %p: !kernel.buffer<f16>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %ring = kernel.ring at 0 : <2 of 64 x 64 x f16>
    %full = kernel.barriers at 20448 : <2 of 1>
    %empty = kernel.barriers at 20464 : <2 of 1>
    kernel.barriers.init %full, %empty : !kernel.barriers<2 of 1>, !kernel.barriers<2 of 1>
    kernel.barrier
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %phase = arith.andi %round, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        kernel.await %full[%slot] phase %phase : <2 of 1>
        // expected-note @below {{'kernel.store.async' which is not ordered with this [consumer 0 of block 0, leader, step (0)]}}
        kernel.store.async %ring[%slot] from %c0 to %c[%row, %c0] : <2 of 64 x 64 x f16> to <64 x 64 x f16, rank = 2>
        kernel.store.commit
        kernel.group.barrier
        kernel.arrive %empty[%slot] : <2 of 1>
      }
      kernel.store.wait 0
    }
    kernel.role "producer" warps 1 one_thread {
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %flip = arith.addi %round, %c1 : i32
        %phase = arith.andi %flip, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        kernel.await %empty[%slot] phase %phase : <2 of 1>
        kernel.expect %full[%slot] bytes 8192 : <2 of 1>
        // expected-error @below {{'kernel.load' overwrites shared memory that may still be read [overwritten; producer 0 of block 0, leader, step (2)]}}
        kernel.load %a[%row, %c0] to %ring[%slot] signals %full : <64 x 64 x f16, rank = 2> to <2 of 64 x 64 x f16>, <2 of 1>
      }
    }
    gpu.return
  }
}

// -----

// An engine sees the threads' writes after a fence.
gpu.module @kernels attributes {hone.plans = {copy = #kernel.plan<"hone-plan 2", "args a c m n k", "alternative a % 16 == 0 && c % 16 == 0", "launch copy", "grid 1 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 20480", "param tensormap a : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param tensormap c : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  gpu.func @copy(%a: !kernel.map<64 x 64 x f16, rank = 2>, %c: !kernel.map<64 x 64 x f16, rank = 2>,
      %p: !kernel.buffer<f16>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %ring = kernel.ring at 0 : <2 of 64 x 64 x f16>
    %full = kernel.barriers at 20448 : <2 of 1>
    %empty = kernel.barriers at 20464 : <2 of 1>
    kernel.barriers.init %full, %empty : !kernel.barriers<2 of 1>, !kernel.barriers<2 of 1>
    kernel.barrier
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %phase = arith.andi %round, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        kernel.await %full[%slot] phase %phase : <2 of 1>
        %sums = kernel.zero : <64 x 64 x f32, warps = 4 x 1>
        %tile = kernel.epilogue %sums at [%row, %c0] of [%c64, %c64] {
        ^bb0(%x: f32):
          %y = arith.truncf %x : f32 to f16
          kernel.yield %y : f16
        } : <64 x 64 x f32, warps = 4 x 1> -> <64 x 64 x f16, warps = 4 x 1>
        // expected-note @below {{'kernel.stage' which is not ordered with this [consumer 0 of block 0, leader, step (0)]}}
        kernel.stage %tile to %ring[%slot] at %c0 : <64 x 64 x f16, warps = 4 x 1> to <2 of 64 x 64 x f16>
        kernel.group.barrier
        // expected-error @below {{'kernel.store.async' an engine may not see what threads wrote here; expected a kernel.proxy.fence of these threads between them, in front of the barrier [proxy; consumer 0 of block 0, leader, step (0)]}}
        kernel.store.async %ring[%slot] from %c0 to %c[%row, %c0] : <2 of 64 x 64 x f16> to <64 x 64 x f16, rank = 2>
        kernel.store.commit
        kernel.store.wait 0
        kernel.group.barrier
        kernel.arrive %empty[%slot] : <2 of 1>
      }
    }
    kernel.role "producer" warps 1 one_thread {
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %flip = arith.addi %round, %c1 : i32
        %phase = arith.andi %flip, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        kernel.await %empty[%slot] phase %phase : <2 of 1>
        kernel.expect %full[%slot] bytes 8192 : <2 of 1>
        // expected-error @below {{'kernel.load' an engine may not see what threads wrote here; expected a kernel.proxy.fence of these threads between them, in front of the barrier [proxy; producer 0 of block 0, leader, step (2)]}}
        kernel.load %a[%row, %c0] to %ring[%slot] signals %full : <64 x 64 x f16, rank = 2> to <2 of 64 x 64 x f16>, <2 of 1>
      }
    }
    gpu.return
  }
}

// -----

// More is announced than lands.
gpu.module @kernels attributes {hone.plans = {copy = #kernel.plan<"hone-plan 2", "args a c m n k", "alternative a % 16 == 0 && c % 16 == 0", "launch copy", "grid 1 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 20480", "param tensormap a : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param tensormap c : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  gpu.func @copy(%a: !kernel.map<64 x 64 x f16, rank = 2>, %c: !kernel.map<64 x 64 x f16, rank = 2>,
      %p: !kernel.buffer<f16>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %ring = kernel.ring at 0 : <2 of 64 x 64 x f16>
    %full = kernel.barriers at 20448 : <2 of 1>
    %empty = kernel.barriers at 20464 : <2 of 1>
    kernel.barriers.init %full, %empty : !kernel.barriers<2 of 1>, !kernel.barriers<2 of 1>
    kernel.barrier
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %phase = arith.andi %round, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        // expected-error @below {{'kernel.await' waits forever for the end of phase 0: 1 of 1 have arrived, 8192 of 8200 announced bytes land [count; consumer 0 of block 0, leader, step (0)]}}
        kernel.await %full[%slot] phase %phase : <2 of 1>
        kernel.store.async %ring[%slot] from %c0 to %c[%row, %c0] : <2 of 64 x 64 x f16> to <64 x 64 x f16, rank = 2>
        kernel.store.commit
        kernel.store.wait 0
        kernel.group.barrier
        kernel.arrive %empty[%slot] : <2 of 1>
      }
    }
    kernel.role "producer" warps 1 one_thread {
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %flip = arith.addi %round, %c1 : i32
        %phase = arith.andi %flip, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        // expected-error @below {{'kernel.await' waits forever for the end of phase 0: 0 of 1 have arrived, 0 of 0 announced bytes land [deadlock; producer 0 of block 0, leader, step (2)]}}
        kernel.await %empty[%slot] phase %phase : <2 of 1>
        kernel.expect %full[%slot] bytes 8200 : <2 of 1>
        kernel.load %a[%row, %c0] to %ring[%slot] signals %full : <64 x 64 x f16, rank = 2> to <2 of 64 x 64 x f16>, <2 of 1>
      }
    }
    gpu.return
  }
}

// -----

// Fewer bytes are announced than land: the phase is over before the load is.
gpu.module @kernels attributes {hone.plans = {copy = #kernel.plan<"hone-plan 2", "args a c m n k", "alternative a % 16 == 0 && c % 16 == 0", "launch copy", "grid 1 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 20480", "param tensormap a : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param tensormap c : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  gpu.func @copy(%a: !kernel.map<64 x 64 x f16, rank = 2>, %c: !kernel.map<64 x 64 x f16, rank = 2>,
      %p: !kernel.buffer<f16>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %ring = kernel.ring at 0 : <2 of 64 x 64 x f16>
    %full = kernel.barriers at 20448 : <2 of 1>
    %empty = kernel.barriers at 20464 : <2 of 1>
    kernel.barriers.init %full, %empty : !kernel.barriers<2 of 1>, !kernel.barriers<2 of 1>
    kernel.barrier
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %phase = arith.andi %round, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        // expected-error @below {{'kernel.await' waits forever for the end of phase 0: 1 of 1 have arrived, 8192 of 8184 announced bytes land [count; consumer 0 of block 0, leader, step (0)]}}
        kernel.await %full[%slot] phase %phase : <2 of 1>
        kernel.store.async %ring[%slot] from %c0 to %c[%row, %c0] : <2 of 64 x 64 x f16> to <64 x 64 x f16, rank = 2>
        kernel.store.commit
        kernel.store.wait 0
        kernel.group.barrier
        kernel.arrive %empty[%slot] : <2 of 1>
      }
    }
    kernel.role "producer" warps 1 one_thread {
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %flip = arith.addi %round, %c1 : i32
        %phase = arith.andi %flip, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        // expected-error @below {{'kernel.await' waits forever for the end of phase 0: 0 of 1 have arrived, 0 of 0 announced bytes land [deadlock; producer 0 of block 0, leader, step (2)]}}
        kernel.await %empty[%slot] phase %phase : <2 of 1>
        kernel.expect %full[%slot] bytes 8184 : <2 of 1>
        // expected-error @below {{'kernel.load' 8192 bytes land in phase 0, but 8184 are announced: it never ends [count; producer 0 of block 0, leader, step (0)]}}
        kernel.load %a[%row, %c0] to %ring[%slot] signals %full : <64 x 64 x f16, rank = 2> to <2 of 64 x 64 x f16>, <2 of 1>
      }
    }
    gpu.return
  }
}

// -----

// A barrier of two waits for one arrival.
gpu.module @kernels attributes {hone.plans = {copy = #kernel.plan<"hone-plan 2", "args a c m n k", "alternative a % 16 == 0 && c % 16 == 0", "launch copy", "grid 1 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 20480", "param tensormap a : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param tensormap c : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  gpu.func @copy(%a: !kernel.map<64 x 64 x f16, rank = 2>, %c: !kernel.map<64 x 64 x f16, rank = 2>,
      %p: !kernel.buffer<f16>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %ring = kernel.ring at 0 : <2 of 64 x 64 x f16>
    %full = kernel.barriers at 20448 : <2 of 1>
    %empty = kernel.barriers at 20464 : <2 of 2>
    kernel.barriers.init %full, %empty : !kernel.barriers<2 of 1>, !kernel.barriers<2 of 2>
    kernel.barrier
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %phase = arith.andi %round, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        // expected-error @below {{'kernel.await' waits forever for the end of phase 1: 0 of 1 have arrived, 0 of 0 announced bytes land [deadlock; consumer 0 of block 0, leader, step (2)]}}
        kernel.await %full[%slot] phase %phase : <2 of 1>
        kernel.store.async %ring[%slot] from %c0 to %c[%row, %c0] : <2 of 64 x 64 x f16> to <64 x 64 x f16, rank = 2>
        kernel.store.commit
        kernel.store.wait 0
        kernel.group.barrier
        kernel.arrive %empty[%slot] : <2 of 2>
      }
    }
    kernel.role "producer" warps 1 one_thread {
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %flip = arith.addi %round, %c1 : i32
        %phase = arith.andi %flip, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        // expected-error @below {{'kernel.await' waits forever for the end of phase 0: 1 of 2 have arrived, 0 of 0 announced bytes land [count; producer 0 of block 0, leader, step (2)]}}
        kernel.await %empty[%slot] phase %phase : <2 of 2>
        kernel.expect %full[%slot] bytes 8192 : <2 of 1>
        kernel.load %a[%row, %c0] to %ring[%slot] signals %full : <64 x 64 x f16, rank = 2> to <2 of 64 x 64 x f16>, <2 of 1>
      }
    }
    gpu.return
  }
}

// -----

// The slot never comes back: both wait.
gpu.module @kernels attributes {hone.plans = {copy = #kernel.plan<"hone-plan 2", "args a c m n k", "alternative a % 16 == 0 && c % 16 == 0", "launch copy", "grid 1 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 20480", "param tensormap a : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param tensormap c : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  gpu.func @copy(%a: !kernel.map<64 x 64 x f16, rank = 2>, %c: !kernel.map<64 x 64 x f16, rank = 2>,
      %p: !kernel.buffer<f16>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %ring = kernel.ring at 0 : <2 of 64 x 64 x f16>
    %full = kernel.barriers at 20448 : <2 of 1>
    %empty = kernel.barriers at 20464 : <2 of 1>
    kernel.barriers.init %full, %empty : !kernel.barriers<2 of 1>, !kernel.barriers<2 of 1>
    kernel.barrier
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %phase = arith.andi %round, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        // expected-error @below {{'kernel.await' waits forever for the end of phase 1: 0 of 1 have arrived, 0 of 0 announced bytes land [deadlock; consumer 0 of block 0, leader, step (2)]}}
        kernel.await %full[%slot] phase %phase : <2 of 1>
        kernel.store.async %ring[%slot] from %c0 to %c[%row, %c0] : <2 of 64 x 64 x f16> to <64 x 64 x f16, rank = 2>
        kernel.store.commit
        kernel.store.wait 0
        kernel.group.barrier
      }
    }
    kernel.role "producer" warps 1 one_thread {
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %flip = arith.addi %round, %c1 : i32
        %phase = arith.andi %flip, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        // expected-error @below {{'kernel.await' waits forever for the end of phase 0: 0 of 1 have arrived, 0 of 0 announced bytes land [deadlock; producer 0 of block 0, leader, step (2)]}}
        kernel.await %empty[%slot] phase %phase : <2 of 1>
        kernel.expect %full[%slot] bytes 8192 : <2 of 1>
        kernel.load %a[%row, %c0] to %ring[%slot] signals %full : <64 x 64 x f16, rank = 2> to <2 of 64 x 64 x f16>, <2 of 1>
      }
    }
    gpu.return
  }
}

// -----

// The producer does not wait: its loads count for phases that may not have begun.
gpu.module @kernels attributes {hone.plans = {copy = #kernel.plan<"hone-plan 2", "args a c m n k", "alternative a % 16 == 0 && c % 16 == 0", "launch copy", "grid 1 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 20480", "param tensormap a : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param tensormap c : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  gpu.func @copy(%a: !kernel.map<64 x 64 x f16, rank = 2>, %c: !kernel.map<64 x 64 x f16, rank = 2>,
      %p: !kernel.buffer<f16>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %ring = kernel.ring at 0 : <2 of 64 x 64 x f16>
    %full = kernel.barriers at 20448 : <2 of 1>
    %empty = kernel.barriers at 20464 : <2 of 1>
    kernel.barriers.init %full, %empty : !kernel.barriers<2 of 1>, !kernel.barriers<2 of 1>
    kernel.barrier
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %phase = arith.andi %round, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        // expected-note @below {{'kernel.await' which is not ordered with this [consumer 0 of block 0, leader, step (0)]}}
        // expected-error @below {{'kernel.await' waits for phase 2, but phase 1 is not certain to be over: it could go on before that [phase; consumer 0 of block 0, leader, step (1)]}}
        // expected-error @below {{'kernel.await' waits forever for the end of phase 2: 0 of 1 have arrived, 0 of 0 announced bytes land [deadlock; consumer 0 of block 0, leader, step (1)]}}
        kernel.await %full[%slot] phase %phase : <2 of 1>
        // expected-error @below {{'kernel.store.async' reads shared memory that may not be filled yet [unfilled; consumer 0 of block 0, leader, step (0)]}}
        kernel.store.async %ring[%slot] from %c0 to %c[%row, %c0] : <2 of 64 x 64 x f16> to <64 x 64 x f16, rank = 2>
        kernel.store.commit
        kernel.store.wait 0
        kernel.group.barrier
        kernel.arrive %empty[%slot] : <2 of 1>
      }
    }
    kernel.role "producer" warps 1 one_thread {
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %flip = arith.addi %round, %c1 : i32
        %phase = arith.andi %flip, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        // expected-error @below {{'kernel.expect' arrives in phase 1, but phase 0 is not certain to be over: it could count for that [phase; producer 0 of block 0, leader, step (2)]}}
        kernel.expect %full[%slot] bytes 8192 : <2 of 1>
        // expected-error @below {{'kernel.load' overwrites shared memory that may still be written [overwritten; producer 0 of block 0, leader, step (2)]}}
        // expected-note @below {{'kernel.load' which is not ordered with this [producer 0 of block 0, leader, step (0)]}}
        // expected-error @below {{'kernel.load' bytes land in phase 1, but phase 0 is not certain to be over: it could count for that [phase; producer 0 of block 0, leader, step (2)]}}
        // expected-error @below {{'kernel.load' phase 1 ends, but a wait for phase 0 is not certain to be over: it could take one for the other [phase; producer 0 of block 0, leader, step (2)]}}
        // expected-note @below {{'kernel.load' which is not ordered with this [producer 0 of block 0, leader, step (2)]}}
        kernel.load %a[%row, %c0] to %ring[%slot] signals %full : <64 x 64 x f16, rank = 2> to <2 of 64 x 64 x f16>, <2 of 1>
      }
    }
    gpu.return
  }
}

// -----

// Threads of the group may diverge: one may still wait when the next phase ends, and
// would wait forever.
gpu.module @kernels attributes {hone.plans = {copy = #kernel.plan<"hone-plan 2", "args a c m n k", "alternative a % 16 == 0 && c % 16 == 0", "launch copy", "grid 1 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 20480", "param tensormap a : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param tensormap c : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  gpu.func @copy(%a: !kernel.map<64 x 64 x f16, rank = 2>, %c: !kernel.map<64 x 64 x f16, rank = 2>,
      %p: !kernel.buffer<f16>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %ring = kernel.ring at 0 : <2 of 64 x 64 x f16>
    %full = kernel.barriers at 20448 : <2 of 1>
    %empty = kernel.barriers at 20464 : <2 of 1>
    kernel.barriers.init %full, %empty : !kernel.barriers<2 of 1>, !kernel.barriers<2 of 1>
    kernel.barrier
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %phase = arith.andi %round, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        // expected-note @below {{'kernel.await' which is not ordered with this [consumer 0 of block 0, follower, step (0)]}}
        kernel.await %full[%slot] phase %phase : <2 of 1>
        kernel.store.async %ring[%slot] from %c0 to %c[%row, %c0] : <2 of 64 x 64 x f16> to <64 x 64 x f16, rank = 2>
        kernel.store.commit
        kernel.store.wait 0
        kernel.arrive %empty[%slot] : <2 of 1>
      }
    }
    kernel.role "producer" warps 1 one_thread {
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %flip = arith.addi %round, %c1 : i32
        %phase = arith.andi %flip, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        kernel.await %empty[%slot] phase %phase : <2 of 1>
        kernel.expect %full[%slot] bytes 8192 : <2 of 1>
        // expected-error @below {{'kernel.load' phase 1 ends, but a wait for phase 0 is not certain to be over: it could take one for the other [phase; producer 0 of block 0, leader, step (2)]}}
        kernel.load %a[%row, %c0] to %ring[%slot] signals %full : <64 x 64 x f16, rank = 2> to <2 of 64 x 64 x f16>, <2 of 1>
      }
    }
    gpu.return
  }
}

// -----

// Barriers are used before all threads know them.
gpu.module @kernels attributes {hone.plans = {copy = #kernel.plan<"hone-plan 2", "args a c m n k", "alternative a % 16 == 0 && c % 16 == 0", "launch copy", "grid 1 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 20480", "param tensormap a : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param tensormap c : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  gpu.func @copy(%a: !kernel.map<64 x 64 x f16, rank = 2>, %c: !kernel.map<64 x 64 x f16, rank = 2>,
      %p: !kernel.buffer<f16>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %ring = kernel.ring at 0 : <2 of 64 x 64 x f16>
    %full = kernel.barriers at 20448 : <2 of 1>
    %empty = kernel.barriers at 20464 : <2 of 1>
    kernel.barriers.init %full, %empty : !kernel.barriers<2 of 1>, !kernel.barriers<2 of 1>
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %phase = arith.andi %round, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        // expected-error @below {{'kernel.await' waits at a barrier whose start is not certain to be past; expected a barrier after kernel.barriers.init [barrier; consumer 0 of block 0, leader, step (0)]}}
        kernel.await %full[%slot] phase %phase : <2 of 1>
        kernel.store.async %ring[%slot] from %c0 to %c[%row, %c0] : <2 of 64 x 64 x f16> to <64 x 64 x f16, rank = 2>
        kernel.store.commit
        kernel.store.wait 0
        kernel.group.barrier
        kernel.arrive %empty[%slot] : <2 of 1>
      }
    }
    kernel.role "producer" warps 1 one_thread {
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %flip = arith.addi %round, %c1 : i32
        %phase = arith.andi %flip, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        // expected-error @below {{'kernel.await' waits at a barrier whose start is not certain to be past; expected a barrier after kernel.barriers.init [barrier; producer 0 of block 0, leader, step (0)]}}
        kernel.await %empty[%slot] phase %phase : <2 of 1>
        // expected-error @below {{'kernel.expect' arrives at a barrier whose start is not certain to be past; expected a barrier after kernel.barriers.init [barrier; producer 0 of block 0, leader, step (0)]}}
        kernel.expect %full[%slot] bytes 8192 : <2 of 1>
        // expected-error @below {{'kernel.load' bytes land at a barrier whose start is not certain to be past; expected a barrier after kernel.barriers.init [barrier; producer 0 of block 0, leader, step (0)]}}
        kernel.load %a[%row, %c0] to %ring[%slot] signals %full : <64 x 64 x f16, rank = 2> to <2 of 64 x 64 x f16>, <2 of 1>
      }
    }
    gpu.return
  }
}

// -----

// depend_c1: the preceding kernel may still write memory that is read here.
gpu.module @kernels attributes {hone.plans = {copy = #kernel.plan<"hone-plan 2", "args a c m n k", "alternative a % 16 == 0 && c % 16 == 0", "launch copy", "grid 1 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 20480", "attribute programmatic", "param tensormap a : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param tensormap c : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  gpu.func @copy(%a: !kernel.map<64 x 64 x f16, rank = 2>, %c: !kernel.map<64 x 64 x f16, rank = 2>,
      %p: !kernel.buffer<f16>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %ring = kernel.ring at 0 : <2 of 64 x 64 x f16>
    %full = kernel.barriers at 20448 : <2 of 1>
    %empty = kernel.barriers at 20464 : <2 of 1>
    kernel.barriers.init %full, %empty : !kernel.barriers<2 of 1>, !kernel.barriers<2 of 1>
    kernel.barrier
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %phase = arith.andi %round, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        kernel.await %full[%slot] phase %phase : <2 of 1>
        // expected-error @below {{'kernel.store.async' touches global memory, but the kernels before may not be done; expected a kernel.depend.wait before it [depend; consumer 0 of block 0, leader, step (0)]}}
        kernel.store.async %ring[%slot] from %c0 to %c[%row, %c0] : <2 of 64 x 64 x f16> to <64 x 64 x f16, rank = 2>
        kernel.store.commit
        kernel.store.wait 0
        kernel.group.barrier
        kernel.arrive %empty[%slot] : <2 of 1>
      }
    }
    kernel.role "producer" warps 1 one_thread {
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %flip = arith.addi %round, %c1 : i32
        %phase = arith.andi %flip, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        kernel.await %empty[%slot] phase %phase : <2 of 1>
        kernel.expect %full[%slot] bytes 8192 : <2 of 1>
        // expected-error @below {{'kernel.load' touches global memory, but the kernels before may not be done; expected a kernel.depend.wait before it [depend; producer 0 of block 0, leader, step (0)]}}
        kernel.load %a[%row, %c0] to %ring[%slot] signals %full : <64 x 64 x f16, rank = 2> to <2 of 64 x 64 x f16>, <2 of 1>
      }
    }
    gpu.return
  }
}

// -----

// depend_c1: a tile that is fetched to the L2 is read, too.
gpu.module @kernels attributes {hone.plans = {copy = #kernel.plan<"hone-plan 2", "args a c m n k", "alternative a % 16 == 0 && c % 16 == 0", "launch copy", "grid 1 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 20480", "attribute programmatic", "param tensormap a : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param tensormap c : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  gpu.func @copy(%a: !kernel.map<64 x 64 x f16, rank = 2>, %c: !kernel.map<64 x 64 x f16, rank = 2>,
      %p: !kernel.buffer<f16>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %ring = kernel.ring at 0 : <2 of 64 x 64 x f16>
    %full = kernel.barriers at 20448 : <2 of 1>
    %empty = kernel.barriers at 20464 : <2 of 1>
    kernel.barriers.init %full, %empty : !kernel.barriers<2 of 1>, !kernel.barriers<2 of 1>
    kernel.barrier
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      kernel.depend.wait
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %phase = arith.andi %round, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        kernel.await %full[%slot] phase %phase : <2 of 1>
        kernel.store.async %ring[%slot] from %c0 to %c[%row, %c0] : <2 of 64 x 64 x f16> to <64 x 64 x f16, rank = 2>
        kernel.store.commit
        kernel.store.wait 0
        kernel.group.barrier
        kernel.arrive %empty[%slot] : <2 of 1>
      }
    }
    kernel.role "producer" warps 1 one_thread {
      // expected-error @below {{'kernel.prefetch' touches global memory, but the kernels before may not be done; expected a kernel.depend.wait before it [depend; producer 0 of block 0, leader]}}
      kernel.prefetch %a[%c0, %c0] like %ring : <64 x 64 x f16, rank = 2> like <2 of 64 x 64 x f16>
      kernel.depend.wait
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %flip = arith.addi %round, %c1 : i32
        %phase = arith.andi %flip, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        kernel.await %empty[%slot] phase %phase : <2 of 1>
        kernel.expect %full[%slot] bytes 8192 : <2 of 1>
        kernel.load %a[%row, %c0] to %ring[%slot] signals %full : <64 x 64 x f16, rank = 2> to <2 of 64 x 64 x f16>, <2 of 1>
      }
    }
    gpu.return
  }
}

// -----

// depend_c1: the consumer, which announces the bytes here, learns only from their
// arrival that the producer has waited. That makes no writes visible to it.
gpu.module @kernels attributes {hone.plans = {copy = #kernel.plan<"hone-plan 2", "args a c m n k", "alternative a % 16 == 0 && c % 16 == 0", "launch copy", "grid 1 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 36864", "attribute programmatic", "param tensormap a : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param tensormap c : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  gpu.func @copy(%a: !kernel.map<64 x 64 x f16, rank = 2>, %c: !kernel.map<64 x 64 x f16, rank = 2>,
      %p: !kernel.buffer<f16>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %ring = kernel.ring at 0 : <4 of 64 x 64 x f16>
    %full = kernel.barriers at 32768 : <4 of 1>
    kernel.barriers.init %full : !kernel.barriers<4 of 1>
    kernel.barrier
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %row = arith.muli %i, %c64 : i32
        kernel.expect %full[%i] bytes 8192 : <4 of 1>
        kernel.await %full[%i] phase %c0 : <4 of 1>
        // expected-error @below {{'kernel.store.async' touches global memory, but writes of the kernels before may not be visible to it; expected a kernel.depend.wait before it, or a barrier at which threads arrive after such a wait [depend; consumer 0 of block 0, leader, step (0)]}}
        kernel.store.async %ring[%i] from %c0 to %c[%row, %c0] : <4 of 64 x 64 x f16> to <64 x 64 x f16, rank = 2>
        kernel.store.commit
        kernel.store.wait 0
      }
    }
    kernel.role "producer" warps 1 one_thread {
      kernel.depend.wait
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %row = arith.muli %i, %c64 : i32
        kernel.load %a[%row, %c0] to %ring[%i] signals %full : <64 x 64 x f16, rank = 2> to <4 of 64 x 64 x f16>, <4 of 1>
      }
    }
    gpu.return
  }
}

// -----

// depend_c1: a barrier that the thread which has waited arrives at.
gpu.module @kernels attributes {hone.plans = {copy = #kernel.plan<"hone-plan 2", "args a c m n k", "alternative a % 16 == 0 && c % 16 == 0", "launch copy", "grid 1 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 20480", "attribute programmatic", "param tensormap a : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param tensormap c : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  gpu.func @copy(%a: !kernel.map<64 x 64 x f16, rank = 2>, %c: !kernel.map<64 x 64 x f16, rank = 2>,
      %p: !kernel.buffer<f16>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %ring = kernel.ring at 0 : <2 of 64 x 64 x f16>
    %full = kernel.barriers at 20448 : <2 of 1>
    %empty = kernel.barriers at 20464 : <2 of 1>
    %go = kernel.barriers at 20440 : <1 of 1>
    kernel.barriers.init %full, %empty, %go : !kernel.barriers<2 of 1>, !kernel.barriers<2 of 1>, !kernel.barriers<1 of 1>
    kernel.barrier
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      kernel.await %go[%c0] phase %c0 : <1 of 1>
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %phase = arith.andi %round, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        kernel.await %full[%slot] phase %phase : <2 of 1>
        kernel.store.async %ring[%slot] from %c0 to %c[%row, %c0] : <2 of 64 x 64 x f16> to <64 x 64 x f16, rank = 2>
        kernel.store.commit
        kernel.store.wait 0
        kernel.group.barrier
        kernel.arrive %empty[%slot] : <2 of 1>
      }
    }
    kernel.role "producer" warps 1 one_thread {
      kernel.depend.wait
      kernel.arrive %go[%c0] : <1 of 1>
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %flip = arith.addi %round, %c1 : i32
        %phase = arith.andi %flip, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        kernel.await %empty[%slot] phase %phase : <2 of 1>
        kernel.expect %full[%slot] bytes 8192 : <2 of 1>
        kernel.load %a[%row, %c0] to %ring[%slot] signals %full : <64 x 64 x f16, rank = 2> to <2 of 64 x 64 x f16>, <2 of 1>
      }
    }
    gpu.return
  }
}

// -----

// depend_c1: a target that can overlap, whatever this launch asks for.
gpu.module @kernels [#nvvm.target<chip = "sm_90a">] attributes {hone.plans = {copy = #kernel.plan<"hone-plan 2", "args a c m n k", "alternative a % 16 == 0 && c % 16 == 0", "launch copy", "grid 1 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 20480", "param tensormap a : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param tensormap c : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  gpu.func @copy(%a: !kernel.map<64 x 64 x f16, rank = 2>, %c: !kernel.map<64 x 64 x f16, rank = 2>,
      %p: !kernel.buffer<f16>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %ring = kernel.ring at 0 : <2 of 64 x 64 x f16>
    %full = kernel.barriers at 20448 : <2 of 1>
    %empty = kernel.barriers at 20464 : <2 of 1>
    kernel.barriers.init %full, %empty : !kernel.barriers<2 of 1>, !kernel.barriers<2 of 1>
    kernel.barrier
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %phase = arith.andi %round, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        kernel.await %full[%slot] phase %phase : <2 of 1>
        // expected-error @below {{'kernel.store.async' touches global memory, but the kernels before may not be done; expected a kernel.depend.wait before it [depend; consumer 0 of block 0, leader, step (0)]}}
        kernel.store.async %ring[%slot] from %c0 to %c[%row, %c0] : <2 of 64 x 64 x f16> to <64 x 64 x f16, rank = 2>
        kernel.store.commit
        kernel.store.wait 0
        kernel.group.barrier
        kernel.arrive %empty[%slot] : <2 of 1>
      }
    }
    kernel.role "producer" warps 1 one_thread {
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %flip = arith.addi %round, %c1 : i32
        %phase = arith.andi %flip, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        kernel.await %empty[%slot] phase %phase : <2 of 1>
        kernel.expect %full[%slot] bytes 8192 : <2 of 1>
        // expected-error @below {{'kernel.load' touches global memory, but the kernels before may not be done; expected a kernel.depend.wait before it [depend; producer 0 of block 0, leader, step (0)]}}
        kernel.load %a[%row, %c0] to %ring[%slot] signals %full : <64 x 64 x f16, rank = 2> to <2 of 64 x 64 x f16>, <2 of 1>
      }
    }
    gpu.return
  }
}

// -----

// depend_c2: block 1 has nothing to do, and does not wait.
gpu.module @kernels attributes {hone.plans = {copy = #kernel.plan<"hone-plan 2", "args a c m n k", "alternative a % 16 == 0 && c % 16 == 0", "launch copy", "grid 2 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 20480", "attribute programmatic", "param tensormap a : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param tensormap c : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  gpu.func @copy(%a: !kernel.map<64 x 64 x f16, rank = 2>, %c: !kernel.map<64 x 64 x f16, rank = 2>,
      %p: !kernel.buffer<f16>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %ring = kernel.ring at 0 : <2 of 64 x 64 x f16>
    %full = kernel.barriers at 20448 : <2 of 1>
    %empty = kernel.barriers at 20464 : <2 of 1>
    kernel.barriers.init %full, %empty : !kernel.barriers<2 of 1>, !kernel.barriers<2 of 1>
    kernel.barrier
    %worker, %workers = kernel.worker of 1
    %isFirst = arith.cmpi eq, %worker, %c0 : i32
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      scf.if %isFirst {
        kernel.depend.wait
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %phase = arith.andi %round, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        kernel.await %full[%slot] phase %phase : <2 of 1>
        kernel.store.async %ring[%slot] from %c0 to %c[%row, %c0] : <2 of 64 x 64 x f16> to <64 x 64 x f16, rank = 2>
        kernel.store.commit
        kernel.store.wait 0
        kernel.group.barrier
        kernel.arrive %empty[%slot] : <2 of 1>
      }
      }
    }
    kernel.role "producer" warps 1 one_thread {
      scf.if %isFirst {
        kernel.depend.wait
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %flip = arith.addi %round, %c1 : i32
        %phase = arith.andi %flip, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        kernel.await %empty[%slot] phase %phase : <2 of 1>
        kernel.expect %full[%slot] bytes 8192 : <2 of 1>
        kernel.load %a[%row, %c0] to %ring[%slot] signals %full : <64 x 64 x f16, rank = 2> to <2 of 64 x 64 x f16>, <2 of 1>
      }
      }
    }
    // expected-error @below {{'gpu.func' has a block that may end before the kernels before are done, for which the next kernel does not wait; expected a kernel.depend.wait in every block [depend; block 1]}}
    gpu.return
  }
}

// -----

// depend_c2: block 1 has nothing to do, but waits.
gpu.module @kernels attributes {hone.plans = {copy = #kernel.plan<"hone-plan 2", "args a c m n k", "alternative a % 16 == 0 && c % 16 == 0", "launch copy", "grid 2 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 20480", "attribute programmatic", "param tensormap a : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param tensormap c : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  gpu.func @copy(%a: !kernel.map<64 x 64 x f16, rank = 2>, %c: !kernel.map<64 x 64 x f16, rank = 2>,
      %p: !kernel.buffer<f16>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %ring = kernel.ring at 0 : <2 of 64 x 64 x f16>
    %full = kernel.barriers at 20448 : <2 of 1>
    %empty = kernel.barriers at 20464 : <2 of 1>
    kernel.barriers.init %full, %empty : !kernel.barriers<2 of 1>, !kernel.barriers<2 of 1>
    kernel.barrier
    %worker, %workers = kernel.worker of 1
    %isFirst = arith.cmpi eq, %worker, %c0 : i32
    kernel.depend.wait
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      scf.if %isFirst {
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %phase = arith.andi %round, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        kernel.await %full[%slot] phase %phase : <2 of 1>
        kernel.store.async %ring[%slot] from %c0 to %c[%row, %c0] : <2 of 64 x 64 x f16> to <64 x 64 x f16, rank = 2>
        kernel.store.commit
        kernel.store.wait 0
        kernel.group.barrier
        kernel.arrive %empty[%slot] : <2 of 1>
      }
      }
    }
    kernel.role "producer" warps 1 one_thread {
      scf.if %isFirst {
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %flip = arith.addi %round, %c1 : i32
        %phase = arith.andi %flip, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        kernel.await %empty[%slot] phase %phase : <2 of 1>
        kernel.expect %full[%slot] bytes 8192 : <2 of 1>
        kernel.load %a[%row, %c0] to %ring[%slot] signals %full : <64 x 64 x f16, rank = 2> to <2 of 64 x 64 x f16>, <2 of 1>
      }
      }
    }
    gpu.return
  }
}

// -----

// depend_c3: nothing before sm_90 overlaps.
gpu.module @kernels [#nvvm.target<chip = "sm_80">] attributes {hone.plans = {copy = #kernel.plan<"hone-plan 2", "args a c m n k", "alternative a % 16 == 0 && c % 16 == 0", "launch copy", "grid 1 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 20480", "attribute programmatic", "param tensormap a : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param tensormap c : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  // expected-error @below {{'gpu.func' is launched to overlap with the kernel before, but its target has no kernel.depend.wait; expected a plan without 'attribute programmatic' below sm_90 [depend; block 0]}}
  gpu.func @copy(%a: !kernel.map<64 x 64 x f16, rank = 2>, %c: !kernel.map<64 x 64 x f16, rank = 2>,
      %p: !kernel.buffer<f16>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %ring = kernel.ring at 0 : <2 of 64 x 64 x f16>
    %full = kernel.barriers at 20448 : <2 of 1>
    %empty = kernel.barriers at 20464 : <2 of 1>
    kernel.barriers.init %full, %empty : !kernel.barriers<2 of 1>, !kernel.barriers<2 of 1>
    kernel.barrier
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %phase = arith.andi %round, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        kernel.await %full[%slot] phase %phase : <2 of 1>
        kernel.store.async %ring[%slot] from %c0 to %c[%row, %c0] : <2 of 64 x 64 x f16> to <64 x 64 x f16, rank = 2>
        kernel.store.commit
        kernel.store.wait 0
        kernel.group.barrier
        kernel.arrive %empty[%slot] : <2 of 1>
      }
    }
    kernel.role "producer" warps 1 one_thread {
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %flip = arith.addi %round, %c1 : i32
        %phase = arith.andi %flip, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        kernel.await %empty[%slot] phase %phase : <2 of 1>
        kernel.expect %full[%slot] bytes 8192 : <2 of 1>
        kernel.load %a[%row, %c0] to %ring[%slot] signals %full : <64 x 64 x f16, rank = 2> to <2 of 64 x 64 x f16>, <2 of 1>
      }
    }
    gpu.return
  }
}

// -----

// One slot too many.
gpu.module @kernels attributes {hone.plans = {copy = #kernel.plan<"hone-plan 2", "args a c m n k", "alternative a % 16 == 0 && c % 16 == 0", "launch copy", "grid 1 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 20480", "param tensormap a : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param tensormap c : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  gpu.func @copy(%a: !kernel.map<64 x 64 x f16, rank = 2>, %c: !kernel.map<64 x 64 x f16, rank = 2>,
      %p: !kernel.buffer<f16>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %ring = kernel.ring at 8192 : <2 of 64 x 64 x f16>
    %full = kernel.barriers at 20448 : <2 of 1>
    %empty = kernel.barriers at 20464 : <2 of 1>
    kernel.barriers.init %full, %empty : !kernel.barriers<2 of 1>, !kernel.barriers<2 of 1>
    kernel.barrier
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %phase = arith.andi %round, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        // expected-error @below {{'kernel.await' waits forever for the end of phase 0: 1 of 1 have arrived, 0 of 8192 announced bytes land [count; consumer 0 of block 0, leader, step (1)]}}
        kernel.await %full[%slot] phase %phase : <2 of 1>
        kernel.store.async %ring[%slot] from %c0 to %c[%row, %c0] : <2 of 64 x 64 x f16> to <64 x 64 x f16, rank = 2>
        kernel.store.commit
        kernel.store.wait 0
        kernel.group.barrier
        kernel.arrive %empty[%slot] : <2 of 1>
      }
    }
    kernel.role "producer" warps 1 one_thread {
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %flip = arith.addi %round, %c1 : i32
        %phase = arith.andi %flip, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        // expected-error @below {{'kernel.await' waits forever for the end of phase 0: 0 of 1 have arrived, 0 of 0 announced bytes land [deadlock; producer 0 of block 0, leader, step (3)]}}
        kernel.await %empty[%slot] phase %phase : <2 of 1>
        kernel.expect %full[%slot] bytes 8192 : <2 of 1>
        // expected-error @below {{'kernel.load' uses bytes 16384 to 24576 of shared memory, but the launch has 20480 [bounds; producer 0 of block 0, leader, step (1)]}}
        kernel.load %a[%row, %c0] to %ring[%slot] signals %full : <64 x 64 x f16, rank = 2> to <2 of 64 x 64 x f16>, <2 of 1>
      }
    }
    gpu.return
  }
}

// -----

// Half of the result is stored twice, the other half never.
gpu.module @kernels attributes {hone.plans = {copy = #kernel.plan<"hone-plan 2", "args a c m n k", "alternative a % 16 == 0 && c % 16 == 0", "launch copy", "grid 1 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 20480", "param tensormap a : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param tensormap c : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  gpu.func @copy(%a: !kernel.map<64 x 64 x f16, rank = 2>, %c: !kernel.map<64 x 64 x f16, rank = 2>,
      %p: !kernel.buffer<f16>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %ring = kernel.ring at 0 : <2 of 64 x 64 x f16>
    %full = kernel.barriers at 20448 : <2 of 1>
    %empty = kernel.barriers at 20464 : <2 of 1>
    kernel.barriers.init %full, %empty : !kernel.barriers<2 of 1>, !kernel.barriers<2 of 1>
    kernel.barrier
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %phase = arith.andi %round, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        kernel.await %full[%slot] phase %phase : <2 of 1>
        %half = arith.divui %row, %c2 : i32
        %even = arith.andi %half, %c64 : i32
        // expected-error @below {{'kernel.store.async' stores part of the result again [coverage; consumer 0 of block 0, leader, step (1)]}}
        // expected-note @below {{'kernel.store.async' which is not ordered with this [consumer 0 of block 0, leader, step (0)]}}
        kernel.store.async %ring[%slot] from %c0 to %c[%even, %c0] : <2 of 64 x 64 x f16> to <64 x 64 x f16, rank = 2>
        kernel.store.commit
        kernel.store.wait 0
        kernel.group.barrier
        kernel.arrive %empty[%slot] : <2 of 1>
      }
    }
    kernel.role "producer" warps 1 one_thread {
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %flip = arith.addi %round, %c1 : i32
        %phase = arith.andi %flip, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        kernel.await %empty[%slot] phase %phase : <2 of 1>
        kernel.expect %full[%slot] bytes 8192 : <2 of 1>
        kernel.load %a[%row, %c0] to %ring[%slot] signals %full : <64 x 64 x f16, rank = 2> to <2 of 64 x 64 x f16>, <2 of 1>
      }
    }
    gpu.return
  }
}

// -----

// The last tile is never stored.
gpu.module @kernels attributes {hone.plans = {copy = #kernel.plan<"hone-plan 2", "args a c m n k", "alternative a % 16 == 0 && c % 16 == 0", "launch copy", "grid 1 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 20480", "param tensormap a : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param tensormap c : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  gpu.func @copy(%a: !kernel.map<64 x 64 x f16, rank = 2>, %c: !kernel.map<64 x 64 x f16, rank = 2>,
      %p: !kernel.buffer<f16>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c64 = arith.constant 64 : i32
    %ring = kernel.ring at 0 : <2 of 64 x 64 x f16>
    %full = kernel.barriers at 20448 : <2 of 1>
    %empty = kernel.barriers at 20464 : <2 of 1>
    kernel.barriers.init %full, %empty : !kernel.barriers<2 of 1>, !kernel.barriers<2 of 1>
    kernel.barrier
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %phase = arith.andi %round, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        kernel.await %full[%slot] phase %phase : <2 of 1>
        kernel.store.async %ring[%slot] from %c0 to %c[%c0, %row] : <2 of 64 x 64 x f16> to <64 x 64 x f16, rank = 2>
        kernel.store.commit
        kernel.store.wait 0
        kernel.group.barrier
        kernel.arrive %empty[%slot] : <2 of 1>
      }
    }
    kernel.role "producer" warps 1 one_thread {
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %flip = arith.addi %round, %c1 : i32
        %phase = arith.andi %flip, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        kernel.await %empty[%slot] phase %phase : <2 of 1>
        kernel.expect %full[%slot] bytes 8192 : <2 of 1>
        kernel.load %a[%row, %c0] to %ring[%slot] signals %full : <64 x 64 x f16, rank = 2> to <2 of 64 x 64 x f16>, <2 of 1>
      }
    }
    // expected-error @below {{'gpu.func' element (64, 0) of batch 0 of the result is never written [coverage; block 0]}}
    gpu.return
  }
}

// -----

// The engine still reads the block's memory when the block is gone.
gpu.module @kernels attributes {hone.plans = {copy = #kernel.plan<"hone-plan 2", "args a c m n k", "alternative a % 16 == 0 && c % 16 == 0", "launch copy", "grid 1 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 20480", "param tensormap a : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param tensormap c : f16 dims (n, m) strides (n * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  gpu.func @copy(%a: !kernel.map<64 x 64 x f16, rank = 2>, %c: !kernel.map<64 x 64 x f16, rank = 2>,
      %p: !kernel.buffer<f16>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %ring = kernel.ring at 0 : <2 of 64 x 64 x f16>
    %full = kernel.barriers at 20448 : <2 of 1>
    %empty = kernel.barriers at 20464 : <2 of 1>
    kernel.barriers.init %full, %empty : !kernel.barriers<2 of 1>, !kernel.barriers<2 of 1>
    kernel.barrier
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %phase = arith.andi %round, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        kernel.await %full[%slot] phase %phase : <2 of 1>
        // expected-error @below {{'kernel.store.async' uses a block's shared memory, but that block is not certain to be there until it has: expected a wait before the block ends [gone; consumer 0 of block 0, leader, step (0)]}}
        kernel.store.async %ring[%slot] from %c0 to %c[%row, %c0] : <2 of 64 x 64 x f16> to <64 x 64 x f16, rank = 2>
        kernel.store.commit
        kernel.store.wait 1
        kernel.group.barrier
        kernel.arrive %empty[%slot] : <2 of 1>
      }
    }
    kernel.role "producer" warps 1 one_thread {
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %slot = arith.remui %i, %c2 : i32
        %round = arith.divui %i, %c2 : i32
        %flip = arith.addi %round, %c1 : i32
        %phase = arith.andi %flip, %c1 : i32
        %row = arith.muli %i, %c64 : i32
        kernel.await %empty[%slot] phase %phase : <2 of 1>
        kernel.expect %full[%slot] bytes 8192 : <2 of 1>
        kernel.load %a[%row, %c0] to %ring[%slot] signals %full : <64 x 64 x f16, rank = 2> to <2 of 64 x 64 x f16>, <2 of 1>
      }
    }
    gpu.return
  }
}
