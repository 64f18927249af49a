// DEFINE: %{remarks} = --remark-policy=all --remark-format=emitRemark --remarks-filter=hone
// The search as a pass, in stock mlir-opt: the workers are the tool of the same
// build. Times are the cost model's, so no device is needed.

// RUN: rm -f %t.db
// RUN: mlir-opt %plugin %tuner %s --pass-pipeline='builtin.module(hone-tune{rehearse=crash:3 trials=8 policy=model database=%t.db})' %{remarks} 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks

// Known results are not measured again. Builds use no results of a rehearsal.
// RUN: hone-opt %s --hone-tune="rehearse=smooth trials=8 policy=model database=%t.db" %{remarks} 2>&1 | FileCheck %s --check-prefix=KNOWN
// RUN: hone-opt %s --hone-select-schedule="arch=h200 database=%t.db" %{remarks} 2>&1 | FileCheck %s --check-prefix=FOUND

// A compile never fails because tuning did.
// RUN: hone-opt %s --hone-tune="device=63" %{remarks} 2>&1 | FileCheck %s --check-prefix=NOGPU
// RUN: hone-opt %s --hone-tune="rehearse=smooth database=/nowhere/at/all.db" %{remarks} 2>&1 | FileCheck %s --check-prefix=NODB
// RUN: hone-opt %s --hone-tune="worker=/no/such/program" %{remarks} 2>&1 | FileCheck %s --check-prefix=NOWORKER

// A wrong value of an option is an error.
// RUN: not hone-opt %s --hone-tune="rehearse=smooth policy=guessing" 2>&1 | FileCheck %s --check-prefix=NOPOLICY
// RUN: not hone-opt %s --hone-tune=rehearse=smoth 2>&1 | FileCheck %s --check-prefix=NOPLAN
// RUN: not hone-opt %s --hone-tune=device=x 2>&1 | FileCheck %s --check-prefix=NODEVICE
// RUN: not hone-opt %s --hone-tune="trials=0 rehearse=smooth" 2>&1 | FileCheck %s --check-prefix=NOTRIALS
// NOPOLICY: error: option 'policy': expected a policy, but got 'guessing'; use hybrid, learned, writer, default, model
// NOPLAN: error: option 'rehearse': expected a rehearsal, but got 'smoth'; use smooth, compile, or e.g. crash:3,hang:5
// NODEVICE: error: option 'device': expected a device, but got 'x'; use the number of a GPU
// NOTRIALS: error: option 'trials': expected a number of at least 1, but got 0

// REMARK-DAG: tuned | {{.*}}Function=known | Remark="{{[a-z_]+}}, {{.*}}: {{[0-9.]+}} us, {{[0-9.]+}} times as fast as the default
// REMARK-DAG: not-tuned | {{.*}}Function=unknown | Remark="expected known extents above 0, but got m = ?
// KNOWN: {{.*}} us, known from before
// FOUND-NOT: from database
// FOUND: database: not used: {{[0-9]+}} rehearsed of h200, because builds use measured times alone
// NOGPU: not-tuned{{.*}}device 63: expected
// NOGPU: func.func @known
// NOGPU-NOT: schedule(
// NOGPU: func.func @pinned
// NODB: not-tuned{{.*}}'/nowhere/at/all.db'
// NOWORKER: not-tuned{{.*}}expected the tool hone as the worker, but got '/no/such/program', which is no file

// CHECK-LABEL: func.func @known
// CHECK: hone.matmul {{.*}} arch(#hone.arch<h200>) schedule(#hone.schedule<[[SCHEDULE:.*]]>)
func.func @known(%a: memref<512x256xf16>, %b: memref<256x1024xf16>, %c: memref<512x1024xf16>) {
  hone.matmul ins(%a, %b : memref<512x256xf16>, memref<256x1024xf16>)
              outs(%c : memref<512x1024xf16>) init(zero) acc(f32)
  return
}

// CHECK-LABEL: func.func @pinned
// CHECK: schedule(#hone.schedule<mma_sync, tile = 64x64x64
func.func @pinned(%a: memref<512x256xf16>, %b: memref<256x1024xf16>, %c: memref<512x1024xf16>) {
  hone.matmul ins(%a, %b : memref<512x256xf16>, memref<256x1024xf16>)
              outs(%c : memref<512x1024xf16>) init(zero) acc(f32)
              arch(#hone.arch<h200>)
              schedule(#hone.schedule<mma_sync, tile = 64x64x64, warps = 2x2, stages = 4, slices = 1, splits = 1, run = 2, group = 8>)
  return
}

// CHECK-LABEL: func.func @unknown
// CHECK-NOT: schedule(
func.func @unknown(%a: memref<?x256xf16>, %b: memref<256x1024xf16>, %c: memref<?x1024xf16>) {
  hone.matmul ins(%a, %b : memref<?x256xf16>, memref<256x1024xf16>)
              outs(%c : memref<?x1024xf16>) init(zero) acc(f32)
  return
}
