// Arguments and results of f64. No kernel multiplies it, so its ops stay as loops on the host, or
// become kernels of the rest. The reference is rounded like the program, so the unit of its errors is 2^-52.
//
// DEFINE: %{arch} = host
// DEFINE: %{run} = hone run %s --arch=%{arch} --json --function
// RUN: %{run}=scaled | FileCheck %s
// RUN: %{run}=product | FileCheck %s
// RUN: %{run}=rows --dims=37 | FileCheck %s
// REDEFINE: %{arch} = sm_90a --stand-in --rest=gpu
// RUN: %{run}=scaled | FileCheck %s
// RUN: %{run}=product | FileCheck %s
// RUN: %{run}=rows --dims=37 | FileCheck %s
// CHECK: "not comparable": 0
// CHECK: "wrong": 0
//
// An f32 constant in place of one third is off by 2^-26 of it, which is far beyond f64.
// RUN: sed 's/0.33333333333333331/0.33333334326744080/' %s > %t.third.mlir
// RUN: not hone run %t.third.mlir --reference=%s --function=scaled 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: expected {{-?[0-9.]+E[-+][0-9]+}} at element {{.*}} of result 0, but got

func.func @scaled(%s: tensor<24x16xf64>, %t: f64) -> tensor<24x16xf64> {
  %third = arith.constant 0.33333333333333331 : f64
  %o = tensor.empty() : tensor<24x16xf64>
  %r = linalg.map ins(%s : tensor<24x16xf64>) outs(%o : tensor<24x16xf64>) (%a: f64, %unused: f64) {
    %0 = arith.mulf %a, %third : f64
    %1 = arith.addf %0, %t : f64
    %2 = arith.divf %1, %third : f64
    linalg.yield %2 : f64
  }
  return %r : tensor<24x16xf64>
}

func.func @product(%a: tensor<9x33xf64>, %b: tensor<33x12xf64>) -> tensor<9x12xf64> {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<9x12xf64>
  %i = linalg.fill ins(%zero : f64) outs(%e : tensor<9x12xf64>) -> tensor<9x12xf64>
  %c = linalg.matmul ins(%a, %b : tensor<9x33xf64>, tensor<33x12xf64>) outs(%i : tensor<9x12xf64>) -> tensor<9x12xf64>
  return %c : tensor<9x12xf64>
}

func.func @rows(%x: tensor<?x300xf64>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x300xf64>
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty(%n) : tensor<?xf64>
  %i = linalg.fill ins(%zero : f64) outs(%e : tensor<?xf64>) -> tensor<?xf64>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<?x300xf64>) outs(%i : tensor<?xf64>) dimensions = [1]
  return %s : tensor<?xf64>
}
