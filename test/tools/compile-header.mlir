// Arguments in the header.
//
// RUN: rm -rf %t && hone compile %s -o %t --arch=sm_80 --pipeline=guess=false --name=block
// RUN: FileCheck %s --input-file=%t/block.h
// RUN: rm -rf %t.host && hone compile %s -o %t.host --arch=sm_80 --pipeline=guess=false --arguments=host --name=block
// RUN: FileCheck %s --input-file=%t.host/block.h --check-prefix=HOST
// RUN: rm -rf %t.invariant && hone compile %s -o %t.invariant --arch=sm_80 --pipeline='guess=false numbers=invariant' --name=block
// RUN: FileCheck %s --input-file=%t.invariant/block.h --check-prefix=INVARIANT
// RUN: rm -rf %t.stdin && hone compile - -o %t.stdin --arch=host < %s
// RUN: FileCheck %s --input-file=%t.stdin/module.h --check-prefix=STDIN
// RUN: rm -rf %t.numbers && sed 's/%%x\b/%%7/g' %s | hone compile - -o %t.numbers --arch=host
// RUN: FileCheck %s --input-file=%t.numbers/module.h --check-prefix=NUMBERS

// CHECK: written by Hone {{.*}} for sm_80.
// CHECK: cc program.c block.o -lhone_rt -lm
// CHECK: Memory is the device's
// CHECK: #ifndef BLOCK_H

// HOST-NOT: is the device's
// HOST: It copies from and to memory of the host

// STDIN: for the host.
// STDIN: cc program.c module.o {{.*}}-lm

// A destination that is given changes, and is not returned once more.
//
// CHECK-LABEL: /* @adds
// CHECK-NEXT: *   x    x_size0 x 64 of f16, row-major
// CHECK-NEXT: *   w    64 x 32 of f16, row-major
// CHECK-NEXT: *   sum  changed: sum_size0 x 32 of f32, row-major
// CHECK-NEXT: */
// CHECK-NEXT: int block_adds(void *stream,
// CHECK-NEXT:     const void *x, int64_t x_size0,
// CHECK-NEXT:     const void *w,
// CHECK-NEXT:     float *sum, int64_t sum_size0);
// INVARIANT-LABEL: /* @adds
// INVARIANT: *   sum  changed: sum_size0 x 32 of f32, row-major
// INVARIANT-NEXT: *   Products have numbers = invariant.
// INVARIANT-NEXT: */
// STDIN-LABEL: int module_adds(void *stream,
// STDIN-NEXT: const void *x, int64_t x_size0,
// NUMBERS-LABEL: int module_adds(void *stream,
// NUMBERS-NEXT: const void *arg0, int64_t arg0_size0,
func.func @adds(%x: tensor<?x64xf16>, %w: tensor<64x32xf16>, %sum: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<?x64xf16>, tensor<64x32xf16>) outs(%sum : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}

// Words of C are not names in C, and arguments that one function changes its callers change.
//
// CHECK-LABEL: /* @calls
// CHECK-NEXT: *   int_  32 x 32 of f16, row-major
// CHECK-NEXT: *   int2  changed: 32 x 32 of f16, row-major
// CHECK-NEXT: */
// CHECK-NEXT: int block_calls(void *stream,
// CHECK-NEXT:     const void *int_,
// CHECK-NEXT:     void *int2);
func.func @calls(%int: memref<32x32xf16>, %int2: memref<32x32xf16>) {
  call @multiplies(%int, %int2) : (memref<32x32xf16>, memref<32x32xf16>) -> ()
  return
}
func.func private @multiplies(%a: memref<32x32xf16>, %c: memref<32x32xf16>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %a : memref<32x32xf16>, memref<32x32xf16>) outs(%c : memref<32x32xf16>)
  return
}

// CHECK: const char *block_message(void);
