// A machine without measurements gets the policy's estimates and the measurements of similar chips.
// Its numbers decide how much they count; the answer is a guess, and a remark names it so.

// RUN: split-file %s %t
// DEFINE: %{remarks} = --remark-policy=all --remark-format=emitRemark --remarks-filter=hone
// RUN: hone-opt %t/in.mlir --hone-select-schedule="arch=h800" %{remarks} -o /dev/null 2> %t/h800.txt
// RUN: FileCheck %t/in.mlir --check-prefix=H800 --input-file=%t/h800.txt

// A machine that is far from all of the measured chips gets none of their schedules.
// RUN: hone-opt %t/in.mlir --hone-select-schedule="arch=h20" %{remarks} -o /dev/null 2>&1 | FileCheck %t/in.mlir --check-prefix=H20 --implicit-check-not='shipped tuning'

// None of it is a measurement.
// RUN: not hone-opt %t/in.mlir --hone-select-schedule="arch=h800 require=exact" -o /dev/null 2>&1 | FileCheck %t/in.mlir --check-prefix=EXACT
// RUN: not hone-opt %t/in.mlir --hone-select-schedule="arch=h800 require=measured" -o /dev/null 2>&1 | FileCheck %t/in.mlir --check-prefix=MEASURED
// RUN: hone-opt %t/in.mlir --hone-select-schedule="arch=h800 guess=false" %{remarks} -o /dev/null 2>&1 | FileCheck %t/in.mlir --check-prefix=DEFAULT

// The user's measurements on the machine come first, also of another epilogue.
// RUN: hone-opt %t/in.mlir --hone-select-schedule="arch=h800 database=%t/own.mlir" %{remarks} -o /dev/null 2>&1 | FileCheck %t/in.mlir --check-prefix=OWN

// Another instruction set has neither, and a remark says so once.
// RUN: hone-opt %t/in.mlir --hone-select-schedule="arch=a100" %{remarks} -o /dev/null 2>&1 | FileCheck %t/in.mlir --check-prefix=A100
// RUN: hone-opt %t/in.mlir --hone-select-schedule="arch=h200" %{remarks} -o /dev/null 2>&1 | FileCheck %t/in.mlir --check-prefix=KNOWN
// RUN: hone-opt %t/in.mlir --hone-select-schedule="arch=h100" %{remarks} -o /dev/null 2>&1 | FileCheck %t/in.mlir --check-prefix=KNOWN
// RUN: hone-opt %t/in.mlir --hone-select-schedule="arch=host" %{remarks} -o /dev/null 2>&1 | FileCheck %t/in.mlir --check-prefix=KNOWN

// So explain says it, too.
// RUN: hone explain %t/in.mlir --arch=h800 2> %t/explain.txt | FileCheck %t/in.mlir --check-prefix=EXPLAIN
// RUN: FileCheck %t/in.mlir --check-prefix=SAID --input-file=%t/explain.txt

//--- own.mlir
hone.tuned #hone.problem<m = 256, n = 3584, k = 3584, a = f16:row:16, b = f16:row:16, acc = f32, c = f16:16, init = read> on #hone.arch<h800> = #hone.schedule<ws, side = a, tile = 128x64x64, consumers = 1x1, teams = 2, persistent = yes, stages = 7, group = 8>
//--- in.mlir
// H800: Function=shipped | Remark="{{.*}} from shipped tuning, exact{{(, stale)?}}, of h200, instead of {{.*}} from the policy
// H20: Function=shipped | Remark="{{.*}} from the policy, instead of {{.*}} from the cost model
// OWN: Function=shipped | Remark="ws, side = a, tile = 128x64x64, {{.*}} stages = 7, {{.*}} from tuning file, nearest, m = 256, n = 3584, k = 3584 (another init), instead of {{.*}} from shipped tuning, exact{{(, stale)?}}, of h200
// DEFAULT: Function=shipped | Remark="{{.*}} from default, for
// EXACT: error: 'hone.matmul' op expected a schedule that was measured for this problem (require=exact), but got one from shipped tuning, exact{{.*}}, of h200; use 'hone tune'
// MEASURED: error: 'hone.matmul' op expected a schedule that was measured for this problem or a similar one (require=measured), but got one from shipped tuning, exact{{.*}}, of h200; use 'hone tune'
// A100: Function=shipped | Remark="{{.*}} from the cost model, instead of {{.*}} from default, for
// EXPLAIN: why shipped tuning, exact{{.*}}, of h200, instead of
func.func @shipped(%a: memref<256x3584xf16>, %b: memref<3584x3584xf16>, %c: memref<256x3584xf16>) {
  hone.matmul ins(%a, %b : memref<256x3584xf16>, memref<3584x3584xf16>) outs(%c : memref<256x3584xf16>) init(zero) acc(f32)
  return
}
// H800: Function=other | Remark="{{.*}} from the policy, instead of {{.*}} from the cost model
// H20: Function=other | Remark="{{.*}} from the policy, instead of
// EXPLAIN: why the policy, instead of
func.func @other(%a: memref<264x1664xbf16>, %b: memref<1664x1152xbf16>, %c: memref<264x1152xbf16>) {
  hone.matmul ins(%a, %b : memref<264x1664xbf16>, memref<1664x1152xbf16>) outs(%c : memref<264x1152xbf16>) init(zero) acc(f32)
  return
}
// The remark stands for the module.
// H800: [Missed] sources | {{.*}}Remark="h800: the policy was not trained on this machine; the closest is h100, at 0.15 doublings, so the policy has 1.00 of an estimate and the cost model the rest; use 'hone tune' on h800 for measurements"
// H800-NOT: not trained on
// H20: [Missed] sources | {{.*}}Remark="h20: the policy was not trained on this machine; the closest is
// A100: [Missed] sources | {{.*}}Remark="a100: the policy was trained on no machine with the instruction set sm_80, and the cost model chooses; use 'hone tune' on a100 for measurements"
// A100-NOT: was trained on no
// KNOWN-NOT: not trained on
// SAID: h800: the policy was not trained on this machine
