// Sums of 8-bit floats and of parts of f32 are short where tensor cores add to them: each RUN line lets them add to a long
// one. Sums by threads count, too.
//
// DEFINE: %{schedule} = ws, persistent = no, tile = 64x64x128, consumers = 1x1, stages = 3
// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel=fallback=false --canonicalize -o %t.mlir
// DEFINE: %{prove} = not hone-opt --hone-verify-kernel -o /dev/null 2>&1 | FileCheck %s
// RUN: hone-opt %t.mlir --hone-verify-kernel -o /dev/null
// A block's products start with the sum of all blocks before, to which threads add nothing.
// RUN: sed 's/to %acc_[0-9]* if %false/to %arg9/; s/acc.add %arg9,/acc.add %acc,/' %t.mlir | %{prove} --check-prefix=BACK
// They start with the old contents of the registers.
// RUN: sed 's/ if %false//' %t.mlir | %{prove} --check-prefix=UNDEFINED
// Products of the next block are added to this one's.
// RUN: sed 's/step 0 to %acc_[0-9]* if %false/step 0 to %arg9/; s/yield %acc_10/yield %acc_9/' %t.mlir | %{prove} --check-prefix=LONG

// BACK: error: 'kernel.mma.async' has the tensor cores add up 32 elements of k to a sum of 128, of which they keep fewer bits than the problem permits; expected threads to add sums of at most 128 [value;
// UNDEFINED: error: 'kernel.mma.async' uses accumulators that were never written [unfilled;
// LONG: error: 'kernel.mma.async' has the tensor cores add up 32 elements of k to a sum of 128, of which

func.func @matmul(%a: memref<?x?xf8E4M3FN, strided<[?, 1]>>, %b: memref<?x?xf8E4M3FN, strided<[?, 1]>>,
                  %c: memref<?x?xf32, strided<[?, 1]>>) {
  hone.matmul ins(%a, col %b : memref<?x?xf8E4M3FN, strided<[?, 1]>>, memref<?x?xf8E4M3FN, strided<[?, 1]>>)
              outs(%c : memref<?x?xf32, strided<[?, 1]>>) init(zero) acc(f32) products(blocks)
  return
}
