// Measurements come before guesses, and guesses before the default.

// RUN: rm -f %t.db && hone db import %t.db --from=%S/../tools/db-records.jsonl
// DEFINE: %{remarks} = --remark-policy=all --remark-format=emitRemark --remarks-filter=hone
// RUN: hone-opt %s --hone-select-schedule="arch=h200 database=%t.db" %{remarks} 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-select-schedule{arch=h200 database=%t.db})' | FileCheck %s
// RUN: hone-opt %s --hone-pipeline="arch=h200 database=%t.db" | FileCheck %s --check-prefix=PIPELINE

// CHECK-LABEL: func @measured(
// CHECK: schedule(#hone.schedule<ws, side = b, tile = 32x64x128, consumers = 1x1, teams = 1, persistent = no, cluster = 1x1, splits = 1, streams = no, stages = 8, group = 8>)
// REMARK: Function=measured | Remark="ws, side = b, {{.*}} from database, exact, stale, instead of {{.*}} from
// PIPELINE: schedule = "ws, side = b, tile = 32x64x128, consumers = 1x1, teams = 1, persistent = no, cluster = 1x1, splits = 1, streams = no, stages = 8, group = 8"
func.func @measured(%a: memref<512x512xf16>, %b: memref<512x512xf16>, %c: memref<512x512xf16>) {
  hone.matmul ins(%a, %b : memref<512x512xf16>, memref<512x512xf16>) outs(%c : memref<512x512xf16>) init(zero) acc(f32)
  return
}

// REMARK: Function=unknown | Remark="{{.*}} from the policy, instead of {{.*}} from the cost model
func.func @unknown(%a: memref<1024x512xbf16>, %b: memref<512x512xbf16>, %c: memref<1024x512xf16>) {
  hone.matmul ins(%a, %b : memref<1024x512xbf16>, memref<512x512xbf16>) outs(%c : memref<1024x512xf16>) init(zero) acc(f32)
  return
}

// Unknown extents leave the default, where no similar problem was measured.
// REMARK: Function=dynamic | Remark="{{.*}} from default, for m = ?
func.func @dynamic(%a: memref<?x512xbf16>, %b: memref<512x512xbf16>, %c: memref<?x512xf16>) {
  hone.matmul ins(%a, %b : memref<?x512xbf16>, memref<512x512xbf16>) outs(%c : memref<?x512xf16>) init(zero) acc(f32)
  return
}

// RUN: not hone-opt %s --hone-select-schedule="arch=h200 database=%t.nothing" 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: option 'database': expected a database or a tuning file, but got '{{.*}}.nothing': No such file or directory

// A build reads: neither the file nor its folder may be writable, and nothing is left there.
// RUN: rm -rf %t.d && mkdir %t.d && cp %t.db %t.d/tuned.db && touch -d 2001-01-01 %t.d/tuned.db %t.d
// RUN: ls -l --time-style=full-iso %t.d > %t.before
// RUN: hone-opt %s --hone-pipeline="arch=h200 database=%t.d/tuned.db" | FileCheck %s --check-prefix=PIPELINE
// RUN: ls -l --time-style=full-iso %t.d | diff %t.before -
// RUN: ls %t.d | count 1
// RUN: chmod a-w %t.d/tuned.db %t.d
// RUN: hone-opt %s --hone-pipeline="arch=h200 database=%t.d/tuned.db" | FileCheck %s --check-prefix=PIPELINE
// RUN: chmod u+w %t.d

// The database's tuning file gives the same answers, in any order of tuning.
// RUN: hone db export %t.db --output=%t.tuned.mlir
// RUN: hone-opt %s --hone-select-schedule="arch=h200 database=%t.db" -o %t.by-db
// RUN: hone-opt %s --hone-select-schedule="arch=h200 database=%t.tuned.mlir" | diff %t.by-db -

// A build uses measurements alone, and names the other records of a database: times of a
// rehearsal, which the cost model made up, and those of other chips.
// RUN: sed 's/"driver":"[^"]*"/"driver":"rehearsal"/' %S/../tools/db-records.jsonl > %t.rehearsed.jsonl
// RUN: rm -f %t.rehearsed.db && hone db import %t.rehearsed.db --from=%t.rehearsed.jsonl
// RUN: hone-opt %s --hone-select-schedule="arch=h200 ranges=1 database=%t.rehearsed.db" %{remarks} -o /dev/null 2>&1 | FileCheck %s --check-prefix=REHEARSED --implicit-check-not="from database"
// REHEARSED: Function=measured | Remark="{{.*}} from {{the policy|shipped tuning.*}}, instead of
// REHEARSED: [Missed] sources | {{.*}}Remark="database: expected measured records of h200, but got none"
// REHEARSED: [Missed] sources | {{.*}}Remark="database: not used: {{[0-9]+}} rehearsed of h200, because builds use measured times alone"
// RUN: not hone-opt %s --hone-select-schedule="arch=h200 ranges=1 shipped=false database=%t.rehearsed.db require=exact" -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXACT
// EXACT: error: 'hone.matmul' op expected a schedule that was measured for this problem (require=exact), but got one from the policy
// RUN: not hone-opt %s --hone-select-schedule="arch=h200 ranges=1 shipped=false database=%t.rehearsed.db require=measured" -o /dev/null 2>&1 | FileCheck %s --check-prefix=LIKE
// LIKE: error: 'hone.matmul' op expected a schedule that was measured for this problem or a similar one (require=measured), but got
// RUN: hone-opt %s --hone-select-schedule="arch=a100 database=%t.db" %{remarks} -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHERS
// RUN: hone explain %s --arch=a100 --database=%t.db 2>&1 | FileCheck %s --check-prefix=OTHERS
// OTHERS: database: expected measured records of a100, but got {{[0-9]+}} measured of h200 alone
