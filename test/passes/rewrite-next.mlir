// The next launch may start after the last loads, or at the end.

// DEFINE: %{schedule} =
// DEFINE: %{kernel} = hone-opt %s --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel=fallback=false --canonicalize
// DEFINE: %{proof} = hone-opt --hone-verify-kernel -o /dev/null

// REDEFINE: %{schedule} = ws, tile = 128x128x64, rewrites = [next(loaded)]
// RUN: %{kernel} -o %t && FileCheck %s --input-file=%t --check-prefix=LOADED
// RUN: %{proof} %t
// REDEFINE: %{schedule} = ws, tile = 128x128x64, rewrites = [next(stored)]
// RUN: %{kernel} -o %t && FileCheck %s --input-file=%t --check-prefix=STORED
// RUN: %{proof} %t
// REDEFINE: %{schedule} = ws, tile = 128x128x64, overlap = no, rewrites = [next(stored)]
// RUN: not %{kernel} 2>&1 | FileCheck %s --check-prefix=ALONE

func.func @f(%a: memref<1024x1024xf16>, %b: memref<1024x1024xf16>, %c: memref<1024x1024xf16>) {
  hone.matmul ins(%a, col %b : memref<1024x1024xf16>, memref<1024x1024xf16>) outs(%c : memref<1024x1024xf16>) init(zero) acc(f32)
  return
}

// LOADED-NOT: kernel.depend.release
// LOADED: kernel.role "producer"
// LOADED: kernel.load
// LOADED: kernel.depend.release
// LOADED-NEXT: }
// LOADED-NEXT: kernel.role "consumer"
// LOADED-NOT: kernel.depend.release

// STORED-NOT: kernel.depend.release
// STORED: kernel.store.wait 0
// STORED-NEXT: }
// STORED-NEXT: kernel.depend.release
// STORED-NEXT: gpu.return

// ALONE: error: {{.*}}schedule_c4: expected 'next' to be start with the other decisions, but got stored
