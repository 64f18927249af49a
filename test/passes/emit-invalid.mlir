// RUN: split-file %s %t
// RUN: hone-opt %t/module.mlir --hone-emit --split-input-file --verify-diagnostics
// RUN: mlir-opt %plugin %t/module.mlir --pass-pipeline='builtin.module(hone-emit)' --split-input-file --verify-diagnostics
// RUN: not hone-opt %t/empty.mlir --hone-emit=host=cuda 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not hone-opt %t/empty.mlir --hone-emit=format=sass 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not hone-opt %t/launch.mlir --hone-emit 2>&1 | FileCheck %s --check-prefix=NOT-LOWERED
// RUN: env PATH=/nowhere CUDA_HOME=/nowhere CUDA_PATH=/nowhere %hone_obj/bin/hone-opt %t/kernel.mlir --hone-emit=format=cubin > %t/out 2>&1 || true
// RUN: FileCheck %s --check-prefix=NO-PTXAS --input-file=%t/out

// HOST: option 'host': expected one of runtime, gpu, but got 'cuda'
// FORMAT: option 'format': expected one of ptx, cubin, but got 'sass'
// NOT-LOWERED: error: expected a gpu.module that was lowered, with a plan of that name, but got none; run hone-lower-kernel first
// NO-PTXAS: error: expected ptxas on the PATH or in CUDA_HOME for format=cubin, but got none; use format=ptx, which needs no toolkit

//--- empty.mlir
module {}

//--- launch.mlir
func.func @launch(%a: i64) {
  kernel.launch @kernels::@plan(a = %a)
  return
}

//--- kernel.mlir
gpu.module @kernels [#nvvm.target<chip = "sm_80">] attributes {hone.plans = {}} {
  llvm.func @kernel() attributes {gpu.kernel, nvvm.kernel} {
    llvm.return
  }
}

//--- module.mlir
// expected-error @+1 {{expected one #nvvm.target on a module with launch plans, but got []}}
gpu.module @without_target attributes {hone.plans = {}} {
}

// -----

// LLVM reads unsigned numbers here, and ends the process at others.
gpu.module @extents [#nvvm.target<chip = "sm_90">] attributes {hone.plans = {}} {
  // expected-error @+1 {{expected positive extents in nvvm.cluster_dim, but got array<i32: 2, 1, -8>}}
  llvm.func @kernel() attributes {gpu.kernel, nvvm.kernel, nvvm.cluster_dim = array<i32: 2, 1, -8>} {
    llvm.return
  }
}

// -----

gpu.module @number [#nvvm.target<chip = "sm_90">] attributes {hone.plans = {}} {
  // expected-error @+1 {{expected a positive number of 32 bits in nvvm.maxnreg, but got -1 : i32}}
  llvm.func @kernel() attributes {gpu.kernel, nvvm.kernel, nvvm.maxnreg = -1 : i32} {
    llvm.return
  }
}

// -----

// LLVM takes its oldest processor for an unknown one.
// expected-error @+1 {{expected a target of sm_80 to sm_121f, but got 'sm_99'; use hone-build-kernel, which names it}}
gpu.module @chip [#nvvm.target<chip = "sm_99">] attributes {hone.plans = {}} {
}

// -----

// One that LLVM has, and the table of chips does not.
// expected-error @+1 {{expected a target of sm_80 to sm_121f, but got 'sm_70'; use hone-build-kernel, which names it}}
gpu.module @older_chip [#nvvm.target<chip = "sm_70">] attributes {hone.plans = {}} {
}

// -----

// LLVM ends the process at a PTX version that is older than the target.
// expected-error @+1 {{expected one feature, +ptx80 or a later PTX version, but got '+ptx78'}}
gpu.module @version [#nvvm.target<chip = "sm_90a", features = "+ptx78">] attributes {hone.plans = {}} {
}

// -----

// expected-error @+1 {{expected one feature, +ptx80 or a later PTX version, but got '+ptx80,+sm_90'}}
gpu.module @features [#nvvm.target<chip = "sm_90a", features = "+ptx80,+sm_90">] attributes {hone.plans = {}} {
}

// -----

// expected-error @+1 {{expected a target that links nothing, but got ["other.bc"]}}
gpu.module @link [#nvvm.target<chip = "sm_90a", link = ["other.bc"]>] attributes {hone.plans = {}} {
}

// -----

// LLVM ends the process at an instruction that it cannot select.
gpu.module @depend [#nvvm.target<chip = "sm_89">] attributes {hone.plans = {}} {
  llvm.func @kernel() attributes {gpu.kernel, nvvm.kernel} {
    // expected-error @+1 {{expected a target that has this instruction, but got 'sm_89'; use sm_90 or newer}}
    nvvm.griddepcontrol wait
    llvm.return
  }
}

// -----

gpu.module @registers [#nvvm.target<chip = "sm_90">] attributes {hone.plans = {}} {
  llvm.func @kernel() attributes {gpu.kernel, nvvm.kernel} {
    // expected-error @+1 {{expected a target that has this instruction, but got 'sm_90'; use sm_90a}}
    nvvm.setmaxregister increase 232
    llvm.return
  }
}

// -----

// ptxas would take a call of nothing, and the driver refuse the image.
// expected-error @+1 {{expected kernels that call no library, but got a call of '__nv_erff'}}
gpu.module @library_call [#nvvm.target<chip = "sm_80">] attributes {hone.plans = {}} {
  llvm.func @__nv_erff(f32) -> f32
  llvm.func @kernel(%x: f32, %p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %0 = llvm.call @__nv_erff(%x) : (f32) -> f32
    llvm.store %0, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

gpu.module @kernels [#nvvm.target<chip = "sm_80">] attributes {hone.plans = {plan = #kernel.plan<"hone-plan 2", "args a b", "alternative 1", "launch k", "grid 1 ; 1 ; 1", "block 32 ; 1 ; 1", "shared 0">}} {
}
func.func @other_arguments(%a: i64) {
  // expected-error @+1 {{expected the arguments of the plan (a, b), but got (b, a, c)}}
  kernel.launch @kernels::@plan(b = %a, a = %a, c = %a)
  return
}
