// Roles, barriers and engines print as they are read.
// RUN: hone-opt %s | hone-opt | FileCheck %s
// RUN: hone-opt %s --mlir-print-op-generic | hone-opt | FileCheck %s

!acc = !kernel.acc<64 x 128 x f32, warps = 4 x 1>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @roles(
  // CHECK-SAME: %[[A:.*]]: !kernel.map<64 x 64 x f16, rank = 2>, %[[B:.*]]: !kernel.map<64 x 64 x f16, rank = 3>
  gpu.func @roles(%a: !kernel.map<64 x 64 x f16, rank = 2>, %b: !kernel.map<64 x 64 x f16, rank = 3>, %i: i32)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %ring = kernel.ring at 0 : !kernel.ring<4 of 128 x 64 x f16>
    // CHECK: %[[FULL:.*]] = kernel.barriers at 65536 : <4 of 1>
    %full = kernel.barriers at 65536 : !kernel.barriers<4 of 1>
    %empty = kernel.barriers at 65568 : !kernel.barriers<4 of 1>
    // CHECK: kernel.barriers.init %[[FULL]], %{{.*}} : !kernel.barriers<4 of 1>, !kernel.barriers<4 of 1>
    kernel.barriers.init %full, %empty : !kernel.barriers<4 of 1>, !kernel.barriers<4 of 1>
    // CHECK: kernel.map.prefetch %[[A]] : <64 x 64 x f16, rank = 2>
    kernel.map.prefetch %a : !kernel.map<64 x 64 x f16, rank = 2>
    // CHECK: kernel.cluster.sync
    kernel.cluster.sync
    // CHECK: kernel.cluster.rank
    %rank = kernel.cluster.rank
    // CHECK: kernel.worker of 2
    %worker, %workers = kernel.worker of 2
    // CHECK: kernel.role "producer" warps 4 registers 40 one_thread {
    kernel.role "producer" warps 4 registers 40 one_thread {
      // CHECK: kernel.await %{{.*}}[%{{.*}}] phase %{{.*}} : <4 of 1>
      kernel.await %empty[%i] phase %i : !kernel.barriers<4 of 1>
      // CHECK: kernel.expect %[[FULL]][%{{.*}}] bytes 16384 : <4 of 1>
      kernel.expect %full[%i] bytes 16384 : !kernel.barriers<4 of 1>
      // CHECK: kernel.load %[[A]][%{{.*}}, %{{.*}}] to %{{.*}}[%{{.*}}] signals %[[FULL]] : <64 x 64 x f16, rank = 2> to <4 of 128 x 64 x f16>, <4 of 1>
      kernel.load %a[%i, %i] to %ring[%i] signals %full
          : !kernel.map<64 x 64 x f16, rank = 2> to !kernel.ring<4 of 128 x 64 x f16>, !kernel.barriers<4 of 1>
      // CHECK: kernel.load %[[B]][%{{.*}}, %{{.*}}, %{{.*}}] to %{{.*}}[%{{.*}}] signals %[[FULL]] part %{{.*}} of 2 :
      kernel.load %b[%i, %i, %i] to %ring[%i] signals %full part %rank of 2
          : !kernel.map<64 x 64 x f16, rank = 3> to !kernel.ring<4 of 128 x 64 x f16>, !kernel.barriers<4 of 1>
    }
    // CHECK: kernel.role "consumer" warps 4 registers 232 {
    // CHECK-NEXT: ^bb0(%[[GROUP:.*]]: i32):
    kernel.role "consumer" warps 4 registers 232 {
    ^bb0(%group: i32):
      // CHECK: %[[ACC:.*]] = kernel.acc.undefined : <64 x 128 x f32, warps = 4 x 1>
      %acc = kernel.acc.undefined : !acc
      %keep = arith.constant false
      // CHECK: kernel.mma.fence
      kernel.mma.fence
      // CHECK: kernel.mma.async %{{.*}}[%{{.*}}] rows %{{.*}}, %{{.*}}[%{{.*}}] cols %{{.*}} step 0 to %[[ACC]] if %{{.*}} :
      %0 = kernel.mma.async %ring[%i] rows %i, %ring[%i] cols %i step 0 to %acc if %keep
          : !kernel.ring<4 of 128 x 64 x f16>, !kernel.ring<4 of 128 x 64 x f16>, !acc
      // CHECK: kernel.mma.async %{{.*}}[%{{.*}}] rows %{{.*}} transposed, %{{.*}}[%{{.*}}] cols %{{.*}} step 3 to
      %t = kernel.ring at 66560 : !kernel.ring<4 of 64 x 128 x f16>
      %1 = kernel.mma.async %t[%i] rows %i transposed, %ring[%i] cols %i step 3 to %0
          : !kernel.ring<4 of 64 x 128 x f16>, !kernel.ring<4 of 128 x 64 x f16>, !acc
      // CHECK: kernel.mma.commit
      kernel.mma.commit
      // CHECK: kernel.mma.wait 0 for %{{.*}} : !kernel.acc<64 x 128 x f32, warps = 4 x 1>
      %2 = kernel.mma.wait 0 for %1 : !acc
      // CHECK: kernel.mma.wait 1{{$}}
      kernel.mma.wait 1
      // CHECK: kernel.arrive %{{.*}}[%{{.*}}] : <4 of 1>
      kernel.arrive %empty[%i] : !kernel.barriers<4 of 1>
      // CHECK: kernel.arrive %{{.*}}[%{{.*}}] everywhere 2 : <4 of 1>
      kernel.arrive %empty[%i] everywhere 2 : !kernel.barriers<4 of 1>
      // CHECK: kernel.arrive %{{.*}}[%{{.*}}] blocks %{{.*}} : <4 of 1>
      kernel.arrive %empty[%i] blocks %i : !kernel.barriers<4 of 1>
      // CHECK: kernel.slice %{{.*}} from 64 : <64 x 128 x f32, warps = 4 x 1> -> <64 x 32 x f32, warps = 4 x 1>
      %part = kernel.slice %2 from 64 : !acc -> !kernel.acc<64 x 32 x f32, warps = 4 x 1>
      %c = kernel.ring at 131072 : !kernel.ring<1 of 64 x 32 x f32>
      // CHECK: kernel.store.wait 0{{$}}
      kernel.store.wait 0
      // CHECK: kernel.group.barrier
      kernel.group.barrier
      // CHECK: kernel.stage %{{.*}} to %{{.*}}[%{{.*}}] at %{{.*}} : <64 x 32 x f32, warps = 4 x 1> to <1 of 64 x 32 x f32>
      kernel.stage %part to %c[%i] at %i : !kernel.acc<64 x 32 x f32, warps = 4 x 1> to !kernel.ring<1 of 64 x 32 x f32>
      // CHECK: %[[OLD:.*]] = kernel.unstage %{{.*}}[%{{.*}}] at %{{.*}} : <1 of 64 x 32 x f32> -> <64 x 32 x f32, warps = 4 x 1>
      %old = kernel.unstage %c[%i] at %i : !kernel.ring<1 of 64 x 32 x f32> -> !kernel.acc<64 x 32 x f32, warps = 4 x 1>
      // CHECK: kernel.epilogue %{{.*}} at[%{{.*}}, %{{.*}}] of[%{{.*}}, %{{.*}}] with(%[[OLD]] : !kernel.acc<64 x 32 x f32, warps = 4 x 1>)
      %both = kernel.epilogue %part at [%i, %i] of [%i, %i] with (%old : !kernel.acc<64 x 32 x f32, warps = 4 x 1>) {
      ^bb0(%sum: f32, %was: f32):
        %y = arith.addf %sum, %was : f32
        kernel.yield %y : f32
      } : !kernel.acc<64 x 32 x f32, warps = 4 x 1> -> !kernel.acc<64 x 32 x f32, warps = 4 x 1>
      // CHECK: kernel.proxy.fence
      kernel.proxy.fence
      // CHECK: kernel.store.async %{{.*}}[%{{.*}}] from %{{.*}} to %[[A]][%{{.*}}, %{{.*}}] :
      kernel.store.async %ring[%i] from %i to %a[%i, %i] : !kernel.ring<4 of 128 x 64 x f16> to !kernel.map<64 x 64 x f16, rank = 2>
      // CHECK: kernel.store.commit
      kernel.store.commit
      // CHECK: kernel.store.wait 0 written
      kernel.store.wait 0 written
    }
    gpu.return
  }
}

// Rows that lanes have read, transposed and split; f32 of the engine are rounded.

gpu.module @registers {
  // CHECK-LABEL: gpu.func @fetched(
  // CHECK-SAME: !kernel.map<32 x 32 x f32, rank = 2, rounded>
  gpu.func @fetched(%m: !kernel.map<32 x 32 x f32, rank = 2, rounded>, %i: i32, %later: i1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    kernel.role "consumer" warps 4 {
    ^bb0(%group: i32):
      %ringA = kernel.ring at 0 : !kernel.ring<2 of 32 x 128 x f32>
      %ringB = kernel.ring at 32768 : !kernel.ring<2 of 64 x 32 x f32>
      %acc = kernel.zero : !kernel.acc<64 x 64 x f32, warps = 4 x 1>
      // CHECK: %[[ROWS:.*]] = kernel.read %{{.*}}[%{{.*}}] rows %{{.*}} step 1 transposed : <2 of 32 x 128 x f32> -> <"a", 64 x f32, warps = 4 x 1>
      %rows = kernel.read %ringA[%i] rows %i step 1 transposed : !kernel.ring<2 of 32 x 128 x f32> -> !kernel.fragment<"a", 64 x f32, warps = 4 x 1>
      // CHECK: %[[HIGH:.*]], %[[LOW:.*]] = kernel.split %[[ROWS]] : <"a", 64 x f32, warps = 4 x 1>
      %high, %low = kernel.split %rows : !kernel.fragment<"a", 64 x f32, warps = 4 x 1>
      kernel.mma.fence
      // CHECK: %[[SMALL:.*]] = kernel.mma.fetched %[[LOW]], %{{.*}}[%{{.*}}] cols %{{.*}} step 1 to %{{.*}} if %{{.*}} : <"a", 64 x f32, warps = 4 x 1>, <2 of 64 x 32 x f32>, <64 x 64 x f32, warps = 4 x 1>
      %0 = kernel.mma.fetched %low, %ringB[%i] cols %i step 1 to %acc if %later : !kernel.fragment<"a", 64 x f32, warps = 4 x 1>, !kernel.ring<2 of 64 x 32 x f32>, !kernel.acc<64 x 64 x f32, warps = 4 x 1>
      // CHECK: kernel.mma.fetched %[[HIGH]], %{{.*}} step 1 to %[[SMALL]] :
      %1 = kernel.mma.fetched %high, %ringB[%i] cols %i step 1 to %0 : !kernel.fragment<"a", 64 x f32, warps = 4 x 1>, !kernel.ring<2 of 64 x 32 x f32>, !kernel.acc<64 x 64 x f32, warps = 4 x 1>
    }
    gpu.return
  }
}
