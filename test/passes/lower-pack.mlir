// Kernels that pack, whatever an element has: words and pieces of 16 bytes, in as many instructions.

// DEFINE: %{pack} =
// DEFINE: %{emit} = hone-opt --hone-select-schedule="arch=h200 schedule='ws, tile = 64x64x128, consumers = 1x1, stages = 3, pack = %{pack}'" --hone-build-kernel=fallback=false --hone-lower-kernel --hone-emit
// DEFINE: %{count} = sed 's/.*entry hone_pack/hone_pack/; s/entry hone_ws.*//; s/\\0A/\n/g' | grep -E -o "hone_pack[a-zA-Z0-9_]*\(|(ld|st)\.global\.[a-z0-9.]*" | uniq -c

// Of 8 bits four words of each of four pieces, and one more that has the rest of the last.
// REDEFINE: %{pack} = a
// RUN: %{emit} %s | %{count} | FileCheck %s --check-prefix=COPY
// Transposed, two words of each of 16 lines.
// REDEFINE: %{pack} = b
// RUN: sed 's/col %b/%b/' %s | %{emit} | %{count} | FileCheck %s --check-prefix=TURN
// Words of 32-bit elements stay as they are.
// RUN: sed 's/col %b/%b/; s/f8E5M2/f32/g; s/blocks/tf32/' %s | %{emit} | %{count} | FileCheck %s --check-prefix=WORDS

// Weights become f16: two words of each piece, and one more; each four bytes are two conversions of a pair.
// REDEFINE: %{pack} = b
// RUN: sed 's/%a: memref<?x?xf8E5M2/%a: memref<?x?xf16/; s/memref<?x?xf8E5M2, strided<\[?, 1\]>>, memref<?x?xf8E5M2, strided<\[?, 1\]>>)/memref<?x?xf16, strided<[?, 1]>>, memref<?x?xf8E5M2, strided<[?, 1]>>)/; s/ products(blocks)//' %s > %t.weights.mlir
// RUN: %{emit} %t.weights.mlir | %{count} | FileCheck %s --check-prefix=WIDER
// RUN: %{emit} %t.weights.mlir | FileCheck %s --check-prefix=FLOATS
// RUN: sed 's/f8E5M2/i8/g; s/xf16/xbf16/g' %t.weights.mlir | %{emit} | FileCheck %s --check-prefix=INTEGERS

// WIDER: hone_pack_f8E5M2_to_f16(
// WIDER-NEXT: 12 ld.global.b32
// WIDER: st.global.v4.b32
// FLOATS: entry hone_pack_f8E5M2_to_f16
// FLOATS: cvt.rn.f16x2.e5m2x2
// INTEGERS: entry hone_pack_i8_to_bf16
// INTEGERS: add.rn.f32
// COPY: hone_pack_f8E5M2(
// COPY-NEXT: 20 ld.global.b32
// COPY: st.global.v4.b32
// TURN: hone_pack_f8E5M2_turned(
// TURN-NEXT: 32 ld.global.b32
// TURN: st.global.v4.b32
// WORDS: hone_pack_f32_turned(
// WORDS-NEXT: 16 ld.global.b32
// WORDS: st.global.v4.b32
func.func @nt(%a: memref<?x?xf8E5M2, strided<[?, 1]>>, %b: memref<?x?xf8E5M2, strided<[?, 1]>>, %c: memref<?x?xf32, strided<[?, 1]>>) {
  hone.matmul ins(%a, col %b : memref<?x?xf8E5M2, strided<[?, 1]>>, memref<?x?xf8E5M2, strided<[?, 1]>>)
              outs(%c : memref<?x?xf32, strided<[?, 1]>>) init(zero) acc(f32) products(blocks)
  return
}
