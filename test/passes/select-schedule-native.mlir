// REQUIRES: !gpu
// RUN: not hone-opt %s --hone-select-schedule=arch=native 2>&1 | FileCheck %s
// RUN: not hone-opt %s --hone-place-buffers=arch=native 2>&1 | FileCheck %s

// Without a GPU `native` means nothing, and says what does.

// CHECK-NOT: {{^hone:}}
// CHECK: error: arch 'native': {{.+}}; use an arch by name, or host
func.func @empty() {
  return
}
