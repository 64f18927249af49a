// A chip without tables of its own is asked as an H200 where it has the same instruction set: what
// comes of that is a guess, and is said.

// RUN: split-file %s %t
// DEFINE: %{remarks} = --remark-policy=all --remark-format=emitRemark --remarks-filter=hone
// RUN: hone-opt %t/in.mlir --hone-select-schedule="arch=h200" -o %t/h200.mlir
// RUN: hone-opt %t/in.mlir --hone-select-schedule="arch=h100" %{remarks} -o %t/h100.mlir 2> %t/h100.txt
// RUN: FileCheck %t/in.mlir --check-prefix=H100 --input-file=%t/h100.txt

// With as many processors, its schedules are those of an H200.
// RUN: sed 's/<h100>/<h200>/' %t/h100.mlir | diff %t/h200.mlir -

// With fewer, the policy is asked as a part of one, for which nothing was measured.
// RUN: hone-opt %t/in.mlir --hone-select-schedule="arch=h20" %{remarks} -o /dev/null 2>&1 | FileCheck %t/in.mlir --check-prefix=H20 --implicit-check-not='shipped H200'

// None of it is a measurement.
// RUN: not hone-opt %t/in.mlir --hone-select-schedule="arch=h100 require=exact" -o /dev/null 2>&1 | FileCheck %t/in.mlir --check-prefix=EXACT
// RUN: not hone-opt %t/in.mlir --hone-select-schedule="arch=h100 require=measured" -o /dev/null 2>&1 | FileCheck %t/in.mlir --check-prefix=MEASURED
// RUN: hone-opt %t/in.mlir --hone-select-schedule="arch=h100 guess=false" %{remarks} -o /dev/null 2>&1 | FileCheck %t/in.mlir --check-prefix=DEFAULT

// What the user measured on the chip comes first, also of another epilogue.
// RUN: hone-opt %t/in.mlir --hone-select-schedule="arch=h100 database=%t/own.mlir" %{remarks} -o /dev/null 2>&1 | FileCheck %t/in.mlir --check-prefix=OWN

// Another instruction set has neither, which is said once.
// RUN: hone-opt %t/in.mlir --hone-select-schedule="arch=a100" %{remarks} -o /dev/null 2>&1 | FileCheck %t/in.mlir --check-prefix=A100
// RUN: hone-opt %t/in.mlir --hone-select-schedule="arch=h200" %{remarks} -o /dev/null 2>&1 | FileCheck %t/in.mlir --check-prefix=H200
// RUN: hone-opt %t/in.mlir --hone-select-schedule="arch=host" %{remarks} -o /dev/null 2>&1 | FileCheck %t/in.mlir --check-prefix=H200

// So explain says it, too.
// RUN: hone explain %t/in.mlir --arch=h100 2> %t/explain.txt | FileCheck %t/in.mlir --check-prefix=EXPLAIN
// RUN: FileCheck %t/in.mlir --check-prefix=SAID --input-file=%t/explain.txt

//--- own.mlir
hone.tuned #hone.problem<m = 256, n = 3584, k = 3584, a = f16:row:16, b = f16:row:16, acc = f32, c = f16:16, init = read> on #hone.arch<h100> = #hone.schedule<ws, side = a, tile = 128x64x64, consumers = 1x1, teams = 2, persistent = yes, stages = 7, group = 8>
//--- in.mlir
// H100: Function=shipped | Remark="ws, side = a, tile = 128x64x64, {{.*}} from shipped H200 tuning, exact{{(, stale)?}}, asked as h200, before {{.*}} from the policy, asked as h200
// H20: Function=shipped | Remark="{{.*}} from the policy, asked as h200, before {{.*}} from the cost model
// OWN: Function=shipped | Remark="ws, side = a, tile = 128x64x64, {{.*}} stages = 7, {{.*}} from tuning file, nearest, m = 256, n = 3584, k = 3584 (another init), before {{.*}} from shipped H200 tuning, exact{{(, stale)?}}, asked as h200
// DEFAULT: Function=shipped | Remark="{{.*}} from default, for
// EXACT: error: 'hone.matmul' op expected a schedule that was measured for this problem (require=exact), but got '{{.*}}' from shipped H200 tuning, exact{{.*}}, asked as h200; use 'hone tune'
// MEASURED: error: 'hone.matmul' op expected a schedule that was measured for this problem or a like one (require=measured), but got '{{.*}}' from shipped H200 tuning, exact{{.*}}, asked as h200; use 'hone tune'
// A100: Function=shipped | Remark="{{.*}} from default, for
// EXPLAIN: why shipped H200 tuning, exact{{.*}}, asked as h200, before
func.func @shipped(%a: memref<256x3584xf16>, %b: memref<3584x3584xf16>, %c: memref<256x3584xf16>) {
  hone.matmul ins(%a, %b : memref<256x3584xf16>, memref<3584x3584xf16>) outs(%c : memref<256x3584xf16>) init(zero) acc(f32)
  return
}
// H100: Function=other | Remark="{{.*}} from the policy, asked as h200, before {{.*}} from the cost model
// H20: Function=other | Remark="{{.*}} from the policy, asked as h200
// EXPLAIN: why the policy, asked as h200, before
func.func @other(%a: memref<264x1664xbf16>, %b: memref<1664x1152xbf16>, %c: memref<264x1152xbf16>) {
  hone.matmul ins(%a, %b : memref<264x1664xbf16>, memref<1664x1152xbf16>) outs(%c : memref<264x1152xbf16>) init(zero) acc(f32)
  return
}
// The remark stands for the module.
// H100: [Missed] sources | {{.*}}Remark="h100 has no tables of its own: the policy and the shipped tuning are asked as h200, which has the same instruction set; use 'hone tune' on h100 for measurements"
// H100-NOT: no tables of its own
// H20: [Missed] sources | {{.*}}Remark="h20 has no tables of its own: the policy and the shipped tuning are asked as h200
// A100: [Missed] sources | {{.*}}Remark="a100 has no tables of its own: the policy was trained for h200, which has another instruction set, and is not asked; use 'hone tune' on a100 for measurements"
// A100-NOT: no tables of its own
// H200-NOT: no tables of its own
// SAID: h100 has no tables of its own
