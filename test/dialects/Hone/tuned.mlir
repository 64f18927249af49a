// RUN: mlir-opt %plugin %s --verify-roundtrip | FileCheck %s
// RUN: mlir-opt %plugin %s --mlir-print-op-generic | mlir-opt %plugin | FileCheck %s
// RUN: mlir-opt %plugin %s --emit-bytecode | hone-opt --accept-bytecode | FileCheck %s

// It has no result and no effect, and stays.
// RUN: mlir-opt %plugin %s --canonicalize --cse --symbol-dce | FileCheck %s

#small = #hone.schedule<small, tile = 64x64x64>

// CHECK: hone.tuned #hone.problem<m = 512, n = 512, k = 512, a = f16:row:16, b = f16:col:16, acc = f32, c = f16:16, init = zero> on #hone.arch<h200> = #hone.schedule<ws, side = a, tile = 64x64x64,{{.*}}> {driver = "580", grade = "chosen", hone = "0.1", llvm = "22", measured_at = 1 : i64, p10 = 3.000000e+00 : f64, p90 = 3.500000e+00 : f64, policy = "random", samples = 7 : i64, space = 1 : i64, us = 3.125000e+00 : f64}
hone.tuned #hone.problem<m = 512, n = 512, k = 512, a = f16:row:16, b = f16:col:16, acc = f32, c = f16:16, init = zero> on #hone.arch<h200> = #small {us = 3.125, p10 = 3.0, p90 = 3.5, samples = 7, grade = "chosen", driver = "580", llvm = "22", hone = "0.1", space = 1, policy = "random", measured_at = 1}

// A person may write the least; attributes of others are kept.
// CHECK: hone.tuned #hone.problem<batch = 8, m = ?, n = 512, {{.*}}epilogue = "addf(acc, n:f32)"> on #hone.arch<sm_80> = #hone.schedule<mma_sync, {{.*}}stages = 3, {{.*}}> {my.note = "by hand"}
hone.tuned #hone.problem<batch = 8, m = ?, n = 512, k = 512, a = bf16:row:16, b = bf16:col:16:shared, acc = f32, c = f32:16, init = read, epilogue = "addf(acc, n:f32)"> on #hone.arch<sm_80> = #hone.schedule<mma_sync, stages = 3> {my.note = "by hand"}

// The text of a kernel that schedules name, line by line.
// CHECK: hone.kernel "kddfe26251f1f61e" = [
// CHECK-NEXT: {{^}}  "gpu.func @for_1() kernel {",
// CHECK-NEXT: {{^}}  "  gpu.return",
// CHECK-NEXT: {{^}}  "}"]
hone.kernel "kddfe26251f1f61e" = ["gpu.func @for_1() kernel {", "  gpu.return", "}"]
// CHECK: hone.kernel "kbe4deace90e3af6" = [
// CHECK-NEXT: {{^}}  "a \22quoted\22 line",
// CHECK-NEXT: {{^}}  ""] {my.note = "by hand"}
hone.kernel "kbe4deace90e3af6" = ["a \22quoted\22 line", ""] {my.note = "by hand"}

// CHECK: hone.tuned {{.*}}, rewrites = [whole(kddfe26251f1f61e)]> {us
hone.tuned #hone.problem<m = 64, n = 512, k = 512, a = f16:row:16, b = f16:col:16, acc = f32, c = f16:16, init = zero> on #hone.arch<h200> = #hone.schedule<ws, rewrites = [whole(kddfe26251f1f61e)]> {us = 3.125}
