module {
  gpu.module @hone_sm_90a [#nvvm.target<O = 3, chip = "sm_90a", features = "+ptx80">] attributes {hone.plans = {hone_ws_f16_f16_nn_67628e3046a1fb2d = #kernel.plan<"hone-plan 2", "args a b c m n k group lda ldb ldc", "alternative a % 16 == 0 && lda % 8 == 0 && b % 16 == 0 && ldb % 8 == 0 && c % 16 == 0 && ldc % 8 == 0 && k > 0 && lda > 0 && ldb > 0 && ldc >= n && n % 8 == 0", "launch hone_ws_f16_f16_nn_67628e3046a1fb2d", "grid ceildiv(n, 192) * ceildiv(m, 144) ; 1 ; 1", "block 416 ; 1 ; 1", "shared 190528", "attribute programmatic", "param tensormap a : f16 dims (k, m) strides (lda * 2) box (64, 144) swizzle 128", "param tensormap b : f16 dims (n, k) strides (ldb * 2) box (64, 64) swizzle 128", "param tensormap c : f16 dims (n, m) strides (ldc * 2) box (64, 24) swizzle 128", "param i32 m", "param i32 n", "param i32 k", "param i32 group">}} {
    gpu.func @hone_ws_f16_f16_nn_67628e3046a1fb2d(%arg0: !kernel.map<144 x 64 x f16, rank = 2>, %arg1: !kernel.map<64 x 64 x f16, rank = 2>, %arg2: !kernel.map<24 x 64 x f16, rank = 2>, %arg3: i32, %arg4: i32, %arg5: i32, %arg6: i32) kernel attributes {hone.stands_back, known_block_size = array<i32: 416, 1, 1>, nvvm.minctasm = 1 : i32} {
      %c120_i32 = arith.constant 120 : i32
      %c96_i32 = arith.constant 96 : i32
      %c72_i32 = arith.constant 72 : i32
      %c48_i32 = arith.constant 48 : i32
      %c24_i32 = arith.constant 24 : i32
      %c4_i32 = arith.constant 4 : i32
      %c1_i32 = arith.constant 1 : i32
      %c64_i32 = arith.constant 64 : i32
      %c0_i32 = arith.constant 0 : i32
      %c144_i32 = arith.constant 144 : i32
      %c192_i32 = arith.constant 192 : i32
      kernel.depend.release
      kernel.map.prefetch %arg0 : <144 x 64 x f16, rank = 2>
      kernel.map.prefetch %arg1 : <64 x 64 x f16, rank = 2>
      kernel.map.prefetch %arg2 : <24 x 64 x f16, rank = 2>
      %ring = kernel.ring at 0 : <4 of 64 x 192 x f16>
      %ring_0 = kernel.ring at 98304 : <4 of 144 x 64 x f16>
      %ring_1 = kernel.ring at 172032 : <2 of 72 x 64 x f16>
      %barriers = kernel.barriers at 190464 : <4 of 1>
      %barriers_2 = kernel.barriers at 190496 : <4 of 3>
      kernel.barriers.init %barriers, %barriers_2 : !kernel.barriers<4 of 1>, !kernel.barriers<4 of 3>
      kernel.barrier
      %0 = arith.ceildivui %arg4, %c192_i32 : i32
      %1 = arith.ceildivui %arg3, %c144_i32 : i32
      %2 = arith.subi %arg3, %c144_i32 : i32
      %3 = arith.maxsi %2, %c0_i32 : i32
      %worker, %workers = kernel.worker of 1
      %4 = arith.ceildivui %arg5, %c64_i32 : i32
      %5 = arith.maxui %4, %c1_i32 : i32
      kernel.role "consumer" warps 12 {
      ^bb0(%arg7: i32):
        %6 = arith.muli %arg7, %c64_i32 : i32
        %acc = kernel.acc.undefined : <64 x 144 x f32, warps = 4 x 1>
        %7:3 = scf.for %arg8 = %c0_i32 to %5 step %c1_i32 iter_args(%arg9 = %acc, %arg10 = %c0_i32, %arg11 = %c0_i32) -> (!kernel.acc<64 x 144 x f32, warps = 4 x 1>, i32, i32)  : i32 {
          %28 = arith.cmpi ne, %arg8, %c0_i32 : i32
          kernel.await %barriers[%arg10] phase %arg11 : <4 of 1>
          kernel.mma.fence
          %acc_14 = kernel.mma.async %ring[%arg10] rows %6 transposed, %ring_0[%arg10] cols %c0_i32 step 0 to %arg9 if %28 : <4 of 64 x 192 x f16>, <4 of 144 x 64 x f16>, <64 x 144 x f32, warps = 4 x 1>
          %acc_15 = kernel.mma.async %ring[%arg10] rows %6 transposed, %ring_0[%arg10] cols %c0_i32 step 1 to %acc_14 : <4 of 64 x 192 x f16>, <4 of 144 x 64 x f16>, <64 x 144 x f32, warps = 4 x 1>
          %acc_16 = kernel.mma.async %ring[%arg10] rows %6 transposed, %ring_0[%arg10] cols %c0_i32 step 2 to %acc_15 : <4 of 64 x 192 x f16>, <4 of 144 x 64 x f16>, <64 x 144 x f32, warps = 4 x 1>
          %acc_17 = kernel.mma.async %ring[%arg10] rows %6 transposed, %ring_0[%arg10] cols %c0_i32 step 3 to %acc_16 : <4 of 64 x 192 x f16>, <4 of 144 x 64 x f16>, <64 x 144 x f32, warps = 4 x 1>
          kernel.mma.commit
          %acc_18 = kernel.mma.wait 0 for %acc_17 : !kernel.acc<64 x 144 x f32, warps = 4 x 1>
          kernel.arrive %barriers_2[%arg10] : <4 of 3>
          %29 = arith.addi %arg10, %c1_i32 : i32
          %30 = arith.cmpi eq, %29, %c4_i32 : i32
          %31 = arith.select %30, %c0_i32, %29 : i32
          %32 = arith.extui %30 : i1 to i32
          %33 = arith.xori %arg11, %32 : i32
          scf.yield %acc_18, %31, %33 : !kernel.acc<64 x 144 x f32, warps = 4 x 1>, i32, i32
        }
        %acc_3 = kernel.mma.wait 0 for %7#0 : !kernel.acc<64 x 144 x f32, warps = 4 x 1>
        %tileM, %tileN, %batch = kernel.tile %worker of %1, %0 group %arg6
        %8 = arith.muli %tileN, %c192_i32 : i32
        %9 = arith.muli %tileM, %c144_i32 : i32
        %10 = arith.minui %9, %3 : i32
        %11 = arith.addi %8, %6 : i32
        %part = kernel.slice %acc_3 from 0 : <64 x 144 x f32, warps = 4 x 1> -> <64 x 24 x f32, warps = 4 x 1>
        %tile = kernel.epilogue %part at[%11, %10] of[%arg4, %arg3] {
        ^bb0(%arg8: f32):
          %28 = arith.truncf %arg8 : f32 to f16
          kernel.yield %28 : f16
        } : <64 x 24 x f32, warps = 4 x 1> -> <64 x 24 x f16, warps = 4 x 1>
        %12 = arith.muli %arg7, %c24_i32 : i32
        kernel.stage %tile to %ring_1[%c0_i32] at %12 transposed : <64 x 24 x f16, warps = 4 x 1> to <2 of 72 x 64 x f16>
        %13 = arith.addi %8, %6 : i32
        %14 = arith.addi %10, %c24_i32 : i32
        %part_4 = kernel.slice %acc_3 from 24 : <64 x 144 x f32, warps = 4 x 1> -> <64 x 24 x f32, warps = 4 x 1>
        %tile_5 = kernel.epilogue %part_4 at[%13, %14] of[%arg4, %arg3] {
        ^bb0(%arg8: f32):
          %28 = arith.truncf %arg8 : f32 to f16
          kernel.yield %28 : f16
        } : <64 x 24 x f32, warps = 4 x 1> -> <64 x 24 x f16, warps = 4 x 1>
        %15 = arith.muli %arg7, %c24_i32 : i32
        kernel.stage %tile_5 to %ring_1[%c1_i32] at %15 transposed : <64 x 24 x f16, warps = 4 x 1> to <2 of 72 x 64 x f16>
        kernel.proxy.fence
        kernel.group.barrier
        kernel.store.async %ring_1[%c0_i32] from %12 to %arg2[%10, %11] : <2 of 72 x 64 x f16> to <24 x 64 x f16, rank = 2>
        kernel.store.async %ring_1[%c1_i32] from %15 to %arg2[%14, %13] : <2 of 72 x 64 x f16> to <24 x 64 x f16, rank = 2>
        kernel.store.commit
        %16 = arith.addi %8, %6 : i32
        %17 = arith.addi %10, %c48_i32 : i32
        %part_6 = kernel.slice %acc_3 from 48 : <64 x 144 x f32, warps = 4 x 1> -> <64 x 24 x f32, warps = 4 x 1>
        %tile_7 = kernel.epilogue %part_6 at[%16, %17] of[%arg4, %arg3] {
        ^bb0(%arg8: f32):
          %28 = arith.truncf %arg8 : f32 to f16
          kernel.yield %28 : f16
        } : <64 x 24 x f32, warps = 4 x 1> -> <64 x 24 x f16, warps = 4 x 1>
        kernel.store.wait 0
        kernel.group.barrier
        %18 = arith.muli %arg7, %c24_i32 : i32
        kernel.stage %tile_7 to %ring_1[%c0_i32] at %18 transposed : <64 x 24 x f16, warps = 4 x 1> to <2 of 72 x 64 x f16>
        %19 = arith.addi %8, %6 : i32
        %20 = arith.addi %10, %c72_i32 : i32
        %part_8 = kernel.slice %acc_3 from 72 : <64 x 144 x f32, warps = 4 x 1> -> <64 x 24 x f32, warps = 4 x 1>
        %tile_9 = kernel.epilogue %part_8 at[%19, %20] of[%arg4, %arg3] {
        ^bb0(%arg8: f32):
          %28 = arith.truncf %arg8 : f32 to f16
          kernel.yield %28 : f16
        } : <64 x 24 x f32, warps = 4 x 1> -> <64 x 24 x f16, warps = 4 x 1>
        %21 = arith.muli %arg7, %c24_i32 : i32
        kernel.stage %tile_9 to %ring_1[%c1_i32] at %21 transposed : <64 x 24 x f16, warps = 4 x 1> to <2 of 72 x 64 x f16>
        kernel.proxy.fence
        kernel.group.barrier
        kernel.store.async %ring_1[%c0_i32] from %18 to %arg2[%17, %16] : <2 of 72 x 64 x f16> to <24 x 64 x f16, rank = 2>
        kernel.store.async %ring_1[%c1_i32] from %21 to %arg2[%20, %19] : <2 of 72 x 64 x f16> to <24 x 64 x f16, rank = 2>
        kernel.store.commit
        %22 = arith.addi %8, %6 : i32
        %23 = arith.addi %10, %c96_i32 : i32
        %part_10 = kernel.slice %acc_3 from 96 : <64 x 144 x f32, warps = 4 x 1> -> <64 x 24 x f32, warps = 4 x 1>
        %tile_11 = kernel.epilogue %part_10 at[%22, %23] of[%arg4, %arg3] {
        ^bb0(%arg8: f32):
          %28 = arith.truncf %arg8 : f32 to f16
          kernel.yield %28 : f16
        } : <64 x 24 x f32, warps = 4 x 1> -> <64 x 24 x f16, warps = 4 x 1>
        kernel.store.wait 0
        kernel.group.barrier
        %24 = arith.muli %arg7, %c24_i32 : i32
        kernel.stage %tile_11 to %ring_1[%c0_i32] at %24 transposed : <64 x 24 x f16, warps = 4 x 1> to <2 of 72 x 64 x f16>
        %25 = arith.addi %8, %6 : i32
        %26 = arith.addi %10, %c120_i32 : i32
        %part_12 = kernel.slice %acc_3 from 120 : <64 x 144 x f32, warps = 4 x 1> -> <64 x 24 x f32, warps = 4 x 1>
        %tile_13 = kernel.epilogue %part_12 at[%25, %26] of[%arg4, %arg3] {
        ^bb0(%arg8: f32):
          %28 = arith.truncf %arg8 : f32 to f16
          kernel.yield %28 : f16
        } : <64 x 24 x f32, warps = 4 x 1> -> <64 x 24 x f16, warps = 4 x 1>
        %27 = arith.muli %arg7, %c24_i32 : i32
        kernel.stage %tile_13 to %ring_1[%c1_i32] at %27 transposed : <64 x 24 x f16, warps = 4 x 1> to <2 of 72 x 64 x f16>
        kernel.proxy.fence
        kernel.group.barrier
        kernel.store.async %ring_1[%c0_i32] from %24 to %arg2[%23, %22] : <2 of 72 x 64 x f16> to <24 x 64 x f16, rank = 2>
        kernel.store.async %ring_1[%c1_i32] from %27 to %arg2[%26, %25] : <2 of 72 x 64 x f16> to <24 x 64 x f16, rank = 2>
        kernel.store.commit
        kernel.store.wait 0
      }
      kernel.role "producer" warps 1 one_thread {
        kernel.depend.wait
        %tileM, %tileN, %batch = kernel.tile %worker of %1, %0 group %arg6
        %6 = arith.muli %tileN, %c192_i32 : i32
        %7 = arith.muli %tileM, %c144_i32 : i32
        %8 = arith.minui %7, %3 : i32
        %9:2 = scf.for %arg7 = %c0_i32 to %5 step %c1_i32 iter_args(%arg8 = %c0_i32, %arg9 = %c1_i32) -> (i32, i32)  : i32 {
          %10 = arith.muli %arg7, %c64_i32 : i32
          kernel.await %barriers_2[%arg8] phase %arg9 : <4 of 3>
          kernel.expect %barriers[%arg8] bytes 43008 : <4 of 1>
          kernel.load %arg0[%8, %10] to %ring_0[%arg8] signals %barriers : <144 x 64 x f16, rank = 2> to <4 of 144 x 64 x f16>, <4 of 1>
          kernel.load %arg1[%10, %6] to %ring[%arg8] signals %barriers : <64 x 64 x f16, rank = 2> to <4 of 64 x 192 x f16>, <4 of 1>
          %11 = arith.addi %arg8, %c1_i32 : i32
          %12 = arith.cmpi eq, %11, %c4_i32 : i32
          %13 = arith.select %12, %c0_i32, %11 : i32
          %14 = arith.extui %12 : i1 to i32
          %15 = arith.xori %arg9, %14 : i32
          scf.yield %13, %15 : i32, i32
        }
      }
      gpu.return
    }
  }
  func.func @f(%arg0: memref<3648x1600xf16>, %arg1: memref<1600x960xf16>, %arg2: memref<3648x960xf16>) {
    %c3648_i64 = arith.constant 3648 : i64
    %c960_i64 = arith.constant 960 : i64
    %c1600_i64 = arith.constant 1600 : i64
    %c1_i64 = arith.constant 1 : i64
    %intptr = memref.extract_aligned_pointer_as_index %arg0 : memref<3648x1600xf16> -> index
    %0 = arith.index_cast %intptr : index to i64
    %intptr_0 = memref.extract_aligned_pointer_as_index %arg1 : memref<1600x960xf16> -> index
    %1 = arith.index_cast %intptr_0 : index to i64
    %intptr_1 = memref.extract_aligned_pointer_as_index %arg2 : memref<3648x960xf16> -> index
    %2 = arith.index_cast %intptr_1 : index to i64
    kernel.launch @hone_sm_90a::@hone_ws_f16_f16_nn_67628e3046a1fb2d(a = %0, b = %1, c = %2, m = %c3648_i64, n = %c960_i64, k = %c1600_i64, group = %c1_i64, lda = %c1600_i64, ldb = %c960_i64, ldc = %c960_i64) {hone.problem = #hone.problem<m = 3648, n = 960, k = 1600, a = f16:row:16, b = f16:row:16, acc = f32, c = f16:16, init = zero>, hone.schedule = #hone.schedule<ws, side = b, tile = 144x192x64, consumers = 1x3, teams = 1, persistent = no, cluster = 1x1, splits = 1, streams = no, stages = 4, group = 1, chunk = 32, edge = within, rewrites = [loads(cols_first), flight(0), stores(joined)]>}
    return
  }
}

