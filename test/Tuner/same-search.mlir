// The pass, the command and the benchmark run one search: a build's choice is tried
// first and meets the default in the final. Times are the cost model's; only those
// of the benchmark have no noise. unit/Policy/TuneDefaultsTest.cpp tests the numbers
// of trials and finalists.

// DEFINE: %{trials} = %python -c "import json, sys; print('\n'.join(sorted(' '.join(['trial' if r['grade'] == 'trial' else 'final', r['policy'], r['problem'], r['schedule']]) for r in map(json.loads, sys.stdin))))"

// RUN: rm -f %t.pass.db %t.tune.db %t.bench.db
// RUN: hone-opt %s --hone-tune="rehearse=smooth trials=1 database=%t.pass.db" -o /dev/null
// RUN: hone tune %s --rehearse=smooth --arch=h200 --trials=1 --db=%t.tune.db > /dev/null
// RUN: hone bench gemm --rehearse=smooth --arch=h200 --shapes=512x512x64 --layouts=nn --search=tune:1 --db=%t.bench.db > /dev/null
// RUN: hone db export %t.tune.db | %{trials} > %t.tune
// RUN: hone db export %t.pass.db | %{trials} | diff %t.tune -
// RUN: hone db export %t.bench.db | %{trials} | diff %t.tune -
// RUN: FileCheck %s < %t.tune

// CHECK: final default m = 512, n = 512, k = 64
// CHECK-NEXT: final hybrid/build m = 512, n = 512, k = 64
// CHECK-NOT: {{^(trial|final) }}
func.func @product(%a: memref<512x64xf16>, %b: memref<64x512xf16>, %c: memref<512x512xf16>) {
  hone.matmul ins(%a, %b : memref<512x64xf16>, memref<64x512xf16>)
              outs(%c : memref<512x512xf16>) init(zero) acc(f32)
  return
}
