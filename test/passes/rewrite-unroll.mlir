// The first step before the loop, or two steps at a time and the remaining ones after it.
// ptxas overlaps the products of both.

// DEFINE: %{schedule} =
// DEFINE: %{kernel} = hone-opt %s --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel=fallback=false --canonicalize
// DEFINE: %{proof} = hone-opt --hone-verify-kernel -o /dev/null

// REDEFINE: %{schedule} = ws, tile = 128x128x64, rewrites = [unroll(peel)]
// RUN: %{kernel} -o %t && FileCheck %s --input-file=%t
// RUN: %{proof} %t
// REDEFINE: %{schedule} = ws, tile = 128x128x64, rewrites = [unroll(2)]
// RUN: %{kernel} -o %t && FileCheck %s --input-file=%t --check-prefix=TWO
// RUN: %{proof} %t
// REDEFINE: %{schedule} = ws, tile = 128x128x64, stages = 4, persistent = no, rewrites = [unroll(4)]
// RUN: %{kernel} -o %t && FileCheck %s --input-file=%t --check-prefix=FOUR
// RUN: %{proof} %t
// REDEFINE: %{schedule} = ws, tile = 128x128x64, stages = 6, persistent = no, rewrites = [flight(2), unroll(4)]
// RUN: %{kernel} -o %t && %{proof} %t

func.func @f(%a: memref<1024x1024xf16>, %b: memref<1024x1024xf16>, %c: memref<1024x1024xf16>) {
  hone.matmul ins(%a, col %b : memref<1024x1024xf16>, memref<1024x1024xf16>) outs(%c : memref<1024x1024xf16>) init(zero) acc(f32)
  return
}

// CHECK: kernel.role "consumer"
// CHECK: kernel.await
// CHECK-NEXT: kernel.mma.fence
// CHECK-NEXT: kernel.mma.async {{.*}} step 0 to %acc if %false
// CHECK: kernel.mma.commit
// CHECK-NEXT: %[[FIRST:.*]] = kernel.mma.wait 1
// CHECK-NOT: kernel.arrive
// CHECK: scf.for %{{.*}} = %c1_i32 to %{{.*}} step %c1_i32 iter_args(%[[SUM:[a-z0-9]+]] = %[[FIRST]], %[[BEFORE:[a-z0-9]+]] = %{{.*}},
// CHECK: kernel.mma.async {{.*}} step 0 to %[[SUM]] :
// CHECK: kernel.mma.wait 1
// CHECK-NEXT: kernel.arrive %{{.*}}[%[[BEFORE]]]

// TWO: kernel.role "consumer"
// TWO: scf.for %[[STEP:[a-z0-9]+]] = %c0_i32 to %{{.*}} step %c2_i32
// TWO: arith.cmpi ne, %[[STEP]], %c0_i32
// TWO: kernel.mma.commit
// Only the first copy may be the first step.
// TWO-NOT: arith.cmpi ne
// TWO: kernel.mma.commit
// TWO: scf.yield
// TWO: scf.for {{.*}} step %c1_i32
// TWO: kernel.mma.commit
// TWO-NOT: kernel.mma.commit
// TWO: kernel.mma.wait 0

// Where as many steps are written out as there are slots, each copy has a slot of its own.
// FOUR: kernel.role "consumer"
// FOUR: scf.for %{{.*}} = %c0_i32 to %{{.*}} step %c4_i32
// FOUR-COUNT-4: kernel.mma.commit
// FOUR-NOT: arith.cmpi eq
// FOUR: scf.yield
// FOUR: scf.for {{.*}} step %c1_i32
// FOUR-NOT: arith.cmpi eq
// FOUR: scf.yield
