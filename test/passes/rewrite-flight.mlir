// When a slot is given back: that of the step itself, when its products are done; or that of two
// steps before, of which there may be none.

// DEFINE: %{schedule} =
// DEFINE: %{kernel} = hone-opt %s --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel=fallback=false --canonicalize
// DEFINE: %{proof} = hone-opt --hone-verify-kernel -o /dev/null

// REDEFINE: %{schedule} = ws, tile = 128x128x64, rewrites = [flight(0)]
// RUN: %{kernel} -o %t && FileCheck %s --input-file=%t --check-prefix=ZERO
// RUN: %{proof} %t
// REDEFINE: %{schedule} = ws, tile = 128x128x64, rewrites = [flight(2)]
// RUN: %{kernel} -o %t && FileCheck %s --input-file=%t --check-prefix=TWO
// RUN: %{proof} %t
// REDEFINE: %{schedule} = ws, tile = 128x128x64, stages = 2, rewrites = [flight(2)]
// RUN: not %{kernel} 2>&1 | FileCheck %s --check-prefix=STAGES

func.func @f(%a: memref<1024x1024xf16>, %b: memref<1024x1024xf16>, %c: memref<1024x1024xf16>) {
  hone.matmul ins(%a, col %b : memref<1024x1024xf16>, memref<1024x1024xf16>) outs(%c : memref<1024x1024xf16>) init(zero) acc(f32)
  return
}

// ZERO: kernel.role "consumer"
// ZERO: scf.for {{.*}} {
// ZERO: scf.for {{.*}} {
// ZERO: kernel.await %{{.*}}[%[[SLOT:.*]]] phase
// ZERO: kernel.mma.commit
// ZERO-NEXT: kernel.mma.wait 0
// ZERO-NEXT: kernel.arrive %[[EMPTY:.*]][%[[SLOT]]]
// ZERO-NOT: scf.if
// ZERO: scf.yield
// ZERO-NEXT: }
// ZERO-NEXT: kernel.mma.wait 0
// ZERO-NOT: kernel.arrive

// TWO: kernel.role "consumer"
// TWO: %[[LOOP:.*]]:5 = scf.for %[[STEP:.*]] = %c0_i32 to %[[STEPS:.*]] step %c1_i32 iter_args(%{{.*}} = %acc, %[[BEFORE:.*]] = %[[START:.*]], %[[SLOT:.*]] = %[[START]], %{{.*}} = %{{.*}}, %[[EARLIER:.*]] = %[[START]])
// TWO: kernel.mma.wait 2
// TWO-NEXT: %[[IS_THIRD:.*]] = arith.cmpi ugt, %[[STEP]], %c1_i32
// TWO-NEXT: scf.if %[[IS_THIRD]] {
// TWO-NEXT: kernel.arrive %[[EMPTY:.*]][%[[EARLIER]]]
// TWO: scf.yield %{{.*}}, %[[SLOT]], %{{.*}}, %{{.*}}, %[[BEFORE]] :
// TWO: kernel.mma.wait 0
// TWO-NEXT: %[[ARE_TWO:.*]] = arith.cmpi ugt, %[[STEPS]], %c1_i32
// TWO-NEXT: scf.if %[[ARE_TWO]] {
// TWO-NEXT: kernel.arrive %[[EMPTY]][%[[LOOP]]#4]
// TWO-NEXT: }
// TWO-NEXT: kernel.arrive %[[EMPTY]][%[[LOOP]]#1]

// STAGES: error: {{.*}}schedule_c81: expected stages to be at least 3 with 2 groups of products in flight, but got 2; use 3
