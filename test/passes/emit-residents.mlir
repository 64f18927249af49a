// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-emit)' | FileCheck %s
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-emit{on-error=return})' | FileCheck %s --check-prefix=RETURN
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-emit{host=gpu on-error=handler})' | FileCheck %s --check-prefix=GPU

// CHECK: llvm.func @honeAssertion(!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
// CHECK: llvm.mlir.global internal constant @[[$TEXT:hone_assertion_[0-9a-f]+_text]]("index out of range\00")
// CHECK: llvm.mlir.global internal @[[$FLAG:hone_assertion_[0-9a-f]+]]()
// CHECK: llvm.func @honeConstant(!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> i32
// CHECK: llvm.mlir.global internal @w_on_device()
memref.global "private" constant @w : memref<4x8xf16> = dense<2.0>

func.func private @use(memref<4x8xf16>, memref<1xi32>)

// CHECK-LABEL: func.func @f(
// CHECK: %[[DATA:.*]] = memref.get_global @w
// CHECK: %[[SLOT:.*]] = llvm.mlir.addressof @w_on_device
// CHECK: %[[STATUS:.*]] = llvm.call @honeConstant(%[[SLOT]], %{{.*}}, %{{.*}}, %[[PLACE:[0-9]+]])
// CHECK: llvm.call @honeRequire(%[[STATUS]], %{{.*}})
// CHECK: %[[FOUND:.*]] = llvm.load %[[PLACE]]
// CHECK: llvm.insertvalue %[[FOUND]]
// CHECK: %[[W:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<4x8xf16>
// CHECK: llvm.mlir.addressof @[[$FLAG]]
// CHECK: llvm.mlir.addressof @[[$TEXT]]
// CHECK: llvm.call @honeAssertion(
// CHECK: call @use(%[[W]],
// RETURN: llvm.call @honeConstant(
// RETURN: cf.cond_br
// GPU-NOT: llvm.func
// GPU: %[[W:.*]] = gpu.alloc () : memref<4x8xf16>
// GPU: gpu.memcpy %[[W]], %{{.*}}
// GPU: %[[F:.*]] = gpu.alloc () : memref<1xi32>
// GPU: gpu.memset %[[F]], %{{.*}}
// GPU: call @use(%[[W]], %[[F]])
// GPU: gpu.dealloc
// GPU: gpu.dealloc
// GPU: return
func.func @f() {
  %w = hone.constant @w : memref<4x8xf16>
  %flag = hone.assertion "index out of range" : memref<1xi32>
  call @use(%w, %flag) : (memref<4x8xf16>, memref<1xi32>) -> ()
  return
}

// CHECK: llvm.func internal @hone_release_residents()
// CHECK-COUNT-2: llvm.call @honeReleaseResident
// CHECK: llvm.mlir.global_dtors dtors = [@hone_release_residents]
