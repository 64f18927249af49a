// RUN: hone-opt %s --hone-verify-kernel="m=64 n=64 k=64" --split-input-file --verify-diagnostics -o /dev/null
//
// One mistake a case, and its finding: tensor cores, registers, ops that are not modelled.

// One product of two tiles, right.
gpu.module @kernels attributes {hone.plans = {products = #kernel.plan<"hone-plan 2", "args a b c m n k", "alternative c % 16 == 0 && a % 16 == 0 && b % 16 == 0 && k > 0", "launch products", "grid 1 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 20480", "param tensormap a : f16 dims (k, m) strides (k * 2) box (64, 64) swizzle 128", "param tensormap b : f16 dims (k, n) strides (k * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  gpu.func @products(%a: !kernel.map<64 x 64 x f16, rank = 2>, %b: !kernel.map<64 x 64 x f16, rank = 2>,
      %c: !kernel.buffer<f32>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %start = arith.constant 0 : i64
    %stride = arith.constant 64 : i64
    %c64 = arith.constant 64 : i32
    %false = arith.constant false
    %ringA = kernel.ring at 0 : <1 of 64 x 64 x f16>
    %ringB = kernel.ring at 8192 : <1 of 64 x 64 x f16>
    %full = kernel.barriers at 16384 : <1 of 1>
    kernel.barriers.init %full : !kernel.barriers<1 of 1>
    kernel.barrier
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      %C = kernel.matrix %c at %start[%c64, %c64] stride %stride : <f32> -> <f32, align = 16>
      %acc = kernel.acc.undefined : <64 x 64 x f32, warps = 4 x 1>
      kernel.await %full[%c0] phase %c0 : <1 of 1>
      kernel.mma.fence
      %sum = kernel.mma.async %ringA[%c0] rows %c0, %ringB[%c0] cols %c0 step 0 to %acc if %false : <1 of 64 x 64 x f16>, <1 of 64 x 64 x f16>, <64 x 64 x f32, warps = 4 x 1>
      kernel.mma.commit
      %done = kernel.mma.wait 0 for %sum : !kernel.acc<64 x 64 x f32, warps = 4 x 1>
      kernel.store %done to %C[%c0, %c0] : <64 x 64 x f32, warps = 4 x 1> to <f32, align = 16>
    }
    kernel.role "producer" warps 1 one_thread {
      kernel.expect %full[%c0] bytes 16384 : <1 of 1>
      kernel.load %a[%c0, %c0] to %ringA[%c0] signals %full : <64 x 64 x f16, rank = 2> to <1 of 64 x 64 x f16>, <1 of 1>
      kernel.load %b[%c0, %c0] to %ringB[%c0] signals %full : <64 x 64 x f16, rank = 2> to <1 of 64 x 64 x f16>, <1 of 1>
    }
    gpu.return
  }
}

// -----

// Accumulators are stored while their products may be under way.
gpu.module @kernels attributes {hone.plans = {products = #kernel.plan<"hone-plan 2", "args a b c m n k", "alternative c % 16 == 0 && a % 16 == 0 && b % 16 == 0 && k > 0", "launch products", "grid 1 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 20480", "param tensormap a : f16 dims (k, m) strides (k * 2) box (64, 64) swizzle 128", "param tensormap b : f16 dims (k, n) strides (k * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  gpu.func @products(%a: !kernel.map<64 x 64 x f16, rank = 2>, %b: !kernel.map<64 x 64 x f16, rank = 2>,
      %c: !kernel.buffer<f32>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %start = arith.constant 0 : i64
    %stride = arith.constant 64 : i64
    %c64 = arith.constant 64 : i32
    %false = arith.constant false
    %ringA = kernel.ring at 0 : <1 of 64 x 64 x f16>
    %ringB = kernel.ring at 8192 : <1 of 64 x 64 x f16>
    %full = kernel.barriers at 16384 : <1 of 1>
    kernel.barriers.init %full : !kernel.barriers<1 of 1>
    kernel.barrier
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      %C = kernel.matrix %c at %start[%c64, %c64] stride %stride : <f32> -> <f32, align = 16>
      %acc = kernel.acc.undefined : <64 x 64 x f32, warps = 4 x 1>
      kernel.await %full[%c0] phase %c0 : <1 of 1>
      kernel.mma.fence
      // expected-error @below {{'kernel.mma.async' uses a block's shared memory, but that block is not certain to be there until it has: expected a wait before the block ends [gone; consumer 0 of block 0, follower]}}
      %sum = kernel.mma.async %ringA[%c0] rows %c0, %ringB[%c0] cols %c0 step 0 to %acc if %false : <1 of 64 x 64 x f16>, <1 of 64 x 64 x f16>, <64 x 64 x f32, warps = 4 x 1>
      kernel.mma.commit
      %done = kernel.mma.wait 1 for %sum : !kernel.acc<64 x 64 x f32, warps = 4 x 1>
      // expected-error @below {{'kernel.store' uses accumulators whose products may still be under way; expected a kernel.mma.wait for their group [pending; consumer 0 of block 0, leader]}}
      kernel.store %done to %C[%c0, %c0] : <64 x 64 x f32, warps = 4 x 1> to <f32, align = 16>
    }
    kernel.role "producer" warps 1 one_thread {
      kernel.expect %full[%c0] bytes 16384 : <1 of 1>
      kernel.load %a[%c0, %c0] to %ringA[%c0] signals %full : <64 x 64 x f16, rank = 2> to <1 of 64 x 64 x f16>, <1 of 1>
      kernel.load %b[%c0, %c0] to %ringB[%c0] signals %full : <64 x 64 x f16, rank = 2> to <1 of 64 x 64 x f16>, <1 of 1>
    }
    gpu.return
  }
}

// -----

// Accumulators are given to the tensor cores without a fence.
gpu.module @kernels attributes {hone.plans = {products = #kernel.plan<"hone-plan 2", "args a b c m n k", "alternative c % 16 == 0 && a % 16 == 0 && b % 16 == 0 && k > 0", "launch products", "grid 1 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 20480", "param tensormap a : f16 dims (k, m) strides (k * 2) box (64, 64) swizzle 128", "param tensormap b : f16 dims (k, n) strides (k * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  gpu.func @products(%a: !kernel.map<64 x 64 x f16, rank = 2>, %b: !kernel.map<64 x 64 x f16, rank = 2>,
      %c: !kernel.buffer<f32>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %start = arith.constant 0 : i64
    %stride = arith.constant 64 : i64
    %c64 = arith.constant 64 : i32
    %false = arith.constant false
    %ringA = kernel.ring at 0 : <1 of 64 x 64 x f16>
    %ringB = kernel.ring at 8192 : <1 of 64 x 64 x f16>
    %full = kernel.barriers at 16384 : <1 of 1>
    kernel.barriers.init %full : !kernel.barriers<1 of 1>
    kernel.barrier
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      %C = kernel.matrix %c at %start[%c64, %c64] stride %stride : <f32> -> <f32, align = 16>
      %acc = kernel.acc.undefined : <64 x 64 x f32, warps = 4 x 1>
      kernel.await %full[%c0] phase %c0 : <1 of 1>
      // expected-error @below {{'kernel.mma.async' takes accumulators that threads have touched since the last kernel.mma.fence [fence; consumer 0 of block 0, leader]}}
      %sum = kernel.mma.async %ringA[%c0] rows %c0, %ringB[%c0] cols %c0 step 0 to %acc if %false : <1 of 64 x 64 x f16>, <1 of 64 x 64 x f16>, <64 x 64 x f32, warps = 4 x 1>
      kernel.mma.commit
      %done = kernel.mma.wait 0 for %sum : !kernel.acc<64 x 64 x f32, warps = 4 x 1>
      kernel.store %done to %C[%c0, %c0] : <64 x 64 x f32, warps = 4 x 1> to <f32, align = 16>
    }
    kernel.role "producer" warps 1 one_thread {
      kernel.expect %full[%c0] bytes 16384 : <1 of 1>
      kernel.load %a[%c0, %c0] to %ringA[%c0] signals %full : <64 x 64 x f16, rank = 2> to <1 of 64 x 64 x f16>, <1 of 1>
      kernel.load %b[%c0, %c0] to %ringB[%c0] signals %full : <64 x 64 x f16, rank = 2> to <1 of 64 x 64 x f16>, <1 of 1>
    }
    gpu.return
  }
}

// -----

// The result is larger than its declared memory.
gpu.module @kernels attributes {hone.plans = {products = #kernel.plan<"hone-plan 2", "args a b c m n k", "alternative c % 16 == 0 && a % 16 == 0 && b % 16 == 0 && k > 0", "launch products", "grid 1 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 20480", "param tensormap a : f16 dims (k, m) strides (k * 2) box (64, 64) swizzle 128", "param tensormap b : f16 dims (k, n) strides (k * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  gpu.func @products(%a: !kernel.map<64 x 64 x f16, rank = 2>, %b: !kernel.map<64 x 64 x f16, rank = 2>,
      %c: !kernel.buffer<f32>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %start = arith.constant 0 : i64
    %stride = arith.constant 64 : i64
    %c64 = arith.constant 64 : i32
    %false = arith.constant false
    %ringA = kernel.ring at 0 : <1 of 64 x 64 x f16>
    %ringB = kernel.ring at 8192 : <1 of 64 x 64 x f16>
    %full = kernel.barriers at 16384 : <1 of 1>
    kernel.barriers.init %full : !kernel.barriers<1 of 1>
    kernel.barrier
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      %C = kernel.matrix %c at %stride[%c64, %c64] stride %stride : <f32> -> <f32, align = 16>
      %acc = kernel.acc.undefined : <64 x 64 x f32, warps = 4 x 1>
      kernel.await %full[%c0] phase %c0 : <1 of 1>
      kernel.mma.fence
      %sum = kernel.mma.async %ringA[%c0] rows %c0, %ringB[%c0] cols %c0 step 0 to %acc if %false : <1 of 64 x 64 x f16>, <1 of 64 x 64 x f16>, <64 x 64 x f32, warps = 4 x 1>
      kernel.mma.commit
      %done = kernel.mma.wait 0 for %sum : !kernel.acc<64 x 64 x f32, warps = 4 x 1>
      // expected-error @below {{'kernel.store' stores 64 x 64 elements 256 bytes from the start of the result, and not all of them are elements of it: it has 16384 bytes, and lines of 64 elements [bounds; consumer 0 of block 0, leader]}}
      kernel.store %done to %C[%c0, %c0] : <64 x 64 x f32, warps = 4 x 1> to <f32, align = 16>
    }
    kernel.role "producer" warps 1 one_thread {
      kernel.expect %full[%c0] bytes 16384 : <1 of 1>
      kernel.load %a[%c0, %c0] to %ringA[%c0] signals %full : <64 x 64 x f16, rank = 2> to <1 of 64 x 64 x f16>, <1 of 1>
      kernel.load %b[%c0, %c0] to %ringB[%c0] signals %full : <64 x 64 x f16, rank = 2> to <1 of 64 x 64 x f16>, <1 of 1>
    }
    gpu.return
  }
}

// -----

// An op that is not modelled does not pass.
gpu.module @kernels attributes {hone.plans = {products = #kernel.plan<"hone-plan 2", "args a b c m n k", "alternative c % 16 == 0 && a % 16 == 0 && b % 16 == 0 && k > 0", "launch products", "grid 1 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 20480", "param tensormap a : f16 dims (k, m) strides (k * 2) box (64, 64) swizzle 128", "param tensormap b : f16 dims (k, n) strides (k * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  gpu.func @products(%a: !kernel.map<64 x 64 x f16, rank = 2>, %b: !kernel.map<64 x 64 x f16, rank = 2>,
      %c: !kernel.buffer<f32>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %start = arith.constant 0 : i64
    %stride = arith.constant 64 : i64
    %c64 = arith.constant 64 : i32
    %false = arith.constant false
    %ringA = kernel.ring at 0 : <1 of 64 x 64 x f16>
    %ringB = kernel.ring at 8192 : <1 of 64 x 64 x f16>
    %full = kernel.barriers at 16384 : <1 of 1>
    kernel.barriers.init %full : !kernel.barriers<1 of 1>
    kernel.barrier
    // expected-error @below {{'gpu.thread_id' not modelled: op gpu.thread_id [not-modelled; block 0]}}
    %thread = gpu.thread_id x
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      %C = kernel.matrix %c at %start[%c64, %c64] stride %stride : <f32> -> <f32, align = 16>
      %acc = kernel.acc.undefined : <64 x 64 x f32, warps = 4 x 1>
      kernel.await %full[%c0] phase %c0 : <1 of 1>
      kernel.mma.fence
      %sum = kernel.mma.async %ringA[%c0] rows %c0, %ringB[%c0] cols %c0 step 0 to %acc if %false : <1 of 64 x 64 x f16>, <1 of 64 x 64 x f16>, <64 x 64 x f32, warps = 4 x 1>
      kernel.mma.commit
      %done = kernel.mma.wait 0 for %sum : !kernel.acc<64 x 64 x f32, warps = 4 x 1>
      kernel.store %done to %C[%c0, %c0] : <64 x 64 x f32, warps = 4 x 1> to <f32, align = 16>
    }
    kernel.role "producer" warps 1 one_thread {
      kernel.expect %full[%c0] bytes 16384 : <1 of 1>
      kernel.load %a[%c0, %c0] to %ringA[%c0] signals %full : <64 x 64 x f16, rank = 2> to <1 of 64 x 64 x f16>, <1 of 1>
      kernel.load %b[%c0, %c0] to %ringB[%c0] signals %full : <64 x 64 x f16, rank = 2> to <1 of 64 x 64 x f16>, <1 of 1>
    }
    gpu.return
  }
}

// -----

// Nor does one in an epilogue.
gpu.module @kernels attributes {hone.plans = {products = #kernel.plan<"hone-plan 2", "args a b c m n k", "alternative c % 16 == 0 && a % 16 == 0 && b % 16 == 0 && k > 0", "launch products", "grid 1 ; 1 ; 1", "block 160 ; 1 ; 1", "shared 20480", "param tensormap a : f16 dims (k, m) strides (k * 2) box (64, 64) swizzle 128", "param tensormap b : f16 dims (k, n) strides (k * 2) box (64, 64) swizzle 128", "param ptr c">}} {
  gpu.func @products(%a: !kernel.map<64 x 64 x f16, rank = 2>, %b: !kernel.map<64 x 64 x f16, rank = 2>,
      %c: !kernel.buffer<f32>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %start = arith.constant 0 : i64
    %stride = arith.constant 64 : i64
    %c64 = arith.constant 64 : i32
    %false = arith.constant false
    %ringA = kernel.ring at 0 : <1 of 64 x 64 x f16>
    %ringB = kernel.ring at 8192 : <1 of 64 x 64 x f16>
    %full = kernel.barriers at 16384 : <1 of 1>
    kernel.barriers.init %full : !kernel.barriers<1 of 1>
    kernel.barrier
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      %C = kernel.matrix %c at %start[%c64, %c64] stride %stride : <f32> -> <f32, align = 16>
      %acc = kernel.acc.undefined : <64 x 64 x f32, warps = 4 x 1>
      kernel.await %full[%c0] phase %c0 : <1 of 1>
      kernel.mma.fence
      %sum = kernel.mma.async %ringA[%c0] rows %c0, %ringB[%c0] cols %c0 step 0 to %acc if %false : <1 of 64 x 64 x f16>, <1 of 64 x 64 x f16>, <64 x 64 x f32, warps = 4 x 1>
      kernel.mma.commit
      %done = kernel.mma.wait 0 for %sum : !kernel.acc<64 x 64 x f32, warps = 4 x 1>
      %sines = kernel.epilogue %done at [%c0, %c0] of [%c64, %c64] {
      ^bb0(%x: f32):
        // expected-error @below {{'math.sin' not modelled: op math.sin [not-modelled; block 0]}}
        %sine = math.sin %x : f32
        kernel.yield %sine : f32
      } : <64 x 64 x f32, warps = 4 x 1> -> <64 x 64 x f32, warps = 4 x 1>
      kernel.store %sines to %C[%c0, %c0] : <64 x 64 x f32, warps = 4 x 1> to <f32, align = 16>
    }
    kernel.role "producer" warps 1 one_thread {
      kernel.expect %full[%c0] bytes 16384 : <1 of 1>
      kernel.load %a[%c0, %c0] to %ringA[%c0] signals %full : <64 x 64 x f16, rank = 2> to <1 of 64 x 64 x f16>, <1 of 1>
      kernel.load %b[%c0, %c0] to %ringB[%c0] signals %full : <64 x 64 x f16, rank = 2> to <1 of 64 x 64 x f16>, <1 of 1>
    }
    gpu.return
  }
}
