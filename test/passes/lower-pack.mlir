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
// Of 32 bits a word is what it is.
// RUN: sed 's/col %b/%b/; s/f8E5M2/f32/g; s/blocks/tf32/' %s | %{emit} | %{count} | FileCheck %s --check-prefix=WORDS

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
