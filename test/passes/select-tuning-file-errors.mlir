// Errors in a tuning file are reported at their place.

// RUN: split-file %s %t
// DEFINE: %{select} = not hone-opt %t/in.mlir --hone-select-schedule
// RUN: cd %t && %{select}="database=twice.mlir" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: cd %t && %{select}="database=law.mlir" 2>&1 | FileCheck %s --check-prefix=LAW
// RUN: cd %t && %{select}="database=text.mlir" 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: cd %t && %{select}="database=other.mlir" 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: cd %t && %{select}="database=grade.mlir" 2>&1 | FileCheck %s --check-prefix=GRADE
// RUN: cd %t && %{select}="database=number.mlir" 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: cd %t && %{select}="database=nothing.mlir" 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: cd %t && not mlir-opt %plugin in.mlir --pass-pipeline='builtin.module(hone-pipeline{database=twice.mlir})' 2>&1 | FileCheck %s --check-prefix=TWICE

// TWICE: twice.mlir:4:1: error: expected one schedule for a problem on h200, but got a second; remove one of the lines
// TWICE: twice.mlir:2:1: note: the first is here
// LAW: law.mlir:2:1: error: 'hone.tuned' op schedule_c1: expected
// TEXT: text.mlir:1:1: error: expected a tuning file, but got a file of another kind
// OTHER: other.mlir:2:10: error: expected hone.tuned or hone.kernel, but got builtin.unrealized_conversion_cast
// OTHER: other.mlir:3:6: error: expected hone.tuned or hone.kernel, but got hone.matmul
// GRADE: grade.mlir:2:59: error: {{.*}}attribute 'grade' failed to satisfy constraint: string attribute whose value is 'trial', 'finalist' or 'chosen'
// NUMBER: number.mlir:2:1: error: expected 'samples' of 1 or more, 'space' and 'measured_at' of 0 or more, but got less
// NOTHING: error: option 'database': expected a database or a tuning file, but got 'nothing.mlir': No such file or directory

//--- in.mlir
func.func @f(%a: memref<512x512xf16>, %b: memref<512x512xf16>, %c: memref<512x512xf16>) {
  hone.matmul ins(%a, %b : memref<512x512xf16>, memref<512x512xf16>) outs(%c : memref<512x512xf16>) init(zero) acc(f32)
  return
}
//--- twice.mlir
#p = #hone.problem<m = 512, n = 512, k = 512, a = f16:row:16, b = f16:row:16, acc = f32, c = f16:16, init = zero>
hone.tuned #p on #hone.arch<h200> = #hone.schedule<small>
hone.tuned #p on #hone.arch<h100> = #hone.schedule<small>
hone.tuned #p on #hone.arch<sm_90a> = #hone.schedule<small, stages = 3>
//--- law.mlir
#p = #hone.problem<m = 512, n = 512, k = 512, a = f16:row:16, b = f16:row:16, acc = f32, c = f16:16, init = zero>
hone.tuned #p on #hone.arch<a100> = #hone.schedule<small>
//--- text.mlir
this is no tuning file
//--- other.mlir
module {
%a, %b = "builtin.unrealized_conversion_cast"() : () -> (tensor<512x512xf16>, tensor<512x512xf16>)
%c = hone.matmul ins(%a, %b : tensor<512x512xf16>, tensor<512x512xf16>) outs(%a : tensor<512x512xf16>) init(zero) acc(f32) -> tensor<512x512xf16>
}
//--- grade.mlir
#p = #hone.problem<m = 512, n = 512, k = 512, a = f16:row:16, b = f16:row:16, acc = f32, c = f16:16, init = zero>
hone.tuned #p on #hone.arch<h200> = #hone.schedule<small> {grade = "good"}
//--- number.mlir
#p = #hone.problem<m = 512, n = 512, k = 512, a = f16:row:16, b = f16:row:16, acc = f32, c = f16:16, init = zero>
hone.tuned #p on #hone.arch<h200> = #hone.schedule<small> {samples = 0}
