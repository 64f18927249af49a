// Kernels without a verdict get a remark; with `prove` they get verdicts in the file beside
// the database, which later builds find. The database itself is not needed for that.
//
// DEFINE: %{kernel} = hone-opt %s --hone-select-schedule="arch=sm_80 schedule='mma_sync, tile = 32x32x32, warps = 2x2, stages = 3'" --hone-build-kernel --canonicalize
// DEFINE: %{remarks} = --remark-policy=all --remark-format=emitRemark --remarks-filter=hone
// DEFINE: %{recall} = hone-opt %{remarks} --hone-recall-verdicts
// RUN: rm -rf %t && mkdir %t
// RUN: %{kernel} > %t/kernel.mlir
// RUN: %{recall}="database=%t/db" %t/kernel.mlir 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: not ls %t/db.verdicts
// RUN: %{recall}="database=%t/db prove" %t/kernel.mlir 2>&1 >/dev/null | count 0
// RUN: FileCheck %s --check-prefix=FILE < %t/db.verdicts
// RUN: %{recall}="database=%t/db" %t/kernel.mlir 2>&1 >/dev/null | count 0
// REMARK: remark: [Missed] not-proven | {{.*}}'hone_mma_sync_{{[^']*}}'{{.*}}; use 'prove', or hone simulate
// FILE: hone-verdicts 1
// FILE-NEXT: proven {{[0-9a-f]+$}}
// For lines that start anywhere.
// FILE-NEXT: proven {{[0-9a-f]+$}}
// FILE-NOT: proven

// Extents that a module defines are not a part of a proof.
// RUN: sed 's/, m = ?, n = ?/, m = 64, n = 96/' %t/kernel.mlir > %t/known.mlir
// RUN: %{recall}="database=%t/db" %t/known.mlir 2>&1 >/dev/null | count 0

// A kernel, a plan, a run-time decision or a target that differ in anything are something else.
// RUN: sed 's/kernel.copy.wait 1/kernel.copy.wait 0/' %t/kernel.mlir > %t/other.mlir
// RUN: %{recall}="database=%t/db" %t/other.mlir 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: sed 's/shared 12288/shared 12304/' %t/kernel.mlir > %t/other.mlir
// RUN: %{recall}="database=%t/db" %t/other.mlir 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: sed 's/%c8_i64 = arith.constant 8/%c8_i64 = arith.constant 7/' %t/kernel.mlir > %t/other.mlir
// RUN: %{recall}="database=%t/db" %t/other.mlir 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: sed 's/chip = "sm_80"/chip = "sm_90"/' %t/kernel.mlir > %t/other.mlir
// RUN: %{recall}="database=%t/db" %t/other.mlir 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// A wrong kernel is an error, and leaves no verdict.
// RUN: sed 's/kernel.copy.wait 1/kernel.copy.wait 2/' %t/kernel.mlir > %t/wrong.mlir
// RUN: not %{recall}="database=%t/db prove" %t/wrong.mlir 2>&1 >/dev/null | FileCheck %s --check-prefix=WRONG
// RUN: %{recall}="database=%t/db" %t/wrong.mlir 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// WRONG: error: expected a kernel whose barriers are right, but got 'hone_mma_sync_{{.*}}unfilled

// A plan is proven where all of its alternatives are, each under its own guard: a verdict of one
// does not hold for the next.
// RUN: sed 's/align = 2>/align = 16>/' %t/kernel.mlir > %t/second.mlir
// RUN: not %{recall}="database=%t/second prove" %t/second.mlir 2>&1 >/dev/null | FileCheck %s --check-prefix=SECOND
// RUN: grep -c proven %t/second.verdicts | FileCheck %s --check-prefix=ONE
// RUN: %{recall}="database=%t/second" %t/second.mlir 2>&1 >/dev/null | FileCheck %s --check-prefix=REST
// SECOND: accesses lines as if they were aligned to 16 bytes, but the guard lets others through
// ONE: 1
// REST: not-proven
// REST-NOT: not-proven

// A damaged line is a warning, and the others count; half a line of a writer that died ends there.
// RUN: sed '1a garbage' %t/db.verdicts > %t/bad.verdicts
// RUN: %{recall}="database=%t/bad" %t/kernel.mlir 2>&1 >/dev/null | FileCheck %s --check-prefix=DAMAGED
// RUN: head -c 40 %t/db.verdicts > %t/half.verdicts
// RUN: %{recall}="database=%t/half prove" %t/kernel.mlir 2>&1 >/dev/null | FileCheck %s --check-prefix=HALF
// RUN: grep -c proven %t/half.verdicts | FileCheck %s --check-prefix=LINES
// RUN: %{recall}="database=%t/half" %t/kernel.mlir 2>&1 >/dev/null | FileCheck %s --check-prefix=HALF
// DAMAGED-NOT: remark
// DAMAGED: warning: '{{.*}}bad.verdicts': expected 'proven' and 64 digits in line 2, but got something else; such lines are ignored
// HALF-NOT: remark
// HALF: warning: '{{.*}}half.verdicts': expected 'proven' and 64 digits in line 2
// LINES: 3

// A file of another kind is a warning, and stays as it is.
// RUN: sed 's/^hone-verdicts 1/garbage/' %t/db.verdicts > %t/foreign.verdicts && cp %t/foreign.verdicts %t/kept
// RUN: %{recall}="database=%t/foreign prove" %t/kernel.mlir 2>&1 >/dev/null | FileCheck %s --check-prefix=FOREIGN
// RUN: diff %t/foreign.verdicts %t/kept
// FOREIGN-NOT: remark
// FOREIGN: warning: expected a file of verdicts, but got '{{.*}}foreign.verdicts': something that does not begin with 'hone-verdicts 1'; it is ignored

// So is a folder, and a file that cannot be written.
// RUN: mkdir %t/folder.verdicts
// RUN: %{recall}="database=%t/folder prove" %t/kernel.mlir 2>&1 >/dev/null | FileCheck %s --check-prefix=FOLDER
// RUN: %{recall}="database=%t/missing/db prove" %t/kernel.mlir 2>&1 >/dev/null | FileCheck %s --check-prefix=UNWRITTEN
// FOLDER-NOT: cannot write
// FOLDER: warning: expected a file of verdicts, but got '{{.*}}folder.verdicts': a folder; it is ignored
// FOLDER-NOT: cannot write
// UNWRITTEN: warning: cannot write verdicts to '{{.*}}missing/db.verdicts': No such file or directory

// The pipeline asks, too.
// RUN: hone-opt %s %{remarks} --hone-pipeline="arch=sm_80 schedule='mma_sync, tile = 32x32x32, warps = 2x2, stages = 3' fallback=false" 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: hone-opt %s %{remarks} --hone-pipeline="arch=sm_80 schedule='mma_sync, tile = 32x32x32, warps = 2x2, stages = 3' fallback=false prove" 2>&1 >/dev/null | FileCheck %s --check-prefix=PROVEN --allow-empty
// PROVEN-NOT: not proven

func.func @matmul(%a: memref<?x?xf16, strided<[?, 1]>>, %b: memref<?x?xf16, strided<[?, 1]>>,
                  %c: memref<?x?xf16, strided<[?, 1]>>) {
  hone.matmul ins(%a, %b : memref<?x?xf16, strided<[?, 1]>>, memref<?x?xf16, strided<[?, 1]>>)
      outs(%c : memref<?x?xf16, strided<[?, 1]>>) init(zero) acc(f32)
  return
}
