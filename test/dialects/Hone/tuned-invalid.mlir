// RUN: mlir-opt %plugin %s -split-input-file -verify-diagnostics

#p = #hone.problem<m = 512, n = 512, k = 512, a = f16:row:16, b = f16:col:16, acc = f32, c = f16:16, init = zero>
// expected-error @+1 {{schedule_c1: expected}}
hone.tuned #p on #hone.arch<a100> = #hone.schedule<small>

// -----

#p = #hone.problem<m = 512, n = 512, k = 512, a = f16:row:16, b = f16:col:16, acc = f32, c = f16:16, init = zero>
// expected-error @+1 {{expected the name of a chip, but got 'host', which names another machine for each reader of the file}}
hone.tuned #p on #hone.arch<host> = #hone.schedule<host>

// -----

#p = #hone.problem<m = 512, n = 512, k = 512, a = f16:row:16, b = f16:col:16, acc = f32, c = f16:16, init = zero>
// expected-error @+1 {{expected arch to be one of}}
hone.tuned #p on #hone.arch<h2000> = #hone.schedule<small>

// -----

#p = #hone.problem<m = 512, n = 512, k = 512, a = f16:row:16, b = f16:col:16, acc = f32, c = f16:16, init = zero>
// expected-error @+1 {{expected 'us' to be a time above 0, but got -1.000}}
hone.tuned #p on #hone.arch<h200> = #hone.schedule<small> {us = -1.0}

// -----

#p = #hone.problem<m = 512, n = 512, k = 512, a = f16:row:16, b = f16:col:16, acc = f32, c = f16:16, init = zero>
// expected-error @+1 {{expected p10, us and p90 in order, but got 3.000, 2.000 and 3.000}}
hone.tuned #p on #hone.arch<h200> = #hone.schedule<small> {p10 = 3.0, us = 2.0, p90 = 3.0}

// -----

#p = #hone.problem<m = 512, n = 512, k = 512, a = f16:row:16, b = f16:col:16, acc = f32, c = f16:16, init = zero>
// expected-error @+1 {{attribute 'us' failed to satisfy constraint: 64-bit float attribute}}
hone.tuned #p on #hone.arch<h200> = #hone.schedule<small> {us = 3}

// -----

#p = #hone.problem<m = 512, n = 512, k = 512, a = f16:row:16, b = f16:col:16, acc = f32, c = f16:16, init = zero>
// expected-error @+1 {{attribute 'grade' failed to satisfy constraint: string attribute whose value is 'trial', 'finalist' or 'chosen'}}
hone.tuned #p on #hone.arch<h200> = #hone.schedule<small> {grade = "best"}

// -----

#p = #hone.problem<m = 512, n = 512, k = 512, a = f16:row:16, b = f16:col:16, acc = f32, c = f16:16, init = zero>
func.func @elsewhere() {
  // expected-error @+1 {{expects parent op 'builtin.module'}}
  hone.tuned #p on #hone.arch<h200> = #hone.schedule<small>
  return
}

// -----

// expected-error @+1 {{expected the text of kernel 'kddfe26251f1f61e', but got that of k}}
hone.kernel "kddfe26251f1f61e" = ["gpu.func @for_2() kernel {", "  gpu.return", "}"]

// -----

func.func @elsewhere() {
  // expected-error @+1 {{expects parent op 'builtin.module'}}
  hone.kernel "kddfe26251f1f61e" = ["gpu.func @for_1() kernel {", "  gpu.return", "}"]
  return
}

// -----

// expected-error @+1 {{expected string}}
hone.kernel "kddfe26251f1f61e" = [1]

// -----

#p = #hone.problem<m = 512, n = 512, k = 512, a = f16:row:16, b = f16:col:16, acc = f32, c = f16:16, init = zero>
// expected-error @+1 {{expected 'whole' to be the name of a kernel, k and 15 hexadecimal digits, but got 'kddfe'}}
hone.tuned #p on #hone.arch<h200> = #hone.schedule<ws, rewrites = [whole(kddfe)]>
