// What comes out for the host goes on without Hone: stock mlir-opt lowers it,
// mlir-translate reads that, mlir-runner runs it.

// RUN: hone-opt %s --hone-pipeline=arch=host > %t.mlir
// RUN: mlir-opt %t.mlir --convert-linalg-to-loops --convert-vector-to-scf --expand-strided-metadata --lower-affine --convert-scf-to-cf --convert-vector-to-llvm --finalize-memref-to-llvm --convert-math-to-llvm --convert-arith-to-llvm --convert-index-to-llvm --convert-func-to-llvm --convert-cf-to-llvm --convert-ub-to-llvm --reconcile-unrealized-casts > %t.llvm.mlir
// RUN: mlir-translate --mlir-to-llvmir %t.llvm.mlir | FileCheck %s --check-prefix=LLVM
// RUN: mlir-runner %t.llvm.mlir -e main --entry-point-result=void --shared-libs=%mlir_lib_dir/libmlir_runner_utils.so,%mlir_lib_dir/libmlir_c_runner_utils.so | FileCheck %s

// LLVM: define {{.*}}@hone_host_f32

// 7 products of 1 and 2, and the 1 that was there.
// CHECK: sizes = [5, 3]
// CHECK-NEXT: [15,   15,   15]
// CHECK-COUNT-4: [15,   15,   15]
func.func @main() {
  %a = memref.alloc() : memref<5x7xf32>
  %b = memref.alloc() : memref<7x3xf32>
  %c = memref.alloc() : memref<5x3xf32>
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  linalg.fill ins(%one : f32) outs(%a : memref<5x7xf32>)
  linalg.fill ins(%two : f32) outs(%b : memref<7x3xf32>)
  linalg.fill ins(%one : f32) outs(%c : memref<5x3xf32>)
  linalg.matmul ins(%a, %b : memref<5x7xf32>, memref<7x3xf32>) outs(%c : memref<5x3xf32>)
  %u = memref.cast %c : memref<5x3xf32> to memref<*xf32>
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  return
}
func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}
