// Arguments of a launch of a rest kernel: each RUN line exchanges two values of a right one.
//
// RUN: hone-opt %s --hone-outline-rest="arch=h200" --hone-build-rest="arch=h200" --canonicalize > %t.mlir
// RUN: hone-opt %t.mlir --hone-verify-kernel -o /dev/null
// DEFINE: %{prove} = not hone-opt --hone-verify-kernel -o /dev/null 2>&1 | FileCheck %s
// Two addresses, two extents of one memref, extents of two memrefs, a stride and an extent.
// RUN: sed 's/(p0 = \(%[0-9]*\),\(.*\) p1 = \(%[0-9]*\)/(p0 = \3,\2 p1 = \1/' %t.mlir | %{prove} --check-prefix=BUFFERS
// RUN: sed 's/p0d0 = \(%[0-9]*\),\(.*\) p0d1 = \(%[0-9]*\)/p0d0 = \3,\2 p0d1 = \1/' %t.mlir | %{prove} --check-prefix=SIZES
// RUN: sed 's/p0d0 = \(%[0-9]*\),\(.*\) p1d0 = \(%[0-9]*\)/p0d0 = \3,\2 p1d0 = \1/' %t.mlir | %{prove} --check-prefix=OTHER
// RUN: sed 's/p0s0 = \(%[0-9]*\),\(.*\) p1s0 = \(%[0-9]*\)/p0s0 = \3,\2 p1s0 = \1/' %t.mlir | %{prove} --check-prefix=STRIDES
// A number where an address belongs, another scalar, the offset of another memref, and one in another unit.
// RUN: sed 's/(p0 = \(%[0-9]*\), p0d0 = \(%[0-9]*\)/(p0 = \2, p0d0 = \1/' %t.mlir | %{prove} --check-prefix=ADDRESS
// RUN: sed 's/x3 = \(%[0-9]*\), x4 = \(%[0-9]*\)/x3 = \2, x4 = \1/' %t.mlir | %{prove} --check-prefix=SCALARS
// RUN: sed 's/muli %offset_[0-9]*, %c2/muli %offset, %c2/' %t.mlir | %{prove} --check-prefix=OFFSET
// RUN: sed 's/muli %offset, %c4/muli %offset, %c2/' %t.mlir | %{prove} --check-prefix=SCALE

// BUFFERS: error: 'kernel.launch' gives the plan another value: expected the address of a memref<?x?xf32, strided<[?, 1]{{.*}}> for 'p0', but got that of a memref<?x?xf16
// SIZES: gives the plan another value: expected the extent of operand 0 in dimension 0 for 'p0d0', but got another value
// OTHER: gives the plan another value: expected the extent of operand 0 in dimension 0 for 'p0d0', but got another value
// STRIDES: gives the plan another value: expected the stride of operand 0 in dimension 0 for 'p0s0', but got another value
// ADDRESS: gives the plan another value: expected an address for 'p0', but got an extent or a distance
// SCALARS: gives the plan another value: expected a f32 for 'x3', but got a f16
// OFFSET: gives the plan another value: expected the offset of the same memref for 'p1', but got that of another
// SCALE: gives the plan another value: expected an offset of elements of 4 bytes for 'p0', but got another

#id = affine_map<(i, j) -> (i, j)>

func.func @f(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %y: memref<?x?xf16, strided<[?, 1], offset: ?>>,
             %z: memref<?x?xf32, strided<[?, 1], offset: ?>>, %f: f32, %g: f16) {
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : memref<?x?xf32, strided<[?, 1], offset: ?>>, memref<?x?xf16, strided<[?, 1], offset: ?>>)
      outs(%z : memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  ^bb0(%a: f32, %b: f16, %out: f32):
    %0 = arith.mulf %a, %f : f32
    %1 = arith.addf %b, %g : f16
    %2 = arith.extf %1 : f16 to f32
    %3 = arith.subf %0, %2 : f32
    linalg.yield %3 : f32
  }
  return
}
