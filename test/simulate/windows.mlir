// A whole convolution: A is read through windows, the filter by taps. The kernel is proven at sizes with
// borders, steps, dilations, channels that are not whole steps and rows that are not whole tiles, against sums
// that are computed from the images. Then mistakes in coordinates, offsets, corners and steps are found.

// RUN: hone simulate %s | FileCheck %s
// RUN: hone-opt %s --hone-verify-kernel -o /dev/null

// DEFINE: %{mistake} =
// DEFINE: %{find} = sed '%{mistake}' %s | not hone simulate - 2>&1 | FileCheck %s --check-prefix

// Offsets: of the other dimension, one more, without dilation.
// REDEFINE: %{mistake} = s/offsets(\x25dx, \x25dy)/offsets(\x25dy, \x25dx)/
// RUN: %{find}=VALUE
// REDEFINE: %{mistake} = s/offsets(\x25dx, \x25dy)/offsets(\x25tapColumn, \x25dy)/
// RUN: %{find}=VALUE
// REDEFINE: %{mistake} = s/\x25inNextRow, \x25c0, \x25columnAfter/\x25inNextRow, \x25c1, \x25columnAfter/
// RUN: %{find}=VALUE
// The corner of the first window: without padding, without the window's step, in the next image.
// REDEFINE: %{mistake} = s/arith.subi \x25x, \x25padw/arith.addi \x25x, \x25c0/
// RUN: %{find}=BOUNDS
// REDEFINE: %{mistake} = s/arith.muli \x25inRow, \x25stepw/arith.muli \x25inRow, \x25c1/
// RUN: %{find}=VALUE
// REDEFINE: %{mistake} = s/\x25image = arith.divui \x25row, \x25pixels/\x25image = arith.divui \x25row, \x25outw/
// RUN: %{find}=VALUE
// Channels: those of the step before, or of the next tile in the filter alone.
// REDEFINE: %{mistake} = s/\x25isBehind, \x25c64, \x25c0/\x25isBehind, \x25c1, \x25c0/
// RUN: %{find}=VALUE
// REDEFINE: %{mistake} = s/\x25filter\[\x25col, \x25channel, \x25tap\]/\x25filter[\x25col, \x25c0, \x25tap]/
// RUN: %{find}=VALUE
// REDEFINE: %{mistake} = s/\x25filter\[\x25col, \x25channel, \x25tap\]/\x25filter[\x25col, \x25channel, \x25row]/
// RUN: %{find}=VALUE
// The plan's map: corners one further, another step, rows and columns exchanged.
// REDEFINE: %{mistake} = s/window (0 - padw,/window (1 - padw,/
// RUN: %{find}=BOUNDS
// REDEFINE: %{mistake} = s/to ((outw - 1) \* stepw - padw - inw + 1,/to (outw * stepw - padw - inw + 1,/
// RUN: %{find}=EITHER
// REDEFINE: %{mistake} = s/step (stepw, steph)/step (stepw, stepw)/
// RUN: %{find}=EITHER
// REDEFINE: %{mistake} = s/step (stepw, steph)/step (steph, stepw)/
// RUN: %{find}=EITHER
// REDEFINE: %{mistake} = s/dims (channels, inw, inh, images)/dims (channels, inh, inw, images)/
// RUN: %{find}=EITHER
// REDEFINE: %{mistake} = s/(ldb \* 2, channels \* 2)/(ldb * 2, ldb * 2)/
// RUN: %{find}=EITHER
// The guard: steps and offsets that no engine takes, and arithmetic beyond 32 bits.
// REDEFINE: %{mistake} = s/ \&\& inh > 0//
// RUN: %{find}=PLAN
// REDEFINE: %{mistake} = s/ \&\& steph > 0//
// RUN: %{find}=PLAN
// REDEFINE: %{mistake} = s/ \&\& outh \* outw < 134217728//
// RUN: %{find}=WIDE
// REDEFINE: %{mistake} = s/ \&\& filterw \* dilw < 257//
// RUN: %{find}=WIDE

// CHECK: right (clocks, values
// VALUE: 'gpu.func' computes {{.*}} for element {{.*}}, but expected
// BOUNDS: 'kernel.load' starts at pixel {{.*}}, outside of the map's corners
// EITHER: {{computes|starts at pixel|of a window from|which reach beyond|elements, but operand}}
// PLAN: has a tensor map, parameter 0
// WIDE: 'arith.muli' may exceed 32 bits

gpu.module @convolutions [#nvvm.target<O = 3, chip = "sm_90a", features = "+ptx80">] attributes {hone.plans = {conv = #kernel.plan<
    "hone-plan 2",
    "args a b c m n k group images channels taps inh outh filterh steph dilh padh inw outw filterw stepw dilw padw lda ha sa ldb ldc",
    "alternative a % 16 == 0 && lda % 8 == 0 && sa % 8 == 0 && ha % 8 == 0 && b % 16 == 0 && ldb % 8 == 0 && c % 16 == 0 && ldc % 8 == 0 && k > 0 && images * outh * outw == m && filterh * filterw == taps && taps * channels == k && taps > 0 && channels % 8 == 0 && taps * channels < 2147483648 && taps < 65536 && outh * outw < 134217728 && inh > 0 && steph > 0 && filterh > 0 && steph < 9 && padh >= 0 && padh < 129 && filterh * dilh < 257 && (outh - 1) * steph - padh - inh + 1 < 128 && inh + padh - (outh - 1) * steph < 130 && inw > 0 && stepw > 0 && filterw > 0 && stepw < 9 && padw >= 0 && padw < 129 && filterw * dilw < 257 && (outw - 1) * stepw - padw - inw + 1 < 128 && inw + padw - (outw - 1) * stepw < 130 && lda > 0 && ldb > 0 && ldc >= n && n % 8 == 0 && sa > 0 && ha > 0 && (m <= 1 || max(ldc, 0 - ldc) >= n)",
    "launch conv",
    "grid ceildiv(m, 64) * ceildiv(n, 64) ; 1 ; 1",
    "block 160 ; 1 ; 1",
    "shared 57392",
    "attribute programmatic",
    "param tensormap a : f16 dims (channels, inw, inh, images) strides (lda * 2, ha * 2, sa * 2) window (0 - padw, 0 - padh) to ((outw - 1) * stepw - padw - inw + 1, (outh - 1) * steph - padh - inh + 1) step (stepw, steph) box (64, 64) swizzle 128",
    "param tensormap b : f16 dims (channels, n, taps) strides (ldb * 2, channels * 2) box (64, 64, 1) swizzle 128",
    "param tensormap c : f16 dims (n, m) strides (ldc * 2) box (64, 64) swizzle 128",
    "param i32 m",
    "param i32 n",
    "param i32 group",
    "param i32 channels",
    "param i32 taps",
    "param i32 filterh",
    "param i32 filterw",
    "param i32 outh",
    "param i32 outw",
    "param i32 steph",
    "param i32 stepw",
    "param i32 dilh",
    "param i32 dilw",
    "param i32 padh",
    "param i32 padw">}} {
  gpu.func @conv(%images: !kernel.map<64 x 64 x f16, rank = 4, window>, %filter: !kernel.map<64 x 64 x f16, rank = 3>,
      %result: !kernel.map<64 x 64 x f16, rank = 2>, %m: i32, %n: i32, %group: i32, %channels: i32, %taps: i32,
      %filterh: i32, %filterw: i32, %outh: i32, %outw: i32, %steph: i32, %stepw: i32, %dilh: i32, %dilw: i32,
      %padh: i32, %padw: i32) kernel attributes {known_block_size = array<i32: 160, 1, 1>, nvvm.minctasm = 1 : i32} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %c64 = arith.constant 64 : i32
    kernel.depend.release
    %ringA = kernel.ring at 0 : <3 of 64 x 64 x f16>
    %ringB = kernel.ring at 24576 : <3 of 64 x 64 x f16>
    %ringC = kernel.ring at 49152 : <1 of 64 x 64 x f16>
    %full = kernel.barriers at 57344 : <3 of 1>
    %empty = kernel.barriers at 57368 : <3 of 1>
    kernel.barriers.init %full, %empty : !kernel.barriers<3 of 1>, !kernel.barriers<3 of 1>
    kernel.barrier
    %tilesM = arith.ceildivui %m, %c64 : i32
    %tilesN = arith.ceildivui %n, %c64 : i32
    %worker, %workers = kernel.worker of 1
    %perTap = arith.ceildivui %channels, %c64 : i32
    %all = arith.muli %perTap, %taps : i32
    %steps = arith.maxui %all, %c1 : i32
    kernel.role "consumer" warps 4 {
    ^bb0(%number: i32):
      %acc = kernel.acc.undefined : <64 x 64 x f32, warps = 4 x 1>
      %sums:4 = scf.for %step = %c0 to %steps step %c1 iter_args(%sum = %acc, %before = %c0, %slot = %c0, %phase = %c0)
          -> (!kernel.acc<64 x 64 x f32, warps = 4 x 1>, i32, i32, i32) : i32 {
        %isLater = arith.cmpi ne, %step, %c0 : i32
        kernel.await %full[%slot] phase %phase : <3 of 1>
        kernel.mma.fence
        %0 = kernel.mma.async %ringA[%slot] rows %c0, %ringB[%slot] cols %c0 step 0 to %sum if %isLater : <3 of 64 x 64 x f16>, <3 of 64 x 64 x f16>, <64 x 64 x f32, warps = 4 x 1>
        %1 = kernel.mma.async %ringA[%slot] rows %c0, %ringB[%slot] cols %c0 step 1 to %0 : <3 of 64 x 64 x f16>, <3 of 64 x 64 x f16>, <64 x 64 x f32, warps = 4 x 1>
        %2 = kernel.mma.async %ringA[%slot] rows %c0, %ringB[%slot] cols %c0 step 2 to %1 : <3 of 64 x 64 x f16>, <3 of 64 x 64 x f16>, <64 x 64 x f32, warps = 4 x 1>
        %3 = kernel.mma.async %ringA[%slot] rows %c0, %ringB[%slot] cols %c0 step 3 to %2 : <3 of 64 x 64 x f16>, <3 of 64 x 64 x f16>, <64 x 64 x f32, warps = 4 x 1>
        kernel.mma.commit
        %4 = kernel.mma.wait 1 for %3 : !kernel.acc<64 x 64 x f32, warps = 4 x 1>
        scf.if %isLater {
          kernel.arrive %empty[%before] : <3 of 1>
        }
        %next = arith.addi %slot, %c1 : i32
        %wraps = arith.cmpi eq, %next, %c3 : i32
        %nextSlot = arith.select %wraps, %c0, %next : i32
        %flip = arith.extui %wraps : i1 to i32
        %nextPhase = arith.xori %phase, %flip : i32
        scf.yield %4, %slot, %nextSlot, %nextPhase : !kernel.acc<64 x 64 x f32, warps = 4 x 1>, i32, i32, i32
      }
      %done = kernel.mma.wait 0 for %sums#0 : !kernel.acc<64 x 64 x f32, warps = 4 x 1>
      kernel.arrive %empty[%sums#1] : <3 of 1>
      %i, %j, %batch = kernel.tile %worker of %tilesM, %tilesN group %group
      %row = arith.muli %i, %c64 : i32
      %col = arith.muli %j, %c64 : i32
      %tile = kernel.epilogue %done at[%row, %col] of[%m, %n] {
      ^bb0(%sum: f32):
        %x = arith.truncf %sum : f32 to f16
        kernel.yield %x : f16
      } : <64 x 64 x f32, warps = 4 x 1> -> <64 x 64 x f16, warps = 4 x 1>
      kernel.stage %tile to %ringC[%c0] at %c0 : <64 x 64 x f16, warps = 4 x 1> to <1 of 64 x 64 x f16>
      kernel.proxy.fence
      kernel.group.barrier
      kernel.store.async %ringC[%c0] from %c0 to %result[%row, %col] : <1 of 64 x 64 x f16> to <64 x 64 x f16, rank = 2>
      kernel.store.commit
      kernel.store.wait 0
    }
    kernel.role "producer" warps 1 one_thread {
      kernel.depend.wait
      %i, %j, %batch = kernel.tile %worker of %tilesM, %tilesN group %group
      %row = arith.muli %i, %c64 : i32
      %col = arith.muli %j, %c64 : i32
      // The image, row and column of the tile's first window, and its corner.
      %pixels = arith.muli %outh, %outw : i32
      %image = arith.divui %row, %pixels : i32
      %inImage = arith.remui %row, %pixels : i32
      %atRow = arith.divui %inImage, %outw : i32
      %inRow = arith.remui %inImage, %outw : i32
      %y = arith.muli %atRow, %steph : i32
      %x = arith.muli %inRow, %stepw : i32
      %h = arith.subi %y, %padh : i32
      %w = arith.subi %x, %padw : i32
      scf.for %step = %c0 to %steps step %c1 iter_args(%slot = %c0, %phase = %c1, %tapColumn = %c0, %tapRow = %c0, %tap = %c0, %channel = %c0)
          -> (i32, i32, i32, i32, i32, i32) : i32 {
        %dx = arith.muli %tapColumn, %dilw : i32
        %dy = arith.muli %tapRow, %dilh : i32
        kernel.await %empty[%slot] phase %phase : <3 of 1>
        kernel.expect %full[%slot] bytes 16384 : <3 of 1>
        kernel.load %images[%w, %channel, %h, %image] offsets(%dx, %dy) to %ringA[%slot] signals %full : <64 x 64 x f16, rank = 4, window> to <3 of 64 x 64 x f16>, <3 of 1>
        kernel.load %filter[%col, %channel, %tap] to %ringB[%slot] signals %full : <64 x 64 x f16, rank = 3> to <3 of 64 x 64 x f16>, <3 of 1>
        %next = arith.addi %slot, %c1 : i32
        %wraps = arith.cmpi eq, %next, %c3 : i32
        %nextSlot = arith.select %wraps, %c0, %next : i32
        %flip = arith.extui %wraps : i1 to i32
        %nextPhase = arith.xori %phase, %flip : i32
        // The next tap, or the first one of the next channels.
        %columnAfter = arith.addi %tapColumn, %c1 : i32
        %inNextRow = arith.cmpi eq, %columnAfter, %filterw : i32
        %down = arith.extui %inNextRow : i1 to i32
        %rowAfter = arith.addi %tapRow, %down : i32
        %isBehind = arith.cmpi eq, %rowAfter, %filterh : i32
        %tapAfter = arith.addi %tap, %c1 : i32
        %nextColumn = arith.select %inNextRow, %c0, %columnAfter : i32
        %nextRow = arith.select %isBehind, %c0, %rowAfter : i32
        %nextTap = arith.select %isBehind, %c0, %tapAfter : i32
        %more = arith.select %isBehind, %c64, %c0 : i32
        %nextChannel = arith.addi %channel, %more : i32
        scf.yield %nextSlot, %nextPhase, %nextColumn, %nextRow, %nextTap, %nextChannel : i32, i32, i32, i32, i32, i32
      }
    }
    gpu.return
  }
}
func.func @run(%a: i64, %b: i64, %c: i64, %m: i64, %n: i64, %k: i64, %images: i64, %channels: i64, %taps: i64,
    %inh: i64, %outh: i64, %filterh: i64, %steph: i64, %dilh: i64, %padh: i64, %inw: i64, %outw: i64,
    %filterw: i64, %stepw: i64, %dilw: i64, %padw: i64, %lda: i64, %ha: i64, %sa: i64, %ldb: i64, %ldc: i64) {
  %group = arith.constant 8 : i64
  kernel.launch @convolutions::@conv(a = %a, b = %b, c = %c, m = %m, n = %n, k = %k, group = %group, images = %images, channels = %channels,
    taps = %taps, inh = %inh, outh = %outh, filterh = %filterh, steph = %steph, dilh = %dilh, padh = %padh,
    inw = %inw, outw = %outw, filterw = %filterw, stepw = %stepw, dilw = %dilw, padw = %padw, lda = %lda,
    ha = %ha, sa = %sa, ldb = %ldb, ldc = %ldc)
    {hone.problem = #hone.problem<m = ?, n = ?, k = ?, a = f16:row:2, b = f16:col:2, acc = f32, c = f16:2, init = zero>}
  return
}
