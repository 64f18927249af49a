//===- BuildHostLoops.cpp - Loops of a host kernel ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Five loops around the micro-kernel, outermost first. Each keeps data in a
// nearer cache than the loop around it:
//
//   N by tile.n   a block of B's columns
//   K by tile.k   a tile.k x tile.n panel of B, packed     (last-level cache)
//   M by tile.m   a tile.m x tile.k panel of A, packed     (second level)
//   N by micro.n  one micro-panel of B                     (first level)
//   M by micro.m  one micro-tile of C                      (registers)
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/Build/Host/BuildHostParts.h"
#include <numeric>

using namespace mlir;
using namespace hone;
using namespace hone::host;

/// Panels and tiles start on a cache line.
static constexpr int64_t kAlignment = 64;

//===----------------------------------------------------------------------===//
// Types and small tools
//===----------------------------------------------------------------------===//

MemRefType host::panelsType(MLIRContext *context, int64_t width) {
  int64_t dynamic = ShapedType::kDynamic;
  return MemRefType::get({dynamic, dynamic, width}, Float32Type::get(context));
}

MemRefType host::panelType(MLIRContext *context, int64_t width) {
  int64_t dynamic = ShapedType::kDynamic;
  return MemRefType::get({dynamic, width}, Float32Type::get(context),
                         StridedLayoutAttr::get(context, dynamic, {width, 1}));
}

MemRefType host::tileType(MLIRContext *context, const Kernel &kernel) {
  return MemRefType::get({kernel.microM(), kernel.microN()},
                         Float32Type::get(context));
}

MemRefType host::sumsType(MLIRContext *context) {
  int64_t dynamic = ShapedType::kDynamic;
  return MemRefType::get(
      {dynamic, dynamic}, Float32Type::get(context),
      StridedLayoutAttr::get(context, dynamic, {dynamic, 1}));
}

func::FuncOp host::startFunction(ImplicitLocOpBuilder &b, StringRef name,
                                 TypeRange arguments) {
  auto function =
      func::FuncOp::create(b, name, b.getFunctionType(arguments, {}));
  function.setPrivate();
  // An attribute of LLVM's, which goes with the function to LLVM.
  function->setAttr("passthrough", b.getStrArrayAttr({"noinline"}));
  b.setInsertionPointToStart(function.addEntryBlock());
  auto end = func::ReturnOp::create(b);
  b.setInsertionPoint(end);
  return function;
}

Value host::enterLoop(ImplicitLocOpBuilder &b, Value from, Value to,
                      int64_t step) {
  auto loop = scf::ForOp::create(b, from, to, index(b, step));
  b.setInsertionPointToStart(loop.getBody());
  return loop.getInductionVar();
}

Value host::index(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value host::ceilDiv(ImplicitLocOpBuilder &b, Value value, int64_t unit) {
  return arith::CeilDivUIOp::create(b, value, index(b, unit));
}

Value host::convertFloat(ImplicitLocOpBuilder &b, Value value, Type element) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == element)
    return value;
  Type to = element;
  if (auto type = dyn_cast<VectorType>(value.getType()))
    to = type.clone(element);
  if (from.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, to, value);
  return arith::TruncFOp::create(b, to, value);
}

Value host::readVector(ImplicitLocOpBuilder &b, Value memref,
                       ValueRange indices, int64_t lanes) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
  return vector::TransferReadOp::create(b, VectorType::get(lanes, element),
                                        memref, indices, zero,
                                        ArrayRef<bool>{false});
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

namespace {
/// A slice of one of the matmul's dimensions.
struct Slice {
  Value offset, size;
};

/// The state of the function under construction: the slices that the loops have
/// fixed so far. A dimension without a slice is whole.
struct Loops {
  ImplicitLocOpBuilder &b;
  const Kernel &kernel;
  SmallVector<Value> batches; ///< position in each, outermost first
  Slice m, n, k;
};
} // namespace

/// `memref` cut to the current slices of its dimensions `dims`, a string such
/// as "bmk", without the batches.
static Value cut(const Loops &loops, Value memref, StringRef dims) {
  ImplicitLocOpBuilder &b = loops.b;
  SmallVector<OpFoldResult> offsets, sizes,
      strides(dims.size(), b.getIndexAttr(1));
  auto type = dropBatches(cast<MemRefType>(memref.getType()), dims);
  for (char dim : dims) {
    if (size_t batch = kBatchLetters.find(dim); batch != StringRef::npos) {
      offsets.push_back(loops.batches[batch]);
      sizes.push_back(b.getIndexAttr(1));
      continue;
    }
    const Slice &slice = dim == 'm' ? loops.m : dim == 'n' ? loops.n : loops.k;
    offsets.push_back(slice.offset);
    sizes.push_back(slice.size);
  }
  if (dims.empty())
    return memref;
  return memref::SubViewOp::create(b, type, memref, offsets, sizes, strides);
}

/// Rows [0, depth) of one panel.
static Value cutPanel(const Loops &loops, Value panels, Value number,
                      Value depth) {
  ImplicitLocOpBuilder &b = loops.b;
  int64_t width = cast<MemRefType>(panels.getType()).getDimSize(2);
  auto attr = [&](int64_t value) { return b.getIndexAttr(value); };
  return memref::SubViewOp::create(
      b, panelType(b.getContext(), width), panels,
      ArrayRef<OpFoldResult>{number, attr(0), attr(0)},
      ArrayRef<OpFoldResult>{attr(1), depth, attr(width)},
      ArrayRef<OpFoldResult>{attr(1), attr(1), attr(1)});
}

/// Enters the loop over blocks of `total` and returns the block.
static Slice enterBlocks(ImplicitLocOpBuilder &b, Value total, int64_t block) {
  Value offset = enterLoop(b, index(b, 0), total, block);
  Value left = arith::SubIOp::create(b, total, offset);
  return {offset, arith::MinUIOp::create(b, left, index(b, block))};
}

static Slice shift(ImplicitLocOpBuilder &b, Slice inner, Slice outer) {
  return {arith::AddIOp::create(b, outer.offset, inner.offset), inner.size};
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// An input matrix that is packed into panels.
struct Input {
  Value memref;
  std::string dims; ///< "mk", "bkn", ...
  bool isTurned;    ///< the first of its dimensions is the contiguous one
  Packing packing;
  func::FuncOp pack;
  Value panels;
};

static Input describeInput(Value memref, const std::string &letters,
                           int64_t width, WindowAttr window) {
  Input input;
  input.memref = memref;
  input.dims = letters;
  input.isTurned = false;
  if (window) {
    input.packing = {cast<MemRefType>(memref.getType()), width, false, window};
    return input;
  }
  bool depthIsFirst = letters.back() != 'k';
  auto type = dropBatches(cast<MemRefType>(memref.getType()), letters);
  auto layout = cast<StridedLayoutAttr>(type.getLayout());
  ArrayRef<int64_t> strides = layout.getStrides();
  input.isTurned = strides[0] == 1;
  if (input.isTurned) {
    depthIsFirst = !depthIsFirst;
    type = MemRefType::get(type.getShape(), type.getElementType(),
                           StridedLayoutAttr::get(type.getContext(),
                                                  layout.getOffset(),
                                                  {strides[1], strides[0]}),
                           type.getMemorySpace());
  }
  input.packing = {type, width, depthIsFirst, WindowAttr()};
  return input;
}

/// A buffer for the largest block: `across` in panels, depth in whole vectors
/// and whole iterations.
static void allocatePanels(ImplicitLocOpBuilder &b, const Kernel &kernel,
                           Input &input, Value across, int64_t acrossBlock,
                           Value depth) {
  int64_t unit = std::lcm(kernel.lanes, kernel.knobs.unroll);
  int64_t width = input.packing.width;
  Value max = arith::MinUIOp::create(b, across, index(b, acrossBlock));
  Value deepest =
      arith::MinUIOp::create(b, depth, index(b, kernel.knobs.tile[2]));
  Value rows =
      arith::MulIOp::create(b, ceilDiv(b, deepest, unit), index(b, unit));
  input.panels =
      memref::AllocOp::create(b, panelsType(b.getContext(), width),
                              ValueRange{ceilDiv(b, max, width), rows},
                              b.getI64IntegerAttr(kAlignment));
}

static void callPack(const Loops &loops, const Input &input, Value depth) {
  ImplicitLocOpBuilder &b = loops.b;
  if (input.packing.window) {
    func::CallOp::create(b, input.pack,
                         ValueRange{input.memref, input.panels, depth,
                                    loops.m.offset, loops.m.size,
                                    loops.k.offset, loops.k.size});
    return;
  }
  Value block = cut(loops, input.memref, input.dims);
  if (input.isTurned) {
    auto turn =
        AffineMap::getPermutationMap(ArrayRef<int64_t>{1, 0}, b.getContext());
    block = memref::TransposeOp::create(b, block, AffineMapAttr::get(turn));
  }
  func::CallOp::create(b, input.pack, ValueRange{block, input.panels, depth});
}

//===----------------------------------------------------------------------===//
// The loops
//===----------------------------------------------------------------------===//

namespace {
/// Values that exist once per call, made before the loops.
struct Frame {
  func::FuncOp function, multiply, store;
  Value m, n, k;
  Input a, b;
  Value tile;
  Value sums; ///< null if C keeps the sums

  Value argument(unsigned i) const {
    return func::FuncOp(function).getArgument(i);
  }
};
} // namespace

/// A buffer for M x tile.n sums. If one block holds all of K, the buffer is
/// never touched and costs nothing.
static Value allocateSums(ImplicitLocOpBuilder &b, const Kernel &kernel,
                          const Frame &frame) {
  Value columns =
      arith::MinUIOp::create(b, frame.n, index(b, kernel.knobs.tile[1]));
  int64_t dynamic = ShapedType::kDynamic;
  return memref::AllocOp::create(
      b, MemRefType::get({dynamic, dynamic}, b.getF32Type()),
      ValueRange{frame.m, columns}, b.getI64IntegerAttr(kAlignment));
}

/// The functions, the extents and the buffers.
static Frame enterFrame(ImplicitLocOpBuilder &b, const Kernel &kernel) {
  Frame frame;
  SmallVector<Type> types = {kernel.a, kernel.b, kernel.c};
  llvm::append_range(types, kernel.epilogue);
  frame.function = startFunction(b, kernel.name, types);
  MatmulOp op = kernel.op;
  frame.a = describeInput(frame.argument(0), kernel.lettersA, kernel.microM(),
                          op.getWindowAttr());
  frame.b = describeInput(frame.argument(1), kernel.lettersB, kernel.microN(),
                          WindowAttr());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfter(frame.function);
    frame.store = buildStore(b, kernel);
    frame.multiply = buildMultiply(b, kernel);
    frame.b.pack = buildPack(b, kernel, "_pack_b", frame.b.packing);
    frame.a.pack = op.getWindow()
                       ? buildWindowPack(b, kernel, "_pack_a", frame.a.packing)
                       : buildPack(b, kernel, "_pack_a", frame.a.packing);
  }
  Value c = frame.argument(2);
  int64_t batches = kernel.c.getRank() - 2;
  frame.m = memref::DimOp::create(b, c, batches);
  frame.n = memref::DimOp::create(b, c, batches + 1);
  frame.k = memref::DimOp::create(b, frame.b.memref, frame.b.dims.find('k'));
  const auto &tile = kernel.knobs.tile;
  allocatePanels(b, kernel, frame.a, frame.m, tile[0], frame.k);
  allocatePanels(b, kernel, frame.b, frame.n, tile[1], frame.k);
  frame.tile = memref::AllocaOp::create(b, tileType(b.getContext(), kernel),
                                        b.getI64IntegerAttr(kAlignment));
  if (kernel.keepsSums())
    frame.sums = allocateSums(b, kernel, frame);
  return frame;
}

/// The part of the sums buffer that belongs to the micro-tile. It holds one
/// block of columns, so its columns count from the block's start.
static Value cutSums(const Loops &loops, const Frame &frame, Slice column) {
  ImplicitLocOpBuilder &b = loops.b;
  OpFoldResult one = b.getIndexAttr(1);
  return memref::SubViewOp::create(
      b, sumsType(b.getContext()), frame.sums,
      ArrayRef<OpFoldResult>{loops.m.offset, column.offset},
      ArrayRef<OpFoldResult>{loops.m.size, column.size},
      ArrayRef<OpFoldResult>{one, one});
}

/// The two inner loops: every micro-tile of a packed block.
static void buildTiles(Loops loops, const Frame &frame, Value depth,
                       Value first, Value last) {
  ImplicitLocOpBuilder &b = loops.b;
  const Kernel &kernel = loops.kernel;
  OpBuilder::InsertionGuard guard(b);
  Slice column = enterBlocks(b, loops.n.size, kernel.microN());
  Value numberB =
      arith::DivUIOp::create(b, column.offset, index(b, kernel.microN()));
  Value panelB = cutPanel(loops, frame.b.panels, numberB, depth);
  Slice row = enterBlocks(b, loops.m.size, kernel.microM());
  Value numberA =
      arith::DivUIOp::create(b, row.offset, index(b, kernel.microM()));
  Value panelA = cutPanel(loops, frame.a.panels, numberA, depth);
  loops.m = shift(b, row, loops.m);
  loops.n = shift(b, column, loops.n);
  Value c = cut(loops, frame.argument(2), kernel.lettersC);
  Value sums = frame.sums ? cutSums(loops, frame, column) : c;
  func::CallOp::create(b, frame.multiply,
                       ValueRange{panelA, panelB, frame.tile, sums});

  SmallVector<Value> arguments = {frame.tile, c, first, last};
  if (frame.sums)
    arguments.push_back(sums);
  for (auto [i, dims] : llvm::enumerate(kernel.epilogueDims))
    arguments.push_back(cut(loops, frame.argument(3 + i), dims));
  func::CallOp::create(b, frame.store, arguments);
}

/// The three outer loops, and those over batches around them.
static void buildBlocks(Loops loops, const Frame &frame) {
  ImplicitLocOpBuilder &b = loops.b;
  const Host &knobs = loops.kernel.knobs;
  OpBuilder::InsertionGuard guard(b);
  for (int64_t dim = 0; dim < loops.kernel.c.getRank() - 2; ++dim) {
    Value count = memref::DimOp::create(b, frame.argument(2), dim);
    loops.batches.push_back(enterLoop(b, index(b, 0), count, 1));
  }
  loops.n = enterBlocks(b, frame.n, knobs.tile[1]);

  // An empty K still has one block, which stores init and epilogue.
  Value end = arith::MaxUIOp::create(b, frame.k, index(b, 1));
  Value start = enterLoop(b, index(b, 0), end, knobs.tile[2]);
  Value left = arith::SubIOp::create(b, frame.k, start);
  Value block = index(b, knobs.tile[2]);
  loops.k = {start, arith::MinUIOp::create(b, left, block)};
  Value first =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, start, index(b, 0));
  Value last = arith::CmpIOp::create(b, arith::CmpIPredicate::ule, left, block);
  Value depth = arith::MulIOp::create(b, ceilDiv(b, loops.k.size, knobs.unroll),
                                      index(b, knobs.unroll));
  callPack(loops, frame.b, depth);

  loops.m = enterBlocks(b, frame.m, knobs.tile[0]);
  callPack(loops, frame.a, depth);
  buildTiles(loops, frame, depth, first, last);
}

func::FuncOp host::buildLoops(ImplicitLocOpBuilder &b, const Kernel &kernel) {
  OpBuilder::InsertionGuard guard(b);
  Frame frame = enterFrame(b, kernel);
  buildBlocks({b, kernel, {}, {}, {}, {}}, frame);
  memref::DeallocOp::create(b, frame.a.panels);
  memref::DeallocOp::create(b, frame.b.panels);
  if (frame.sums)
    memref::DeallocOp::create(b, frame.sums);
  return frame.function;
}
